"""The inner loop of search: the worth of a position, looking some plies ahead.

A node is a board with a player on roll, `depth` plies below the decision. It carries several cube
states at once (engine.kernels.cube explains whose point of view a worth has), so that one walk
answers both "no double" and "double, take". Its worths include the right to double now.

At each node each of the 21 rolls is played at 0-ply; that reply is the child, with the opponent on
roll. States that want another play get children of their own: a play that loses nothing if the
opponent will pass the next double may be a blunder after a double and a take.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff.lookup import two_sided_equity
from sixprime.engine.kernels.cube import (
    CUBE,
    JACOBY,
    KEPT,
    MONEY,
    OWNER,
    THEIRS,
    Liveness,
    cubeful,
    efficiencies_of,
    expand,
    fold,
    leaf_worths,
    match_dead,
    money_dead,
    turned,
)
from sixprime.engine.kernels.evaluation import (
    OVER,
    TWO_SIDED,
    Brain,
    Scratch,
    disturb,
    judge,
    judge_results,
    kind_of,
)
from sixprime.engine.kernels.machine.compiled import kernel, stay_whole
from sixprime.engine.kernels.machine.held import Held
from sixprime.engine.kernels.memory import (
    NOTHING,
    NodeMemory,
    key_of,
    memory,
    recall,
    remember,
    salt_of,
)
from sixprime.engine.kernels.moves import (
    CAPACITY,
    NONE,
    ONE,
    PLACES,
    copy_board,
    flip,
    generate_or_dance,
)
from sixprime.engine.kernels.network import JUDGED, OUTPUTS, turn_round
from sixprime.engine.kernels.pruning import Reached, rank_results, reach, reached_boards

DEEPEST = 6  # plies
STATES = 16  # cubes a node can carry
STOPPED, DONE = False, True  # results of `expect`

# settings int64[3]: checkers a side; replies that a node judges in full (0: all; negative: as many,
# of races, too); 1 for cubeful
CHECKERS, KEEP, CUBEFUL = range(3)


class SearchTerms(NamedTuple):
    """The terms of a whole decision."""

    settings: NDArray[np.int64]
    rules: NDArray[np.int64]  # sixprime.engine.kernels.cube
    chances: NDArray[np.float64]  # sixprime.engine.kernels.cube
    efficiencies: NDArray[np.float64]  # [3]: contact (below 0: by its net), bearoff, race (by pips)
    rolls: NDArray[np.int64]  # [n, 3]: two dice and their weight
    later_rolls: NDArray[np.int64]  # rolls after the first ply; fewer are faster
    noise: NDArray[np.float64]  # [1]: standard deviation of the noise on winning chances
    draws: NDArray[np.uint64]  # [2]: seed (0: noise is a function of the position), counter


class Replies(NamedTuple):
    """The distinct plays of one roll for a node's children, by depth.

    The first is the best for all children together; each child may add one more.
    """

    boards: NDArray[np.int8]  # [DEEPEST, 1 + STATES, 2, 25], turned round
    known: NDArray[np.int64]  # [DEEPEST, 1 + STATES]
    outcomes: NDArray[np.float32]  # [DEEPEST, 1 + STATES, 8], for the opponent
    places: NDArray[np.int64]  # [DEEPEST, 1 + STATES]: their numbers among the roll's results
    choices: NDArray[np.int64]  # [DEEPEST, STATES]: the play of each child
    worths: NDArray[np.float64]  # [CAPACITY, STATES]: of each result for each child


class Tree(NamedTuple):
    """Scratch of one search, by depth."""

    boards: NDArray[np.int8]  # [DEEPEST, 2, 25], as the player on roll there sees it
    known: NDArray[np.int64]  # [DEEPEST]: the class if outcomes are known, else -1
    outcomes: NDArray[np.float32]  # [DEEPEST, 8] for the player on roll
    states: NDArray[np.int64]  # [DEEPEST, STATES, 2]
    counts: NDArray[np.int64]  # [DEEPEST]: the number of states
    children: NDArray[np.int64]  # [DEEPEST, STATES, 2]: the opponent's next states
    replies: Replies
    ways: NDArray[np.int64]  # [DEEPEST, STATES, 2]: see engine.kernels.cube.expand
    averages: NDArray[np.float64]  # [DEEPEST, STATES]: the children's worths over the rolls
    worths: NDArray[np.float64]  # [DEEPEST, STATES]
    sums: NDArray[np.float64]  # [DEEPEST, 5]: outcomes over the rolls
    exact: NDArray[np.float64]  # [3]
    reply: NDArray[np.float64]  # [1]
    reply_state: NDArray[np.int64]  # [1, 2]
    salt: NDArray[np.uint64]  # [1]: see `salt_of`
    memory: NodeMemory
    met: Reached


def tree() -> Tree:
    """Return scratch for one thread."""
    return Tree(
        np.zeros((DEEPEST, 2, PLACES), np.int8),
        np.full(DEEPEST, -1, np.int64),
        np.zeros((DEEPEST, JUDGED), np.float32),
        np.zeros((DEEPEST, STATES, 2), np.int64),
        np.zeros(DEEPEST, np.int64),
        np.zeros((DEEPEST, STATES, 2), np.int64),
        Replies(
            np.zeros((DEEPEST, 1 + STATES, 2, PLACES), np.int8),
            np.zeros((DEEPEST, 1 + STATES), np.int64),
            np.zeros((DEEPEST, 1 + STATES, JUDGED), np.float32),
            np.zeros((DEEPEST, 1 + STATES), np.int64),
            np.zeros((DEEPEST, STATES), np.int64),
            np.zeros((CAPACITY, STATES), np.float64),
        ),
        np.zeros((DEEPEST, STATES, 2), np.int64),
        np.zeros((DEEPEST, STATES), np.float64),
        np.zeros((DEEPEST, STATES), np.float64),
        np.zeros((DEEPEST, OUTPUTS), np.float64),
        np.zeros(3, np.float64),
        np.zeros(1, np.float64),
        np.zeros((1, 2), np.int64),
        np.zeros(1, np.uint64),
        memory(STATES),
        reached_boards(),
    )


class TreeSearch(NamedTuple):
    """The brain, terms and scratch of one thread's search."""

    brain: Held[Brain]
    terms: SearchTerms
    work: Held[Scratch]
    walk: Held[Tree]


