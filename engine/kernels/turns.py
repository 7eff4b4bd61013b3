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
    CAPACITY,
    NONE,
    PLACES,
    TABLE,
    copy_board,
    forget,
    generate_or_dance,
    place_of_key,
)
from sixprime.engine.kernels.network import OUTPUTS
from sixprime.engine.kernels.pruning import rank_results
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


class Reached(NamedTuple):
    """The distinct positions after the rolls of a turn, and the rolls that reach them."""

    boards: NDArray[np.int8]  # [CAPACITY, 2, 25]
    keys: NDArray[np.int64]  # [CAPACITY]
    table: NDArray[np.int16]  # [TABLE], all zero before and after
    rolls: NDArray[np.int64]  # [CAPACITY]
    places: NDArray[np.int64]  # [CAPACITY]: the board that it reaches


def reached_boards() -> Reached:
    """Return scratch for one thread."""
    return Reached(
        np.zeros((CAPACITY, 2, PLACES), np.int8),
        np.zeros(CAPACITY, np.int64),
        np.zeros(TABLE, np.int16),
        np.zeros(CAPACITY, np.int64),
        np.zeros(CAPACITY, np.int64),
    )


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
def all_roll_worths(search, turns, met, worths):
    """Fill worths float64[n, rolls] of the best play of each of terms.rolls, for the mover.

    A turn can lead to four hundred positions. So if KEEP is set, only the pruning net's favourites
    are judged in full, and plays that leave a race or a bearoff, which cost little. A position
    after several rolls is judged once. Scratch: `met`, a Reached.
    """
    work, terms = search.work, search.terms
    for i in range(len(turns.boards)):
        set_terms(search, turns, i)
        board, checkers, keep = turns.boards[i], terms.settings[CHECKERS], terms.settings[KEEP]
        found, reached = NONE, 0
        for r in range(len(terms.rolls)):
            worths[i, r] = -np.inf
            count = generate_or_dance(board, terms.rolls[r, 0], terms.rolls[r, 1], work.rolled)
            count = rank_results(search.brain, board, checkers, count, keep, work)
            if reached + count > CAPACITY:
                score_met(search, turns, i, found, reached, met, worths[i])
                found, reached = NONE, 0
            for k in range(count):
                place = place_of_key(work.rolled.keys[k], found, met.keys, met.table)
                if place == found:
                    copy_board(work.rolled.results[k], met.boards[found])
                    found += 1
                met.places[reached] = place
                met.rolls[reached] = r
                reached += 1
        score_met(search, turns, i, found, reached, met, worths[i])


@kernel
def score_met(search, turns, i, found, reached, met, worths):
    """Raise the worths of the rolls of turn i that reach the positions met; clear the positions."""
    work = search.work
    for k in range(found):
        copy_board(met.boards[k], work.rolled.results[k])
    cube, owner = turns.states[i, CUBE], turns.states[i, OWNER]
    score_results(search, turns.boards[i], NONE, cube, owner, found)
    for k in range(reached):
        r = met.rolls[k]
        worths[r] = max(worths[r], work.scores[met.places[k]])
    forget(found, met.keys, met.table)


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
