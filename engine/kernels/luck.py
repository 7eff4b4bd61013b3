"""What each roll would be worth to the player on roll, for telling how lucky the one that came was.

Whose point of view: as in engine.kernels.tree, of which this is one node, not looked beyond. Four
hundred positions can come of a turn, so if KEEP says so, only those plays of a roll are judged in
full that the pruning net likes, and all that leave a race or a bearoff, where judging costs little.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.kernels.compiled import kernel
from engine.kernels.cube import CUBE, OWNER, THEIRS, turned
from engine.kernels.evaluation import (
    ONE_SIDED,
    RACE,
    class_of,
    exchange,
    guess_relative,
    judge_relative,
    look_up,
    prepare,
)
from engine.kernels.inputs import is_race
from engine.kernels.moves import PLACES, generate
from engine.kernels.network import money
from engine.kernels.tree import CHECKERS, KEEP, worths_of


@njit(cache=True, nogil=True)
def roll_worths(brain, board, cube, owner, terms, work, walk, worths):
    """Fill worths float64[n]: the best play of each of terms.rolls at 0-ply, for the mover.

    Noise is not heeded.
    """
    side = np.int64(1)  # the opponent is on roll after the play
    checkers = terms.settings[CHECKERS]
    keep = terms.settings[KEEP]
    ready = np.zeros(3, np.bool_)  # which nets are prepared for this board: contact, race, pruner
    walk.reply_state[0, CUBE] = cube
    walk.reply_state[0, OWNER] = THEIRS - owner
    other = work.turned_board
    for r in range(len(terms.rolls)):
        high, low = terms.rolls[r, 0], terms.rolls[r, 1]
        count = generate(board, high, low, work.results, work.plays, work.keys, work.table)
        if count == 0:
            for place in range(PLACES):
                work.results[0, 0, place] = board[0, place]
                work.results[0, 1, place] = board[1, place]
            count = np.int64(1)
        if 0 < keep < count:
            count = promising(brain, board, checkers, count, keep, ready, work)
        best = -1e9
        for i in range(count):
            turn(work.results[i], other)
            kind = judge_after(brain, board, other, checkers, ready, work)
            worths_of(
                brain, other, kind, work.turned, side,
                walk.reply_state, np.int64(1), terms, walk, walk.reply,
            )  # fmt: skip
            best = max(best, turned(walk.reply[0], terms.rules))
        worths[r] = best


@kernel
def turn(board, other):
    """Fill int8[2, 25] `other` with the board as the opponent sees it."""
    for place in range(PLACES):
        other[0, place] = board[1, place]
        other[1, place] = board[0, place]


@kernel
def judge_after(brain, board, other, checkers, ready, work):
    """Fill work.turned for the player on roll of `other`, a result of `board`; return the class."""
    kind = class_of(other, checkers)
    if kind <= ONE_SIDED:
        look_up(brain, other, checkers, kind, work.turned)
    elif kind == RACE:
        if not ready[1]:
            prepare(brain.race, work.race, board, checkers)
            ready[1] = True
        judge_relative(brain.race, work.race, other, checkers, work.turned)
    else:
        if not ready[0]:
            prepare(brain.contact, work.contact, board, checkers)
            ready[0] = True
        judge_relative(brain.contact, work.contact, other, checkers, work.turned)
    return kind


@kernel
def promising(brain, board, checkers, count, keep, ready, work):
    """Move to the front what shall be judged in full; returns how many that are."""
    other = work.turned_board
    front = 0
    for i in range(count):
        turn(work.results[i], other)
        if is_race(other[0], other[1]):
            work.scores[i] = 9.0
            front += 1
            continue
        if not ready[2]:
            prepare(brain.pruner, work.pruner, board, checkers)
            ready[2] = True
        guess_relative(brain.pruner, work.pruner, other, checkers, work.turned)
        work.scores[i] = -money(work.turned)
    chosen = min(front + keep, count)
    for place in range(chosen):
        best = place
        for i in range(place + 1, count):
            if work.scores[i] > work.scores[best]:
                best = i
        if best != place:
            exchange(work, place, best)
    return chosen
