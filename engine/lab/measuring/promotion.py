"""A test of new nets against the old ones that stops by itself.

New nets play old ones, the luck taken out, until a sequential probability ratio test has decided
between "no gain" and "a gain worth having" (points a game). No family may become worse at any
depth: on positions with rollouts, the chances of winning must not be further off; in races and
bearoffs, by `races`, plays must not lose more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.lab.measuring.chances import FAMILIES, Sample
from sixprime.engine.lab.measuring.contestants import Contestant
from sixprime.engine.lab.measuring.decisions import BEAROFF, Benchmark, load_benchmark, losses
from sixprime.engine.lab.measuring.games import GameTally
from sixprime.engine.lab.measuring.races import KINDS
from sixprime.engine.lab.tallies import Mean

DEPTHS = (0, 1, 2)  # plies at which nets are compared
ALL_TOGETHER = 0.05  # risk that chance alone makes some family look different
LEAST = 100  # pairs before anything is decided: the spread has to be known


@dataclass(frozen=True, slots=True)
class Promotion:
    """The gains to tell apart, in points a game, and the risk of a mistake."""

    none: float = 0.0  # counts as no gain
    gain: float = 0.004  # counts as a gain
    risk: float = 0.05  # of either mistake


def likelihood(tally: GameTally, terms: Promotion) -> float:
    """Return the logarithm of the likelihood ratio of a gain to none."""
    score = tally.adjusted()
    if tally.pairs < LEAST:
        return 0.0
    variance = tally.adjusted_squares / tally.pairs - score.mean**2
    halfway = (terms.none + terms.gain) / 2
    return (terms.gain - terms.none) * tally.pairs * (score.mean - halfway) / max(variance, 1e-12)


def decided(tally: GameTally, terms: Promotion) -> bool | None:
    """Return whether there is a gain; None as long as that is open."""
    ratio = likelihood(tally, terms)
    bound = math.log((1 - terms.risk) / terms.risk)
    return None if abs(ratio) < bound else ratio > 0


def further_off(
    old: NDArray[np.float32], new: NDArray[np.float32], sample: Sample
) -> dict[str, Mean]:
    """Return by family how much larger the squared errors of winning chances are with the new."""
    squares = [(seen[:, 0] - sample.chances[:, 0]).astype(np.float64) ** 2 for seen in (old, new)]
    more = squares[1] - squares[0]
    return {
        family: Mean.of_values(more[sample.kinds == place])
        for place, family in enumerate(FAMILIES)
        if (sample.kinds == place).any()
    }


def lost_more(
    old: Contestant,
    new: Contestant,
    sets: Mapping[str, Benchmark],
    reporting: Callable[[str], Callable[[int, int], None]],
) -> dict[str, Mean]:
    """Return by family how much more equity the plays of the new player lose."""
    found = {}
    for family, decisions in sets.items():
        lost = [
            losses(player, decisions, reporting(f"decisions, {family}, {player.name}"))
            for player in (old, new)
        ]
        found[family] = Mean.of_values(lost[1] - lost[0])
    return found


def race_families(races: Benchmark) -> dict[str, Benchmark]:
    """Return the decisions of `races` and of the project's bearoffs, by family."""
    shipped = load_benchmark()
    return {
        "race": races.chosen(races.kinds == KINDS.index("ordinary")),
        "outside": races.chosen(races.kinds == KINDS.index("bearoffs")),
        "bearoff": shipped.chosen(shipped.kinds == BEAROFF),
    }


def worse(families: dict[str, Mean]) -> list[str]:
    """Return the families that have become worse beyond their intervals.

    There are dozens, so that chance alone would blame one: the intervals are so wide that all of
    them hold in 95 % of the cases.
    """
    limit = NormalDist().inv_cdf(1 - ALL_TOGETHER / (2 * max(len(families), 1)))
    return [name for name, more in families.items() if more.mean > limit * more.error]
