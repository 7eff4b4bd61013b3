"""Games the engine plays against itself, and what each position in them turned out to be worth."""

from __future__ import annotations

import numpy as np
from numba import njit

from sixprime.engine.kernels.evaluation import (
    ONE_SIDED,
    class_of,
    judge,
    judge_results,
    rank_results,
)
from sixprime.engine.kernels.inputs import is_race
from sixprime.engine.kernels.moves import generate
from sixprime.engine.kernels.network import OUTPUTS, money, turn_round

LONGEST_GAME = 2000  # turns; far longer than any real game


@njit(cache=True, nogil=True)
def best_result(brain, board, checkers, die1, die2, replies, work):
    """The index of the best result by cubeless equity, -1 for a dance; work holds the results.

    The pruner leaves `replies` of them to be judged, or all if that is 0.
    """
    count = generate(board, die1, die2, work.results, work.plays, work.keys, work.table)
    count = rank_results(brain, board, checkers, count, replies, work)
    judge_results(brain, board, checkers, count, work)
    best = -1
    best_equity = np.float32(-9.0)
    for i in range(count):
        equity = money(work.outcomes[i])
        if equity > best_equity:
            best = i
            best_equity = equity
    return best


@njit(cache=True, nogil=True)
def advance(brain, board, checkers, die1, die2, replies, work, value):
    """Play a roll and turn the board round; `value` becomes the chances of the next on roll."""
    best = best_result(brain, board, checkers, die1, die2, replies, work)
    if best >= 0:
        turn_round(work.outcomes[best], value)
        for place in range(25):
            board[0, place] = work.results[best, 1, place]
            board[1, place] = work.results[best, 0, place]
    else:
        for place in range(25):
            board[0, place], board[1, place] = board[1, place], board[0, place]
        judge(brain, board, checkers, work, value)


@njit(cache=True, nogil=True)
def play_games(brain, starts, openings, checkers, seed, mixing, replies, boards, targets, work):
    """Play games until `boards` int8[n, 2, 25] is full; returns how many games ended.

    targets float32[n, 5] gets each position's lambda-return: the chances after the next turn,
    mixed (`mixing`, the lambda of TD) with those further on. `starts` are the positions to begin
    from, drawn at random; the first `openings` of them never begin with a double. Of the results
    of a roll the pruner leaves `replies` to be judged, or all if that is 0. A game that does not
    fit any more is cut at its last value.
    """
    np.random.seed(seed)
    values = np.zeros((LONGEST_GAME + 1, OUTPUTS), np.float32)
    later = np.zeros(OUTPUTS, np.float32)
    filled = 0
    games = 0
    board = np.zeros((2, 25), np.int8)
    opening = True
    first = 0
    turn = 0
    while filled < len(boards):
        if turn == 0:
            which = np.random.randint(len(starts))
            opening = which < openings
            board[:] = starts[which]
            first = filled
        die1 = np.random.randint(1, 7)
        die2 = np.random.randint(1, 7)
        while opening and turn == 0 and die1 == die2:
            die2 = np.random.randint(1, 7)
        boards[filled] = board
        filled += 1
        advance(brain, board, checkers, die1, die2, replies, work, values[turn])
        turn += 1
        over = class_of(board, checkers) <= ONE_SIDED  # its value is exact: no need to play on
        if over or filled == len(boards) or turn == LONGEST_GAME:
            games += over
            later[:] = values[turn - 1]
            for t in range(turn - 1, -1, -1):
                for k in range(OUTPUTS):
                    later[k] = mixing * later[k] + (np.float32(1.0) - mixing) * values[t, k]
                turn_round(later, targets[first + t])
                later[:] = targets[first + t]
            turn = 0
    return games


@njit(cache=True, nogil=True)
def races(boards):
    """Which of int8[n, 2, 25] are races, as bool[n]."""
    out = np.zeros(len(boards), np.bool_)
    for i in range(len(boards)):
        out[i] = is_race(boards[i, 0], boards[i, 1])
    return out
