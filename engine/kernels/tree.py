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
from numpy.typing import NDArray

from engine.kernels.bearoff_lookup import two_sided_equity
from engine.kernels.compiled import kernel
from engine.kernels.cube import (
    CUBE,
    JACOBY,
    MONEY,
    OWNER,
    THEIRS,
    cubeful,
    cubeful_exact,
    expand,
    fold,
    leaf_worths,
    match_dead,
    money_dead,
    race_efficiency,
    turned,
)
from engine.kernels.evaluation import (
    CONTACT,
    OVER,
    RACE,
    TWO_SIDED,
    class_of,
    judge,
    judge_results,
    rank_results,
)
from engine.kernels.memory import (
    NOTHING,
    Memory,
    key_of,
    memory,
    recall,
    remember,
    scramble,
)
from engine.kernels.moves import PLACES, generate
from engine.kernels.network import OUTPUTS, constrain, turn_round

DEEPEST = 6  # plies
STATES = 16  # cubes a node can carry
STOPPED = False  # what `expect` returns when it was told to stop
DONE = True

# settings int64[3]: checkers a side; how many replies a node judges in full (0: all); 1 for cubeful
CHECKERS, KEEP, CUBEFUL = range(3)


class Terms(NamedTuple):
    """What stays the same for a whole decision."""

    settings: NDArray[np.int64]
    rules: NDArray[np.int64]  # engine.kernels.cube
    chances: NDArray[np.float64]  # engine.kernels.cube
    efficiencies: NDArray[np.float64]  # [2]: contact, bearoff
    rolls: NDArray[np.int64]  # [n, 3]: two dice and their weight
    later_rolls: NDArray[np.int64]  # the same after the first ply: fewer are looked at faster
    noise: NDArray[np.float64]  # [1]: standard deviation of the noise on winning chances
    draws: NDArray[np.uint64]  # [2]: seed (0: noise is a function of the position), counter


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
    salt: NDArray[np.uint64]  # [1]: see `salt_of`
    memory: Memory


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
        np.zeros(1, np.uint64),
        memory(STATES),
    )


@kernel
def disturb(board, terms, out):
    """Add noise to the outcomes of a board, as one who misjudges positions would.

    Normal, with gammons disturbed a quarter as much as wins and backgammons a hundredth. Without a
    seed it is a function of the position alone; with one it differs at each call.
    """
    key = np.uint64(0x9E3779B97F4A7C15)
    for side in range(2):
        for place in range(PLACES):
            key = scramble(key ^ np.uint64(board[side, place]))
    if terms.draws[0] != 0:
        terms.draws[1] += np.uint64(1)
        key = scramble(key ^ terms.draws[0]) ^ scramble(terms.draws[1])
    for k in range(OUTPUTS):
        share = 1.0 if k == 0 else (0.25 if k in (1, 3) else 0.01)
        key = scramble(key + np.uint64(1))
        radius = np.sqrt(
            -2.0 * np.log((np.float64(key >> np.uint64(11)) + 1.0) / 9007199254740993.0)
        )
        key = scramble(key + np.uint64(1))
        angle = 2.0 * np.pi * np.float64(key >> np.uint64(11)) / 9007199254740992.0
        out[k] = min(max(out[k] + terms.noise[0] * share * radius * np.cos(angle), 0.0), 1.0)
    constrain(board[0], board[1], terms.settings[CHECKERS], out)


@kernel
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


@kernel
def worths_of(brain, board, kind, outcomes, side, states, count, terms, walk, worths):
    """Fill worths float64[count] of a judged board for the player on roll, `side`."""
    if terms.settings[CUBEFUL] == 0:
        for i in range(count):
            worths[i] = dead(outcomes, side, states[i, CUBE], states[i, OWNER], terms)
        return
    has_exact = kind == TWO_SIDED and terms.noise[0] == 0.0
    if has_exact:
        for owner in range(3):
            walk.exact[owner] = two_sided_equity(
                board, brain.words, brain.word_binomials, 1 + owner
            )
    leaf_worths(
        outcomes, side, states, count, efficiency_of(board, kind, terms.efficiencies),
        walk.exact, has_exact, terms.rules, terms.chances, worths,
    )  # fmt: skip