@kernel
def looks_up_cube(search, board, kind):
    """Fill walk.exact if the two-sided database knows the cube here; return whether it does."""
    if kind != TWO_SIDED or search.terms.noise[0] != 0.0:
        return False
    brain = search.brain
    for owner in range(3):
        search.walk.exact[owner] = two_sided_equity(
            board, brain.words, brain.word_binomials, 1 + owner
        )
    return True


@kernel
def liveness_of(search, board, kind, outcomes):
    """Return the liveness of the cube on a judged board."""
    is_exact = looks_up_cube(search, board, kind)
    efficiencies = efficiencies_of(board, kind, outcomes, search.terms.efficiencies)
    return Liveness(efficiencies, search.walk.exact, is_exact)


@kernel
def worths_of(search, board, kind, outcomes, side, states, count, worths):
    """Fill worths float64[count] of a judged board for the player on roll, `side`."""
    terms = search.terms
    if terms.settings[CUBEFUL] == 0:
        for i in range(count):
            worths[i] = dead(outcomes, side, states[i, CUBE], states[i, OWNER], terms)
        return
    liveness = liveness_of(search, board, kind, outcomes)
    leaf_worths(outcomes, side, states, count, liveness, terms.rules, terms.chances, worths)


@kernel
def dead(outcomes, side, cube, owner, terms):
    """Return the worth if nobody will turn the cube any more."""
    if terms.rules[MONEY]:
        return cube * money_dead(outcomes, owner, terms.rules[JACOBY])
    return match_dead(outcomes, side, cube, terms.chances)


@kernel
def worths_of_result(search, i, other_side, states, count, worths):
    """Fill worths float64[count] of result i for `other_side`, on roll after it.

    `judge_results` has judged the results; noise is added to work.outcomes.
    """
    work, terms = search.work, search.terms
    other = work.turned_board
    if terms.settings[CUBEFUL] != 0 or terms.noise[0] > 0.0:  # else it is not needed
        flip(work.rolled.results[i], other)
    turn_round(work.outcomes[i], work.turned)
    if terms.noise[0] > 0.0 and work.kinds[i] != OVER:
        disturb(other, terms, terms.settings[CHECKERS], work.turned)
        turn_round(work.turned, work.outcomes[i])
    worths_of(search, other, work.kinds[i], work.turned, other_side, states, count, worths)


@kernel
def score_results(search, board, side, cube, owner, count):
    """Fill work.scores of the first `count` results at 0-ply, for the mover.

    `cube` and `owner` are as the mover sees them; work.outcomes and work.kinds are filled too.
    """
    work, walk, terms = search.work, search.walk, search.terms
    judge_results(search.brain, board, terms.settings[CHECKERS], count, work)
    walk.reply_state[0, CUBE] = cube
    walk.reply_state[0, OWNER] = THEIRS - owner
    for i in range(count):
        worths_of_result(search, i, 1 - side, walk.reply_state, ONE, walk.reply)
        work.scores[i] = turned(walk.reply[0], terms.rules)


