"""Position -> network inputs; the only encoder there is.

A position is SLOTS numbers, each naming one row of the first layer's table, so that layer is a sum
of rows (engine.kernels.network). There are two kinds of slots:

    counts      one a place and side: how many checkers stand there. Side 0 is the player on roll;
                places 0..23 are that side's own points, 24 the bar, 25 what has been borne off.
    neighbours  one for each two adjacent points, 0 and 1 to 22 and 23 of the player on roll: who
                holds them how firmly. A prime is many of these at once, which sums of counts say
                less directly; on equal data they brought the error of the net down by a tenth.
"""

from __future__ import annotations

import numpy as np
from numba import njit

PLACES = 26
COUNTS = 16  # 0..15 checkers
COUNT_SLOTS = 2 * PLACES
COUNT_ROWS = COUNT_SLOTS * COUNTS
OFF = 25
HOLDS = 7  # a point is empty, mine with 1, 2, 3 or more checkers, or theirs with as many
PAIRS = 23
PAIR_ROWS = HOLDS * HOLDS
SLOTS = COUNT_SLOTS + PAIRS
ROWS = COUNT_ROWS + PAIRS * PAIR_ROWS
EMPTY = np.empty(SLOTS, np.int16)  # the row of each slot where nobody stands; it is all zero
EMPTY[:COUNT_SLOTS] = np.arange(COUNT_SLOTS) * COUNTS
EMPTY[COUNT_SLOTS:] = COUNT_ROWS + np.arange(PAIRS) * PAIR_ROWS


@njit(cache=True, nogil=True)
def hold(mine, theirs):
    """Who holds a point how firmly, from the two counts of which one is 0."""
    if mine > 0:
        return min(mine, 3)
    return 3 + min(theirs, 3) if theirs > 0 else 0


@njit(cache=True, nogil=True)
def encode(mine, theirs, checkers, slots):
    """Fill int16[SLOTS] with table rows, for the player who owns int8[25] `mine` on roll."""
    on_board = 0
    for place in range(25):
        slots[place] = place * COUNTS + mine[place]
        on_board += mine[place]
    slots[OFF] = OFF * COUNTS + checkers - on_board
    on_board = 0
    for place in range(25):
        slots[PLACES + place] = (PLACES + place) * COUNTS + theirs[place]
        on_board += theirs[place]
    slots[PLACES + OFF] = (PLACES + OFF) * COUNTS + checkers - on_board
    before = hold(mine[0], theirs[23])
    for pair in range(PAIRS):
        after = hold(mine[pair + 1], theirs[22 - pair])
        slots[COUNT_SLOTS + pair] = COUNT_ROWS + pair * PAIR_ROWS + before * HOLDS + after
        before = after


@njit(cache=True, nogil=True)
def encode_many(boards, checkers):
    """int16[n, SLOTS] of int8[n, 2, 25] boards."""
    slots = np.empty((len(boards), SLOTS), np.int16)
    for i in range(len(boards)):
        encode(boards[i, 0], boards[i, 1], checkers, slots[i])
    return slots


@njit(cache=True, nogil=True)
def is_race(mine, theirs):
    """Neither side can hit or block the other any more."""
    rear = 24
    while rear >= 0 and mine[rear] == 0:
        rear -= 1
    their_rear = 24
    while their_rear >= 0 and theirs[their_rear] == 0:
        their_rear -= 1
    return rear + their_rear < 23
