"""Boards and studies as notebooks show them: HTML and SVG for Jupyter, text for a terminal."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.bot.reports import board_svg, board_text
from sixprime.bot.reports.columns import aligned
from sixprime.bot.reports.studied import tables, temperature_map
from sixprime.bot.reports.templating import rendered
from sixprime.bot.reports.text import ShownTable
from sixprime.engine.position import Dice, MatchState, Position
from sixprime.engine.study.study import Study
from sixprime.protocols.formats.ids import position_id


@dataclass(frozen=True)
class Board:
    """A position with its match and roll, drawn."""

    position: Position
    match: MatchState
    dice: Dice | None = None

    def _repr_svg_(self) -> str:
        return board_svg.draw(self.position, self.match, self.dice)

    def __str__(self) -> str:
        """Draw the board with the player on roll below."""
        return board_text.draw(self.position)


@dataclass(frozen=True, repr=False)
class ShownStudy(Study):
    """A study that shows its tables, board and temperature map."""

    def _repr_html_(self) -> str:
        board = board_svg.draw(self.position, self.match)
        rolls = None if self.rolls is None else temperature_map(self.rolls)
        return rendered("notebook.html", tables=tables(self), board=board, map=rolls)

    def __repr__(self) -> str:
        return f"<study of {position_id(self.position)}: {self.decision.action}>"

    def __str__(self) -> str:
        return "\n\n".join(_text(each) for each in tables(self))


def _text(table: ShownTable) -> str:
    lines = aligned([table.heads, *table.rows]) if table.rows else ()
    return "\n".join(part for part in (table.title, *lines, table.note) if part)
