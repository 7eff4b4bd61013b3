"""A decision as it is shown: ranked plays, the cube, or a rollout; as text, JSON and HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from sixprime.bot.process.printable import counted
from sixprime.bot.reports.columns import aligned
from sixprime.engine.game import Answer
from sixprime.engine.position import CUBE_ACTIONS, Chances, MatchState, Position
from sixprime.engine.search.cube import CubeDecision, cubeful_equity
from sixprime.engine.study.cubepoints import bluff, cube_points, market_windows
from sixprime.protocols.formats.ids import position_id
from sixprime.protocols.formats.notation import format_play

if TYPE_CHECKING:
    from sixprime.engine.search.cube import RolledFigures
    from sixprime.engine.search.decide import CubeAdvice, MoveDecision
    from sixprime.engine.search.rollout import Rolled

Table = tuple[Sequence[str], Sequence[Sequence[str]]]  # heads and rows


class Hint(NamedTuple):
    """A play with its equity and chances."""

    play: str  # "" for a dance
    equity: float  # per current cube; EMG in a match
    probabilities: Chances
    result: str  # Position ID, the opponent on roll
    plies: int
    difference: float = 0.0  # equity minus that of the best play
    mwc: float | None = None  # None for money
    rolled: RolledFigures | None = None
    chance: float | None = None  # at a level like people
    is_played: bool = False  # by that level
    place: int = 1  # among all plays

    @property
    def depth(self) -> str:
        """The plies of the search, or the trials and the standard error of the rollout."""
        rolled = self.rolled
        if rolled is None:
            return str(self.plies)
        return f"{counted(rolled.trials, 'trial')} ±{rolled.error:.3f}"

    def as_json(self) -> dict[str, Any]:
        return {
            "move": self.play,
            "result": self.result,
            "equity": round(self.equity, 6),
            "mwc": None if self.mwc is None else round(self.mwc, 6),
            "probabilities": [round(chance, 6) for chance in self.probabilities],
            "plies": self.plies,
            **({} if self.rolled is None else _precision(self.rolled)),
            **({} if self.chance is None else {"chance": round(self.chance, 9)}),
        }


class Hints(list[Hint]):
    """Plays, best first."""

    @classmethod
    def ranked(cls, position: Position, decision: MoveDecision, most: int | None = None) -> Self:
        """Return the best plays of a decision, and the play that its level makes."""
        best, chosen = decision.best.equity, decision.chosen
        people = bool(decision.chances)
        shown = []
        for place, candidate in enumerate(decision.candidates):
            if most is not None and place >= most and place != chosen:
                continue
            play, result = format_play(position, candidate.play), candidate.result.flipped()
            equity, chance = candidate.equity, decision.chances[place] if people else None
            figures = (candidate.plies, equity - best, candidate.mwc, candidate.rolled)
            told = *figures, chance, people and place == chosen, place + 1
            shown.append(Hint(play, equity, candidate.outcomes, position_id(result), *told))
        return cls(shown)

    @property
    def played(self) -> Hint | None:
        """The play that a level like people makes; None at other levels."""
        return next((hint for hint in self if hint.is_played), None)

    def table(self) -> Table:
        heads = ("", "play", "equity", "worse by", "win", "gammon", "bg", "lose g", "bg", "plies")
        people = self.played is not None
        return (*heads, "chance") if people else heads, [
            [
                str(hint.place),
                hint.play or "no play",
                f"{hint.equity:+.3f}",
                "" if hint.place == 1 else f"{hint.difference:+.3f}",
                *_percent(hint.probabilities),
                hint.depth,
                *([] if hint.chance is None else [f"{100 * hint.chance:.1f}"]),
            ]
            for hint in self
        ]

    def note(self) -> str:
        """Tell which play a level like people makes; empty at other levels."""
        played = self.played
        return "" if played is None else f"this level plays {played.play or 'no checker'}"

    def _repr_html_(self) -> str:
        return _html(self.table(), self.note())

    def __str__(self) -> str:
        note = self.note()
        return _text(self.table()) + (f"\n{note}" if note else "")


@dataclass
class ShownCube(CubeDecision):
    """A cube decision, the chances it rests on, and the rollouts of its two cubes, if any."""

    outcomes: Chances = (0.0,) * 5
    match: MatchState = field(default_factory=MatchState)
    rolled: Sequence[RolledFigures] = ()
    chances: Mapping[str, float] = field(default_factory=dict)  # at a level like people
    played: tuple[bool, bool] | None = None  # that level doubles; it takes

    @classmethod
    def from_advice(cls, advice: CubeAdvice, match: MatchState) -> Self:
        decision = advice.decision
        decided = {field.name: getattr(decision, field.name) for field in fields(CubeDecision)}
        found = cls(**decided, outcomes=advice.outcomes, match=match, rolled=advice.seen.rolled)
        if not (chances := advice.chances):
            return found
        played = advice.doubles, advice.answer() is not Answer.PASS
        return replace(found, chances=chances, played=played)

    def as_json(self) -> dict[str, Any]:
        names = ("no_double", "double_take", "double_pass")
        rounded = (round(equity, 6) for equity in self.equities)
        double, take = self.played or (self.double, self.take)
        return {
            "kind": "cube",
            "double": double,
            "take": take,
            "action": self.action,
            "equities": dict(zip(names, rounded, strict=True)),
            "mwc": self.mwc and [round(chance, 6) for chance in self.mwc],
            "probabilities": [round(chance, 6) for chance in self.outcomes],
            **(_precision(*self.rolled) if self.rolled else {}),
            **({"chances": _rounded(self.chances)} if self.chances else {}),
        }

    @property
    def cubeless(self) -> float:
        """The equity at this score if nobody turns the cube any more."""
        return cubeful_equity(self.outcomes, self.match, 0.0).equity

    @property
    def for_money(self) -> float:
        """The cubeless equity for money without the Jacoby rule."""
        return cubeful_equity(self.outcomes, MatchState(), 0.0).equity

    @property
    def windows(self) -> list[tuple[str, float, float]]:
        """The market windows of the player on roll, for a dead and a live cube."""
        if not self.available:
            return []
        points = cube_points(self.match, self.match.on_roll, self.outcomes)
        return market_windows(points[0]) if points else []

    def facts(self) -> dict[str, Any]:
        """Return the figures beside the decision, as JSON."""
        share = bluff(self)
        return {
            "cubeless": round(self.cubeless, 6),
            "cubeless_money": round(self.for_money, 6),
            "market_window": {name: [round(at, 6) for at in ends] for name, *ends in self.windows},
            "bluff": None if share is None else round(share, 6),
        }

    def in_lines(self) -> list[str]:
        """Return the figures beside the decision, in words."""
        lines = [f"cubeless equity {self.cubeless:+.3f}"]
        if f"{self.for_money:+.3f}" != f"{self.cubeless:+.3f}":
            other = "money" if self.match.length else "without Jacoby"
            lines[0] += f" ({other} {self.for_money:+.3f})"
        if windows := self.windows:
            told = (f"{name} {100 * low:.1f} to {100 * high:.1f}" for name, low, high in windows)
            lines.append(f"market window, wins %: {', '.join(told)}")
        if (share := bluff(self)) is not None:
            wrong = "passes" if self.take else "takes"
            lines.append(f"a double gains if the opponent wrongly {wrong} {100 * share:.1f} %")
        return lines

    def note(self) -> str:
        """Tell how a level like people turns the cube; empty at other levels."""
        if self.played is None:
            return ""
        double, take = self.played
        chances = ", ".join(f"{name} {100 * chance:.1f} %" for name, chance in self.chances.items())
        deed = "doubles" if double else "rolls"
        return f"this level {deed}, and {'takes' if take else 'passes'} a double; {chances}"

    def table(self) -> Table:
        equities = zip(CUBE_ACTIONS, self.equities, strict=True)
        rows = [[name, f"{equity:+.3f}", self._difference(equity)] for name, equity in equities]
        if self.mwc is None:
            return ("", "equity", "difference"), rows
        chances = [[*row, f"{100 * mwc:.2f}"] for row, mwc in zip(rows, self.mwc, strict=True)]
        return ("", "equity", "difference", "MWC %"), chances

    def _difference(self, equity: float) -> str:
        """Format the distance from the right action's equity."""
        difference = equity - self.optimal
        return f"{difference:+.3f}" if difference else ""

    def in_sentences(self) -> str:
        """The chances of the player on roll, and how sure a rollout is of them, in sentences."""
        win, gammon, backgammon, lost, lost_backgammon = (100 * each for each in self.outcomes)
        said = (
            f"win {win:.1f} (gammon {gammon:.1f}, backgammon {backgammon:.1f}), "
            f"lose {100 - win:.1f} (gammon {lost:.1f}, backgammon {lost_backgammon:.1f})"
        )
        if self.rolled:
            errors = ", ".join(f"{rolled.error:.3f}" for rolled in self.rolled)
            said += f"\nrolled out: {counted(self.rolled[0].trials, 'trial')}, ± {errors}"
        return said

    def _repr_html_(self) -> str:
        return _html(self.table(), "; ".join(filter(None, (self.action, self.note()))))

    def __str__(self) -> str:
        return "\n".join(filter(None, (_text(self.table()), self.action, self.note())))


