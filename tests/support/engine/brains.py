"""Small nets with random weights: enough to test everything that does not depend on skill."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.kernels.inputs import EMPTY, PHASES, ROWS
from sixprime.engine.kernels.network import OUTPUTS, UNIT, Net
from sixprime.engine.nets.weights import Nets, brain_of


def random_net(seed: int, wide: int = 32, middle: int = 8, narrow: int = 8, tails: int = 1) -> Net:
    """A net whose outputs vary with the position but stay away from 0 and 1."""
    draws = np.random.default_rng(seed)

    def matrix(rows: int, columns: int, scale: float) -> NDArray[np.float32]:
        return np.asarray(draws.normal(size=(tails, rows, columns)) * scale, np.float32)

    table = (draws.normal(size=(ROWS, wide)) * 0.2 * UNIT).astype(np.int16)
    table[EMPTY] = 0
    return Net(
        table,
        (draws.normal(size=wide) * 0.1 * UNIT).astype(np.int16),
        matrix(wide, middle, 1 / np.sqrt(wide) / UNIT),
        np.zeros((tails, middle), np.float32),
        matrix(middle, narrow, 1 / np.sqrt(middle)),
        np.zeros((tails, narrow), np.float32),
        matrix(narrow, OUTPUTS, 1 / np.sqrt(narrow)),
        np.tile(np.array([0.0, -1.5, -4.0, -1.5, -4.0], np.float32), (tails, 1)),
    )


def random_nets(seed: int = 1) -> Nets:
    """Contact, race and pruner."""
    return Nets(random_net(seed, tails=PHASES), random_net(seed + 1), random_net(seed + 2))


def random_brain(seed: int = 1) -> Brain:
    """The same with the bearoff databases."""
    return brain_of(random_nets(seed))
