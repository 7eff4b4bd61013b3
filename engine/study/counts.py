"""Rules of thumb for races: adjusted pip counts, and their advice about the cube.

They use pips alone, so with contact they speak of the race that the position would be. `mine` is
always the count of the player on roll, leader or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from sixprime.engine.position import Checkers, Position

CountOf = Callable[[Checkers, int], int]

HOME = 6
SHORT_RACE = 30  # Thorp: a longer one is raised by a tenth
WARD_MEDIUM, WARD_LONG = 75, 100  # pips
TRICE_SHORT = 62  # pips


class RaceCount(NamedTuple):
    """A count of both sides; limits are differences `raised` - `theirs` (below 0: ahead)."""

    name: str
    mine: float
    raised: float  # mine, in its form for the comparison
    theirs: float
    double: float  # the largest difference for a double
    redouble: float
    take: float  # the smallest for a take; if `strict`, the largest for a pass
    strict: bool = False

    @property
    def verdict(self) -> str:
        ahead = round(self.raised - self.theirs, 9)
        takes = ahead > self.take if self.strict else ahead >= self.take
        if not takes:
            return "double, pass"
        if ahead > self.double:
            return "no double, take"
        return "redouble, take" if ahead <= self.redouble else "double, take"


class ChanceRule(NamedTuple):
    """A rule that estimates the chance to win a race."""

    name: str
    mine: float
    theirs: float
    value: float  # an intermediate figure of the rule
    chance: float
    verdict: str | None


def counts(position: Position) -> list[RaceCount]:
    """Apply the rules that compare two counts."""
    return [
        thorp(position), keith(position), ward(position), trice(position), per_cent(position),
    ]  # fmt: skip


def chances(position: Position) -> list[ChanceRule]:
    """Apply the rules that estimate the chance to win."""
    return [kleinman(position), isight(position)]


def thorp(position: Position) -> RaceCount:
    """Apply Thorp's rule: pips, twice the checkers, the aces, less the home points held."""

    def count(side: Checkers, pips: int) -> int:
        held = sum(map(bool, side[:HOME]))
        return pips + 2 * sum(side) + side[0] - held

    mine, theirs = _both(position, count)
    raised = mine * 1.1 if mine > SHORT_RACE else mine
    return RaceCount("Thorp", mine, raised, theirs, 2, 1, -2, strict=True)


def keith(position: Position) -> RaceCount:
    """Apply Keith's rule: pips, and a price for stacks and gaps."""

    def count(side: Checkers, pips: int) -> int:
        return pips + 2 * _over(side[0], 1) + _over(side[1], 1) + _over(side[2], 3) + _gaps(side)

    mine, theirs = _both(position, count)
    return RaceCount("Keith", mine, mine * 8 / 7, theirs, 4, 3, 2)


def ward(position: Position) -> RaceCount:
    """Apply Ward's rule: it counts only surpluses over the other side, and stacked aces."""
    me, they = position.mine, position.theirs

    def count(side: Checkers, other: Checkers, pips: int) -> float:
        held = _over(sum(map(bool, side[:HOME])), sum(map(bool, other[:HOME])))
        outside = _over(sum(side[HOME:]), sum(other[HOME:]))
        more = _over(sum(side), sum(other))
        return pips + 2 * _over(side[0], 2) - held + 2 * more + outside / 2

    pips = position.pips()
    mine, theirs = count(me, they, pips[0]), count(they, me, pips[1])
    most = 4 if pips[0] >= WARD_LONG else 3 if pips[0] >= WARD_MEDIUM else 2
    return RaceCount("Ward", mine, mine * 1.1, theirs, 2, 1, -most)


def trice(position: Position) -> RaceCount:
    """Apply Trice's rule of 62, on pips: the last take is (n - 5)/7 behind, or n/10 + 1 if long.

    Double from three pips before that point, redouble from two.
    """
    mine, theirs = position.pips()
    last = math.floor((mine - 5) / 7 if mine <= TRICE_SHORT else mine / 10 + 1)
    return RaceCount("Trice", mine, mine, theirs, 3 - last, 2 - last, -last)


def per_cent(position: Position) -> RaceCount:
    """Apply 8-9-12: the lead in per cent for a double, a redouble and a pass."""
    mine, theirs = position.pips()
    return RaceCount("8-9-12", mine, mine, theirs, -0.08 * mine, -0.09 * mine, -0.12 * mine)


def kleinman(position: Position) -> ChanceRule:
    """Apply Kleinman's rule: the chance follows from the lead and the length of the race."""
    mine, theirs = position.pips()
    metric = (theirs - mine + 4) / (2 * math.sqrt(max(mine + theirs - 4, 1)))
    return ChanceRule("Kleinman", mine, theirs, metric, 0.5 * (1 + math.erf(metric)), None)


def isight(position: Position) -> ChanceRule:
    """Apply Isight: stacks, gaps that the other has filled, and surpluses over the other side."""
    me, they = position.mine, position.theirs

    def count(side: Checkers, other: Checkers, pips: int) -> int:
        stacks = 2 * _over(side[0], 2) + _over(side[1], 2) + _over(side[2], 3)
        gaps = sum(not side[i] and bool(other[i]) for i in (3, 4, 5))
        more = _over(sum(side), sum(other)) + _over(_crossovers(side), _crossovers(other))
        return pips + stacks + gaps + more

    pips = position.pips()
    mine, theirs = count(me, they, pips[0]), count(they, me, pips[1])
    chance = (80 - mine / 3 + 2 * (theirs - mine)) / 100
    if chance > 0.76:
        verdict = "double, pass"
    elif chance < 0.68:
        verdict = "no double, take"
    else:
        verdict = "redouble, take" if chance >= 0.7 else "double, take"
    return ChanceRule("Isight", mine, theirs, theirs - mine, chance, verdict)


def _both(position: Position, count: CountOf) -> tuple[int, int]:
    mine, theirs = position.pips()
    return count(position.mine, mine), count(position.theirs, theirs)


def _over(count: int, most: int) -> int:
    return max(count - most, 0)


def _gaps(side: Checkers) -> int:
    return sum(not side[i] for i in (3, 4, 5))


def _crossovers(side: Checkers) -> int:
    """Count the quarters of the board that the checkers still have to cross."""
    return sum(count * (place // HOME) for place, count in enumerate(side))