class ByPlies(dict[int, "Hints | ShownCube"]):
    """The same decision by plies of look-ahead, in rising order."""

    def as_json(self) -> list[dict[str, Any]]:
        return [
            {
                "plies": plies,
                **(
                    {"plays": [hint.as_json() for hint in shown if hint.plies == plies]}
                    if isinstance(shown, Hints)
                    else {**shown.as_json(), **shown.facts()}
                ),
            }
            for plies, shown in self.items()
        ]

    def table(self, most: int) -> Table:
        """Return the equities at each depth: of the best plays, or of the cube actions."""
        last = self[max(self)]
        return self._plays(last, most) if isinstance(last, Hints) else self._cubes()

    def _plays(self, last: Hints, most: int) -> Table:
        """Return a column a depth; a cell is empty where the filter stopped the play before."""
        columns = [
            {hint.result: f"{hint.equity:+.3f}" for hint in shown if hint.plies == plies}
            for plies, shown in self.items()
            if isinstance(shown, Hints)
        ]
        heads = ("", "play", *(f"{plies}-ply" for plies in self), "worse by")
        return (*heads, "win", "gammon", "bg", "lose g", "bg"), [
            [
                str(hint.place),
                hint.play or "no play",
                *(column.get(hint.result, "") for column in columns),
                "" if hint.place == 1 else f"{hint.difference:+.3f}",
                *_percent(hint.probabilities),
            ]
            for hint in last[:most]
        ]

    def _cubes(self) -> Table:
        """Return a row a depth."""
        heads = ("", "win", "gammon", "bg", "lose g", "bg", "cubeless", *CUBE_ACTIONS, "")
        return heads, [
            [
                f"{plies}-ply",
                *_percent(shown.outcomes),
                f"{shown.cubeless:+.3f}",
                *(f"{equity:+.3f}" for equity in shown.equities),
                shown.action,
            ]
            for plies, shown in self.items()
            if isinstance(shown, ShownCube)
        ]


