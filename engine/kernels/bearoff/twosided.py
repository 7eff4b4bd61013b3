"""Two-sided databases: exact money equities of every side against every side.

An equity e is int16: +32767 a win, -32768 a loss. Case 0 is cubeless; 1 the player on roll owns
the cube, 2 it is centred, 3 the opponent owns it. `values[r, o, case]` is the equity of side r, on
roll, against side o; `gains[r, o, case]` is the equity of a player who has just moved to r: the
complement of values[o, r], the opponent's doubling included. For each roll

    values[r, o] = average over rolls of max over successors s of gains[s, o], case by case,

so with r fixed everything runs along contiguous rows over o, in int16 lanes. For that, both axes
number sides in the order of their pip counts (`order`, made by the caller), where a step always
leads to a smaller number, sides of equal pips are independent, and blocks of rows and columns can
be filled whole: for pips p, first the rows of p against all lower columns, then the columns of p
for all rows up to p.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff.ranks import DICE, counts_of, drops_of, next_tops, single_steps
from sixprime.engine.kernels.machine.compiled import array_kernel

ROLLS = 21
WIN = 32767
LOSS = -32768
TILE = 2048  # lanes worked on at once, to stay in the nearest cache


class PairTable(NamedTuple):
    """The arrays to fill, and the results of each side and roll that fill them."""

    values: NDArray[np.int16]  # [n, n * cases], as gains
    gains: NDArray[np.int16]
    starts: NDArray[np.int64]  # [n, 22], see all_results
    results: NDArray[np.int32]


@array_kernel
def all_steps(points, binomials, n, steps, found, pips):
    """Fill the single-step successors of every rank: int64[n, 6, P], int64[n, 6]; and its pips."""
    counts = np.zeros(points, dtype=np.int64)
    drops = np.zeros(points + 1, dtype=np.int64)
    tops = np.zeros(points, dtype=np.int64)
    for k in range(points):
        tops[k] = points - 1 - k
    for rank in range(n):
        rear = counts_of(tops, points, counts)
        for k in range(points):
            pips[rank] += (k + 1) * counts[k]
        drops_of(tops, points, binomials, drops)
        for die in range(DICE):
            found[rank, die] = single_steps(rank, counts, rear, die + 1, drops, steps[rank, die])
        next_tops(tops, points)


@array_kernel
def spread(layer, size, die, steps, found, stamp, marks, out):
    """Write the distinct ranks one step with `die` from the `size` ranks in `layer` to `out`.

    An empty side stays. `marks` int64[n] remembers the last `stamp` of each rank.
    """
    reached = 0
    for i in range(size):
        rank = layer[i]
        if rank == 0 and marks[0] != stamp:
            marks[0] = stamp
            out[reached] = 0
            reached += 1
        for j in range(found[rank, die]):
            there = steps[rank, die, j]
            if marks[there] != stamp:
                marks[there] = stamp
                out[reached] = there
                reached += 1
    return reached


@array_kernel
def results_of(rank, steps, found, marks, layers, roll_ends, out):
    """Write the distinct results of each roll: ranks to `out`, the end of each to `roll_ends`.

    The fifteen mixed rolls come first, then the six doubles. `layers` int64[2, n] is scratch.
    """
    stamp = marks[-1]
    at = 0
    roll = 0
    layer = layers[0]
    for larger in range(1, DICE):
        for smaller in range(larger):
            stamp += 2
            marks[-1] = stamp
            layer[0] = rank
            size = spread(layers[0], 1, larger, steps, found, stamp - 1, marks, layers[1])
            at += spread(layers[1], size, smaller, steps, found, stamp, marks, out[at:])
            # the second order keeps the marks of the results, and leaves its first step unmarked
            for j in range(max(found[rank, smaller], 1)):
                layers[1, j] = steps[rank, smaller, j] if rank > 0 else 0
            size = max(found[rank, smaller], 1)
            at += spread(layers[1], size, larger, steps, found, stamp, marks, out[at:])
            roll_ends[roll] = at
            roll += 1
    for die in range(DICE):
        layers[0, 0] = rank
        size = 1
        for step in range(3):
            stamp += 1
            here = layers[step % 2]
            size = spread(here, size, die, steps, found, stamp, marks, layers[(step + 1) % 2])
        stamp += 1
        at += spread(layers[1], size, die, steps, found, stamp, marks, out[at:])
        roll_ends[roll] = at
        roll += 1
    marks[-1] = stamp
    return at


@array_kernel
def all_results(order, number, steps, found):
    """Return the results of every side and roll: int64[n, 22] starts, int32[*] sides by pips.

    `order` gives the rank of each side, `number` the side of each rank.
    """
    n = len(order)
    starts = np.zeros((n, ROLLS + 1), dtype=np.int64)
    results = np.zeros(64 * n, dtype=np.int32)
    marks = np.full(n + 1, -1, dtype=np.int64)
    marks[n] = 0
    layers = np.zeros((2, n + 1), dtype=np.int64)
    ends = np.zeros(ROLLS, dtype=np.int64)
    out = np.zeros(ROLLS * 512, dtype=np.int64)
    at = 0
    for side in range(n):
        some = results_of(order[side], steps, found, marks, layers, ends, out)
        if at + some > len(results):
            more = np.zeros(2 * len(results) + some, dtype=np.int32)
            more[:at] = results[:at]
            results = more
        for i in range(some):
            results[at + i] = number[out[i]]
        starts[side, 0] = at
        for roll in range(ROLLS):
            starts[side, roll + 1] = at + ends[roll]
        at += some
    return starts, results[:at]


@array_kernel
def raise_to(best, row):
    """Raise `best` to `row`, lane by lane."""
    for i in range(len(best)):
        best[i] = max(best[i], row[i])


@array_kernel
def add_to(total, row):
    """Add `row` to `total`, lane by lane."""
    for i in range(len(total)):
        total[i] += np.int32(row[i])


@array_kernel
def add_best(total, gains, results, start, end, low, high, best):
    """Add to `total` the lane-wise best of the gains of the sides results[start:end]."""
    if end - start == 1:
        add_to(total, gains[results[start], low:high])
        return
    width = high - low
    best[:width] = gains[results[start], low:high]
    for i in range(start + 1, end):
        raise_to(best[:width], gains[results[i], low:high])
    add_to(total, best[:width])


@array_kernel
def average(table, side, low, high, best, total):
    """Fill values[side, low:high]; low and high count lanes."""
    gains, starts, results = table.gains, table.starts, table.results
    for left in range(low, high, TILE):
        right = min(left + TILE, high)
        sums = total[: right - left]
        sums[:] = 0
        for roll in range(ROLLS - DICE):
            add_best(sums, gains, results, starts[side, roll], starts[side, roll + 1], left,
                     right, best)  # fmt: skip
        for i in range(len(sums)):
            sums[i] += sums[i]
        for roll in range(ROLLS - DICE, ROLLS):
            add_best(sums, gains, results, starts[side, roll], starts[side, roll + 1], left,
                     right, best)  # fmt: skip
        row = table.values[side, left:right]
        for i in range(len(sums)):  # towards zero; single precision can tell these quotients apart
            row[i] = np.int16(np.float32(sums[i]) / np.float32(36))


@array_kernel
def doubled(hold, taken):
    """Return the equity with the right to double: `hold` without, `taken` after a take.

    A double is right when the take, at twice the stake, is worth as much as holding, and the pass,
    worth WIN, no less than holding. The opponent passes if taking is worse than one point.
    """
    half = hold // 2 if hold >= 0 else -(-hold // 2)
    if taken >= half:
        return WIN if taken >= WIN // 2 else 2 * taken
    return hold


@array_kernel
def answer(values, gains, side, low, high, cases):
    """Fill the gains of sides low..high-1, which have just moved, from values[side]."""
    for other in range(low, high):
        at = other * cases
        gains[other, side * cases] = ~values[side, at]
        if cases == 4:
            owned = np.int32(values[side, at + 1])
            centred = np.int32(values[side, at + 2])
            against = np.int32(values[side, at + 3])
            gains[other, side * 4 + 1] = ~against
            gains[other, side * 4 + 2] = ~doubled(centred, against)
            gains[other, side * 4 + 3] = ~doubled(owned, against)


@array_kernel
def fill(table, first, last, low, high, cases):
    """Fill values[first:last, low:high] (sides), and the gains that follow from them."""
    values = table.values
    best = np.zeros(TILE, dtype=np.int16)
    total = np.zeros(TILE, dtype=np.int32)
    for side in range(first, last):
        if side == 0:
            values[0, low * cases : high * cases] = WIN
        else:
            begin = low
            if low == 0:
                values[side, :cases] = LOSS
                begin = 1
            average(table, side, begin * cases, high * cases, best, total)
        answer(values, table.gains, side, low, high, cases)


@array_kernel
def in_rank_order(values, number, cases, words):
    """Fill the file's words, uint16[n, n * cases], both axes by rank, from `values` by pips."""
    n = len(number)
    for rank in range(n):
        row = values[number[rank]]
        for other in range(n):
            at = number[other] * cases
            for case in range(cases):
                words[rank, other * cases + case] = np.int32(row[at + case]) + 32768
