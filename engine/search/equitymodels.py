"""Formulas for match equity tables: they continue a table of numbers or make a whole one.

`after[seat, k]` and `before[a, b]` are as in engine.search.matchequity, up to `REACH` points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

REACH = 64  # points of the longest match in a table

Table = NDArray[np.float64]

_POST_CRAWFORD_GAMMONS = 0.25
_SPREAD = (1.24, 1.27, 1.47, 1.50, 1.60, 1.61, 1.66, 1.68, 1.70, 1.72)  # per point needed, 1..10
_SPREAD_BEYOND = 1.77


class PostCrawford(Protocol):
    """A formula for the trailer's chances after the Crawford game."""

    def after(self) -> Table:
        """Return float64[2, 65]."""
        ...


class PreCrawford(Protocol):
    """A formula for the scores up to the Crawford game."""

    def before(self, after: Table) -> Table:
        """Return float64[65, 65], given the chances after the Crawford game."""
        ...


# --- explicit numbers, continued as gnubg does


def extended_before(known: Table) -> Table:
    """Continue a table by a normal distribution of the points still to be played."""
    size = len(known)
    before = np.zeros((REACH + 1, REACH + 1))
    before[1 : size + 1, 1 : size + 1] = known
    for a in range(size + 1, REACH + 1):
        for b in range(1, a + 1):
            before[a, b] = _normal_model(a, b)
            before[b, a] = 1 - before[a, b]
    return before


def extended_after(known: list[float], size: int) -> Table:
    """Continue one seat's chances in a table of `size` points as if 1 win in 4 were a gammon."""
    after = np.zeros(REACH + 1)
    after[1:size] = known[: size - 1]  # a table's last number is not used
    for k in range(size, REACH + 1):
        after[k] = _played_on(after, k, _POST_CRAWFORD_GAMMONS)
    return after


def _normal_model(a: int, b: int) -> float:
    """Return the chance of the player who needs `a` against `b`, long before the end."""
    deviation = math.hypot(_spread(a), _spread(b)) * math.sqrt((a + b) / 2)
    return math.erfc((a - b) / deviation / math.sqrt(2)) / 2


def _spread(n: int) -> float:
    return _SPREAD[n - 1] if n <= len(_SPREAD) else _SPREAD_BEYOND


# --- Zadeh's model


@dataclass(frozen=True, slots=True)
class ZadehAfter:
    """A model in which every game is doubled at once and won half the time."""

    gammons: float = 0.25
    free_drop_2_away: float = 0.015
    free_drop_4_away: float = 0.004

    def after(self) -> Table:
        """See PostCrawford."""
        drops = {2: self.free_drop_2_away, 4: self.free_drop_4_away}
        after = np.zeros((2, REACH + 1))
        for k in range(1, REACH + 1):
            after[:, k] = _played_on(after[0], k, self.gammons) - drops.get(k, 0.0)
        return after


@dataclass(frozen=True, slots=True)
class Zadeh:
    """Zadeh's model of a match: gammon rates, and the share of a live cube's value that is lost."""

    leader_gammons: float = 0.25  # in the Crawford game, of the player who is 1 away
    trailer_gammons: float = 0.15
    lost_use: float = 0.08
    lost_use_at_one: float = 0.06  # of the first cube

    def before(self, after: Table) -> Table:
        """See PreCrawford."""
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
        return before

    def _score(self, before: Table, a: int, b: int) -> float:
        mine = self._drop_point(before, a, b, 1) + self.lost_use_at_one
        theirs = self._drop_point(before, b, a, 1) + self.lost_use_at_one
        won, lost = _at(before, a - 1, b), _at(before, a, b - 1)
        return ((theirs - 0.5) * won + (mine - 0.5) * lost) / (mine + theirs - 1)

    def _drop_point(self, before: Table, a: int, b: int, stake: int) -> float:
        """Return the chance at which the opponent of the player who needs `a` drops a live cube."""
        final = 2 * stake if a - 1 < 2 * stake <= b - 1 else stake
        more, less = self.leader_gammons, self.trailer_gammons
        lost = less * _at(before, a, b - 4 * final) + (1 - less) * _at(before, a, b - 2 * final)
        won = more * _at(before, a - 4 * final, b) + (1 - more) * _at(before, a - 2 * final, b)
        dead = (_at(before, a - stake, b) - lost) / (won - lost)
        if min(a, b) - 1 < 2 * stake:
            return dead
        return 1 + (self._drop_point(before, b, a, 2 * stake) + self.lost_use) * (dead - 1)


