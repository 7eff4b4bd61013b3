"""The play of a roll, chosen some plies ahead through a move filter.

All plays are judged at 0-ply; the best pass a filter to be searched, perhaps several times, each
deeper than before. Kernels that play games call `choose`; a decision with a time limit and threads
calls the steps from Python (sixprime.engine.search.plies.Search): `look_first`, `look_deeper` in
each thread and `settle`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cube import CUBE, OWNER, THEIRS, emg, expand, fold, turned
from sixprime.engine.kernels.evaluation import judge_results
from sixprime.engine.kernels.machine.compiled import kernel
from sixprime.engine.kernels.memory import salt_of
from sixprime.engine.kernels.moves import (
    CAPACITY,
    NONE,
    ONE,
    PLACES,
    copy_board,
    flip,
    generate_or_dance,
    is_possible,
)
from sixprime.engine.kernels.network import JUDGED, OUTPUTS, turn_round
from sixprime.engine.kernels.pruning import rank_results
from sixprime.engine.kernels.tree import (
    CHECKERS,
    CUBEFUL,
    STOPPED,
    before_roll,
    best_replies,
    descend,
    expect,
    gather,
    is_settled,
    worths_of_result,
)

ACCEPT, EXTRA, THRESHOLD = range(3)  # a pass of a filter, float64[3]; ACCEPT < 0 skips it
WORTH, EQUITY, DEPTH, CHANCES = range(4)  # the figures of a listed play, with five chances
FIGURES = CHANCES + OUTPUTS
# The order of terms.rolls in which plays race each other: doubles, which cost most, come last.
RACE = np.array((3, 6, 11, 16, 18, 7, 8, 12, 15, 19, 1, 4, 10, 13, 17, 5, 14, 0, 2, 9, 20))
EVERY = 36.0  # weight of all rolls
DOUBT = 3.0  # standard errors
LISTED = 2 * PLACES + 8  # int8 of a listed play: the board and the steps


class RankedPlays(NamedTuple):
    """The plays of a roll while one is chosen, by their numbers at 0-ply."""

    boards: NDArray[np.int8]  # [CAPACITY, 2, 25]: after the play, as the opponent sees it
    plays: NDArray[np.int8]  # [CAPACITY, 8]
    known: NDArray[np.int64]  # [CAPACITY]
    outcomes: NDArray[np.float32]  # [CAPACITY, 8] at 0-ply, for the opponent
    depths: NDArray[np.int64]  # [CAPACITY]: plies of the figures that follow
    chances: NDArray[np.float32]  # [CAPACITY, 5] for the mover
    worths: NDArray[np.float64]  # [CAPACITY] for the mover
    searched: NDArray[np.float64]  # [CAPACITY]: worths of a search that may still be stopped
    outlooks: NDArray[np.float32]  # [CAPACITY, 5]: its chances
    by_roll: NDArray[np.float64]  # [2, CAPACITY, 21, 2]: the mover's worths after an even and an
    # odd number of plies, by roll and next cube, times the roll's share
    sums: NDArray[np.float64]  # [CAPACITY, 5]: the opponent's chances after the rolls so far
    order: NDArray[np.int64]  # [CAPACITY]: the deepest, then the best first
    stop: NDArray[np.int64]  # [1]: never raised
    figures: NDArray[np.float64]  # [CAPACITY, FIGURES], in order; for Python
    listed: NDArray[np.int8]  # [CAPACITY, LISTED]


def ranked_plays() -> RankedPlays:
    """Scratch for one decision."""
    return RankedPlays(
        np.zeros((CAPACITY, 2, PLACES), np.int8),
        np.zeros((CAPACITY, 8), np.int8),
        np.zeros(CAPACITY, np.int64),
        np.zeros((CAPACITY, JUDGED), np.float32),
        np.zeros(CAPACITY, np.int64),
        np.zeros((CAPACITY, OUTPUTS), np.float32),
        np.zeros(CAPACITY, np.float64),
        np.zeros(CAPACITY, np.float64),
        np.zeros((CAPACITY, OUTPUTS), np.float32),
        np.zeros((2, CAPACITY, len(RACE), 2)),
        np.zeros((CAPACITY, OUTPUTS)),
        np.zeros(CAPACITY, np.int64),
        np.zeros(1, np.int64),
        np.zeros((CAPACITY, FIGURES)),
        np.zeros((CAPACITY, LISTED), np.int8),
    )


@kernel
def choose(search, choice, look, side, die1, die2):
    """Return the index in `choice` of the best play from depth 0 and its first state.

    `look` is (plies, at least 1; plays that the pruning net leaves at first, 0: all; the filter,
    float64[plies, 3]). The walk is overwritten.
    """
    plies, keep, passes = look
    walk = search.walk
    cube = walk.states[0, 0, CUBE]
    state = side, cube, walk.states[0, 0, OWNER]
    every = NONE, len(search.terms.rolls)
    count = at_zero_ply(search, choice, keep, side, die1, die2)
    for level in range(plies):
        if passes[level, ACCEPT] < 0:
            continue
        if level > 0:
            search_plays(search, choice, (NONE, count, ONE), level, state, every, choice.stop)
            adopt(choice, count, level)
        sort(choice, count)
        count = let_through(search.terms, choice, count, passes[level], side, cube)
        if count == 1:
            return choice.order[0]
    search_plays(search, choice, (NONE, count, ONE), plies, state, every, choice.stop)
    adopt(choice, count, plies)
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
        choice.depths[i] = 0
        choice.worths[i] = turned(walk.reply[0], search.terms.rules)
        choice.known[i] = work.kinds[i]
        flip(work.rolled.results[i], choice.boards[i])
        for k in range(8):
            choice.plays[i, k] = work.rolled.plays[i, k]
        turn_round(work.outcomes[i], choice.outcomes[i])
        for k in range(OUTPUTS):
            choice.chances[i, k] = work.outcomes[i, k]
    return count


@kernel
def search_plays(search, choice, places, plies, state, rolls, stop):
    """Search plays this deep after some rolls of the opponent; return whether it came to an end.

    The plays are those at `places` (first, end, by) in the order; `state` is (side, cube, owner) of
    the mover. `rolls` are (first, end): all, or some in the order of RACE. A search is finished
    with the last of them.
    """
    first, end, by = places
    for place in range(first, end, by):
        i = choice.order[place]
        if is_settled(choice.known[i], search.terms):
            settle_play(search, choice, i, plies, state, stop)
        elif not search_play(search, choice, i, plies, state, rolls, stop):
            return False
    return True


@kernel
def set_out(search, choice, i, state):
    """Put the position after play i at depth 0; return the number of the opponent's next states."""
    side, cube, owner = state
    walk, terms = search.walk, search.terms
    copy_board(choice.boards[i], walk.boards[0])
    walk.known[0] = -1
    walk.states[0, 0, CUBE] = cube
    walk.states[0, 0, OWNER] = THEIRS - owner
    walk.counts[0] = 1
    return expand(
        walk.states[0], ONE, 1 - side, terms.rules, terms.settings[CUBEFUL] != 0,
        walk.children[0], walk.ways[0],
    )  # fmt: skip


