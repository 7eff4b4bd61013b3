"""Bounds of the first layer's sums, and nets scaled down so that their sums fit into int16.

A sum that overflows int16 changes its sign, and then a player about to bear off the last checker
seems to have lost. Training knows no such limit. So each unit that some position could make
overflow is scaled down, and the weights of the next layer are scaled up: relu(a x) / a is relu(x).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.inputs import COUNT_SLOTS, COUNTS, EMPTY, PLACES
from sixprime.engine.kernels.network import Net
from sixprime.engine.position import MAX_CHECKERS

LIMIT = 32_700.0  # below 32,767, as rounding that many rows may add 50


def within_reach(net: Net) -> Net:
    """Return an equivalent net (but for the rounding of its rows), with no sum beyond int16."""
    shrunk = np.minimum(1.0, LIMIT / np.maximum(largest_sums(net), 1.0))
    if (shrunk == 1.0).all():
        return net
    return net._replace(
        table=np.rint(net.table * shrunk).astype(np.int16),
        bias=np.rint(net.bias * shrunk).astype(np.int16),
        w1=(net.w1 / shrunk[:, np.newaxis]).astype(np.float32),
    )


def largest_sums(net: Net) -> NDArray[np.int32]:
    """Return int32[wide], a bound on each unit's absolute sum over all possible positions."""
    table = net.table.astype(np.int32)
    empty = EMPTY[: PLACES if len(table) == PLACES * COUNTS else None]
    table[empty] = 0  # never added
    return np.asarray(np.maximum(_most(table) + net.bias, _most(-table) - net.bias))


def _most(table: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the largest sum of rows: counts of 15 checkers a side, and one of each other slot.

    The net of one side of a race has the counts of one side only.
    """
    counts = table[: COUNT_SLOTS * COUNTS].reshape(-1, PLACES, COUNTS, table.shape[1])
    most = sum(_most_of_side(side) for side in counts)
    slots = pairwise((*EMPTY[COUNT_SLOTS:], len(table))) if len(counts) > 1 else ()
    return np.asarray(most + sum(table[first:end].max(axis=0) for first, end in slots))


def _most_of_side(places: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the largest sum over a side's places, with counts that add up to 15 at most."""
    best = np.zeros((MAX_CHECKERS + 1, places.shape[2]), np.int32)  # by checkers left to place
    for rows in places:
        best = np.stack(
            [(best[left::-1] + rows[: left + 1]).max(axis=0) for left in range(len(best))]
        )
    return np.asarray(best[MAX_CHECKERS])
