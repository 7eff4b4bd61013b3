"""Counts and sums over analysed decisions, and figures derived from them, as gnubg defines them.

Signs: an error is equity given away, 0 or negative; luck is equity gained. Every sum is kept twice:
normalised (EMG, +1 is winning the cube as it stands) and as `cost`, which is MWC in a match and
points in money play. Games add up to matches, matches to archives.

A rate per decision is None where nothing was decided.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sixprime.engine.ratings import rating_difference

RATING_OFFSET = 2050.0  # the absolute FIBS rating of a player without errors
LEAST_LUCK_RATING = -2100.0

PR_UNIT = -500.0  # of an error of 1 EMG in one decision

RATINGS = (  # the name for giving away less than this much EMG per decision
    (0.002, "Supernatural"),
    (0.005, "World class"),
    (0.008, "Expert"),
    (0.012, "Advanced"),
    (0.018, "Intermediate"),
    (0.026, "Casual player"),
    (0.035, "Beginner"),
)
WORST_RATING = "Awful!"
NO_RATING = "n/a"

LUCK_RATINGS = (  # the name for gaining more than a tenth of this in EMG per roll
    (0.6, "Go to Las Vegas"),
    (0.3, "Good dice, man!"),
    (-0.3, "None"),
    (-0.6, "Bad dice, man!"),
)
WORST_LUCK = "Go to bed"


@dataclass(frozen=True, slots=True)
class Total:
    """A count of events and their sum: in EMG, and in MWC or points."""

    count: int = 0
    emg: float = 0.0
    cost: float = 0.0

    def __add__(self, other: Total) -> Total:
        return Total(self.count + other.count, self.emg + other.emg, self.cost + other.cost)

    def rate(self, number: int) -> tuple[float, float] | None:
        """Return (EMG, cost) per decision or roll of this number; None if it is 0."""
        return (self.emg / number, self.cost / number) if number else None


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """One player's decisions and rolls, over any number of games."""

    moves: int = 0  # rolls, dances included
    unforced: int = 0
    move_marks: tuple[int, int, int, int] = (0, 0, 0, 0)  # unmarked, doubtful, bad, very bad
    checker: Total = Total()  # errors; counts the plays that were not the best
    rolls: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)  # very unlucky .. very lucky
    luck: Total = Total()  # counts the rolls whose luck is known
    cube_decisions: int = 0
    close: int = 0  # doubles, takes, passes, and close decisions not to double
    doubles: int = 0
    takes: int = 0
    passes: int = 0
    missed_below_cp: Total = Total()
    missed_above_cp: Total = Total()
    wrong_below_dp: Total = Total()
    wrong_above_tg: Total = Total()
    wrong_take: Total = Total()
    wrong_pass: Total = Total()
    cube_marks: tuple[int, int, int, int] = (0, 0, 0, 0)  # of all cube decisions
    counted: int = 0  # decisions that XG's PR counts
    result: float = 0.0  # MWC won over all games (a won match is +0.5), or points

    def __add__(self, other: PlayerStatistics) -> PlayerStatistics:
        return PlayerStatistics.summed((self, other))

    @classmethod
    def summed(cls, many: Sequence[PlayerStatistics]) -> PlayerStatistics:
        """Return all of them together; much faster than one by one."""
        sums: dict[str, Any] = {}
        for each in fields(cls):
            values = [getattr(one, each.name) for one in many] or [each.default]
            if isinstance(values[0], Total):
                counts = sum(value.count for value in values)
                emg, cost = sum(value.emg for value in values), sum(value.cost for value in values)
                sums[each.name] = Total(counts, emg, cost)
            elif isinstance(values[0], tuple):
                sums[each.name] = tuple(map(sum, zip(*values, strict=True)))
            else:
                sums[each.name] = sum(values)
        return cls(**sums)

    @property
    def cube(self) -> Total:
        return sum(self.cube_errors, Total())

    @property
    def cube_errors(self) -> tuple[Total, ...]:
        """The errors by kind, in gnubg's order."""
        return (
            self.missed_below_cp,
            self.missed_above_cp,
            self.wrong_below_dp,
            self.wrong_above_tg,
            self.wrong_take,
            self.wrong_pass,
        )

    @property
    def errors(self) -> Total:
        return self.checker + self.cube

    @property
    def decisions(self) -> int:
        """Unforced plays, and close or actual cube decisions."""
        return self.unforced + self.close

    @property
    def checker_rate(self) -> tuple[float, float] | None:
        """(EMG, cost) per unforced play."""
        return self.checker.rate(self.unforced)

    @property
    def cube_rate(self) -> tuple[float, float] | None:
        """(EMG, cost) per close or actual cube decision."""
        return self.cube.rate(self.close)

    @property
    def error_rate(self) -> tuple[float, float] | None:
        """(EMG, cost) per decision."""
        return self.errors.rate(self.decisions)

    @property
    def pr(self) -> float | None:
        """XG's performance rating; None where nothing was counted."""
        return self.errors.emg * PR_UNIT / self.counted + 0.0 if self.counted else None

    @property
    def luck_rate(self) -> tuple[float, float] | None:
        """(EMG, cost) per roll."""
        return self.luck.rate(self.moves or self.luck.count)  # plays may not be analysed

    @property
    def checker_rating(self) -> str:
        return rating_name(self.checker_rate)

    @property
    def cube_rating(self) -> str:
        return rating_name(self.cube_rate)

    @property
    def rating(self) -> str:
        return rating_name(self.error_rate)

    @property
    def luck_rating(self) -> str:
        return luck_name(self.luck_rate)


