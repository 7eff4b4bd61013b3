"""Match equity tables: the chance of winning the match at each score, and what follows from it.

Whose point of view: a table is read by seat, 0 or 1, as in `MatchState.score`. `before[a, b]` is
seat 0's chance when seat 0 needs `a` points and seat 1 needs `b`, before or during the Crawford
game; `after[seat, k]` is the chance of the trailer `seat` who needs `k` against 1 once the Crawford
game is over. Everything in a `Chances` is one player's own: `winning[n]` and `losing[n]` are that
player's match winning chances (MWC) after winning or losing the present game for `n` points.

EMG is MWC on money's scale: +1 is winning the cube as it stands, -1 losing it.

The tables that ship end at 15 or 25 points and are extended to 64, which is gnubg's limit too:
post-Crawford by assuming one win in four to be a gammon, before that by a normal distribution of
the points still to be played.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sixprime.engine.position import MatchState

DEFAULT = "kazaross-xg2"
REACH = 64  # points: the longest match a table knows

_POST_CRAWFORD_GAMMONS = 0.25
_SPREAD = (1.24, 1.27, 1.47, 1.50, 1.60, 1.61, 1.66, 1.68, 1.70, 1.72)  # per point needed, 1..10
_SPREAD_BEYOND = 1.77


class OutsideTable(ValueError):
    """A match longer than the tables reach, or a table nobody knows; the text says which."""


@dataclass(frozen=True, slots=True)
class Chances:
    """One player's MWC after winning or losing the present game for 0..64 points."""

    winning: tuple[float, ...]
    losing: tuple[float, ...]

    def win(self, points: int) -> float:
        """MWC after winning the game for this many points."""
        return self.winning[min(points, REACH)]

    def lose(self, points: int) -> float:
        """MWC after losing the game for this many points."""
        return self.losing[min(points, REACH)]

    def mwc(self, emg: float, cube: int) -> float:
        """The MWC of an equity normalised to this cube."""
        won, lost = self.win(cube), self.lose(cube)
        return (won + lost) / 2 + emg * (won - lost) / 2

    def emg(self, mwc: float, cube: int) -> float:
        """The equity normalised to this cube; 0 where winning and losing it are the same."""
        won, lost = self.win(cube), self.lose(cube)
        return 0.0 if won == lost else (2 * mwc - won - lost) / (won - lost)

    def cost(self, emg: float, cube: int) -> float:
        """The cost in MWC of an error given in EMG."""
        return emg * (self.win(cube) - self.lose(cube)) / 2


@dataclass(frozen=True, eq=False)
class MatchEquityTable:
    """Chances of winning a match by the points both need; see the module for whose they are."""

    name: str
    before: NDArray[np.float64]  # [65, 65]; row and column 0 are unused
    after: NDArray[np.float64]  # [2, 65]; column 0 is unused

    def chance(self, away: tuple[int, int], seat: int, post_crawford: bool = False) -> float:
        """The MWC of `seat` when seats 0 and 1 need these points; 0 or fewer means having won."""
        if away[seat] <= 0:
            return 1.0
        if away[1 - seat] <= 0:
            return 0.0
        if max(away) > REACH:
            raise OutsideTable(f"match equity tables reach {REACH} points, not {max(away)}")
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
        """Chance of `seat` at the score as it stands, before this game."""
        return self.chance(state.away, seat, state.post_crawford)

    def chances(self, state: MatchState, seat: int) -> Chances:
        """The MWC of `seat` after each result of the present game."""
        if state.length == 0:
            raise ValueError("a money session has no match to win")
        mine, theirs = state.away[seat], state.away[1 - seat]
        next_is_post_crawford = state.crawford or 1 in state.away

        def after(my_points: int, their_points: int) -> float:
            left = (mine - my_points, theirs - their_points)
            in_seats = left if seat == 0 else (left[1], left[0])
            return self.chance(in_seats, seat, next_is_post_crawford)

        steps = range(1, REACH + 1)
        stands = self.standing(state, seat)
        return Chances(
            (stands, *(after(n, 0) for n in steps)), (stands, *(after(0, n) for n in steps))
        )


# Where the numbers come from: explicit tables as data, `zadeh` by formula.