@kernel
def settle_play(search, choice, i, plies, state, stop):
    """Search a play whose 0-ply judgement is exact."""
    set_out(search, choice, i, state)
    expect(search, NONE, NONE, 1 - state[0], stop)
    choice.searched[i] = turned(search.walk.worths[0, 0], search.terms.rules)
    turn_round(search.walk.outcomes[0], choice.outlooks[i])
    for r in range(len(RACE)):
        choice.by_roll[plies % 2, i, r, 0] = 0.0


@kernel
def search_play(search, choice, i, plies, state, rolls, stop):
    """Search play i after some rolls; return whether it came to an end."""
    side, walk, terms = state[0], search.walk, search.terms
    children = set_out(search, choice, i, state)
    if plies > 1:
        walk.salt[0] = salt_of(terms)
    first, end = rolls
    for number in range(first, end):
        r = number if end - first == len(terms.rolls) else RACE[number]
        for child in range(children):
            walk.averages[0, child] = 0.0
        for k in range(OUTPUTS):
            walk.sums[0, k] = choice.sums[i, k] if number > 0 else 0.0
        plays = best_replies(search, NONE, 1 - side, children, terms.rolls[r, 0], terms.rolls[r, 1])
        for play in range(plays):
            if not descend(walk, NONE, play, children):
                continue
            if not expect(search, ONE, plies - 1, side, stop):
                return False
            gather(walk, NONE, play, children, terms.rolls[r, 2] / EVERY)
        for child in range(children):
            choice.by_roll[plies % 2, i, r, child] = walk.averages[0, child]
        for k in range(OUTPUTS):
            choice.sums[i, k] = walk.sums[0, k]
    if end == len(terms.rolls):
        for child in range(children):
            walk.averages[0, child] = 0.0
            for r in range(end):
                walk.averages[0, child] += choice.by_roll[plies % 2, i, r, child]
        choice.searched[i] = folded(search, side)
        for k in range(OUTPUTS):
            walk.outcomes[0, k] = choice.sums[i, k]
        turn_round(walk.outcomes[0], choice.outlooks[i])
    return True


