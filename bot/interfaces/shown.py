"""Results as notebooks show them: Jupyter asks for HTML and SVG, a terminal for text.

They are the lists and values that they show, with nothing else changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import NamedTuple, Self

from markupsafe import Markup

from sixprime.bot.reports import board_svg, board_text
from sixprime.bot.reports.columns import aligned
from sixprime.bot.reports.studied import tables, temperature_map
from sixprime.bot.reports.templating import rendered
from sixprime.bot.reports.text import ShownTable
from sixprime.engine.position import Chances, Dice, MatchState, Position
from sixprime.engine.search.cube import CubeDecision
from sixprime.engine.search.rollout import Rolled
from sixprime.engine.study.study import Study
from sixprime.protocols.formats.ids import position_id


class Hint(NamedTuple):
    """A play with its equity and chances, as `hint` returns it."""

    play: str
    equity: float  # per current cube; EMG in a match
    probabilities: Chances
    result: str  # Position ID, the opponent on roll
    plies: int


@dataclass(frozen=True)
class Board:
    """A position with its match and roll, to look at."""

    position: Position
    match: MatchState
    dice: Dice | None = None

    def _repr_svg_(self) -> str:
        return board_svg.draw(self.position, self.match, self.dice)

    def __str__(self) -> str:
        """As text, the player on roll below."""
        return board_text.draw(self.position)


class Hints(list[Hint]):
    """Plays, best first."""

    def _repr_html_(self) -> str:
        return _html([ShownTable("", _HINT_HEADS, self._rows())])

    def __str__(self) -> str:
        return "\n".join(aligned([_HINT_HEADS, *self._rows()]))

    def _rows(self) -> list[list[str]]:
        return [
            [each.play or "no play", f"{each.equity:+.3f}", f"{each.equity - self[0].equity:+.3f}"]
            + [f"{100 * chance:.1f}" for chance in each.probabilities]
            for each in self
        ]


class RolledPlays(list[tuple[str, Rolled]]):
    """What was rolled out, with standard errors."""

    def _repr_html_(self) -> str:
        return _html([ShownTable("", _ROLLED_HEADS, self._rows())])

    def __str__(self) -> str:
        return "\n".join(aligned([_ROLLED_HEADS, *self._rows()]))

    def _rows(self) -> list[list[str]]:
        return [
            [name, f"{rolled.equity:+.4f}", f"{rolled.error:.4f}"]
            + [f"{100 * chance:.1f}" for chance in rolled.outcomes]
            + [str(rolled.trials)]
            for name, rolled in self
        ]


@dataclass(frozen=True)
class ShownCube(CubeDecision):
    """A cube decision that shows its equities."""

    @classmethod
    def of(cls, decision: CubeDecision) -> Self:
        return cls(*(getattr(decision, each.name) for each in fields(decision)))

    def _repr_html_(self) -> str:
        return _html([ShownTable("", *self._rows(), self.action)])

    def __str__(self) -> str:
        heads, rows = self._rows()
        return "\n".join([*aligned([heads, *rows]), self.action])

    def _rows(self) -> tuple[list[str], list[list[str]]]:
        names = "no double", "double, take", "double, pass"
        rows = [[name, f"{equity:+.3f}"] for name, equity in zip(names, self.equities, strict=True)]
        if self.mwc is None:
            return ["", "equity"], rows
        chances = [[*row, f"{100 * mwc:.2f}"] for row, mwc in zip(rows, self.mwc, strict=True)]
        return ["", "equity", "MWC %"], chances


@dataclass(frozen=True, repr=False)
class ShownStudy(Study):
    """A study that shows its tables, board and temperature map."""

    def _repr_html_(self) -> str:
        board = board_svg.draw(self.position, self.match)
        rolls = None if self.rolls is None else temperature_map(self.rolls)
        return _html(tables(self), board, rolls)

    def __repr__(self) -> str:
        return f"<study of {position_id(self.position)}: {self.decision.action}>"

    def __str__(self) -> str:
        return "\n\n".join(_text(each) for each in tables(self))


_CHANCES = ["win", "g", "bg", "lose g", "bg"]
_HINT_HEADS = ["play", "equity", "worse by", *_CHANCES]
_ROLLED_HEADS = ["", "equity", "±", *_CHANCES, "trials"]


def _html(
    shown: Iterable[ShownTable], board: Markup | None = None, rolls: Markup | None = None
) -> str:
    return rendered("notebook.html", tables=shown, board=board, map=rolls)


def _text(table: ShownTable) -> str:
    lines = aligned([table.heads, *table.rows]) if table.rows else ()
    return "\n".join(part for part in (table.title, *lines, table.note) if part)
