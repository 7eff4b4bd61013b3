"""Two-sided databases: exact money equities of every side against every side, by backward induction.

An equity e is int16: +32767 a win, -32768 a loss. Case 0 is cubeless; 1 the player on roll owns the
cube, 2 it is centred, 3 the opponent owns it. `values[r, o, case]` is the equity of side r, on roll,
against side o; `gains[r, o, case]` is what a player who has just moved to r has in values[o, r]: the
complement of what the opponent makes of it, doubling included. Then for each roll

    values[r, o] = average over rolls of max over successors s of gains[s, o], case by case,

so with r fixed everything runs along contiguous rows over o, in int16 lanes. For that, both axes
number sides in the order of their pip counts (`order`, made by the caller), where a step always
leads to a smaller number, sides of equal pips are independent, and blocks of rows and columns can
be filled whole: for pips p, first the rows of p against all lower columns, then the columns of p
for all rows up to p.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.kernels.bearoff import DICE, counts_of, drops_of, next_tops, single_steps

ROLLS = 21
WIN = 32767
LOSS = -32768
TILE = 2048  # lanes worked on at once, to stay in the nearest cache


@njit(cache=True, nogil=True)
def all_steps(points, binomials, n, steps, found, pips):
    """Single-step successors of every rank: `steps` int64[n, 6, P], `found` int64[n, 6]."""
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
            found[rank, die] = single_steps(
                rank, counts, rear, die + 1, drops, steps[rank, die]
            )
        next_tops(tops, points)


@njit(cache=True, nogil=True)
def spread(layer, size, die, steps, found, stamp, marks, out):
    """All distinct ranks one step with `die` from the `size` ranks in `layer`, into `out`.

    An empty side stays. `marks` int64[n] remembers the last `stamp` a rank was seen with.
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


@njit(cache=True, nogil=True)
def successors(rank, steps, found, marks, stamp, layers, at, out):
    """Append to `out` from `at` on the distinct results of each roll; `layers` int64[2, *] scratch.

    Returns the last stamp used; out's ends by roll are in `ends` of the caller, see all_successors.
    """
    return stamp, at


@njit(cache=True, nogil=True)
def fill(values, gains, starts, results, r, low, high, best, total):
    """values[r, low:high] and the gains of the opponents who move there.

    values, gains int16[n, n * cases]; starts int64[n, 22] and results int32[*] list the successors.
    """
    return 0