@kernel
def folded(search, side):
    """Return the mover's worth of the averages at depth 0."""
    walk, terms = search.walk, search.terms
    fold(
        walk.states[0], ONE, 1 - side, terms.rules, terms.chances,
        walk.averages[0], walk.ways[0], walk.worths[0],
    )  # fmt: skip
    return turned(walk.worths[0, 0], terms.rules)


@kernel
def adopt(choice, count, plies):
    """Give the first `count` plays the figures of a finished search."""
    for place in range(count):
        i = choice.order[place]
        choice.depths[i] = plies
        choice.worths[i] = choice.searched[i]
        for k in range(OUTPUTS):
            choice.chances[i, k] = choice.outlooks[i, k]


@kernel
def let_through(terms, choice, count, rule, side, cube):
    """Return how many of the first `count` plays, in order, a pass of a filter lets through."""
    least = emg(choice.worths[choice.order[0]], side, cube, terms.rules, terms.chances)
    least -= rule[THRESHOLD]
    most = min(count, np.int64(rule[ACCEPT] + rule[EXTRA]))
    count = max(ONE, min(np.int64(rule[ACCEPT]), count))
    while count < most:
        worth = choice.worths[choice.order[count]]
        if emg(worth, side, cube, terms.rules, terms.chances) < least:
            break
        count += 1
    return count


@kernel
def sort(choice, count):
    """Bring the first `count` plays into order: the deepest, then the best first."""
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
    """Return whether play i comes before play j; the cubeless equity breaks ties."""
    if choice.depths[i] != choice.depths[j]:
        return choice.depths[i] > choice.depths[j]
    if choice.worths[i] != choice.worths[j]:
        return choice.worths[i] > choice.worths[j]
    one, other = cubeless(choice.chances[i]), cubeless(choice.chances[j])
    return one > other if one != other else i < j


@kernel
def cubeless(chances):
    """Return the money equity without a cube."""
    equity = 2.0 * np.float64(chances[0]) - 1.0
    equity += np.float64(chances[1])
    equity += np.float64(chances[2])
    equity -= np.float64(chances[3])
    return equity - np.float64(chances[4])


# The steps of a decision from Python, where the mover is side 0


@kernel
def look_first(search, choice, board, cube, dice, rule):
    """List the plays of a roll at 0-ply; return their number, and how many pass the first rule.

    `cube` is (value, owner), as the mover sees it. An impossible board has no plays.
    """
    walk = search.walk
    if not is_possible(board, search.terms.settings[CHECKERS]):
        return NONE, NONE
    copy_board(board, walk.boards[0])
    walk.states[0, 0, CUBE] = cube[0]
    walk.states[0, 0, OWNER] = cube[1]
    count = at_zero_ply(search, choice, NONE, NONE, dice[0], dice[1])
    sort(choice, count)
    list_plays(search.terms, choice, count, cube[0])
    return count, let_through(search.terms, choice, count, rule, NONE, cube[0])


@kernel
def look_deeper(search, choice, places, plies, cube, rolls, stop):
    """Call `search_plays` for one thread."""
    state = NONE, cube[0], cube[1]
    return search_plays(search, choice, places, plies, state, rolls, stop)


@kernel
def drop_hopeless(search, choice, count, plies, cube, done, margin):
    """Drop plays that cannot become the best; return how many of the first `count` stay in front.

    A search is known after the first `done` rolls of RACE, the one before it, of a ply less, after
    all of them. Their differences say what the other rolls will change. A play is dropped that is
    behind by more than `margin` (EMG) and DOUBT standard errors of that difference.
    """
    best = choice.order[0]
    for place in range(count):
        i = choice.order[place]
        choice.searched[i] = likely_equity(search, choice, i, plies, cube, done)
        if choice.searched[i] > choice.searched[best]:
            best = i
    terms = search.terms
    unit = emg(1.0, 0, cube[0], terms.rules, terms.chances)
    unit -= emg(0.0, 0, cube[0], terms.rules, terms.chances)
    left = 0
    for place in range(count):
        i = choice.order[place]
        doubt = DOUBT * unit * error_of_gain(choice, terms.rolls, i, best, plies, done)
        if choice.searched[i] >= choice.searched[best] - margin - doubt:
            choice.order[place] = choice.order[left]
            choice.order[left] = i
            left += 1
    return left


