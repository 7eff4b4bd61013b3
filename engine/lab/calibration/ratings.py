"""Winning chances and error rates as FIBS ratings.

On FIBS a player rated D points above the opponent wins a match of n points with the chance
1 / (1 + 10^(-D sqrt(n) / 2000)). Rating differences here are such D, of the first player over the
second. The rating cost of errors follows the relation in gnubg's manual: so much per EMG lost in
each unforced play (EPM), so much per EMG lost in each close or actual cube decision (EPC), both
linear in 1/n; one-point matches, which have no cube, have a figure of their own, as in the manual.
It measured a few hundred rating points; beyond them errors cost more than in proportion, so our
relation bends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.lab.calibration.matches import MatchTally
from sixprime.engine.lab.tallies import NORMAL_95, Mean
from sixprime.engine.ratings import rating_difference, winning_chance
from sixprime.engine.search.ratingtable import BENT, Relation

NORMAL_90 = 1.644854
USUAL_SPREAD = 0.15  # of one match's luck-adjusted result
SOME = 10  # imaginary matches of the usual spread, added to the real ones
STEPS = 12
FLATTEST = 0.01


class Interval(NamedTuple):
    """A figure and how far from it the truth may be; ends may be infinite."""

    mean: float
    low: float
    high: float


MANUAL = Relation(8798.0, 25526.0, 863.0, -519.0, 37916.0)
# the older relation of gnubg's manual, for errors per decision of either kind, as if all were plays
MANUAL_EPD = Relation(11971.0, 23681.0, 0.0, 0.0, 37916.0)
SPREADS = Relation(6000.0, 15000.0, 1000.0, 1500.0, 20000.0, 0.3, 0.3)  # expected, of a fit


@dataclass(frozen=True, slots=True)
class Measured:
    """A point for a fit: the second player's surplus of errors, and the first player's chance."""

    length: int
    epm: float
    epc: float
    chance: float  # luck taken out, so it can lie beyond 0 and 1
    deviation: float


@dataclass(frozen=True, slots=True)
class Fit:
    """A relation through measured points."""

    relation: Relation
    deviations: Relation  # standard errors
    per_point: float  # squared misfit in standard errors, on average: 1 is as good as can be


def adjusted(tally: MatchTally) -> Mean:
    """Return the first player's chance with the luck taken out."""
    return Mean.from_sums(tally.matches, tally.adjusted, tally.adjusted2)


def measured(tally: MatchTally, length: int, width: float = NORMAL_95) -> Interval:
    """Return the rating difference implied by the matches."""
    score = adjusted(tally)
    far = width * score.error
    ends = (score.mean, score.mean - far, score.mean + far)
    return Interval(*(rating_difference(end, length) for end in ends))


def point(tally: MatchTally, length: int) -> Measured:
    """Return the matches as a point for a fit.

    A few matches say little about the deviation, so some of the usual spread are added.
    """
    score, count = adjusted(tally), tally.matches
    own = score.error**2 * count * (count - 1) if count > 1 else 0.0
    variance = (own + SOME * USUAL_SPREAD**2) / (count - 1 + SOME)
    return Measured(
        length,
        tally.checker[1].mean - tally.checker[0].mean,
        tally.cube[1].mean - tally.cube[0].mean,
        score.mean,
        math.sqrt(variance / count),
    )


def fit(points: Sequence[Measured]) -> Fit:
    """Fit the relation to the chances by least squares, weighted by their precision.

    It starts from the relation of gnubg's manual and stays near it without points (`SPREADS`).
    """
    manual, spreads = np.array(MANUAL), np.array(SPREADS)
    found = manual
    for _ in range(STEPS):
        rows = [_row(point, found) for point in points]
        slopes = np.array([row for row, _ in rows] + list(np.diag(1.0 / spreads)))
        left = np.array([rest for _, rest in rows] + list((manual - found) / spreads))
        change, *_ = np.linalg.lstsq(slopes, left, rcond=None)
        found = found + change
    misfit = sum(_row(point, found)[1] ** 2 for point in points)
    spread = np.sqrt(np.diag(np.linalg.inv(slopes.T @ slopes)))
    return Fit(
        Relation(*map(float, found)), Relation(*map(float, spread)), float(misfit) / len(points)
    )


def slopes(relation: Relation, length: int, epm: float, epc: float) -> tuple[float, ...]:
    """Return the slope of the loss by each of the seven figures of the relation."""
    straight = relation.straight(length, epm, epc)
    bent = (straight / BENT) ** 2
    if length == 1:
        play = epm * (1.0 + 3.0 * relation.one_point_bend * bent)
        return 0.0, 0.0, 0.0, 0.0, play, 0.0, straight * bent
    steeper = 1.0 + 3.0 * relation.bend * bent
    play, cube = steeper * epm, steeper * epc
    return play, play / length, cube, cube / length, 0.0, straight * bent, 0.0


def _row(point: Measured, relation: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the chance's derivatives by the relation, and its residual, in standard errors.

    The slope of a chance that is nearly 0 or 1 is kept above zero, so that the fit can leave a bad
    start.
    """
    errors = point.length, point.epm, point.epc
    current = Relation(*map(float, relation))
    foretold = winning_chance(current.loss(*errors), point.length)
    slope = max(foretold * (1.0 - foretold), FLATTEST) * math.log(10.0)
    slope *= math.sqrt(point.length) / 2000.0
    steeper = np.array(slopes(current, *errors))
    return steeper * slope / point.deviation, (point.chance - foretold) / point.deviation
