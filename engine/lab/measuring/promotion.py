"""Should new nets take the place of the old? A test that stops by itself.

Plays new against old, the luck taken out, until a sequential probability ratio test has decided
between "no gain" and "a gain worth having" (points a game). On positions with rollouts, the winning
chances must not be further off in any family.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.lab.measuring.chances import FAMILIES, Sample
from sixprime.engine.lab.measuring.games import GameTally
from sixprime.engine.lab.measuring.mean import Mean

LEAST = 100  # pairs before anything is decided: the spread has to be known


@dataclass(frozen=True, slots=True)
class Promotion:
    """What has to be shown, and how surely; gains in points a game."""

    none: float = 0.0  # counts as no gain
    gain: float = 0.004  # counts as a gain
    risk: float = 0.05  # of either mistake


def likelihood(tally: GameTally, terms: Promotion) -> float:
    """The logarithm of the likelihood ratio of a gain to none."""
    score = tally.adjusted()
    if tally.pairs < LEAST:
        return 0.0
    variance = tally.adjusted_squares / tally.pairs - score.mean**2
    halfway = (terms.none + terms.gain) / 2
    return (terms.gain - terms.none) * tally.pairs * (score.mean - halfway) / max(variance, 1e-12)


def decided(tally: GameTally, terms: Promotion) -> bool | None:
    """Is there a gain? None as long as it is open."""
    found = likelihood(tally, terms)
    bound = math.log((1 - terms.risk) / terms.risk)
    return None if abs(found) < bound else found > 0


def further_off(
    old: NDArray[np.float32], new: NDArray[np.float32], sample: Sample
) -> dict[str, Mean]:
    """By family: how much larger the squares of the errors of winning chances are with the new."""
    squares = [(seen[:, 0] - sample.chances[:, 0]).astype(np.float64) ** 2 for seen in (old, new)]
    more = squares[1] - squares[0]
    return {
        family: Mean.of_values(more[sample.kinds == place])
        for place, family in enumerate(FAMILIES)
        if (sample.kinds == place).any()
    }


def worse(families: dict[str, Mean]) -> list[str]:
    """The families whose whole interval is above zero."""
    return [family for family, more in families.items() if more.interval[0] > 0.0]
