"""Every distinct result of a roll, each with one play that leads to it.

Boards are int8[2, 25] as the player on roll sees them (engine.position); a result keeps that view.
A play is int8[8]: start, end, start, end ... as indices (24 the bar, -1 off), unused steps -2.

A sum of random 56-bit numbers, one per checker and place, identifies a result. Every step updates
it; two different results of a roll have the same sum with a probability of about 2**-56.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.machine.compiled import kernel

MINE = 0
THEIRS = 1
PLACES = 25
BAR = 24
HOME = 6  # indices below are the home board
UNUSED = -2
CAPACITY = 4096  # four steps from at most 15 places: fewer than C(18, 4) = 3060
DEPTH = 5  # before the first step to after the fourth
KEYS = CAPACITY + 6 * DEPTH  # a key for each result, then six stacks for the search
TABLE = 8192  # slots of the hash table, a power of two
NONE, ONE, TWO = np.int64(0), np.int64(1), np.int64(2)  # bare numbers compile their callees anew
_rng = np.random.Generator(np.random.PCG64(20261121))
_PLACE_KEYS = _rng.integers(1, 2**56, size=(2, PLACES + 1), dtype=np.int64)
_PLACE_KEYS[:, PLACES] = 0  # index -1: a checker borne off counts nothing


class RollResults(NamedTuple):
    """The arrays that `generate` writes to: the results of a roll with a play each, and scratch."""

    results: NDArray[np.int8]  # [CAPACITY, 2, 25]
    plays: NDArray[np.int8]  # [CAPACITY, 8]
    keys: NDArray[np.int64]  # [KEYS]: equal for equal results of a board, also of other rolls
    table: NDArray[np.int16]  # [TABLE], all zero before and after


def roll_results() -> RollResults:
    """Return empty arrays for one thread."""
    return RollResults(
        np.zeros((CAPACITY, 2, PLACES), np.int8),
        np.zeros((CAPACITY, 8), np.int8),
        np.zeros(KEYS, np.int64),
        np.zeros(TABLE, np.int16),
    )


@kernel
def flip(board, out):
    """Write the board to `out` as the other player sees it."""
    for side in range(2):
        for place in range(PLACES):
            out[side, place] = board[1 - side, place]


@kernel
def copy_board(board, out):
    for side in range(2):
        for place in range(PLACES):
            out[side, place] = board[side, place]


@kernel
def is_possible(board, checkers):
    """Return whether a game can have this board, as `Position.checked` says."""
    faults, left = 0, 0
    closed = True  # both sides have a closed board, and a checker on the bar
    for side in range(2):
        count = 0
        for place in range(PLACES):
            faults |= board[side, place] < 0
            count += board[side, place]
        for place in range(HOME):
            closed &= board[side, place] >= 2
        closed &= board[side, BAR] > 0
        faults |= count > checkers
        left += count
    for place in range(BAR):
        faults |= board[MINE, place] > 0 and board[THEIRS, 23 - place] > 0
    return faults == 0 and left > 0 and not closed


@kernel
def rearmost(side):
    """Return the highest occupied index of int8[25], -1 if none."""
    for place in range(BAR, -1, -1):
        if side[place] > 0:
            return place
    return -1


@kernel
def may_step(board, place, die, rear):
    """Return whether a checker on `place` may move by `die`; `rear` is rearmost(board[MINE])."""
    if rear == BAR and place != BAR:
        return False
    target = place - die
    if target >= 0:
        return board[THEIRS, 23 - target] < 2
    return rear < HOME and (target == -1 or place == rear)


@kernel
def step(board, place, die):
    """Move a checker; return whether it hit."""
    board[MINE, place] -= 1
    target = place - die
    if target < 0:
        return False
    board[MINE, target] += 1
    if board[THEIRS, 23 - target] == 1:
        board[THEIRS, 23 - target] = 0
        board[THEIRS, BAR] += 1
        return True
    return False


@kernel
def unstep(board, place, die, hit):
    """Take a step back."""
    board[MINE, place] += 1
    target = place - die
    if target >= 0:
        board[MINE, target] -= 1
        if hit:
            board[THEIRS, 23 - target] = 1
            board[THEIRS, BAR] -= 1


@kernel
def step_key(place, die, hit):
    """Return the change of a board's key by a step."""
    target = max(place - die, -1)
    key = _PLACE_KEYS[MINE, target] - _PLACE_KEYS[MINE, place]
    if hit:
        key += _PLACE_KEYS[THEIRS, BAR] - _PLACE_KEYS[THEIRS, 23 - target]
    return key


@kernel
def place_of_key(key, count, keys, table):
    """Return the index of a key among the first `count`, put at `count` if it is new."""
    slot = (key ^ (key >> 29)) & (TABLE - 1)
    while table[slot] > 0:
        if keys[table[slot] - 1] == key:
            return np.int64(table[slot] - 1)
        slot = (slot + 1) & (TABLE - 1)
    table[slot] = count + 1
    keys[count] = key
    return np.int64(count)


@kernel
def record(board, key, starts, dice, steps, count, rolled):
    """Add the board as result number `count` unless it is there; return the new count."""
    if place_of_key(key, count, rolled.keys, rolled.table) < count:
        return count
    copy_board(board, rolled.results[count])
    for i in range(4):
        if i < steps:
            rolled.plays[count, 2 * i] = starts[i]
            rolled.plays[count, 2 * i + 1] = max(starts[i] - dice[i], -1)
        else:
            rolled.plays[count, 2 * i] = UNUSED
            rolled.plays[count, 2 * i + 1] = UNUSED
    return count + 1


