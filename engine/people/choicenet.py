"""The net that turns figures into likings: how much people of a PR like each play.

Two layers judge each play alone; a third sees it beside the plays that look best so far. The
units of the last layers are a play's traits: a person's portrait weighs them anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.machine.compiled import kernel
from sixprime.engine.kernels.memory import scramble


class ChoiceNet(NamedTuple):
    """Weights, float32; `wide`, `narrow` and `group` are the sizes of the layers."""

    figures: NDArray[np.float32]  # [FIGURES, wide]
    context: NDArray[np.float32]  # [CONTEXT, wide]
    bias: NDArray[np.float32]  # [wide]
    second: NDArray[np.float32]  # [wide, narrow]
    second_bias: NDArray[np.float32]  # [narrow]
    attention: NDArray[np.float32]  # [narrow]
    group: NDArray[np.float32]  # [3 * narrow, group]: a play, the best-looking ones, their product
    group_bias: NDArray[np.float32]  # [group]
    plain: NDArray[np.float32]  # [FIGURES]: likings by the figures alone
    liking: NDArray[np.float32]  # [narrow + group]: by traits


class Workbench(NamedTuple):
    """Scratch of one call."""

    shared: NDArray[np.float32]  # [wide]
    hidden: NDArray[np.float32]  # [wide]
    pooled: NDArray[np.float32]  # [narrow]
    notice: NDArray[np.float64]  # [plays]


def workbench(net: ChoiceNet, plays: int) -> Workbench:
    wide, narrow = net.second.shape
    return Workbench(
        np.empty(wide, np.float32),
        np.empty(wide, np.float32),
        np.empty(narrow, np.float32),
        np.empty(plays),
    )


@kernel
def like(net, figures, context, work, likings, traits):
    """Fill float64[plays], and float32[plays, narrow + group], for one decision."""
    narrow = len(net.attention)
    copy(net.bias, work.shared)
    add_rows(context, net.context, work.shared)
    for play in range(len(figures)):
        copy(work.shared, work.hidden)
        add_rows(figures[play], net.figures, work.hidden)
        rectify(work.hidden)
        units = traits[play, :narrow]
        copy(net.second_bias, units)
        add_rows(work.hidden, net.second, units)
        rectify(units)
        likings[play] = product(figures[play], net.plain)
        likings[play] += product(units, net.liking)
        work.notice[play] = likings[play] + product(units, net.attention)
    pool(work, traits)
    for play in range(len(figures)):
        units, group = traits[play, :narrow], traits[play, narrow:]
        copy(net.group_bias, group)
        add_rows(units, net.group, group)
        add_rows(work.pooled, net.group[narrow:], group)
        for k in range(narrow):
            both = units[k] * work.pooled[k]
            for unit in range(len(group)):
                group[unit] += both * net.group[2 * narrow + k, unit]
        rectify(group)
        likings[play] += product(group, net.liking[narrow:])


@kernel
def pool(work, traits):
    """Fill the traits of the plays that people notice, on average."""
    most = -np.inf
    for play in range(len(work.notice)):
        most = max(most, work.notice[play])
    total = 0.0
    for play in range(len(work.notice)):
        work.notice[play] = np.exp(work.notice[play] - most)
        total += work.notice[play]
    work.pooled[:] = 0.0
    for play in range(len(work.notice)):
        share = np.float32(work.notice[play] / total)
        for k in range(len(work.pooled)):
            work.pooled[k] += share * traits[play, k]


@kernel
def copy(values, out):
    for i in range(len(out)):
        out[i] = values[i]


@kernel
def add_rows(values, rows, out):
    """Add values[i] * rows[i] for every value; most figures are 0."""
    for i in range(len(values)):
        value = values[i]
        if value != 0.0:
            for k in range(len(out)):
                out[k] += value * rows[i, k]


@kernel
def product(values, weights):
    """Return the scalar product over all values; `weights` may be longer."""
    total = 0.0
    for i in range(len(values)):
        total += values[i] * weights[i]
    return total


@kernel
def rectify(values):
    for i in range(len(values)):
        values[i] = max(values[i], np.float32(0.0))


# -- one person's taste


@kernel
def surprise(board, roll, seed, results, out):
    """Fill float64[plays] with Gumbel noise, a function of the person, the decision and the play.

    The play whose logarithm of its chance plus noise is highest is made as often as its chance
    says.
    """
    salt = scramble(hashed(board, scramble(seed)) ^ roll)
    for play in range(len(results)):
        key = hashed(results[play], salt)
        uniform = (np.float64(key >> np.uint64(11)) + 0.5) / 9007199254740992.0
        out[play] = -np.log(-np.log(uniform))


@kernel
def hashed(board, key):
    for side in range(2):
        for place in range(25):
            key = scramble(key ^ np.uint64(board[side, place]))
    return key
