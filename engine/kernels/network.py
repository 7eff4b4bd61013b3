"""The forward pass: a table of rows, three small dense layers, five probabilities.

    slots --> sum of table rows + bias --relu--> wide --relu--> middle --relu--> narrow --> 5 or 8

The first layer is int16 fixed point (UNIT is 1.0), so adding and taking away rows is exact: an
updated accumulator equals one that was built from scratch, bit for bit, and one position or a
thousand get the same numbers. No position brings a sum beyond int16 (engine.nets.headroom). The
dense layers are float32, except the weights of the first (`compact`), and skip inputs that are
zero, more than half of the wide ones. A net may have such layers, a "tail", for each phase of the
game (engine.kernels.inputs.phase_of): that costs no time, since a position is in one phase only.

Probabilities, for the player on roll: win, win gammon, win backgammon, lose gammon, lose
backgammon. The contact net also says how alive the cube is (engine.kernels.cube): one figure if the
player on roll owns it, one if it is centred, one if the other owns it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.inputs import EMPTY, phase_of
from sixprime.engine.kernels.machine.compiled import fusing_kernel, kernel
from sixprime.engine.kernels.machine.vectors import (
    COLUMNS,
    LANES,
    NO_BITS,
    ONE_BIT,
    ROWS,
    add_products,
    add_products_in_chains,
    add_products_to_rows,
    add_rows,
    exchange_rows,
    lowest,
    more_than,
    unequal,
)

UNIT = 1024.0  # int16 holds -32..32
LARGEST = 32767  # of int16
SMALLEST = np.float32(1e-30)  # against a division by zero
OUTPUTS = 5
LIFE = OUTPUTS  # the first of the cube's efficiencies, in the order of its owners
JUDGED = LIFE + 3
WIN, WIN_GAMMON, WIN_BACKGAMMON, LOSE_GAMMON, LOSE_BACKGAMMON = range(OUTPUTS)
POINTS = np.array((2, 1, 1, -1, -1), np.float32)  # of each output; their sum less 1: the equity


class Net(NamedTuple):
    """The arrays of one network."""

    table: NDArray[np.int16]  # [rows, wide]
    bias: NDArray[np.int16]  # [wide]
    w1: NDArray[np.float32] | NDArray[np.int16]  # [tails, wide, middle]; float32 / UNIT, or compact
    b1: NDArray[np.float32]
    w2: NDArray[np.float32]  # [tails, middle, narrow]
    b2: NDArray[np.float32]
    w3: NDArray[np.float32]  # [tails, narrow, OUTPUTS, JUDGED or more]
    b3: NDArray[np.float32]


def compact(net: Net) -> Net:
    """Return the net with `w1` as whole numbers, half as large: loading it took longest in a tail.

    The unit of a tail's numbers moves into the next layer, whose inputs are positive or left out.
    """
    scale = np.maximum(np.abs(net.w1).max((1, 2), keepdims=True), SMALLEST) / np.float32(LARGEST)
    return net._replace(
        w1=np.rint(net.w1 / scale).astype(np.int16), b1=net.b1 / scale[:, 0], w2=net.w2 * scale
    )


@kernel
def build(net, slots, sums):
    """Fill the accumulator int16[wide] from scratch."""
    for j in range(len(sums)):
        sums[j] = net.bias[j]
    for first in range(0, len(slots), 64):
        add_rows(differing(slots, EMPTY, first), net.table, slots, first, sums)


@kernel
def update(net, old_slots, old_sums, slots, sums):
    """Fill the accumulator from a similar position's, by the rows that differ."""
    for j in range(len(sums)):
        sums[j] = old_sums[j]
    for first in range(0, len(slots), 64):
        bits = differing(slots, old_slots, first)
        exchange_rows(bits, net.table, slots, old_slots, first, sums)


@kernel
def differing(slots, others, first):
    """Return bits of the up to 64 slots from `first` on that differ."""
    last = min(first + 64, len(slots))
    bits = NO_BITS
    place = first
    while place + LANES <= last:
        bits |= unequal(slots, others, place) << np.uint64(place - first)
        place += LANES
    while place < last:
        bits |= np.uint64(slots[place] != others[place]) << np.uint64(place - first)
        place += 1
    return bits


@kernel
def positive_bits(values, first):
    """Return bits of the up to 64 values from `first` on that are positive."""
    last = min(len(values), first + 64)
    bits = NO_BITS
    place = first
    while place + LANES <= last:
        bits |= more_than(values, place, 0) << np.uint64(place - first)
        place += LANES
    while place < last:
        bits |= np.uint64(values[place] > 0) << np.uint64(place - first)
        place += 1
    return bits


@fusing_kernel
def dense(values, weights, bias, out):
    """Fill out with bias + the sum of values[k] * weights[k] over the positive values."""
    size = len(out)
    for j in range(size):
        out[j] = bias[j]
    for first in range(0, len(values), 64):
        bits = positive_bits(values, first)
        column = 0
        while column + 64 <= size:
            add_products(bits, values, first, weights, column, out, 64)
            column += 64
        while column + 32 <= size:
            add_products(bits, values, first, weights, column, out, 32)
            column += 32
        while column + 8 <= size:
            add_products(bits, values, first, weights, column, out, 8)
            column += 8
        while column < size and bits != NO_BITS:
            k = first + lowest(bits)
            bits &= bits - ONE_BIT
            for j in range(column, size):
                out[j] += np.float32(values[k]) * weights[k, j]


