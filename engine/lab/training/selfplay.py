"""Self-play games, with a target for each position."""

from __future__ import annotations

import numpy as np

from sixprime.engine.kernels.cubeless import best_of_roll
from sixprime.engine.kernels.evaluation import ONE_SIDED, class_of, judge
from sixprime.engine.kernels.inputs import is_race
from sixprime.engine.kernels.machine.compiled import array_kernel
from sixprime.engine.kernels.moves import UNUSED, flip
from sixprime.engine.kernels.network import OUTPUTS, turn_round

LONGEST_GAME = 2000  # turns; far longer than any real game


@array_kernel
def advance(player, board, die1, die2, value):
    """Play a roll and turn the board round; fill `value` with the chances of the next on roll."""
    work = player.work
    best, _ = best_of_roll(player, board, die1, die2, player.keep)
    flip(work.rolled.results[best], board)
    if (
        work.rolled.plays[best, 0] == UNUSED
    ):  # a dance: without the rounding of being turned round twice
        judge(player.brain, board, player.checkers, work, value)
    else:
        turn_round(work.outcomes[best], value)


@array_kernel
def play_games(player, starts, openings, seed, mixing, boards, targets):
    """Play games until `boards` int8[n, 2, 25] is full; return the number of games that ended.

    targets float32[n, 5] gets each position's lambda-return: the chances after the next turn,
    mixed (`mixing`, the lambda of TD) with later ones. `starts` are the positions to begin from,
    drawn at random; the first `openings` of them never begin with a double. A game that does not
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
        advance(player, board, die1, die2, values[turn])
        turn += 1
        over = (
            class_of(board, player.checkers) <= ONE_SIDED
        )  # its value is exact: no need to play on
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


@array_kernel
def races(boards):
    """Return a mask bool[n] of the races among int8[n, 2, 25]."""
    out = np.zeros(len(boards), np.bool_)
    for i in range(len(boards)):
        out[i] = is_race(boards[i, 0], boards[i, 1])
    return out
