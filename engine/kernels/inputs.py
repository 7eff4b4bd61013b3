"""Position -> network inputs; the only encoder there is.

A position is SLOTS numbers, each naming one row of the first layer's table, so that layer is a sum
of rows (sixprime.engine.kernels.network). There are three kinds of slots:

    counts      one a place and side: how many checkers stand there. Side 0 is the player on roll;
                places 0..23 are that side's own points, 24 the bar, 25 what has been borne off.
    neighbours  one for each two adjacent points, 0 and 1 to 22 and 23 of the player on roll: who
                holds them, and how firmly. A prime is several of these in a row, and counts say
                that less directly; on equal data they reduced the net's error by a tenth.
    relations   for each side the distances at which it hits, its home board and its longest
                prime; and one for the places of both sides' rearmost checkers.
"""

from __future__ import annotations

import numpy as np

from sixprime.engine.kernels.machine.compiled import array_kernel, kernel
from sixprime.engine.kernels.machine.vectors import (
    HOLDS,
    LANES,
    NO_BITS,
    ONE_BIT,
    highest,
    how_many,
    lowest,
    mirrored,
    more_than,
    put_counts,
    put_pairs,
    sum_from,
)

PLACES = 26
COUNTS = 16  # 0..15 checkers
COUNT_SLOTS = 2 * PLACES
COUNT_ROWS = COUNT_SLOTS * COUNTS
OFF = 25
PAIRS = 23
PAIR_ROWS = HOLDS * HOLDS
DIRECT = 64  # bits of the distances 1 to 6 at which something is hit
INDIRECT = 64  # the same for 7 to 12
HOME_POINTS = 7 * 3  # 0 to 6 points, against 0, 1 or more checkers on the bar
PRIMES = 8 * 6  # length of the longest (0 to 7) and checkers behind it (0 to 5)
REARS = 25 * 25
SIDE_ROWS = DIRECT + INDIRECT + HOME_POINTS + PRIMES
SIDE_SLOTS = 4
RELATIONS = 2 * SIDE_SLOTS + 1
FIRST_RELATION_ROW = COUNT_ROWS + PAIRS * PAIR_ROWS
FIRST_RELATION = COUNT_SLOTS + PAIRS
SLOTS = FIRST_RELATION + RELATIONS
ROWS = FIRST_RELATION_ROW + 2 * SIDE_ROWS + REARS
POINT_BITS, HOME_BITS = np.uint64(2**24 - 1), np.uint64(2**6 - 1)
PHASES = 9
TRAP = 5  # points in a row
MANY = 3  # checkers in the other's home or on the bar: more than the two of the opening
EMPTY = np.empty(SLOTS, np.int16)  # for each slot the row of zeros: nobody there, no relation
EMPTY[:COUNT_SLOTS] = np.arange(COUNT_SLOTS) * COUNTS
EMPTY[COUNT_SLOTS:FIRST_RELATION] = COUNT_ROWS + np.arange(PAIRS) * PAIR_ROWS
_side = np.array((0, DIRECT, DIRECT + INDIRECT, DIRECT + INDIRECT + HOME_POINTS))
EMPTY[FIRST_RELATION:-1] = FIRST_RELATION_ROW + np.concatenate((_side, SIDE_ROWS + _side))
EMPTY[-1] = FIRST_RELATION_ROW + 2 * SIDE_ROWS


@kernel
def places(side, limit):
    """Return bits 0 to 24 of the places where int8[25] `side` has more than `limit` checkers."""
    late = 25 - LANES
    return more_than(side, 0, limit) | (more_than(side, late, limit) << np.uint64(late))


@kernel
def relate(made, checkers, blots, theirs, row, slots, slot):
    """Fill SIDE_SLOTS slots with the relations of one side, whose points are `made`, to `theirs`.

    `checkers` and `blots` are bits on that side's points: its checkers, and the other's blots.
    """
    hits = NO_BITS  # bit d - 1: something is hit from distance d
    while blots != NO_BITS:
        hits |= checkers >> (np.uint64(lowest(blots)) + ONE_BIT)
        blots &= blots - ONE_BIT
    longest = 0
    front = 0  # of the longest prime, the rearmost of several
    runs = made  # bits of the places where `longest` + 1 points in a row begin
    while runs != NO_BITS:
        longest += 1
        front = highest(runs)
        runs &= runs >> ONE_BIT
    behind = sum_from(theirs, 24 - front)
    slots[slot] = row + np.int64(hits & np.uint64(63))
    slots[slot + 1] = row + DIRECT + np.int64((hits >> np.uint64(6)) & np.uint64(63))
    row += DIRECT + INDIRECT
    slots[slot + 2] = row + how_many(made & HOME_BITS) * 3 + min(theirs[24], 2)
    slots[slot + 3] = row + HOME_POINTS + min(longest, 7) * 6 + min(behind, 5)