@fusing_kernel
def dense_alone(values, weights, bias, out):
    """Fill as `dense` does but for rounding, faster where nothing else is at work meanwhile.

    The length of `out` is a multiple of 8.
    """
    size = len(out)
    for j in range(size):
        out[j] = bias[j]
    for first in range(0, len(values), 64):
        bits = positive_bits(values, first)
        column = 0
        while column + 48 <= size:
            add_products_in_chains(bits, values, first, weights, column, out, 48)
            column += 48
        while column + 32 <= size:
            add_products_in_chains(bits, values, first, weights, column, out, 32)
            column += 32
        while column < size:
            add_products_in_chains(bits, values, first, weights, column, out, 8)
            column += 8


@fusing_kernel
def dense_rows(values, weights, bias, out, count):
    """Fill as `dense` does for `count` of ROWS rows of values, none of them negative."""
    size = len(bias)
    for row in range(ROWS):
        for j in range(size):
            out[row, j] = bias[j]
    for first in range(0, values.shape[1], 64):
        bits = NO_BITS
        for row in range(count):
            bits |= positive_bits(values[row], first)
        column = 0
        while column + COLUMNS <= size:
            add_products_to_rows(bits, values, first, weights, column, out, COLUMNS)
            column += COLUMNS
        while column + 16 <= size:
            add_products_to_rows(bits, values, first, weights, column, out, 16)
            column += 16
        while column + 8 <= size:
            add_products_to_rows(bits, values, first, weights, column, out, 8)
            column += 8
        while column < size and bits != NO_BITS:
            k = first + lowest(bits)
            bits &= bits - ONE_BIT
            for row in range(count):
                for j in range(column, size):
                    out[row, j] += values[row, k] * weights[k, j]


@kernel
def rectify(values, count):
    """Replace negative values in the first rows by 0."""
    for row in range(count):
        for j in range(values.shape[1]):
            values[row, j] = max(values[row, j], np.float32(0.0))


@kernel
def finish_rows(net, tail, rows, count):
    """Fill rows.logits from the first `count` of rows.sums, bit for bit as `finish` does."""
    for row in range(count):
        for j in range(len(net.bias)):
            rows.wide[row, j] = np.float32(max(rows.sums[row, j], np.int16(0)))
    dense_rows(rows.wide, net.w1[tail], net.b1[tail], rows.middle, count)
    rectify(rows.middle, count)
    dense_rows(rows.middle, net.w2[tail], net.b2[tail], rows.narrow, count)
    rectify(rows.narrow, count)
    dense_rows(rows.narrow, net.w3[tail], net.b3[tail], rows.logits, count)


@kernel
def finish(net, slots, sums, middle, narrow, out):
    """Fill float32[5], or float32[8] with the cube's life, from an accumulator and its slots.

    Scratch: middle and narrow as float32 of the layers' sizes. The last layer may have columns
    beyond those, so that vectors can add it up.
    """
    tail = phase_of(slots) if len(net.b1) > 1 else 0
    dense(sums, net.w1[tail], net.b1[tail], middle)
    dense(middle, net.w2[tail], net.b2[tail], narrow)
    logits = middle[: net.b3.shape[1]]
    dense(narrow, net.w3[tail], net.b3[tail], logits)
    squash(logits, out)


@kernel
def squash(logits, out):
    """Fill the probabilities of logits, and the cube's life if there is room for it.

    Far from all that was taught, a net would say more than a live cube or less than a dead one.
    """
    for k in range(OUTPUTS):
        out[k] = np.float32(1.0) / (np.float32(1.0) + np.exp(-logits[k]))
    for k in range(LIFE, min(len(out), JUDGED)):
        out[k] = min(max(logits[k], np.float32(0.0)), np.float32(1.0))


@kernel
def constrain(mine, theirs, checkers, out):
    """Overrule the net where the rules leave no doubt about the outcome."""
    left = 0
    for place in range(25):
        left += mine[place]
    their_left = 0
    for place in range(25):
        their_left += theirs[place]
    constrain_gammons(out, left < checkers, their_left < checkers)


@kernel
def constrain_gammons(out, some_off, their_some_off):
    """Constrain outcomes by whether either side has borne off a checker."""
    if some_off:  # I cannot lose a gammon
        out[LOSE_GAMMON] = 0.0
        out[LOSE_BACKGAMMON] = 0.0
    if their_some_off:
        out[WIN_GAMMON] = 0.0
        out[WIN_BACKGAMMON] = 0.0
    out[WIN_GAMMON] = min(out[WIN_GAMMON], out[WIN])
    out[WIN_BACKGAMMON] = min(out[WIN_BACKGAMMON], out[WIN_GAMMON])
    out[LOSE_GAMMON] = min(out[LOSE_GAMMON], np.float32(1.0) - out[WIN])
    out[LOSE_BACKGAMMON] = min(out[LOSE_BACKGAMMON], out[LOSE_GAMMON])


@kernel
def turn_round(outcome, out):
    """Write the chances as the opponent sees them; `out` is not `outcome`."""
    out[WIN] = np.float32(1.0) - outcome[WIN]
    out[WIN_GAMMON] = outcome[LOSE_GAMMON]
    out[WIN_BACKGAMMON] = outcome[LOSE_BACKGAMMON]
    out[LOSE_GAMMON] = outcome[WIN_GAMMON]
    out[LOSE_BACKGAMMON] = outcome[WIN_BACKGAMMON]
    for k in range(LIFE, min(len(outcome), len(out))):
        out[k] = outcome[JUDGED - 1 + LIFE - k]


@kernel
def money(outcome):
    """Return the cubeless money equity."""
    return (
        np.float32(2.0) * outcome[WIN]
        - np.float32(1.0)
        + outcome[WIN_GAMMON]
        + outcome[WIN_BACKGAMMON]
        - outcome[LOSE_GAMMON]
        - outcome[LOSE_BACKGAMMON]
    )