@dataclass(frozen=True, slots=True)
class Zadeh:
    """Zadeh's model of a match: gammon rates, and the share of a live cube's value that is lost."""

    leader_gammons: float = 0.25  # of the player who is 1 away, in the Crawford game
    trailer_gammons: float = 0.15
    lost_use: float = 0.08
    lost_use_at_one: float = 0.06  # of the first cube
    post_crawford_gammons: float = 0.25
    free_drop_2_away: float = 0.015
    free_drop_4_away: float = 0.004

    def table(self, name: str = "zadeh") -> MatchEquityTable:
        """The whole table, by the formulas alone."""
        drops = {2: self.free_drop_2_away, 4: self.free_drop_4_away}
        after = np.zeros((2, REACH + 1))
        for k in range(1, REACH + 1):
            after[:, k] = _played_on(after[0], k, self.post_crawford_gammons) - drops.get(k, 0.0)
        before = np.zeros((REACH + 1, REACH + 1))
        before[1, 1] = 0.5
        gammons = self.leader_gammons
        for k in range(2, REACH + 1):
            two, one = _beyond(after[0], k - 2), _beyond(after[0], k - 1)
            before[k, 1] = gammons / 2 * two + (1 - gammons) / 2 * one
            before[1, k] = 1 - before[k, 1]
        for total in range(4, 2 * REACH + 1):
            for a in range(max(2, total - REACH), min(REACH, total - 2) + 1):
                before[a, total - a] = self._score(before, a, total - a)
        return MatchEquityTable(name, before, after)

    def _score(self, before: NDArray[np.float64], a: int, b: int) -> float:
        mine = self._drop_point(before, a, b, 1) + self.lost_use_at_one
        theirs = self._drop_point(before, b, a, 1) + self.lost_use_at_one
        won, lost = _at(before, a - 1, b), _at(before, a, b - 1)
        return ((theirs - 0.5) * won + (mine - 0.5) * lost) / (mine + theirs - 1)

    def _drop_point(self, before: NDArray[np.float64], a: int, b: int, stake: int) -> float:
        """The chance at which the opponent of the player who needs `a` drops a live cube."""
        final = 2 * stake if a - 1 < 2 * stake <= b - 1 else stake
        more, less = self.leader_gammons, self.trailer_gammons
        lost = less * _at(before, a, b - 4 * final) + (1 - less) * _at(before, a, b - 2 * final)
        won = more * _at(before, a - 4 * final, b) + (1 - more) * _at(before, a - 2 * final, b)
        dead = (_at(before, a - stake, b) - lost) / (won - lost)
        if min(a, b) - 1 < 2 * stake:
            return dead
        return 1 + (self._drop_point(before, b, a, 2 * stake) + self.lost_use) * (dead - 1)


def names() -> tuple[str, ...]:
    """Every table `load` knows."""
    folder = files("sixprime.engine.data").joinpath("met")
    explicit = (entry.name for entry in folder.iterdir() if entry.name.endswith(".csv"))
    return tuple(sorted((*(name.removesuffix(".csv") for name in explicit), "zadeh")))


@lru_cache(maxsize=4)
def load(name: str = DEFAULT) -> MatchEquityTable:
    """The table of this name, extended to 64 points."""
    if name not in names():
        raise OutsideTable(f"no match equity table '{name}'; there are {', '.join(names())}")
    if name == "zadeh":
        return Zadeh().table()
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
    return _extended(name, np.array(before), (first, after.get("2", first)))


def _extended(
    name: str, known: NDArray[np.float64], known_after: tuple[list[float], list[float]]
) -> MatchEquityTable:
    size = len(known)
    before = np.zeros((REACH + 1, REACH + 1))
    before[1 : size + 1, 1 : size + 1] = known
    for a in range(size + 1, REACH + 1):
        for b in range(1, a + 1):
            before[a, b] = _normal_model(a, b)
            before[b, a] = 1 - before[a, b]
    after = np.zeros((2, REACH + 1))
    for seat in (0, 1):
        after[seat, 1:size] = known_after[seat][: size - 1]  # a table's last number is not used
        for k in range(size, REACH + 1):
            after[seat, k] = _played_on(after[seat], k, _POST_CRAWFORD_GAMMONS)
    return MatchEquityTable(name, before, after)


def _played_on(after: NDArray[np.float64], k: int, gammons: float) -> float:
    """The trailer's chance when every game is doubled at once and won half the time."""
    return gammons / 2 * _beyond(after, k - 4) + (1 - gammons) / 2 * _beyond(after, k - 2)


def _beyond(after: NDArray[np.float64], k: int) -> float:
    return 1.0 if k <= 0 else float(after[k])


def _at(before: NDArray[np.float64], a: int, b: int) -> float:
    if a <= 0:
        return 1.0
    return 0.0 if b <= 0 else float(before[a, b])


def _normal_model(a: int, b: int) -> float:
    """The chance of the trailer who needs `a` against `b`, long before the end."""
    deviation = math.hypot(_spread(a), _spread(b)) * math.sqrt((a + b) / 2)
    return math.erfc((a - b) / deviation / math.sqrt(2)) / 2


def _spread(n: int) -> float:
    return _SPREAD[n - 1] if n <= len(_SPREAD) else _SPREAD_BEYOND