@kernel
def likely_equity(search, choice, i, plies, cube, done):
    """Return the equity (EMG) that a search of play i will find, after `done` rolls of RACE."""
    terms, walk = search.terms, search.walk
    worth = choice.worths[i]
    if not is_settled(choice.known[i], terms):
        children = set_out(search, choice, i, (NONE, cube[0], cube[1]))
        deep, shallow = choice.by_roll[plies % 2, i], choice.by_roll[(plies - 1) % 2, i]
        weight = weight_of(terms.rolls, done)
        for child in range(children):
            gain = 0.0
            for number in range(done):
                gain += deep[RACE[number], child] - shallow[RACE[number], child]
            walk.averages[0, child] = gain / weight
            for r in range(len(terms.rolls)):
                walk.averages[0, child] += shallow[r, child]
        worth = folded(search, NONE)
    return emg(worth, 0, cube[0], terms.rules, terms.chances)


@kernel
def weight_of(rolls, done):
    """Return the share of the first `done` rolls of RACE."""
    weight = 0.0
    for number in range(done):
        weight += rolls[RACE[number], 2]
    return weight / EVERY


@kernel
def error_of_gain(choice, rolls, i, j, plies, done):
    """Return the standard error of the mean gain of play i over play j by the last ply.

    It is judged by the first `done` rolls of RACE, and falls to 0 when these are all.
    """
    deep, shallow = choice.by_roll[plies % 2], choice.by_roll[(plies - 1) % 2]
    mean, square = 0.0, 0.0
    for number in range(done):
        r = RACE[number]
        gain = deep[i, r, 0] - shallow[i, r, 0] - deep[j, r, 0] + shallow[j, r, 0]
        mean += gain
        square += gain * gain / (rolls[r, 2] / EVERY)
    weight = weight_of(rolls, done)
    variance = max(square / weight - (mean / weight) ** 2, 0.0)
    return np.sqrt(variance / (done - 1) * (1.0 - weight))


@kernel
def settle(search, choice, counts, plies, cube, rule):
    """List all plays after a finished search; return how many of the searched ones pass the rule.

    `counts` are the number of plays and of those searched.
    """
    count, searched = counts
    adopt(choice, searched, plies)
    sort(choice, count)
    list_plays(search.terms, choice, count, cube[0])
    return let_through(search.terms, choice, searched, rule, NONE, cube[0])


@kernel
def look_before(search, board, cube, plies, stop):
    """Fill the walk's outcomes and worths at depth 0 before a roll: the cube kept, and taken.

    Return whether the search came to an end; it does not begin if the board is impossible.
    """
    walk = search.walk
    if not is_possible(board, search.terms.settings[CHECKERS]):
        return STOPPED
    copy_board(board, walk.boards[0])
    walk.known[0] = -1
    walk.states[0, 0, CUBE] = cube[0]
    walk.states[0, 0, OWNER] = cube[1]
    walk.states[0, 1, CUBE] = 2 * cube[0]
    walk.states[0, 1, OWNER] = THEIRS
    walk.counts[0] = 2
    return before_roll(search, plies, NONE, stop)


@kernel
def bring_forward(choice, board, count):
    """Put the play that leads to a board behind the first; return its depth, -1 if none does."""
    order = choice.order
    for place in range(1, count):
        i = order[place]
        same = True
        for k in range(PLACES):
            same &= choice.boards[i, 1, k] == board[0, k]
            same &= choice.boards[i, 0, k] == board[1, k]
        if same:
            while place > 1:
                order[place] = order[place - 1]
                place -= 1
            order[1] = i
            return choice.depths[i]
    return -ONE


@kernel
def list_plays(terms, choice, count, cube):
    """Write all plays, in order, to `figures` and `listed`."""
    zero = emg(0.0, 0, cube, terms.rules, terms.chances)
    slope = emg(1.0, 0, cube, terms.rules, terms.chances) - zero
    for place in range(count):
        i = choice.order[place]
        figures, listed = choice.figures[place], choice.listed[place]
        figures[WORTH] = choice.worths[i]
        figures[EQUITY] = zero + slope * choice.worths[i]
        figures[DEPTH] = choice.depths[i]
        for k in range(OUTPUTS):
            figures[CHANCES + k] = choice.chances[i, k]
        for k in range(PLACES):
            listed[k] = choice.boards[i, 1, k]
            listed[PLACES + k] = choice.boards[i, 0, k]
        for k in range(8):
            listed[2 * PLACES + k] = choice.plays[i, k]