@kernel
def best_replies(search, depth, side, children, die1, die2):
    """Play a roll at `depth` in the best way for each child; return the number of distinct plays.

    Fills walk.replies with the distinct plays and, for each child, the index of its play. A child
    reuses another's play when that is just as good.
    """
    stay_whole()
    work, walk, settings = search.work, search.walk, search.terms.settings
    board = walk.boards[depth]
    replies = walk.replies
    count = generate_or_dance(board, die1, die2, work.rolled)
    count = rank_results(search.brain, board, settings[CHECKERS], count, settings[KEEP], work)
    judge_results(search.brain, board, settings[CHECKERS], count, work)
    worths, places = replies.worths, walk.met.places[:count]
    for i in range(count):
        worths_of_result(search, i, 1 - side, walk.children[depth], children, worths[i])
        places[i] = i
    replies.places[depth, 0] = least_for(worths, places, 0, children)
    found = 1
    for child in range(children):
        best = least_for(worths, places, child, child + 1)
        choice = 0
        while choice < found and worths[replies.places[depth, choice], child] > worths[best, child]:
            choice += 1
        if choice == found:
            replies.places[depth, found] = best
            found += 1
        replies.choices[depth, child] = choice
    for i in range(found):
        place = replies.places[depth, i]
        flip(work.rolled.results[place], replies.boards[depth, i])
        turn_round(work.outcomes[place], replies.outcomes[depth, i])
        replies.known[depth, i] = work.kinds[place]
    return found


@kernel
def least_for(worths, places, first, end):
    """Return the result with the least worth for the opponent, summed over these children."""
    best, least = NONE, np.inf
    for i in range(len(places)):
        worth = 0.0
        for own in worths[places[i]][first:end]:
            worth += own
        if worth < least:
            best, least = places[i], worth
    return best


@kernel
def judge_board(search, depth):
    """Fill the outcomes of the node at `depth` at 0-ply, unless known; return its class."""
    terms, walk = search.terms, search.walk
    board, outcomes = walk.boards[depth], walk.outcomes[depth]
    kind = walk.known[depth]
    if kind < 0:
        kind = judge(search.brain, board, terms.settings[CHECKERS], search.work, outcomes)
        if terms.noise[0] > 0.0 and kind != OVER:
            disturb(board, terms, terms.settings[CHECKERS], outcomes)
    return kind


@kernel
def judge_node(search, depth, side):
    """Fill the worths of the node at `depth` at 0-ply."""
    walk = search.walk
    kind = judge_board(search, depth)
    board, outcomes, states = walk.boards[depth], walk.outcomes[depth], walk.states[depth]
    worths_of(search, board, kind, outcomes, side, states, walk.counts[depth], walk.worths[depth])


@kernel
def is_settled(kind, terms):
    """Return whether 0-ply is exact; never in a match, since no database knows its cube."""
    if kind == TWO_SIDED:
        return terms.rules[MONEY] == 1 or terms.settings[CUBEFUL] == 0
    return kind == OVER


@kernel
def expect(search, depth, plies, side, stop):
    """Fill worths and outcomes of the node at `depth`, `plies` ahead.

    The caller sets the node's board, states, count and `known`. The search ends early, with
    STOPPED, when stop[0] becomes non-zero.
    """
    stay_whole()
    terms, walk = search.terms, search.walk
    if stop[0] != 0:
        return STOPPED
    kind = walk.known[depth]
    if kind < 0:
        kind = kind_of(search.brain, walk.boards[depth], terms.settings[CHECKERS])
    if plies == 0 or is_settled(kind, terms):
        judge_node(search, depth, side)
        return DONE
    if depth == 0 and plies > 1:
        walk.salt[0] = salt_of(terms)
    count = walk.counts[depth]
    key = NOTHING
    if depth > 0 and (terms.noise[0] == 0.0 or terms.draws[0] == 0):
        key = key_of(walk.boards[depth], walk.states[depth], count, side, plies, walk.salt[0])
        if recall(walk.memory, key, count, walk.worths[depth], walk.outcomes[depth]):
            return DONE
    children = expand(
        walk.states[depth], count, side, terms.rules, terms.settings[CUBEFUL] != 0,
        walk.children[depth], walk.ways[depth],
    )  # fmt: skip
    for i in range(children):
        walk.averages[depth, i] = 0.0
    for k in range(OUTPUTS):
        walk.sums[depth, k] = 0.0
    rolls = terms.rolls if depth == 0 else terms.later_rolls
    total = 0
    for r in range(len(rolls)):
        total += rolls[r, 2]
    if plies == 1:
        reply_to_all(search, depth, side, children, rolls, total)
    for r in range(len(rolls) if plies > 1 else 0):
        weight = rolls[r, 2] / total
        plays = best_replies(search, depth, side, children, rolls[r, 0], rolls[r, 1])
        for play in range(plays):
            if not descend(walk, depth, play, children):
                continue
            if not expect(search, depth + 1, plies - 1, 1 - side, stop):
                return STOPPED
            gather(walk, depth, play, children, weight)
    for k in range(OUTPUTS):
        walk.outcomes[depth, k] = walk.sums[depth, k]
    fold(
        walk.states[depth], count, side, terms.rules, terms.chances,
        walk.averages[depth], walk.ways[depth], walk.worths[depth],
    )  # fmt: skip
    if key != NOTHING:
        remember(walk.memory, key, count, walk.worths[depth], walk.outcomes[depth])
    return DONE