@kernel
def dead(outcomes, side, cube, owner, terms):
    """The worth if nobody will turn the cube any more."""
    if terms.rules[MONEY]:
        return cube * money_dead(outcomes, owner, terms.rules[JACOBY])
    return match_dead(outcomes, side, cube, terms.chances)


@kernel
def score_results(brain, board, side, cube, owner, count, terms, work, walk, scores):
    """Fill scores float64[count]: each of work.results at 0-ply, for the mover.

    `cube` and `owner` are as the mover sees them; work.outcomes and work.kinds are filled too.
    """
    judge_results(brain, board, terms.settings[CHECKERS], count, work)
    walk.reply_state[0, CUBE] = cube
    walk.reply_state[0, OWNER] = THEIRS - owner
    other = work.turned_board
    for i in range(count):
        for place in range(PLACES):
            other[0, place] = work.results[i, 1, place]
            other[1, place] = work.results[i, 0, place]
        turn_round(work.outcomes[i], work.turned)
        if terms.noise[0] > 0.0 and work.kinds[i] != OVER:
            disturb(other, terms, work.turned)
            turn_round(work.turned, work.outcomes[i])
        worths_of(
            brain, other, work.kinds[i], work.turned, 1 - side,
            walk.reply_state, np.int64(1), terms, walk, walk.reply,
        )  # fmt: skip
        scores[i] = turned(walk.reply[0], terms.rules)


@kernel
def best_reply(brain, depth, side, die1, die2, terms, work, walk):
    """Play a roll at `depth` and put the board after it, turned round, at depth + 1."""
    settings = terms.settings
    board = walk.boards[depth]
    after = walk.boards[depth + 1]
    count = generate(board, die1, die2, work.results, work.plays, work.keys, work.table)
    if count == 0:
        for place in range(PLACES):
            after[0, place] = board[1, place]
            after[1, place] = board[0, place]
        walk.known[depth + 1] = -1
        return
    count = rank_results(brain, board, settings[CHECKERS], count, settings[KEEP], work)
    cube = walk.states[depth, 0, CUBE]
    owner = walk.states[depth, 0, OWNER]
    score_results(brain, board, side, cube, owner, count, terms, work, walk, work.scores)
    best = 0
    for i in range(1, count):
        if work.scores[i] > work.scores[best]:
            best = i
    for place in range(PLACES):
        after[0, place] = work.results[best, 1, place]
        after[1, place] = work.results[best, 0, place]
    walk.known[depth + 1] = work.kinds[best]
    turn_round(work.outcomes[best], walk.outcomes[depth + 1])


@kernel
def sit(brain, depth, side, terms, work, walk):
    """Fill the worths of the node at `depth` without looking ahead; returns its class."""
    kind = walk.known[depth]
    if kind < 0:
        board = walk.boards[depth]
        kind = judge(brain, board, terms.settings[CHECKERS], work, walk.outcomes[depth])
        if terms.noise[0] > 0.0 and kind != OVER:
            disturb(board, terms, walk.outcomes[depth])
    worths_of(
        brain, walk.boards[depth], kind, walk.outcomes[depth], side,
        walk.states[depth], walk.counts[depth], terms, walk, walk.worths[depth],
    )  # fmt: skip
    return kind


@kernel
def salt_of(terms):
    """A number that differs with anything in the terms: nodes of other terms are other nodes."""
    key = scramble(np.uint64(len(terms.rolls)))
    for setting in terms.settings:
        key = scramble(key ^ np.uint64(setting))
    for rule in terms.rules.flat:
        key = scramble(key ^ np.uint64(rule))
    for chance in terms.chances.flat:
        key = scramble(key ^ np.uint64(np.int64(chance * 1e15)))
    for efficiency in terms.efficiencies:
        key = scramble(key ^ np.uint64(np.int64(efficiency * 1e15)))
    for rolls in (terms.rolls, terms.later_rolls):
        for roll in rolls.flat:
            key = scramble(key ^ np.uint64(roll))
    return scramble(key ^ np.uint64(np.int64(terms.noise[0] * 1e15)))