Pair = tuple[PlayerStatistics, PlayerStatistics]


@dataclass(frozen=True, slots=True)
class Figures:
    """One player's figures, some of which compare with the opponent's."""

    snowie: float | None  # EMG per move of either player
    luck_adjusted: float  # MWC or points, as PlayerStatistics.result
    mwc_against_opponent: float | None  # by errors alone, 0 to 1; matches only
    rating_by_luck: float | None  # FIBS rating difference to the opponent; matches only
    checker_loss: float | None  # FIBS rating points; matches only, as all below
    cube_loss: float | None
    absolute_rating: float | None


def figures(mine: PlayerStatistics, theirs: PlayerStatistics, length: int) -> Figures:
    """Return the figures for a match of this length (0: money)."""
    moves = mine.moves + theirs.moves
    snowie = mine.errors.emg / moves if moves else None
    adjusted = luck_adjusted(mine, theirs)
    if length == 0:
        return Figures(snowie, adjusted, None, None, None, None, None)
    chance = 0.5 + mine.errors.cost - theirs.errors.cost
    losses = checker_loss(mine, length), cube_loss(mine, length)
    decided = [loss for loss in losses if loss is not None]
    absolute = RATING_OFFSET - sum(decided) if decided else None
    mwc = min(max(chance, 0.0), 1.0)
    return Figures(snowie, adjusted, mwc, rating_by_luck(adjusted, length), *losses, absolute)


def luck_adjusted(mine: PlayerStatistics, theirs: PlayerStatistics) -> float:
    """Return my result with the luck of both players taken out, in MWC or points."""
    return mine.result - mine.luck.cost + theirs.luck.cost


def checker_loss(player: PlayerStatistics, length: int) -> float | None:
    """Return the cost of checker errors in FIBS rating points, in matches of this length."""
    rate = player.checker_rate
    return None if rate is None else 0.0 - rate[0] * (8798.0 + 25526.0 / length)


def cube_loss(player: PlayerStatistics, length: int) -> float | None:
    """Return the cost of cube errors in FIBS rating points, in matches of this length."""
    rate = player.cube_rate
    return None if rate is None else 0.0 - rate[0] * (863.0 - 519.0 / length)


def rating_by_luck(adjusted: float, length: int) -> float | None:
    """Return the FIBS rating difference that would give this luck-adjusted result (0: level)."""
    chance = 0.5 + adjusted
    if not 0.0 < chance < 1.0:
        return None
    return max(rating_difference(chance, length), LEAST_LUCK_RATING)


def rating_name(rate: tuple[float, float] | None) -> str:
    """Return the name of an error rate: (EMG, cost) per decision."""
    if rate is None:
        return NO_RATING
    return next((name for most, name in RATINGS if -rate[0] < most), WORST_RATING)


def luck_name(rate: tuple[float, float] | None) -> str:
    """Return the name of a luck rate: (EMG, cost) per roll."""
    if rate is None:
        return NO_RATING
    return next((name for least, name in LUCK_RATINGS if 10 * rate[0] > least), WORST_LUCK)


@dataclass(frozen=True, slots=True)
class SessionTotals:
    """Points per game over money games, actual and luck-adjusted, for one player."""

    games: int
    mean: float
    half_width: float | None  # of the 95 % interval around the mean; None for one game
    adjusted_mean: float
    adjusted_half_width: float | None


NORMAL_95 = 1.95996


def session(results: Iterable[tuple[float, float]]) -> SessionTotals | None:
    """Return totals of the (points, luck-adjusted points) of games; None without games."""
    pairs = list(results)
    if not pairs:
        return None
    actual, adjusted = zip(*pairs, strict=True)
    return SessionTotals(len(pairs), *_interval(actual), *_interval(adjusted))


def _interval(values: tuple[float, ...]) -> tuple[float, float | None]:
    number = len(values)
    mean = sum(values) / number
    if number == 1:
        return mean, None
    variance = sum((value - mean) ** 2 for value in values) / (number - 1)
    return mean, NORMAL_95 * math.sqrt(variance / number)