@kernel
def forget(count, keys, table):
    """Clear the table of the `count` keys recorded."""
    for i in range(count):
        slot = (keys[i] ^ (keys[i] >> 29)) & (TABLE - 1)
        while table[slot] > 0:  # the whole run of this slot; later keys find their slots empty
            table[slot] = 0
            slot = (slot + 1) & (TABLE - 1)


@kernel
def two_dice(board, first, second, starts, dice, count, rolled):
    """Record all plays of `first` and then `second`; return the new count."""
    dice[0] = first
    dice[1] = second
    rear = rearmost(board[MINE])
    for place in range(rear, -1, -1):
        if board[MINE, place] == 0 or not may_step(board, place, first, rear):
            continue
        hit = step(board, place, first)
        key = step_key(place, first, hit)
        starts[0] = place
        then_rear = rearmost(board[MINE])
        for then in range(then_rear, -1, -1):
            if board[MINE, then] == 0 or not may_step(board, then, second, then_rear):
                continue
            then_hit = step(board, then, second)
            starts[1] = then
            found = key + step_key(then, second, then_hit)
            count = record(board, found, starts, dice, TWO, count, rolled)
            unstep(board, then, second, then_hit)
        unstep(board, place, first, hit)
    return count


@kernel
def one_die(board, die, starts, dice, count, rolled):
    """Record all plays of one die alone; return the new count."""
    dice[0] = die
    rear = rearmost(board[MINE])
    for place in range(rear, -1, -1):
        if board[MINE, place] > 0 and may_step(board, place, die, rear):
            hit = step(board, place, die)
            starts[0] = place
            count = record(board, step_key(place, die, hit), starts, dice, ONE, count, rolled)
            unstep(board, place, die, hit)
    return count


@kernel
def double(board, die, starts, dice, rolled):
    """Record the longest plays of four equal dice; return their number.

    Equal dice commute, so it is enough to try them from the rear forwards. A stack of starts walks
    the tree; a leaf deeper than all before it discards those.
    """
    stack = CAPACITY + 2 * DEPTH
    hits = rolled.keys[stack : stack + DEPTH]
    sums = rolled.keys[stack + DEPTH : stack + 2 * DEPTH]
    nexts = rolled.keys[
        stack + 2 * DEPTH : stack + 3 * DEPTH
    ]  # the next place to try at each depth
    moved = rolled.keys[
        stack + 3 * DEPTH : stack + 4 * DEPTH
    ]  # 1: some step followed at this depth
    for i in range(4):
        dice[i] = die
    sums[0] = 0
    moved[0] = 0
    count = NONE
    longest = 1
    depth = 0
    nexts[0] = rearmost(board[MINE])
    while True:
        place = -1
        if depth < 4:
            rear = rearmost(board[MINE])
            place = min(nexts[depth], rear)
            while place >= 0 and not (board[MINE, place] > 0 and may_step(board, place, die, rear)):
                place -= 1
        if place >= 0:
            moved[depth] = 1
            nexts[depth] = place - 1
            hits[depth] = step(board, place, die)
            starts[depth] = place
            sums[depth + 1] = sums[depth] + step_key(place, die, hits[depth] != 0)
            depth += 1
            nexts[depth] = place
            moved[depth] = 0
            continue
        if moved[depth] == 0 and depth >= longest:
            if depth > longest:
                forget(count, rolled.keys, rolled.table)
                count = NONE
                longest = depth
            count = record(board, sums[depth], starts, dice, depth, count, rolled)
        if depth == 0:
            break
        depth -= 1
        unstep(board, starts[depth], die, hits[depth] != 0)
    forget(count, rolled.keys, rolled.table)
    return count


@kernel
def generate(board, die1, die2, rolled):
    """Fill rolled.results and rolled.plays; return their number, 0 if no checker can move.

    `board` serves as scratch and comes back unchanged.
    """
    starts = rolled.keys[CAPACITY : CAPACITY + DEPTH]
    dice = rolled.keys[CAPACITY + DEPTH : CAPACITY + 2 * DEPTH]
    if die1 == die2:
        return double(board, die1, starts, dice, rolled)
    high = max(die1, die2)
    low = min(die1, die2)
    count = two_dice(board, high, low, starts, dice, NONE, rolled)
    count = two_dice(board, low, high, starts, dice, count, rolled)
    if count == 0:  # only one die can be played: the larger one if either can
        count = one_die(board, high, starts, dice, NONE, rolled)
    if count == 0:
        count = one_die(board, low, starts, dice, NONE, rolled)
    forget(count, rolled.keys, rolled.table)
    return count


@kernel
def generate_into(board, die1, die2, results, plays, keys, table):
    """Call `generate` from Python, where one argument for these arrays would cost a third more."""
    return generate(board, die1, die2, RollResults(results, plays, keys, table))


@kernel
def generate_or_dance(board, die1, die2, rolled):
    """Call `generate`; if no checker can move, the only result is the board itself."""
    count = generate(board, die1, die2, rolled)
    if count > 0:
        return count
    copy_board(board, rolled.results[0])
    rolled.keys[0] = 0
    for k in range(8):
        rolled.plays[0, k] = UNUSED
    return ONE
