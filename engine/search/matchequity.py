"""Match equity tables: the chance of winning the match at each score.

Point of view: a table is read by seat, 0 or 1, as in `MatchState.score`. `before[a, b]` is
seat 0's chance when seat 0 needs `a` points and seat 1 needs `b`, before or during the Crawford
game; `after[seat, k]` is the chance of the trailer `seat` who needs `k` against 1 once the Crawford
game is over. Everything in a `Chances` is one player's own: `winning[n]` and `losing[n]` are that
player's match winning chances (MWC) after winning or losing the present game for `n` points.

EMG is MWC on money's scale: +1 is winning the cube as it stands, -1 losing it.

The tables that ship end at 15 or 25 points and are extended to 64, which is gnubg's limit too, by
engine.search.equitymodels.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sixprime.engine.search.equityfile import BadEquityTable, read_table
from sixprime.engine.search.equitymodels import (
    REACH,
    Mec,
    MecAfter,
    Zadeh,
    ZadehAfter,
    extended_after,
    extended_before,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sixprime.engine.position import MatchState

DEFAULT = "kazaross-xg2"
MEC_GAMMONS = 0.26  # of gnubg's mec.xml


@dataclass(frozen=True, slots=True)
class Chances:
    """One player's MWC after winning or losing the present game for 0..64 points."""

    winning: tuple[float, ...]
    losing: tuple[float, ...]

    def win(self, points: int) -> float:
        """Return the MWC after winning the game for this many points."""
        return self.winning[min(points, REACH)]

    def lose(self, points: int) -> float:
        """Return the MWC after losing the game for this many points."""
        return self.losing[min(points, REACH)]

    def mwc(self, emg: float, cube: int) -> float:
        """Return the MWC of an equity normalised to this cube."""
        won, lost = self.win(cube), self.lose(cube)
        return (won + lost) / 2 + emg * (won - lost) / 2

    def emg(self, mwc: float, cube: int) -> float:
        """Return the equity normalised to this cube; 0 where winning and losing are the same."""
        won, lost = self.win(cube), self.lose(cube)
        return 0.0 if won == lost else (2 * mwc - won - lost) / (won - lost)

    def cost(self, emg: float, cube: int) -> float:
        """Return the cost in MWC of an error given in EMG."""
        return emg * (self.win(cube) - self.lose(cube)) / 2


@dataclass(frozen=True, eq=False)
class MatchEquityTable:
    """Each player's chance of winning the match, by the points that each still needs."""

    name: str
    before: NDArray[np.float64]  # [65, 65]; row and column 0 are unused
    after: NDArray[np.float64]  # [2, 65]; column 0 is unused

    def chance(self, away: tuple[int, int], seat: int, post_crawford: bool = False) -> float:
        """Return the MWC of `seat` when seats 0 and 1 need these points; 0 or fewer: won."""
        if away[seat] <= 0:
            return 1.0
        if away[1 - seat] <= 0:
            return 0.0
        if max(away) > REACH:
            raise BadEquityTable(f"match equity tables reach {REACH} points, not {max(away)}")
        if not post_crawford:
            first = float(self.before[away[0], away[1]])
        elif away[0] == 1:
            first = 1.0 - float(self.after[1, away[1]])
        elif away[1] == 1:
            first = float(self.after[0, away[0]])
        else:
            raise ValueError(f"no one is 1 away at {away}: the Crawford game is not over")
        return first if seat == 0 else 1.0 - first

    def standing(self, state: MatchState, seat: int) -> float:
        """Return the chance of `seat` at the present score, before this game."""
        return self.chance(state.away, seat, state.post_crawford)

    def chances(self, state: MatchState, seat: int) -> Chances:
        """Return the MWC of `seat` after each result of the present game."""
        if state.length == 0:
            raise ValueError("a money session has no match to win")
        mine, theirs = state.away[seat], state.away[1 - seat]

        def after(my_points: int, their_points: int) -> float:
            left = (mine - my_points, theirs - their_points)
            in_seats = left if seat == 0 else (left[1], left[0])
            return self.chance(in_seats, seat, post_crawford=1 in state.away)

        steps = range(1, REACH + 1)
        stands = self.standing(state, seat)
        return Chances(
            (stands, *(after(n, 0) for n in steps)), (stands, *(after(0, n) for n in steps))
        )


def names() -> tuple[str, ...]:
    """Return the names of the tables that ship, by formula or as data."""
    folder = files("sixprime.engine.data").joinpath("met")
    explicit = (entry.name for entry in folder.iterdir() if entry.name.endswith(".csv"))
    return tuple(sorted((*(name.removesuffix(".csv") for name in explicit), "mec", "zadeh")))


def table_of(state: MatchState) -> MatchEquityTable:
    return load_table(state.met or DEFAULT)


@lru_cache(maxsize=16)
def load_table(name: str = DEFAULT) -> MatchEquityTable:
    """Return the table of this name, or of gnubg's XML file of this name; BadEquityTable.

    A file is read once in a process.
    """
    if name == "zadeh":
        after = ZadehAfter().after()
        return MatchEquityTable(name, Zadeh().before(after), after)
    if name == "mec":
        after = MecAfter(MEC_GAMMONS).after()
        return MatchEquityTable(name, Mec(MEC_GAMMONS).before(after), after)
    if name in names():
        return _shipped(name)
    path = Path(name).expanduser()
    if path.suffix.lower() != ".xml":
        raise BadEquityTable(f"no match equity table '{name}'; there are {', '.join(names())}")
    try:
        read = read_table(path)
    except BadEquityTable as error:
        raise BadEquityTable(f"{name}: {error}") from error
    except OSError as error:
        raise BadEquityTable(f"{name}: {error.strerror or error}") from error
    return MatchEquityTable(read.name or path.stem, read.before, read.after)


def _shipped(name: str) -> MatchEquityTable:
    text = files("sixprime.engine.data").joinpath("met", f"{name}.csv").read_text("ascii")
    before: list[list[float]] = []
    after: dict[str, list[float]] = {}
    for section, _, *cells in list(csv.reader(text.splitlines()))[1:]:
        numbers = [float(cell) for cell in cells if cell]
        if section == "0":
            before.append(numbers)
        else:
            after[section] = numbers
    first = after["1"]
    rows = [extended_after(row, len(before)) for row in (first, after.get("2", first))]
    return MatchEquityTable(name, extended_before(np.array(before)), np.stack(rows))