class RolledPlays(list[tuple[str, "Rolled"]]):
    """Rolled-out candidates by name, with standard errors."""

    @classmethod
    def named(cls, names: Sequence[str], rolled: Sequence[Rolled], *, ranked: bool = True) -> Self:
        """The candidates, best first if `ranked`."""
        rows = cls((name, replace(one, name=name)) for name, one in zip(names, rolled, strict=True))
        if ranked:
            rows.sort(key=lambda row: -row[1].equity)
        return rows

    def as_json(self) -> list[dict[str, Any]]:
        return [asdict(rolled) for _, rolled in self]

    def table(self) -> Table:
        heads = (
            *("candidate", "equity", "±", "diff", "win", "gam", "bg", "l gam", "bg"),
            *("trials", "var /"),
        )
        first = self[0][1]
        return heads, [
            [
                name,
                f"{rolled.equity:+.4f}",
                f"{rolled.error:.4f}" if rolled.trials > 1 else "-",
                "" if rolled is first else f"{rolled.equity - first.equity:+.4f}",
                *_percent(rolled.outcomes),
                str(rolled.trials),
                _factor(rolled.reduction),
            ]
            for name, rolled in self
        ]

    def _repr_html_(self) -> str:
        return _html(self.table())

    def __str__(self) -> str:
        return _text(self.table())


def _percent(chances: Sequence[float]) -> list[str]:
    return [f"{100 * chance:.1f}" for chance in chances]


def _rounded(chances: Mapping[str, float]) -> dict[str, float]:
    return {name: round(chance, 9) for name, chance in chances.items()}


def _precision(*rolled: RolledFigures) -> dict[str, Any]:
    return {"trials": rolled[0].trials, "errors": [round(each.error, 6) for each in rolled]}


def _factor(reduction: float | None) -> str:
    if reduction is None:
        return ""
    return f"{reduction:.1f}" if reduction < 1e6 else "all"  # the rest is rounding


def _text(table: Table) -> str:
    heads, rows = table
    return "\n".join(aligned([heads, *rows]))


def _html(table: Table, note: str = "") -> str:
    from sixprime.bot.reports.templating import rendered  # Jinja would slow the start of `hint`
    from sixprime.bot.reports.text import ShownTable

    return rendered("notebook.html", tables=[ShownTable("", *table, note)], board=None, map=None)
