"""Small nets with random weights: enough to test everything that does not depend on skill."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.bearoff import databases as bearoff
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.kernels.inputs import COUNTS, EMPTY, OFF, PHASES, PLACES, ROWS
from sixprime.engine.kernels.network import UNIT, Net
from sixprime.engine.kernels.races import ESTIMATE_UNIT, FIGURES, LEARNED, SIDE_TAILS
from sixprime.engine.nets.weights import Nets, brain_of


def random_net(
    seed: int, wide: int = 32, middle: int = 8, narrow: int = 8, tails: int = 1, rows: int = ROWS,
    last: tuple[float, ...] = (0.0, -1.5, -4.0, -1.5, -4.0),
) -> Net:  # fmt: skip
    """A net whose outputs vary with the position but stay near `last`, so away from 0 and 1."""
    draws = np.random.default_rng(seed)

    def matrix(rows: int, columns: int, scale: float) -> NDArray[np.float32]:
        return np.asarray(draws.normal(size=(tails, rows, columns)) * scale, np.float32)

    table = (draws.normal(size=(rows, wide)) * 0.2 * UNIT).astype(np.int16)
    table[EMPTY[rows > EMPTY]] = 0
    return Net(
        table,
        (draws.normal(size=wide) * 0.1 * UNIT).astype(np.int16),
        matrix(wide, middle, 1 / np.sqrt(wide) / UNIT),
        np.zeros((tails, middle), np.float32),
        matrix(middle, narrow, 1 / np.sqrt(middle)),
        np.zeros((tails, narrow), np.float32),
        matrix(narrow, len(last), 1 / np.sqrt(narrow)),
        np.tile(np.array(last, np.float32), (tails, 1)),
    )


def random_nets(seed: int = 1) -> Nets:
    """Contact, race and pruner."""
    return Nets(random_net(seed, tails=PHASES), random_net(seed + 1), random_net(seed + 2))


def random_side(seed: int = 1) -> Net:
    """A net of one side of a race: a wide bell around about a roll for eight pips, more or less."""
    bells = LEARNED * (0.0, -0.04, *(0.0,) * (FIGURES - 2))
    net = random_net(seed, tails=SIDE_TAILS, rows=PLACES * COUNTS, last=bells)
    draws = np.random.default_rng(seed)
    net.table[:, :LEARNED] = 0
    for place in range(OFF):
        shares = draws.uniform(0.03, 0.25) * (place + 1) * np.arange(COUNTS)
        net.table[place * COUNTS : (place + 1) * COUNTS, :LEARNED] = (
            ESTIMATE_UNIT * shares[:, np.newaxis]
        )
    net.bias[:LEARNED] = ESTIMATE_UNIT
    return net._replace(w3=net.w3 * np.float32(0.06))


def net_alone(brain: Brain) -> Brain:
    """The brain without the larger database: the net judges all sides that are not at home."""
    tails, gammon_tails, binomials = bearoff.EMPTY[0]
    return brain._replace(far_tails=tails, far_gammon_tails=gammon_tails, far_binomials=binomials)


def random_brain(seed: int = 1) -> Brain:
    """The same with the bearoff databases."""
    return brain_of(random_nets(seed))


def living_nets(seed: int = 1) -> Nets:
    """The same, but the contact net says how alive the cube is, here between 0.3 and 1 or so."""
    said = (0.0, -1.5, -4.0, -1.5, -4.0, 0.6, 0.75, 0.68)
    net = random_net(seed, tails=PHASES, last=said)
    calmer = np.append(np.ones(5), np.full(3, 0.2)).astype(np.float32)
    return random_nets(seed)._replace(contact=net._replace(w3=net.w3 * calmer))


def living_brain(seed: int = 1) -> Brain:
    return brain_of(living_nets(seed))
