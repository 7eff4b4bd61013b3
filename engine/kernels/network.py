"""The forward pass: a table of rows, three small dense layers, five probabilities.

    slots --> sum of table rows + bias --relu--> wide --relu--> middle --relu--> narrow --> 5

The first layer is int16 fixed point (UNIT is 1.0), so adding and taking away rows is exact: an
accumulator that was updated from a relative's equals one that was built from scratch, bit for bit,
and evaluating one position or a thousand gives the same numbers. The dense layers are float32 and
skip inputs that are zero, more than half of the wide ones.

Probabilities, for the player on roll: win, win gammon, win backgammon, lose gammon, lose
backgammon.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiled import fusing_kernel, kernel
from engine.kernels.inputs import EMPTY

UNIT = 1024.0  # int16 holds -32..32
OUTPUTS = 5
EIGHT = 8
WIN, WIN_GAMMON, WIN_BACKGAMMON, LOSE_GAMMON, LOSE_BACKGAMMON = range(OUTPUTS)


class Net(NamedTuple):
    """The arrays of one network."""

    table: NDArray[np.int16]  # [rows, wide]
    bias: NDArray[np.int16]  # [wide]
    w1: NDArray[np.float32]  # [wide, middle]; already divided by UNIT
    b1: NDArray[np.float32]
    w2: NDArray[np.float32]  # [middle, narrow]
    b2: NDArray[np.float32]
    w3: NDArray[np.float32]  # [narrow, OUTPUTS]
    b3: NDArray[np.float32]


@kernel
def build(net, slots, sums):
    """Fill the accumulator int16[wide] from scratch."""
    wide = len(sums)
    for j in range(wide):
        sums[j] = net.bias[j]
    for i in range(len(slots)):
        row = slots[i]
        if row == EMPTY[i]:
            continue
        for j in range(wide):
            sums[j] += net.table[row, j]


@kernel
def update(net, old_slots, old_sums, slots, sums):
    """Fill the accumulator from a relative's: only the rows that differ."""
    wide = len(sums)
    first = True
    for i in range(len(slots)):
        if slots[i] == old_slots[i]:
            continue
        gone = old_slots[i]
        come = slots[i]
        if first:
            for j in range(wide):
                sums[j] = old_sums[j] + net.table[come, j] - net.table[gone, j]
            first = False
        else:
            for j in range(wide):
                sums[j] += net.table[come, j] - net.table[gone, j]
    if first:
        for j in range(wide):
            sums[j] = old_sums[j]


@kernel
def positive(values, active):
    """List the places of positive entries in `active`; returns how many there are."""
    count = 0
    for j in range(len(values)):
        active[count] = j
        count += values[j] > 0
    return count


@fusing_kernel
def dense(values, active, count, weights, bias, out):
    """Fill out with bias + sum of values[k] * weights[k] over the active k, four at a time."""
    size = len(out)
    for j in range(size):
        out[j] = bias[j]
    i = 0
    while i + 4 <= count:
        k0 = active[i]
        k1 = active[i + 1]
        k2 = active[i + 2]
        k3 = active[i + 3]
        v0 = np.float32(values[k0])
        v1 = np.float32(values[k1])
        v2 = np.float32(values[k2])
        v3 = np.float32(values[k3])
        for j in range(size):
            out[j] = (
                out[j]
                + v0 * weights[k0, j]
                + v1 * weights[k1, j]
                + v2 * weights[k2, j]
                + v3 * weights[k3, j]
            )
        i += 4
    while i < count:
        k0 = active[i]
        v0 = np.float32(values[k0])
        for j in range(size):
            out[j] += v0 * weights[k0, j]
        i += 1


@kernel
def finish(net, sums, active, middle, narrow, out):
    """From accumulator to float32[5] probabilities.

    Scratch: active uint32[wide], and middle and narrow as float32 of the layers' sizes.
    """
    count = positive(sums, active)
    dense(sums, active, count, net.w1, net.b1, middle)
    count = positive(middle, active)
    dense(middle, active, count, net.w2, net.b2, narrow)
    count = positive(narrow, active)
    dense(narrow, active, count, net.w3, net.b3, out)
    for k in range(OUTPUTS):
        out[k] = np.float32(1.0) / (np.float32(1.0) + np.exp(-out[k]))


@fusing_kernel
def eight(values, weights, bias, out):
    """`dense` for eight outputs and few inputs: eight variables stay in registers.

    Negative values count as zero.
    """
    a, b, c, d = bias[0], bias[1], bias[2], bias[3]
    e, f, g, h = bias[4], bias[5], bias[6], bias[7]
    for k in range(len(values)):
        v = np.float32(max(values[k], 0))
        a += v * weights[k, 0]
        b += v * weights[k, 1]
        c += v * weights[k, 2]
        d += v * weights[k, 3]
        e += v * weights[k, 4]
        f += v * weights[k, 5]
        g += v * weights[k, 6]
        h += v * weights[k, 7]
    out[0], out[1], out[2], out[3] = a, b, c, d
    out[4], out[5], out[6], out[7] = e, f, g, h


@kernel
def finish_small(net, sums, middle, narrow, out):
    """`finish` for a net whose middle and narrow layer have EIGHT units."""
    eight(sums, net.w1, net.b1, middle)
    eight(middle, net.w2, net.b2, narrow)
    for k in range(OUTPUTS):
        out[k] = net.b3[k]
    for i in range(EIGHT):
        v = max(narrow[i], np.float32(0.0))
        for k in range(OUTPUTS):
            out[k] += v * net.w3[i, k]
    for k in range(OUTPUTS):
        out[k] = np.float32(1.0) / (np.float32(1.0) + np.exp(-out[k]))


@kernel
def constrain(mine, theirs, checkers, out):
    """What the rules say about the outcome overrules the net: see the comments."""
    left = 0
    for place in range(25):
        left += mine[place]
    if left < checkers:  # I have borne off: I cannot lose a gammon
        out[LOSE_GAMMON] = 0.0
        out[LOSE_BACKGAMMON] = 0.0
    left = 0
    for place in range(25):
        left += theirs[place]
    if left < checkers:
        out[WIN_GAMMON] = 0.0
        out[WIN_BACKGAMMON] = 0.0
    out[WIN_GAMMON] = min(out[WIN_GAMMON], out[WIN])
    out[WIN_BACKGAMMON] = min(out[WIN_BACKGAMMON], out[WIN_GAMMON])
    out[LOSE_GAMMON] = min(out[LOSE_GAMMON], np.float32(1.0) - out[WIN])
    out[LOSE_BACKGAMMON] = min(out[LOSE_BACKGAMMON], out[LOSE_GAMMON])


@kernel
def turn_round(outcome, out):
    """The same chances as the opponent sees them; `out` is not `outcome`."""
    out[WIN] = np.float32(1.0) - outcome[WIN]
    out[WIN_GAMMON] = outcome[LOSE_GAMMON]
    out[WIN_BACKGAMMON] = outcome[LOSE_BACKGAMMON]
    out[LOSE_GAMMON] = outcome[WIN_GAMMON]
    out[LOSE_BACKGAMMON] = outcome[WIN_BACKGAMMON]


@kernel
def money(outcome):
    """Cubeless money equity."""
    return (
        np.float32(2.0) * outcome[WIN]
        - np.float32(1.0)
        + outcome[WIN_GAMMON]
        + outcome[WIN_BACKGAMMON]
        - outcome[LOSE_GAMMON]
        - outcome[LOSE_BACKGAMMON]
    )
