"""The inner loop of search: what a position is worth when both sides look some plies ahead.

A node is a board with a player on roll, at `depth` plies below the decision. It carries several
cube states at once (engine.kernels.cube tells whose point of view a worth has), so that one walk
answers for "no double" and "double, take" together. Its worths include the right to double now.

At each node each of the 21 rolls is played as the player on roll would at 0-ply with the first of
the states; that reply is the child, with the opponent on roll.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.kernels.bearoff_lookup import two_sided_equity
from engine.kernels.cube import (
    CUBE,
    OWNER,
    THEIRS,
    expand,
    fold,
    leaf_worths,
    race_efficiency,
    turned,
)
from engine.kernels.evaluation import (
    CONTACT,
    OVER,
    RACE,
    TWO_SIDED,
    judge,
    judge_results,
    rank_results,
)
from engine.kernels.moves import PLACES, generate
from engine.kernels.network import OUTPUTS, turn_round

DEEPEST = 6  # plies
STATES = 16  # cubes a node can carry
STOPPED = False  # what `expect` returns when it was told to stop
DONE = True

# settings: int64[4]
CHECKERS, KEEP, CUBEFUL, ROLLS = range(4)


class Tree(NamedTuple):
    """Scratch of one walk, an entry a depth."""

    boards: NDArray[np.int8]  # [DEEPEST, 2, 25], as the player on roll there sees it
    known: NDArray[np.int64]  # [DEEPEST]: the class if outcomes are judged already, else -1
    outcomes: NDArray[np.float32]  # [DEEPEST, 5] for the player on roll
    states: NDArray[np.int64]  # [DEEPEST, STATES, 2]
    counts: NDArray[np.int64]  # [DEEPEST]: how many states
    undoubled: NDArray[np.int64]  # [DEEPEST, STATES]
    doubled: NDArray[np.int64]
    averages: NDArray[np.float64]  # [DEEPEST, STATES]: the children's worths over the rolls
    worths: NDArray[np.float64]  # [DEEPEST, STATES]
    sums: NDArray[np.float64]  # [DEEPEST, 5]: outcomes over the rolls
    exact: NDArray[np.float64]  # [3]
    reply: NDArray[np.float64]  # [1]
    reply_state: NDArray[np.int64]  # [1, 2]


def tree() -> Tree:
    """Scratch for one thread."""
    return Tree(
        np.zeros((DEEPEST, 2, PLACES), np.int8),
        np.full(DEEPEST, -1, np.int64),
        np.zeros((DEEPEST, OUTPUTS), np.float32),
        np.zeros((DEEPEST, STATES, 2), np.int64),
        np.zeros(DEEPEST, np.int64),
        np.zeros((DEEPEST, STATES), np.int64),
        np.zeros((DEEPEST, STATES), np.int64),
        np.zeros((DEEPEST, STATES), np.float64),
        np.zeros((DEEPEST, STATES), np.float64),
        np.zeros((DEEPEST, OUTPUTS), np.float64),
        np.zeros(3, np.float64),
        np.zeros(1, np.float64),
        np.zeros((1, 2), np.int64),
    )


@njit(cache=True, nogil=True)
def efficiency_of(board, kind, efficiencies):
    """How live the cube is for a class of position; float64[2] is contact and bearoff."""
    if kind == CONTACT:
        return efficiencies[0]
    if kind == RACE:
        pips = 0
        for place in range(PLACES):
            pips += (place + 1) * board[0, place]
        return race_efficiency(pips)
    return efficiencies[1]


@njit(cache=True, nogil=True)
def worths_of(brain, board, kind, outcomes, side, states, count, table, walk, worths):
    """Fill worths float64[count] of a judged board for the player on roll, `side`.

    `table` is (settings, rules, chances, efficiencies).
    """
    settings, rules, chances, efficiencies = table
    has_exact = kind == TWO_SIDED and settings[CUBEFUL] == 1
    if has_exact:
        for owner in range(3):
            walk.exact[owner] = two_sided_equity(
                board, brain.words, brain.word_binomials, 1 + owner
            )
    efficiency = efficiency_of(board, kind, efficiencies) if settings[CUBEFUL] else 0.0
    leaf_worths(
        outcomes, side, states, count, efficiency, walk.exact, has_exact, rules, chances, worths
    )


@njit(cache=True, nogil=True)
def score_results(brain, board, side, cube, owner, count, table, work, walk, scores):
    """Fill scores float64[count]: each of work.results at 0-ply, for the mover.

    `cube` and `owner` are as the mover sees them; work.outcomes and work.kinds are filled too.
    """
    settings, rules, _chances, _efficiencies = table
    judge_results(brain, board, settings[CHECKERS], count, work)
    walk.reply_state[0, CUBE] = cube
    walk.reply_state[0, OWNER] = THEIRS - owner
    other = work.turned_board
    for i in range(count):
        for place in range(PLACES):
            other[0, place] = work.results[i, 1, place]
            other[1, place] = work.results[i, 0, place]
        turn_round(work.outcomes[i], work.turned)
        worths_of(
            brain, other, work.kinds[i], work.turned, 1 - side,
            walk.reply_state, 1, table, walk, walk.reply,
        )  # fmt: skip
        scores[i] = turned(walk.reply[0], rules)


@njit(cache=True, nogil=True)
def best_reply(brain, depth, side, die1, die2, table, work, walk):
    """Play a roll at `depth` and put the board after it, turned round, at depth + 1."""
    settings = table[0]
    board = walk.boards[depth]
    after = walk.boards[depth + 1]
    count = generate(board, die1, die2, work.results, work.plays, work.keys, work.table)
    if count == 0:
        for place in range(PLACES):
            after[0, place] = board[1, place]
            after[1, place] = board[0, place]
        walk.known[depth + 1] = -1
        return
    if settings[KEEP] > 0 and count > settings[KEEP]:
        count = rank_results(brain, board, settings[CHECKERS], count, settings[KEEP], work)
    cube = walk.states[depth, 0, CUBE]
    owner = walk.states[depth, 0, OWNER]
    score_results(brain, board, side, cube, owner, count, table, work, walk, work.scores)
    best = 0
    for i in range(1, count):
        if work.scores[i] > work.scores[best]:
            best = i
    for place in range(PLACES):
        after[0, place] = work.results[best, 1, place]
        after[1, place] = work.results[best, 0, place]
    walk.known[depth + 1] = work.kinds[best]
    turn_round(work.outcomes[best], walk.outcomes[depth + 1])


@njit(cache=True, nogil=True)
def sit(brain, depth, side, table, work, walk):
    """Fill the worths of the node at `depth` without looking ahead; returns its class."""
    settings = table[0]
    kind = walk.known[depth]
    if kind < 0:
        kind = judge(brain, walk.boards[depth], settings[CHECKERS], work, walk.outcomes[depth])
    worths_of(
        brain, walk.boards[depth], kind, walk.outcomes[depth], side,
        walk.states[depth], walk.counts[depth], table, walk, walk.worths[depth],
    )  # fmt: skip
    return kind


@njit(cache=True, nogil=True)
def expect(brain, depth, plies, side, table, work, walk, stop):
    """Fill worths and outcomes of the node at `depth`, looking `plies` ahead.

    Board, states and count of the node are set by the caller, and `known`. Ends early, with
    STOPPED, when stop[0] becomes non-zero.
    """
    if stop[0] != 0:
        return STOPPED
    _settings, rules, chances, _efficiencies = table
    kind = walk.known[depth]
    if plies == 0 or kind == OVER or kind == TWO_SIDED:
        sit(brain, depth, side, table, work, walk)
        return DONE
    if kind < 0:
        kind = sit(brain, depth, side, table, work, walk)
        if kind == OVER or kind == TWO_SIDED:
            return DONE
    count = walk.counts[depth]
    children = expand(
        walk.states[depth], count, side, rules,
        walk.states[depth + 1], walk.undoubled[depth], walk.doubled[depth],
    )  # fmt: skip
    walk.counts[depth + 1] = children
    for i in range(children):
        walk.averages[depth, i] = 0.0
    for k in range(OUTPUTS):
        walk.sums[depth, k] = 0.0
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            weight = 1.0 / 36.0 if die1 == die2 else 2.0 / 36.0
            best_reply(brain, depth, side, die1, die2, table, work, walk)
            if not expect(brain, depth + 1, plies - 1, 1 - side, table, work, walk, stop):
                return STOPPED
            for i in range(children):
                walk.averages[depth, i] += weight * walk.worths[depth + 1, i]
            out = walk.outcomes[depth + 1]
            walk.sums[depth, 0] += weight * (1.0 - out[0])
            walk.sums[depth, 1] += weight * out[3]
            walk.sums[depth, 2] += weight * out[4]
            walk.sums[depth, 3] += weight * out[1]
            walk.sums[depth, 4] += weight * out[2]
    for k in range(OUTPUTS):
        walk.outcomes[depth, k] = walk.sums[depth, k]
    fold(
        walk.states[depth], count, side, rules, chances,
        walk.averages[depth], walk.undoubled[depth], walk.doubled[depth], walk.worths[depth],
    )  # fmt: skip
    return DONE