def _played_on(after: Table, k: int, gammons: float) -> float:
    """Return the trailer's chance when every game is doubled at once and won half the time."""
    return gammons / 2 * _beyond(after, k - 4) + (1 - gammons) / 2 * _beyond(after, k - 2)


def _beyond(after: Table, k: int) -> float:
    return 1.0 if k <= 0 else float(after[k])


def _at(before: Table, a: int, b: int) -> float:
    if a <= 0:
        return 1.0
    return 0.0 if b <= 0 else float(before[a, b])


# --- Thornberg's model ("mec"): seat 0 wins a share of the games, and cubes are perfectly live


EVEN = 0.5  # then both players have seat 0's chances


class DropPoint(NamedTuple):
    """The doubler's MWC and chance of the game where dropping equals taking."""

    mwc: float
    chance: float


@dataclass(frozen=True, slots=True)
class MecAfter:
    """A model in which the trailer doubles at once and the leader may drop one game in two."""

    gammons: float = 0.25
    win: float = 0.5  # of the trailer, in each game
    free_drop_2_away: float = 0.015
    free_drop_4_away: float = 0.004

    def after(self) -> Table:
        """See PostCrawford."""
        row = np.zeros(REACH + 1)
        row[1] = self.win
        for k in range(2, REACH + 1):
            if k % 2 == 0:
                row[k] = row[k - 1]
            else:
                two, four = _beyond(row, k - 2), _beyond(row, k - 4)
                row[k] = self.win * ((1 - self.gammons) * two + self.gammons * four)
            if k == 2:
                row[k] -= self.free_drop_2_away
            elif k == 4:
                row[k] += self.free_drop_4_away  # as in gnubg, although a free drop costs
        return np.stack([row, row])


@dataclass(frozen=True, slots=True)
class Mec:
    """Thornberg's model of the scores up to the Crawford game."""

    gammons: float = 0.25
    win: float = 0.5  # of seat 0, in each game

    def before(self, after: Table) -> Table:
        """See PreCrawford."""
        before = np.zeros((REACH + 1, REACH + 1))
        before[0, 1:] = 1.0
        before[1:, 1] = after[0, 1:]
        before[1, 1:] = 1 - after[1, 1:]
        lose = 1 - self.win
        for k in range(REACH, 1, -1):  # the Crawford game overwrites the scores after it
            single, gammon = before[1, k - 1], before[1, k - 2] if k > 2 else 0.0
            before[1, k] = self.win + lose * ((1 - self.gammons) * single + self.gammons * gammon)
            single, gammon = before[k - 1, 1], before[k - 2, 1]
            before[k, 1] = self.win * ((1 - self.gammons) * single + self.gammons * gammon)
        for least in range(2, REACH + 1):
            for most in range(least, REACH + 1):
                before[least, most] = self._score(before, least, most)
                before[most, least] = self._score(before, most, least)
        return before

    def _score(self, before: Table, a: int, b: int) -> float:
        """Interpolate between the points at which either double is dropped."""
        up = self._drop_point(before, (a, b), 0, 2)
        down = self._drop_point(before, (a, b), 1, 2)
        worst, least = 1 - down.mwc, 1 - down.chance
        return worst + (up.mwc - worst) * (self.win - least) / (up.chance - least)

    def _drop_point(
        self, before: Table, away: tuple[int, int], doubler: int, stake: int
    ) -> DropPoint:
        """Return the point at which the other seat may as well drop a cube of `stake`."""
        if away[doubler] <= stake // 2:  # a single game is enough
            return DropPoint(1.0, 1.0)
        other = self._drop_point(before, away, 1 - doubler, 2 * stake)

        favoured = (self.win if doubler == 0 else 1 - self.win) > EVEN

        def lost_by_other(points: int) -> float:
            mine, theirs = max(away[doubler] - points, 0), away[1 - doubler]
            return 1 - float(before[mine, theirs]) if favoured else float(before[theirs, mine])

        hopeless = (1 - self.gammons) * lost_by_other(stake)
        hopeless += self.gammons * lost_by_other(2 * stake)
        dropped = lost_by_other(stake // 2)
        chance = (dropped - hopeless) * other.chance / (other.mwc - hopeless)
        return DropPoint(1 - dropped, 1 - chance)