@kernel
def expect(brain, depth, plies, side, terms, work, walk, stop):
    """Fill worths and outcomes of the node at `depth`, looking `plies` ahead.

    Board, states and count of the node are set by the caller, and `known`. Ends early, with
    STOPPED, when stop[0] becomes non-zero.
    """
    if stop[0] != 0:
        return STOPPED
    if depth == 0:
        walk.salt[0] = salt_of(terms)
    kind = walk.known[depth]
    if plies == 0 or kind == OVER or kind == TWO_SIDED:
        sit(brain, depth, side, terms, work, walk)
        return DONE
    if kind < 0:
        kind = sit(brain, depth, side, terms, work, walk)
        if kind == OVER or kind == TWO_SIDED:
            return DONE
    count = walk.counts[depth]
    key = NOTHING
    if depth > 0 and (terms.noise[0] == 0.0 or terms.draws[0] == 0):
        key = key_of(walk.boards[depth], walk.states[depth], count, side, plies, walk.salt[0])
        if recall(walk.memory, key, count, walk.worths[depth], walk.outcomes[depth]):
            return DONE
    children = expand(
        walk.states[depth], count, side, terms.rules, terms.settings[CUBEFUL] != 0,
        walk.states[depth + 1], walk.undoubled[depth], walk.doubled[depth],
    )  # fmt: skip
    walk.counts[depth + 1] = children
    for i in range(children):
        walk.averages[depth, i] = 0.0
    for k in range(OUTPUTS):
        walk.sums[depth, k] = 0.0
    rolls = terms.rolls if depth == 0 else terms.later_rolls
    total = 0
    for r in range(len(rolls)):
        total += rolls[r, 2]
    for r in range(len(rolls)):
        weight = rolls[r, 2] / total
        best_reply(brain, depth, side, rolls[r, 0], rolls[r, 1], terms, work, walk)
        if not expect(brain, depth + 1, plies - 1, 1 - side, terms, work, walk, stop):
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
        walk.states[depth], count, side, terms.rules, terms.chances,
        walk.averages[depth], walk.undoubled[depth], walk.doubled[depth], walk.worths[depth],
    )  # fmt: skip
    if key != NOTHING:
        remember(walk.memory, key, count, walk.worths[depth], walk.outcomes[depth])
    return DONE


@kernel
def stand(brain, plies, terms, walk):
    """After `expect` at depth 0, take the right to double now from the player to decide.

    The worths of the states are then those of leaving the cube as each of them has it.
    """
    side = np.int64(0)  # a bare 0 would compile all that follows once more, for that number
    kind = class_of(walk.boards[0], terms.settings[CHECKERS])
    if plies == 0 or kind == OVER or kind == TWO_SIDED:
        for i in range(walk.counts[0]):
            walk.worths[0, i] = as_it_is(brain, kind, side, i, terms, walk)
    else:
        for i in range(walk.counts[0]):
            walk.worths[0, i] = turned(walk.averages[0, walk.undoubled[0, i]], terms.rules)


@kernel
def as_it_is(brain, kind, side, i, terms, walk):
    """The worth for `side` of state i of the judged node at depth 0 if its cube stays now."""
    board = walk.boards[0]
    outcomes = walk.outcomes[0]
    cube = walk.states[0, i, CUBE]
    owner = walk.states[0, i, OWNER]
    if terms.settings[CUBEFUL] == 0:
        return dead(outcomes, side, cube, owner, terms)
    if kind == TWO_SIDED and terms.noise[0] == 0.0:
        for case in range(3):
            walk.exact[case] = two_sided_equity(board, brain.words, brain.word_binomials, 1 + case)
        return cubeful_exact(outcomes, side, cube, owner, walk.exact, terms.rules, terms.chances)
    efficiency = efficiency_of(board, kind, terms.efficiencies)
    return cubeful(outcomes, side, cube, owner, efficiency, terms.rules, terms.chances)
