"""Which results of a roll are worth a full judgement: a cheap guess ranks them first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff.lookup import inside
from sixprime.engine.kernels.bearoff.ranks import HOME
from sixprime.engine.kernels.evaluation import prepare
from sixprime.engine.kernels.inputs import COUNTS, any_off, encode, is_race
from sixprime.engine.kernels.machine.compiled import kernel
from sixprime.engine.kernels.machine.vectors import TAILS, small_tails
from sixprime.engine.kernels.moves import PLACES
from sixprime.engine.kernels.network import constrain_gammons, money, update

NEAR = np.float32(0.16)  # results this much worse than the pruning net's best are dropped
LEAST = 2  # but at least this many stay
FEW = 4  # up to this many results are all judged

# How many rolls a checker needs from each home point and the next one, more from further away, and
# how many more for each other one there: fitted to the one-sided database of 10 points.
ROLLS = np.array((0.284, 0.370, 0.462, 0.539, 0.633, 0.744, 0.945))
PILED = np.array((0.0275, 0.0172, 0.0122, 0.0085, 0.0087, 0.0085, 0.0045))
PER_PIP = 0.1014
BEHIND = 0.0001  # a little more for stragglers, or plays that run as far would be equal


def _rolls_needed() -> NDArray[np.float64]:
    """float64[place, checkers there]: the rolls they need."""
    places, checkers = np.ogrid[:PLACES, :COUNTS]
    point = np.minimum(places, HOME)
    further = places - point
    each = ROLLS[point] + PER_PIP * further + BEHIND * further**2
    return checkers * (each + PILED[point] * (checkers - 1))


NEEDED = _rolls_needed()


@kernel
def rank_results(brain, board, checkers, count, keep, work):
    """Move the results that seem best to the front; returns how many to keep.

    At most `keep`, if that is not 0, and fewer if the pruning net is sure. Only contact is pruned:
    all results of the other classes, which cost little to judge, come first and stay. With a
    negative `keep` races are pruned as well, to as many, by a guess that knows no gammons.
    """
    if keep == 0 or count <= FEW:
        return count
    if is_race(board[0], board[1]):
        if keep > 0 or inside(board, HOME):
            return count
        guess_rolls(count, work)
        return best_to_front(0, min(count, -keep), count, work, np.inf)
    races = 0
    for i in range(count):
        if is_race(work.room.results[i, 1], work.room.results[i, 0]):
            if i > races:
                exchange(work, i, races)
            races += 1
    prepare(brain.pruner, work.pruner, board, checkers)
    guess_results(brain.pruner, work.pruner, checkers, races, count, work)
    return best_to_front(races, min(count, races + abs(keep)), count, work, NEAR)


@kernel
def best_to_front(first, last, count, work, near):
    """Sort results from `first` on by work.scores up to `last`; returns where to end.

    That is earlier if the rest is `near` or more below the best and LEAST are there.
    """
    for place in range(first, last):  # selection sort: few are kept
        best = place
        for i in range(place + 1, count):
            if work.scores[i] > work.scores[best]:
                best = i
        if place >= first + LEAST and work.scores[best] < work.scores[first] - near:
            return place
        if best != place:
            exchange(work, place, best)
    return last


@kernel
def guess_rolls(count, work):
    """Fill work.scores of the results of a race with minus the rolls that the mover needs."""
    for i in range(count):
        rolls = 0.0
        for place in range(PLACES):
            rolls += NEEDED[place, work.room.results[i, 0, place]]
        work.scores[i] = -rolls


@kernel
def guess_results(net, layer, checkers, first, last, work):
    """Fill work.scores of results first:last by the pruning net, after `prepare`.

    The net is small, and as it only ranks results, its figures need not be exact.
    """
    slots, sums, values = work.guesses.slots, work.guesses.sums, work.guesses.values
    for start in range(first, last, TAILS):
        count = min(TAILS, last - start)
        for i in range(count):
            result = work.room.results[start + i]
            encode(result[1], result[0], checkers, slots[i])
        for i in range(count):
            update(net, layer.old_slots, layer.old_sums, slots[i], sums[i])
        tail = (net.w1[0], net.b1[0], net.w2[0], net.b2[0], net.w3[0], net.b3[0])
        small_tails(sums, tail, values)
        for i in range(count):
            constrain_gammons(values[i], any_off(slots[i], 0), any_off(slots[i], 1))
            work.scores[start + i] = -money(values[i])


@kernel
def exchange(work, i, j):
    """Exchange two results with their plays, keys and scores."""
    for side in range(2):
        for place in range(PLACES):
            held = work.room.results[i, side, place]
            work.room.results[i, side, place] = work.room.results[j, side, place]
            work.room.results[j, side, place] = held
    for k in range(8):
        step = work.room.plays[i, k]
        work.room.plays[i, k] = work.room.plays[j, k]
        work.room.plays[j, k] = step
    key = work.room.keys[i]
    work.room.keys[i] = work.room.keys[j]
    work.room.keys[j] = key
    score = work.scores[i]
    work.scores[i] = work.scores[j]
    work.scores[j] = score
