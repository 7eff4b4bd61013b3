"""Winning chances and error rates as FIBS ratings.

On FIBS a player rated D points above the opponent wins a match of n points with the chance
1 / (1 + 10^(-D sqrt(n) / 2000)). Rating differences here are such D, those of the first player over
the second. How errors cost rating is the manual's relation: so much per EMG lost in each unforced
play (EPM), so much per EMG lost in each close or actual cube decision (EPC), both linear in 1/n;
matches of one point, which have no cube, stand apart, as in the manual. Beyond what the manual
measured, a few hundred rating points, errors cost more than in proportion, so ours bends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.lab.calibration.matches import MatchTally
from sixprime.engine.search.ratingtable import BENT, Relation

NORMAL_90, NORMAL_95 = 1.644854, 1.959964
PERFECT = 2050.0  # the rating of play without errors: gnubg's offset
USUAL_SPREAD = 0.15  # of one match's result with the luck taken out
SOME = 10  # matches that count as much as those played, for the spread
STEPS = 12
FLATTEST = 0.01


class Interval(NamedTuple):
    """A figure and how far from it the truth may be; ends may be infinite."""

    mean: float
    low: float
    high: float


MANUAL = Relation(8798.0, 25526.0, 863.0, -519.0, 37916.0)
# the manual's older relation, of errors per decision, be it play or cube, as if all were plays
MANUAL_EPD = Relation(11971.0, 23681.0, 0.0, 0.0, 37916.0)
SPREADS = Relation(6000.0, 15000.0, 1000.0, 1500.0, 20000.0, 0.3, 0.3)  # how far another may be


@dataclass(frozen=True, slots=True)
class Measured:
    """A point for a fit: how much more the second player errs, and how often the first wins."""

    length: int
    epm: float
    epc: float
    chance: float  # luck taken out, so it may lie beyond 0 and 1
    deviation: float


@dataclass(frozen=True, slots=True)
class Fit:
    """A relation through measured points."""

    relation: Relation
    deviations: Relation  # standard errors
    per_point: float  # squared misfit in standard errors, on average: 1 is as good as can be


def chance(difference: float, length: int) -> float:
    """Of winning a match against someone this much weaker."""
    return 1.0 / (1.0 + math.pow(10.0, -difference * math.sqrt(length) / 2000.0))


def difference(chance: float, length: int) -> float:
    """The rating difference at which a match is won with this chance."""
    if chance <= 0.0:
        return -math.inf
    if chance >= 1.0:
        return math.inf
    return 2000.0 / math.sqrt(length) * math.log10(chance / (1.0 - chance))


def adjusted(tally: MatchTally) -> tuple[float, float]:
    """The first player's chance with the luck taken out, and its standard error."""
    mean = tally.adjusted / tally.matches
    if tally.matches < 2:
        return mean, math.inf
    variance = max(tally.adjusted2 / tally.matches - mean * mean, 0.0)
    return mean, math.sqrt(variance / (tally.matches - 1))


def measured(tally: MatchTally, length: int, width: float = NORMAL_95) -> Interval:
    """The rating difference that matches show."""
    mean, error = adjusted(tally)
    ends = (mean, mean - width * error, mean + width * error)
    return Interval(*(difference(each, length) for each in ends))


def point(tally: MatchTally, length: int) -> Measured:
    """The same for a fit.

    The deviation of a few matches says little, so some more are added that spread as usual.
    """
    mean, error = adjusted(tally)
    count = tally.matches
    own = error * error * count * (count - 1) if count > 1 else 0.0
    variance = (own + SOME * USUAL_SPREAD**2) / (count - 1 + SOME)
    return Measured(
        length,
        tally.checker[1].mean - tally.checker[0].mean,
        tally.cube[1].mean - tally.cube[0].mean,
        mean,
        math.sqrt(variance / count),
    )


def fit(points: Sequence[Measured]) -> Fit:
    """The relation that foretells the chances best, by least squares, each as sure as it is.

    It starts from the manual's and stays near it where the points say nothing (`SPREADS`).
    """
    manual, spreads = np.array(MANUAL), np.array(SPREADS)
    found = manual
    for _ in range(STEPS):
        rows = [_row(each, found) for each in points]
        slopes = np.array([row for row, _ in rows] + list(np.diag(1.0 / spreads)))
        left = np.array([rest for _, rest in rows] + list((manual - found) / spreads))
        change, *_ = np.linalg.lstsq(slopes, left, rcond=None)
        found = found + change
    misfit = sum(_row(each, found)[1] ** 2 for each in points)
    spread = np.sqrt(np.diag(np.linalg.inv(slopes.T @ slopes)))
    return Fit(
        Relation(*map(float, found)), Relation(*map(float, spread)), float(misfit) / len(points)
    )


def slopes(relation: Relation, length: int, epm: float, epc: float) -> tuple[float, ...]:
    """How the loss changes with each of the seven figures of the relation."""
    straight = relation.straight(length, epm, epc)
    bent = (straight / BENT) ** 2
    if length == 1:
        play = epm * (1.0 + 3.0 * relation.one_point_bend * bent)
        return 0.0, 0.0, 0.0, 0.0, play, 0.0, straight * bent
    steeper = 1.0 + 3.0 * relation.bend * bent
    play, cube = steeper * epm, steeper * epc
    return play, play / length, cube, cube / length, 0.0, straight * bent, 0.0


def _row(point: Measured, relation: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """How the chance changes with the relation, and what the relation leaves of it; in deviations.

    Beyond the chances a series can tell from 0 and 1 the slope does not vanish altogether, or a
    bad start would never be left.
    """
    errors = point.length, point.epm, point.epc
    found = Relation(*map(float, relation))
    foretold = chance(found.loss(*errors), point.length)
    slope = max(foretold * (1.0 - foretold), FLATTEST) * math.log(10.0)
    slope *= math.sqrt(point.length) / 2000.0
    steeper = np.array(slopes(found, *errors))
    return steeper * slope / point.deviation, (point.chance - foretold) / point.deviation