@kernel
def encode(mine, theirs, checkers, slots):
    """Fill int16[SLOTS] with table rows, for the player who owns int8[25] `mine` on roll."""
    put_counts(mine, slots, 0, COUNTS)
    slots[OFF] = OFF * COUNTS + checkers - sum_from(mine, 0)
    put_counts(theirs, slots, PLACES, COUNTS)
    slots[PLACES + OFF] = (PLACES + OFF) * COUNTS + checkers - sum_from(theirs, 0)
    put_pairs(mine, theirs, slots, COUNT_SLOTS, COUNT_ROWS)
    any_mine, two_mine = places(mine, 0), places(mine, 1)
    any_theirs, two_theirs = places(theirs, 0), places(theirs, 1)
    row = FIRST_RELATION_ROW
    blots = mirrored(any_theirs & ~two_theirs)
    relate(two_mine & POINT_BITS, any_mine, blots, theirs, row, slots, FIRST_RELATION)
    row += SIDE_ROWS
    slot = FIRST_RELATION + SIDE_SLOTS
    blots = mirrored(any_mine & ~two_mine)
    relate(two_theirs & POINT_BITS, any_theirs, blots, mine, row, slots, slot)
    rear = highest(any_mine | ONE_BIT)
    their_rear = highest(any_theirs | ONE_BIT)
    slots[SLOTS - 1] = row + SIDE_ROWS + rear * 25 + their_rear


@kernel
def any_off(slots, side):
    """Return whether side 0 (on roll) or 1 has borne off a checker, from encoded slots."""
    return slots[side * PLACES + OFF] != (side * PLACES + OFF) * COUNTS


@kernel
def in_their_home(slots, side):
    """Count a side's checkers in the other's home or on the bar, from encoded slots."""
    count = 0
    for place in range(18, 25):
        count += slots[side * PLACES + place] % COUNTS
    return count


@kernel
def traps(slots, side):
    """Return whether a side traps checkers behind five points in a row, from encoded slots."""
    first = FIRST_RELATION_ROW + side * SIDE_ROWS + DIRECT + INDIRECT + HOME_POINTS
    longest, behind = divmod(slots[FIRST_RELATION + side * SIDE_SLOTS + 3] - first, 6)
    return longest >= TRAP and behind > 0


@kernel
def phase_of(slots):
    """Return the phase of a position in contact, below PHASES, from encoded slots.

    The first that applies counts: I have checkers off, or they have; many of mine are still back,
    or of theirs; I trap some, or they do; I have escaped, or they have; none of these.
    """
    if any_off(slots, 0):
        return 0
    if any_off(slots, 1):
        return 1
    mine, theirs = in_their_home(slots, 0), in_their_home(slots, 1)
    if mine >= MANY or theirs >= MANY:
        return 2 if mine >= theirs else 3
    if traps(slots, 0):
        return 4
    if traps(slots, 1):
        return 5
    if mine == 0:
        return 6
    return 7 if theirs == 0 else 8


@array_kernel
def phases_of(slots):
    """Return the phases int64[n] of int16[n, SLOTS]."""
    phases = np.empty(len(slots), np.int64)
    for i in range(len(slots)):
        phases[i] = phase_of(slots[i])
    return phases


@array_kernel
def encode_many(boards, checkers):
    """Return the slots int16[n, SLOTS] of int8[n, 2, 25] boards."""
    slots = np.empty((len(boards), SLOTS), np.int16)
    for i in range(len(boards)):
        encode(boards[i, 0], boards[i, 1], checkers, slots[i])
    return slots


@kernel
def is_race(mine, theirs):
    """Return whether neither side can hit or block the other any more."""
    rear = highest(places(mine, 0) << ONE_BIT | ONE_BIT) - 1
    their_rear = highest(places(theirs, 0) << ONE_BIT | ONE_BIT) - 1
    return rear + their_rear < 23
