"""Self-play games, with a target for each position, and their results."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cubeless import CubelessPlayer, best_of_roll
from sixprime.engine.kernels.evaluation import (
    ONE_SIDED,
    Brain,
    class_of,
    judge,
    judge_many,
    scratch_for,
)
from sixprime.engine.kernels.inputs import is_race
from sixprime.engine.kernels.machine.compiled import array_kernel
from sixprime.engine.kernels.moves import UNUSED, flip
from sixprime.engine.kernels.network import OUTPUTS, turn_round
from sixprime.engine.position import MAX_CHECKERS, Position

REPLIES = 6  # results that the pruner leaves to be judged in a game
CHUNK = 250_000  # positions played at a time
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


def played(
    brain: Brain, games: int, seed: int, report: Callable[[int, int], None] = lambda _, __: None
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Play games; return the net's chances for their contact positions, and the results.

    They correct training targets. Looking ahead makes a net agree with itself, but games may still
    end otherwise: positions that a net gave 80 % were won in 79.4 %. A single result is mostly luck
    and no target, but a correction of a few hundred numbers can be learned from many. Only the five
    chances go in, so positions stay nearly in the net's own order.
    """
    work = scratch_for(brain)
    opening = Position.start().array()[None]
    said: list[NDArray[np.float32]] = []
    ended: list[NDArray[np.float32]] = []
    done = 0
    while done < games:
        boards = np.zeros((CHUNK, 2, 25), np.int8)
        results = np.zeros((CHUNK, OUTPUTS), np.float32)
        done += play_games(
            CubelessPlayer(brain, work, REPLIES), opening, 1, seed, np.float32(1.0), boards, results
        )
        seed += 1
        contact = ~races(boards)
        chances = np.empty((int(contact.sum()), OUTPUTS), np.float32)
        judge_many(brain, np.ascontiguousarray(boards[contact]), MAX_CHECKERS, work, chances)
        said.append(chances)
        ended.append(results[contact])
        report(done, games)
    return np.concatenate(said), np.concatenate(ended)
