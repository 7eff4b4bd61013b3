"""Noise terms and contact positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels import tree as kernel
from sixprime.engine.kernels.evaluation import disturb
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.cube import CubeContext
from sixprime.engine.search.plies import ALL_ROLLS
from tests.support.engine.reference import random_rolls

MIDDLE = np.array([0.5, 0.25, 0.12, 0.25, 0.12], np.float32)  # far from every bound
SHARES = np.array([1.0, 0.25, 0.01, 0.25, 0.01])
NOISE = 0.04


def terms(noise: float, seed: int = 0) -> kernel.SearchTerms:
    context = CubeContext.of(MatchState())
    return kernel.SearchTerms(
        np.array([15, 0, 1], np.int64),
        context.rules,
        context.chances,
        np.array([0.68, 0.6, -1.0]),
        ALL_ROLLS,
        ALL_ROLLS,
        np.array([noise]),
        np.array([seed, 0], np.uint64),
    )


def contact(count: int) -> list[Position]:
    """Different positions with all checkers on the board, so that the rules bound nothing."""
    found: dict[Position, None] = {}
    seed = 0
    while len(found) < count:
        seed += 1
        found |= {
            p: None for p, _ in random_rolls(seed, 2000) if p.checkers == 15 and p.off() == (0, 0)
        }
    return list(found)[:count]


def noise_on(positions: list[Position], setting: kernel.SearchTerms) -> NDArray[np.float64]:
    """What is added to each of the five chances, in units of what should be its deviation."""
    added = np.zeros((len(positions), 5))
    for i, position in enumerate(positions):
        out = MIDDLE.copy()
        disturb(position.array(), setting, position.checkers, out)
        added[i] = (out.astype(np.float64) - MIDDLE) / (NOISE * SHARES)
    return added
