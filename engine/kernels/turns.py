"""The turns of a whole game at 0-ply, each kind of decision of all of them in one call.

Whose point of view: as in engine.kernels.tree; every turn is a node at depth 0, seen by its player.
What is reported is rounded to DIGITS places here, where it costs nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.compiled import kernel
from sixprime.engine.kernels.cube import CUBE, OWNER, THEIRS, emg
from sixprime.engine.kernels.luck import roll_worths
from sixprime.engine.kernels.moves import PLACES, UNUSED, generate
from sixprime.engine.kernels.network import OUTPUTS
from sixprime.engine.kernels.tree import Terms, score_results, sit, stand

UNIT = 1e7  # of what is reported: 7 digits
ABSENT = -1  # instead of the place of a play


class Turns(NamedTuple):
    """Nodes, and in which of the circumstances each of them is met."""

    boards: NDArray[np.int8]  # [n, 2, 25]
    states: NDArray[np.int64]  # [n, 2]: CUBE, OWNER
    cases: NDArray[np.int64]  # [n]: an index of what follows
    settings: NDArray[np.int64]  # [k, 3], and the others as in sixprime.engine.kernels.tree.Terms
    rules: NDArray[np.int64]  # [k, 6]
    chances: NDArray[np.float64]  # [k, 2, 65]


class Plays(NamedTuple):
    """The best plays of each turn, and the one that was made after them if it is none of them."""

    legal: NDArray[np.int64]  # [n]: how many there were; a dance is one
    counts: NDArray[np.int64]  # [n]: how many are told of
    made: NDArray[np.int64]  # [n]: which of them was made, or ABSENT
    plays: NDArray[np.int8]  # [n, keep + 1, 8], see sixprime.engine.kernels.moves
    equities: NDArray[np.float64]  # [n, keep + 1], per cube; rounded, as what follows
    worths: NDArray[np.float64]
    outcomes: NDArray[np.float64]  # [n, keep + 1, 5]


@kernel
def rounded(number):
    """To DIGITS places."""
    return np.rint(number * UNIT) / UNIT


@kernel
def all_roll_worths(brain, turns, terms, work, walk, worths):
    """Fill worths float64[n, rolls]: see sixprime.engine.kernels.luck."""
    for i in range(len(turns.boards)):
        case = turns.cases[i]
        own = Terms(
            turns.settings[case], turns.rules[case], turns.chances[case], terms.efficiencies,
            terms.rolls, terms.later_rolls, terms.noise, terms.draws,
        )  # fmt: skip
        cube, owner = turns.states[i, CUBE], turns.states[i, OWNER]
        roll_worths(brain, turns.boards[i], cube, owner, own, work, walk, worths[i])


@kernel
def all_cubes(brain, turns, terms, work, walk, outcomes, worths):
    """Fill outcomes float64[n, 5], rounded, and worths float64[n, 2]: no double; double, take."""
    plies, side = np.int64(0), np.int64(0)
    for i in range(len(turns.boards)):
        case = turns.cases[i]
        own = Terms(
            turns.settings[case], turns.rules[case], turns.chances[case], terms.efficiencies,
            terms.rolls, terms.later_rolls, terms.noise, terms.draws,
        )  # fmt: skip
        for place in range(PLACES):
            walk.boards[0, 0, place] = turns.boards[i, 0, place]
            walk.boards[0, 1, place] = turns.boards[i, 1, place]
        walk.known[0] = -1
        walk.counts[0] = 2
        walk.states[0, 0, CUBE] = turns.states[i, CUBE]
        walk.states[0, 0, OWNER] = turns.states[i, OWNER]
        walk.states[0, 1, CUBE] = 2 * turns.states[i, CUBE]
        walk.states[0, 1, OWNER] = THEIRS
        sit(brain, plies, side, own, work, walk)
        stand(brain, plies, own, walk)
        for k in range(OUTPUTS):
            outcomes[i, k] = rounded(np.float64(walk.outcomes[0, k]))
        worths[i, 0] = walk.worths[0, 0]
        worths[i, 1] = walk.worths[0, 1]


@kernel
def all_plays(brain, turns, dice, results, terms, work, walk, orders, found):
    """Fill `found`, a Plays; dice are int64[n, 2], results int8[n, 2, 25] of the plays made.

    Scratch: orders int64[keep + 1].
    """
    side = np.int64(0)
    for i in range(len(turns.boards)):
        case = turns.cases[i]
        own = Terms(
            turns.settings[case], turns.rules[case], turns.chances[case], terms.efficiencies,
            terms.rolls, terms.later_rolls, terms.noise, terms.draws,
        )  # fmt: skip
        board = turns.boards[i]
        cube, owner = turns.states[i, CUBE], turns.states[i, OWNER]
        count = generate(
            board, dice[i, 0], dice[i, 1], work.results, work.plays, work.keys, work.table
        )
        if count == 0:
            stay(board, work)
            count = np.int64(1)
        score_results(brain, board, side, cube, owner, count, own, work, walk, work.scores)
        told = put_in_order(count, len(orders) - 1, work, orders)
        made = place_of(results[i], count, work)
        found.made[i] = ABSENT
        for j in range(told):
            if orders[j] == made:
                found.made[i] = j
        if made != ABSENT and found.made[i] == ABSENT:
            found.made[i] = told
            orders[told] = made
            told += 1
        found.legal[i] = count
        found.counts[i] = told
        for j in range(told):
            tell(orders[j], i, j, own, cube, work, found)


@kernel
def stay(board, work):
    """Nobody can move: the only result is the board itself."""
    for place in range(PLACES):
        work.results[0, 0, place] = board[0, place]
        work.results[0, 1, place] = board[1, place]
    for k in range(8):
        work.plays[0, k] = UNUSED


@kernel
def put_in_order(count, keep, work, orders):
    """Fill orders with the best of the `count` plays, best first; returns how many, up to keep.

    Of equals, the one that wins more without a cube, and then the first.
    """
    told = 0
    for i in range(count):
        place = told
        while place > 0 and is_better(i, orders[place - 1], work):
            place -= 1
        if place == keep:
            continue
        told = min(told + 1, keep)
        for j in range(told - 1, place, -1):
            orders[j] = orders[j - 1]
        orders[place] = i
    return told


@kernel
def is_better(one, other, work):
    """Is one play better than the other?"""
    if work.scores[one] != work.scores[other]:
        return work.scores[one] > work.scores[other]
    return cubeless(work.outcomes[one]) > cubeless(work.outcomes[other])


@kernel
def cubeless(outcomes):
    """Money equity in float64."""
    equity = 2.0 * np.float64(outcomes[0]) - 1.0
    won_more = np.float64(outcomes[1]) + np.float64(outcomes[2])
    return equity + won_more - np.float64(outcomes[3]) - np.float64(outcomes[4])


@kernel
def place_of(result, count, work):
    """Which of the results this one is, or ABSENT."""
    for i in range(count):
        same = True
        for place in range(PLACES):
            same &= work.results[i, 0, place] == result[0, place]
            same &= work.results[i, 1, place] == result[1, place]
        if same:
            return i
    return ABSENT


@kernel
def tell(place, i, j, terms, cube, work, found):
    """Write the play at `place` as the one numbered j of turn i."""
    worth = work.scores[place]
    zero = emg(0.0, 0, cube, terms.rules, terms.chances)
    slope = emg(1.0, 0, cube, terms.rules, terms.chances) - zero
    found.equities[i, j] = rounded(zero + slope * worth)
    found.worths[i, j] = rounded(worth)
    for k in range(8):
        found.plays[i, j, k] = work.plays[place, k]
    for k in range(OUTPUTS):
        found.outcomes[i, j, k] = rounded(np.float64(work.outcomes[place, k]))
