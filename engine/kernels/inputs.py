"""Position -> network inputs; the only encoder there is.

A position is SLOTS small numbers, one a place and side: how many checkers stand there. Each pair of
slot and count is a row of the first layer's table, so the layer is a sum of rows (engine.kernels.
network). Side 0 is the player on roll; places 0..23 are that side's own points, 24 the bar, 25 what
has been borne off.
"""

from __future__ import annotations

import numpy as np
from numba import njit

PLACES = 26
COUNTS = 16  # 0..15 checkers
SLOTS = 2 * PLACES
ROWS = SLOTS * COUNTS
OFF = 25


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
