"""The turns of a whole game at 0-ply: all decisions of a kind in one call.

Every turn is a node at depth 0 (engine.kernels.tree), seen by its player. Reported figures are
rounded here, where it costs nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cube import CUBE, OWNER, THEIRS, emg
from sixprime.engine.kernels.machine.compiled import kernel
from sixprime.engine.kernels.moves import (
    NONE,
    PLACES,
    copy_board,
    generate_or_dance,
)
from sixprime.engine.kernels.network import OUTPUTS
from sixprime.engine.kernels.pruning import reach
from sixprime.engine.kernels.tree import CHECKERS, KEEP, judge_root, score_results

UNIT = 1e7  # reported figures have 7 digits
ABSENT = -1  # in place of the number of a play


class TurnBatch(NamedTuple):
    """Nodes, and the case (match, cube and settings) of each."""

    boards: NDArray[np.int8]  # [n, 2, 25]
    states: NDArray[np.int64]  # [n, 2]: CUBE, OWNER
    cases: NDArray[np.int64]  # [n]: index into the arrays below
    settings: NDArray[np.int64]  # [k, 3], this and the others as in SearchTerms
    rules: NDArray[np.int64]  # [k, 6]
    chances: NDArray[np.float64]  # [k, 2, 65]


class Plays(NamedTuple):
    """The best plays of each turn; the play made follows them if it is none of them."""

    legal: NDArray[np.int64]  # [n]: the number of legal plays; a dance is one
    counts: NDArray[np.int64]  # [n]: the number of plays listed
    made: NDArray[np.int64]  # [n]: the place of the play made, or ABSENT
    plays: NDArray[np.int8]  # [n, keep + 1, 8], see sixprime.engine.kernels.moves
    equities: NDArray[np.float64]  # [n, keep + 1], per cube; rounded, like the rest
    worths: NDArray[np.float64]
    outcomes: NDArray[np.float64]  # [n, keep + 1, 5]


@kernel
def rounded(number):
    """Return the number with the digits that are reported."""
    return np.rint(number * UNIT) / UNIT


@kernel
def set_terms(search, turns, i):
    """Write the terms of turn i into the search's."""
    terms, case = search.terms, turns.cases[i]
    for k in range(len(terms.settings)):
        terms.settings[k] = turns.settings[case, k]
    for k in range(len(terms.rules)):
        terms.rules[k] = turns.rules[case, k]
    for side in range(2):
        for points in range(terms.chances.shape[1]):
            terms.chances[side, points] = turns.chances[case, side, points]


@kernel
def all_roll_worths(search, turns, worths):
    """Fill worths float64[n, rolls] of the best play of each of terms.rolls, for the mover.

    A turn can lead to four hundred positions. So if KEEP is set, only the pruning net's favourites
    are judged in full, and plays that leave a race or a bearoff, which cost little. A position
    after several rolls is judged once.
    """
    work, terms, met = search.work, search.terms, search.walk.met
    for i in range(len(turns.boards)):
        set_terms(search, turns, i)
        board, settings = turns.boards[i], (terms.settings[CHECKERS], terms.settings[KEEP])
        worths[i] = -np.inf
        first = NONE
        while first < len(terms.rolls):
            found, reached, first = reach(
                search.brain, board, settings, terms.rolls, first, work, met
            )
            score_results(search, board, NONE, turns.states[i, CUBE], turns.states[i, OWNER], found)
            for k in range(reached):
                r = met.rolls[k]
                worths[i, r] = max(worths[i, r], work.scores[met.places[k]])


@kernel
def all_cubes(search, turns, outcomes, worths):
    """Fill outcomes float64[n, 5], rounded, and worths float64[n, 2]: no double; double, take."""
    walk = search.walk
    for i in range(len(turns.boards)):
        set_terms(search, turns, i)
        copy_board(turns.boards[i], walk.boards[0])
        walk.known[0] = -1
        walk.counts[0] = 2
        walk.states[0, 0, CUBE] = turns.states[i, CUBE]
        walk.states[0, 0, OWNER] = turns.states[i, OWNER]
        walk.states[0, 1, CUBE] = 2 * turns.states[i, CUBE]
        walk.states[0, 1, OWNER] = THEIRS
        judge_root(search, NONE)
        for k in range(OUTPUTS):
            outcomes[i, k] = rounded(np.float64(walk.outcomes[0, k]))
        worths[i, 0] = walk.worths[0, 0]
        worths[i, 1] = walk.worths[0, 1]


@kernel
def all_plays(search, turns, dice, results, orders, found):
    """Fill `found`, a Plays; dice are int64[n, 2], results int8[n, 2, 25] of the plays made.

    Scratch: orders int64[keep + 1].
    """
    work = search.work
    for i in range(len(turns.boards)):
        set_terms(search, turns, i)
        board = turns.boards[i]
        cube, owner = turns.states[i, CUBE], turns.states[i, OWNER]
        count = generate_or_dance(board, dice[i, 0], dice[i, 1], work.rolled)
        score_results(search, board, NONE, cube, owner, count)
        listed = put_in_order(count, len(orders) - 1, work, orders)
        made = place_of(results[i], count, work)
        found.made[i] = ABSENT
        for j in range(listed):
            if orders[j] == made:
                found.made[i] = j
        if made != ABSENT and found.made[i] == ABSENT:
            found.made[i] = listed
            orders[listed] = made
            listed += 1
        found.legal[i] = count
        found.counts[i] = listed
        for j in range(listed):
            write_play(orders[j], i, j, search.terms, cube, work, found)


@kernel
def put_in_order(count, keep, work, orders):
    """Fill orders with the best of the `count` plays, best first; return their number, up to keep.

    Ties go to the play with the better cubeless equity, then to the first.
    """
    listed = 0
    for i in range(count):
        place = listed
        while place > 0 and is_better(i, orders[place - 1], work):
            place -= 1
        if place == keep:
            continue
        listed = min(listed + 1, keep)
        for j in range(listed - 1, place, -1):
            orders[j] = orders[j - 1]
        orders[place] = i
    return listed


@kernel
def is_better(one, other, work):
    """Return whether one play is better than the other."""
    if work.scores[one] != work.scores[other]:
        return work.scores[one] > work.scores[other]
    return cubeless(work.outcomes[one]) > cubeless(work.outcomes[other])


@kernel
def cubeless(outcomes):
    """Return the money equity in float64."""
    equity = 2.0 * np.float64(outcomes[0]) - 1.0
    won_more = np.float64(outcomes[1]) + np.float64(outcomes[2])
    return equity + won_more - np.float64(outcomes[3]) - np.float64(outcomes[4])


@kernel
def place_of(result, count, work):
    """Return the index of this result, or ABSENT."""
    for i in range(count):
        same = True
        for place in range(PLACES):
            same &= work.rolled.results[i, 0, place] == result[0, place]
            same &= work.rolled.results[i, 1, place] == result[1, place]
        if same:
            return i
    return ABSENT


@kernel
def write_play(place, i, j, terms, cube, work, found):
    """Write the play at `place` as number j of turn i."""
    worth = work.scores[place]
    zero = emg(0.0, 0, cube, terms.rules, terms.chances)
    slope = emg(1.0, 0, cube, terms.rules, terms.chances) - zero
    found.equities[i, j] = rounded(zero + slope * worth)
    found.worths[i, j] = rounded(worth)
    for k in range(8):
        found.plays[i, j, k] = work.rolled.plays[place, k]
    for k in range(OUTPUTS):
        found.outcomes[i, j, k] = rounded(np.float64(work.outcomes[place, k]))