@kernel
def descend(walk, depth, play, children):
    """Put a reply at depth + 1 with the children that use it; return whether there are any."""
    replies = walk.replies
    count = 0
    for child in range(children):
        if replies.choices[depth, child] == play:
            walk.states[depth + 1, count, CUBE] = walk.children[depth, child, CUBE]
            walk.states[depth + 1, count, OWNER] = walk.children[depth, child, OWNER]
            count += 1
    walk.counts[depth + 1] = count
    walk.known[depth + 1] = replies.known[depth, play]
    copy_board(replies.boards[depth, play], walk.boards[depth + 1])
    for k in range(JUDGED):
        walk.outcomes[depth + 1, k] = replies.outcomes[depth, play, k]
    return count > 0


@kernel
def gather(walk, depth, play, children, weight):
    """Add the worths at depth + 1 to the averages of the children that went there.

    The outcomes belong to the first child, with the cube as it is.
    """
    at = 0
    for child in range(children):
        if walk.replies.choices[depth, child] == play:
            walk.averages[depth, child] += weight * walk.worths[depth + 1, at]
            at += 1
    if walk.replies.choices[depth, 0] == play:
        add_turned(walk.outcomes[depth + 1], weight, walk.sums[depth])


@kernel
def add_turned(outcomes, weight, sums):
    """Add the outcomes, as the other player sees them, to sums."""
    sums[0] += weight * (1.0 - outcomes[0])
    sums[1] += weight * outcomes[3]
    sums[2] += weight * outcomes[4]
    sums[3] += weight * outcomes[1]
    sums[4] += weight * outcomes[2]


@kernel
def reply_to_all(search, depth, side, children, rolls, total):
    """Fill averages and sums of the node at `depth` over all rolls, if its children are leaves.

    These are the replies that `best_replies` finds roll by roll. But a result is judged once for
    all rolls that reach it, and many results are judged together.
    """
    stay_whole()
    work, walk, settings = search.work, search.walk, search.terms.settings
    board, met, worths = walk.boards[depth], walk.met, walk.replies.worths
    known = settings[CHECKERS], settings[KEEP]
    first = NONE
    while first < len(rolls):
        found, reached, first = reach(search.brain, board, known, rolls, first, work, met)
        judge_results(search.brain, board, settings[CHECKERS], found, work)
        for i in range(found):
            worths_of_result(search, i, 1 - side, walk.children[depth], children, worths[i])
        end = NONE
        while end < reached:
            start, r = end, met.rolls[end]
            while end < reached and met.rolls[end] == r:
                end += ONE
            places, weight = met.places[start:end], rolls[r, 2] / total
            shown = least_for(worths, places, 0, children)
            for child in range(children):
                best = least_for(worths, places, child, child + 1)
                walk.averages[depth, child] += weight * worths[best, child]
                if child == 0 and worths[shown, 0] > worths[best, 0]:
                    shown = best
            turn_round(work.outcomes[shown], work.turned)
            add_turned(work.turned, weight, walk.sums[depth])


@kernel
def before_roll(search, plies, side, stop):
    """Do as `expect` at depth 0 for `side`, but without the right to double now."""
    terms, walk = search.terms, search.walk
    kind = kind_of(search.brain, walk.boards[0], terms.settings[CHECKERS])
    if plies == 0 or is_settled(kind, terms):
        judge_root(search, side)
        return DONE
    if not expect(search, NONE, plies, side, stop):
        return STOPPED
    for i in range(walk.counts[0]):
        walk.worths[0, i] = turned(walk.averages[0, walk.ways[0, i, KEPT]], terms.rules)
    return DONE


@kernel
def judge_root(search, side):
    """Do as `before_roll` at 0-ply."""
    kind = judge_board(search, NONE)
    for i in range(search.walk.counts[0]):
        search.walk.worths[0, i] = as_it_is(search, kind, side, i)


@kernel
def as_it_is(search, kind, side, i):
    """Return the worth for `side` of state i of the judged node at depth 0 if its cube stays."""
    terms, walk = search.terms, search.walk
    board, outcomes = walk.boards[0], walk.outcomes[0]
    cube, owner = walk.states[0, i, CUBE], walk.states[0, i, OWNER]
    if terms.settings[CUBEFUL] == 0:
        return dead(outcomes, side, cube, owner, terms)
    liveness = liveness_of(search, board, kind, outcomes)
    return cubeful(outcomes, side, cube, owner, liveness, terms.rules, terms.chances)
