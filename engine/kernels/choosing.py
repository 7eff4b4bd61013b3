"""The play of a roll, chosen some plies ahead through a move filter, for kernels that play games.

`sixprime.engine.search.plies.Search` does the same for one decision, with a time limit and threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cube import CUBE, OWNER, THEIRS, emg, turned
from sixprime.engine.kernels.evaluation import judge_results
from sixprime.engine.kernels.machine.compiled import kernel
from sixprime.engine.kernels.moves import (
    CAPACITY,
    NONE,
    ONE,
    PLACES,
    copy_board,
    flip,
    generate_or_dance,
)
from sixprime.engine.kernels.network import OUTPUTS, money, turn_round
from sixprime.engine.kernels.pruning import rank_results
from sixprime.engine.kernels.tree import CHECKERS, expect, worths_of_result

ACCEPT, EXTRA, THRESHOLD = range(3)  # a pass of a filter, float64[3]; ACCEPT < 0 skips it


class RankedPlays(NamedTuple):
    """The plays of a roll while one is chosen, the searched ones best first."""

    boards: NDArray[np.int8]  # [CAPACITY, 2, 25]: after the play, as the opponent sees it
    known: NDArray[np.int64]  # [CAPACITY]
    outcomes: NDArray[np.float32]  # [CAPACITY, 5] at 0-ply, for the opponent
    worths: NDArray[np.float64]  # [CAPACITY] for the mover
    cubeless: NDArray[np.float64]  # [CAPACITY] for the mover; breaks ties
    order: NDArray[np.int64]  # [CAPACITY]
    stop: NDArray[np.int64]  # [1]: never raised


def ranked_plays() -> RankedPlays:
    """Scratch for one thread."""
    return RankedPlays(
        np.zeros((CAPACITY, 2, PLACES), np.int8),
        np.zeros(CAPACITY, np.int64),
        np.zeros((CAPACITY, OUTPUTS), np.float32),
        np.zeros(CAPACITY, np.float64),
        np.zeros(CAPACITY, np.float64),
        np.zeros(CAPACITY, np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def choose(search, choice, look, side, die1, die2):
    """Return the index in `choice` of the best play from depth 0 and its first state.

    `look` is (plies, at least 1; plays that the pruning net leaves at first, 0: all; the filter,
    float64[plies, 3]). The walk is overwritten.
    """
    plies, keep, passes = look
    walk = search.walk
    cube, owner = walk.states[0, 0, CUBE], walk.states[0, 0, OWNER]
    count = at_zero_ply(search, choice, keep, side, die1, die2)
    for level in range(plies):
        accept = passes[level, ACCEPT]
        if accept < 0:
            continue
        if level > 0:
            search_plays(search, choice, count, level, side, cube, owner)
        sort(choice, count)
        least = emg(choice.worths[choice.order[0]], side, cube, search.terms.rules,
                    search.terms.chances) - passes[level, THRESHOLD]  # fmt: skip
        most = min(count, np.int64(accept + passes[level, EXTRA]))
        count = np.int64(max(1, min(accept, count)))
        while count < most:
            worth = choice.worths[choice.order[count]]
            if emg(worth, side, cube, search.terms.rules, search.terms.chances) < least:
                break
            count += 1
        if count == 1:
            return choice.order[0]
    search_plays(search, choice, count, plies, side, cube, owner)
    sort(choice, count)
    return choice.order[0]


@kernel
def at_zero_ply(search, choice, keep, side, die1, die2):
    """Fill `choice` with the plays of a roll at 0-ply; return their number."""
    work, walk, brain = search.work, search.walk, search.brain
    checkers = search.terms.settings[CHECKERS]
    board = walk.boards[0]
    count = generate_or_dance(board, die1, die2, work.rolled)
    count = rank_results(brain, board, checkers, count, keep, work)
    judge_results(brain, board, checkers, count, work)
    walk.reply_state[0, CUBE] = walk.states[0, 0, CUBE]
    walk.reply_state[0, OWNER] = THEIRS - walk.states[0, 0, OWNER]
    for i in range(count):
        worths_of_result(search, i, 1 - side, walk.reply_state, ONE, walk.reply)
        choice.order[i] = i
        choice.worths[i] = turned(walk.reply[0], search.terms.rules)
        choice.cubeless[i] = money(work.outcomes[i])
        choice.known[i] = work.kinds[i]
        flip(work.rolled.results[i], choice.boards[i])
        turn_round(work.outcomes[i], choice.outcomes[i])
    return count


@kernel
def search_plays(search, choice, count, plies, side, cube, owner):
    """Search the first `count` plays this deep."""
    walk = search.walk
    for place in range(count):
        i = choice.order[place]
        copy_board(choice.boards[i], walk.boards[0])
        walk.known[0] = -1
        walk.states[0, 0, CUBE] = cube
        walk.states[0, 0, OWNER] = THEIRS - owner
        walk.counts[0] = 1
        expect(search, NONE, plies, 1 - side, choice.stop)
        choice.worths[i] = turned(walk.worths[0, 0], search.terms.rules)
        choice.cubeless[i] = -money(walk.outcomes[0])


@kernel
def sort(choice, count):
    """Bring the first `count` plays into order, best first; equals stay as they are."""
    order = choice.order
    for place in range(1, count):
        i = order[place]
        at = place
        while at > 0 and is_better(choice, i, order[at - 1]):
            order[at] = order[at - 1]
            at -= 1
        order[at] = i


@kernel
def is_better(choice, i, j):
    """Return whether play i is better than play j; the cubeless equity breaks ties."""
    if choice.worths[i] != choice.worths[j]:
        return choice.worths[i] > choice.worths[j]
    return choice.cubeless[i] > choice.cubeless[j]
