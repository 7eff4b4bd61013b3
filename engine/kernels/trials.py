"""Playing on from a position without a cube, to compare plays: every roll, or trials.

A trial's worth is the cubeless equity where it ends, less the luck of its rolls: the worth of each
roll's best play less the average over all 21. That leaves the expectation as it is.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sixprime.engine.kernels.compiled import kernel
from sixprime.engine.kernels.evaluation import ONE_SIDED, class_of, judge
from sixprime.engine.kernels.lockstep import best_of_roll, scattered
from sixprime.engine.kernels.moves import PLACES
from sixprime.engine.kernels.network import money

LONGEST = 1000  # turns


@kernel
def roll_of(seed, number, turn):
    """The dice of a turn of a trial; 36 trials in a row begin with each of the rolls once."""
    key = scattered(np.uint64(seed) + np.uint64(turn))
    if turn > 0:
        key = scattered(key + np.uint64(number))
        roll = np.int64(key % np.uint64(36))
    else:
        roll = (np.int64(key % np.uint64(36)) + number) % 36
    return roll // 6 + 1, roll % 6 + 1


@kernel
def luck(brain, board, checkers, die1, die2, replies, work):
    """What a roll is worth to the mover more than the average roll."""
    total = 0.0
    rolled = 0.0
    for high in range(1, 7):
        for low in range(1, high + 1):
            _, worth = best_of_roll(brain, board, checkers, high, low, replies, False, work)
            total += worth / 36.0 if high == low else worth / 18.0
            if high == max(die1, die2) and low == min(die1, die2):
                rolled = np.float64(worth)
    return rolled - total


@kernel
def turn_board(board, best, work, after):
    """Write the board after result number `best` (-1: a dance) as the opponent sees it."""
    for place in range(PLACES):
        if best < 0:
            after[0, place] = board[1, place]
            after[1, place] = board[0, place]
        else:
            after[0, place] = work.results[best, 1, place]
            after[1, place] = work.results[best, 0, place]


@njit(cache=True, nogil=True)
def trial(brain, start, checkers, seed, number, turns, last, replies, work, outcome):
    """The worth of one trial to the player on roll of int8[2, 25] `start`.

    It ends at a position of class `last` or below (engine.kernels.evaluation), or after so many
    turns if `turns` is not 0. `outcome` float32[5] is scratch.
    """
    board = start.copy()
    after = start.copy()
    sign = 1.0
    lucky = 0.0
    turn = 0
    while True:
        if turn == LONGEST or 0 < turns <= turn or class_of(board, checkers) <= last:
            judge(brain, board, checkers, work, outcome)
            return sign * money(outcome) - lucky
        die1, die2 = roll_of(seed, number, turn)
        lucky += sign * luck(brain, board, checkers, die1, die2, replies, work)
        best, _ = best_of_roll(brain, board, checkers, die1, die2, 0, False, work)
        turn_board(board, best, work, after)
        board, after = after, board
        sign = -sign
        turn += 1


@njit(cache=True, nogil=True)
def trials(brain, start, checkers, seed, first, turns, last, replies, work, outs):
    """Fill float64[n] with trials number first, first + 1 ..."""
    outcome = np.zeros(5, np.float32)
    for i in range(len(outs)):
        outs[i] = trial(
            brain, start, checkers, seed, first + i, turns, last, replies, work, outcome
        )


@njit(cache=True, nogil=True)
def expect(brain, boards, plies, checkers, replies, work, outcome):
    """The equity of the player on roll of boards[0], `plies` rolls ahead, every roll tried.

    Both sides play as the net likes best of what the pruner leaves. `boards` int8[plies + 1, 2, 25]
    is scratch below 0, `outcome` float32[5] altogether. A stack of rolls and sums walks the tree:
    a function that calls itself crashes when numba loads it from its cache.
    """
    if plies == 0 or class_of(boards[0], checkers) <= ONE_SIDED:
        judge(brain, boards[0], checkers, work, outcome)
        return np.float64(money(outcome))
    rolls = np.zeros(plies, np.int64)  # the next of the 36 at each depth
    sums = np.zeros(plies)
    depth = 0
    while True:
        roll = rolls[depth]
        if roll == 36:
            if depth == 0:
                return sums[0] / 36.0
            depth -= 1
            sums[depth] -= weight_of(rolls[depth]) * sums[depth + 1] / 36.0
            rolls[depth] += 1
            continue
        weight = weight_of(roll)
        if weight > 0:
            best, worth = best_of_roll(
                brain, boards[depth], checkers, roll // 6 + 1, roll % 6 + 1, replies, False, work
            )
            if depth + 1 == plies:
                sums[depth] += weight * worth
            else:
                turn_board(boards[depth], best, work, boards[depth + 1])
                if class_of(boards[depth + 1], checkers) > ONE_SIDED:
                    depth += 1
                    rolls[depth] = 0
                    sums[depth] = 0.0
                    continue
                judge(brain, boards[depth + 1], checkers, work, outcome)
                sums[depth] -= weight * money(outcome)
        rolls[depth] += 1


@kernel
def weight_of(roll):
    """How many of the 36 rolls number `roll` stands for: those with the higher die first, both."""
    first = roll // 6
    second = roll % 6
    if first == second:
        return 1.0
    return 2.0 if first > second else 0.0


@njit(cache=True, nogil=True)
def expect_many(brain, starts, plies, checkers, replies, work, outs):
    """`expect` for int8[n, 2, 25] into float64[n]."""
    boards = np.zeros((plies + 1, 2, PLACES), np.int8)
    outcome = np.zeros(5, np.float32)
    for i in range(len(starts)):
        boards[0] = starts[i]
        outs[i] = expect(brain, boards, plies, checkers, replies, work, outcome)
