"""The choice of results that deserve a full judgement: a cheap guess ranks them first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff.lookup import inside
from sixprime.engine.kernels.bearoff.ranks import HOME
from sixprime.engine.kernels.evaluation import LIKELY, prepare
from sixprime.engine.kernels.inputs import COUNT_ROWS, COUNTS, OFF, SLOTS, any_off, encode, is_race
from sixprime.engine.kernels.inputs import PLACES as INPUT_PLACES
from sixprime.engine.kernels.machine.compiled import kernel, stay_whole
from sixprime.engine.kernels.machine.vectors import TAILS, small_tails
from sixprime.engine.kernels.moves import (
    BAR,
    CAPACITY,
    NONE,
    ONE,
    PLACES,
    TABLE,
    copy_board,
    forget,
    generate_or_dance,
    place_of_key,
)
from sixprime.engine.kernels.network import (
    OUTPUTS,
    POINTS,
    constrain_gammons,
    dense,
    money,
    squash,
    update,
)

NEAR = np.float32(0.16)  # equity below the pruning net's best at which results are dropped
LEAST = 2  # results that stay in any case
FEW = 4  # results, at most, that are all judged
MANY = 20  # results, at most, that are not thinned out by a rough guess

# The rolls of a checker from each home point and the next one, more from further away, and the
# surplus for each other checker there: fitted to the one-sided database of 10 points.
ROLLS = np.array((0.284, 0.370, 0.462, 0.539, 0.633, 0.744, 0.945))
PILED = np.array((0.0275, 0.0172, 0.0122, 0.0085, 0.0087, 0.0085, 0.0045))
PER_PIP = 0.1014
BEHIND = 0.0001  # a little more for stragglers, else plays that run as far would be equal


def _rolls_needed() -> NDArray[np.float64]:
    """Return the rolls needed, float64[place, checkers there]."""
    places, checkers = np.ogrid[:PLACES, :COUNTS]
    point = np.minimum(places, HOME)
    further = places - point
    each = ROLLS[point] + PER_PIP * further + BEHIND * further**2
    return checkers * (each + PILED[point] * (checkers - 1))


NEEDED = _rolls_needed()


class Reached(NamedTuple):
    """The distinct results of several rolls, and the rolls that reach them."""

    boards: NDArray[np.int8]  # [CAPACITY, 2, 25]
    keys: NDArray[np.int64]  # [CAPACITY]
    table: NDArray[np.int16]  # [TABLE], all zero before and after
    rolls: NDArray[np.int64]  # [CAPACITY]: ascending
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


@kernel
def reach(brain, board, settings, rolls, first, work, met):
    """Make the results that deserve a full judgement of rolls `first`, `first` + 1 ...

    Return how many are distinct, now in work.rolled.results; how many of met.rolls and met.places
    are filled; and the roll to go on with, if not all have room. `settings` are (checkers, keep).
    """
    checkers, keep = settings
    found, reached, r = NONE, NONE, first
    while r < len(rolls):
        count = generate_or_dance(board, rolls[r, 0], rolls[r, 1], work.rolled)
        count = rank_results(brain, board, checkers, count, keep, work)
        if reached + count > CAPACITY:
            break
        for k in range(count):
            place = place_of_key(work.rolled.keys[k], found, met.keys, met.table)
            if place == found:
                copy_board(work.rolled.results[k], met.boards[found])
                found += ONE
            met.places[reached] = place
            met.rolls[reached] = r
            reached += ONE
        r += ONE
    for k in range(found):
        copy_board(met.boards[k], work.rolled.results[k])
    forget(found, met.keys, met.table)
    return found, reached, r


@kernel
def rank_results(brain, board, checkers, count, keep, work):
    """Move the results that seem best to the front; return the number to keep.

    It is at most `keep`, if that is not 0, and smaller if the pruning net is sure. Only contact is
    pruned: all results of the other classes, which cost little to judge, come first and stay. With
    a negative `keep` a rough guess is enough: it thins out many results before the pruning net
    ranks them, and races are pruned, too, to as many, by a guess that knows no gammons.
    """
    stay_whole()
    if keep == 0 or count <= FEW:
        return count
    if is_race(board[0], board[1]):
        if keep > 0 or inside(board, HOME):
            return count
        guess_rolls(count, work)
        return best_to_front(0, min(count, -keep), count, work, np.inf)
    races = 0
    for i in range(count):
        if is_race(work.rolled.results[i, 1], work.rolled.results[i, 0]):
            if i > races:
                exchange(work, i, races)
            races += 1
    prepare(brain.pruner, work.pruner, board, checkers)
    if keep < 0 and count - races > MANY:
        count = thin_out(brain.pruner, board, checkers, races, count, work)
    guess_results(brain.pruner, work.pruner, checkers, races, count, work)
    return best_to_front(races, min(count, races + abs(keep)), count, work, NEAR)


@kernel
def best_to_front(first, last, count, work, near):
    """Sort results from `first` on by work.scores up to `last`; return the end.

    The end is earlier if the rest is `near` or more below the best and LEAST are there.
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
def thin_out(net, board, checkers, first, count, work):
    """Leave the LIKELY best results from `first` on for each number of hits; return the new count.

    The guess takes the pruning net as linear in the numbers of checkers, with its slopes at the
    board before the roll: a tenth of the work, and nearly as good. But it misses the worth of a
    hit.
    """
    guesses, results, scores = work.guesses, work.rolled.results, work.scores
    fill_rows(net, work.pruner, guesses)
    guesses.best[:] = -np.inf
    for i in range(first, count):
        hits = results[i, 1, BAR] - board[1, BAR]
        scores[i] = rough_score(guesses.rows, 1, results[i, 0], checkers)
        if hits > 0:
            scores[i] += rough_score(guesses.rows, 0, results[i, 1], checkers)
        insert(guesses.best[hits], scores[i])
    left = first
    for i in range(first, count):
        if scores[i] >= guesses.best[results[i, 1, BAR] - board[1, BAR], LIKELY - 1]:
            if i > left:
                copy_result(work, i, left)
            left += 1
    return left


@kernel
def insert(best, score):
    """Insert a score into the best ones, in descending order, if it is good enough."""
    place = len(best) - 1
    if score <= best[place]:
        return
    while place > 0 and best[place - 1] < score:
        best[place] = best[place - 1]
        place -= 1
    best[place] = score


@kernel
def fill_rows(net, layer, guesses):
    """Fill guesses.rows with the share of each count in the mover's equity, at the board prepared.

    They stay if the board is the same as before.
    """
    same = True
    for i in range(SLOTS):
        same &= layer.old_slots[i] == guesses.board[i]
        guesses.board[i] = layer.old_slots[i]
    if same:
        return
    rows, slopes = guesses.rows, guesses.slopes
    fill_slopes(net, layer, guesses.values[0], slopes)
    for row in range(COUNT_ROWS):
        rows[row] = 0.0
    for j in range(len(slopes)):
        slope = slopes[j]
        if slope != 0.0:
            for row in range(COUNT_ROWS):
                rows[row] += slope * guesses.columns[j, row]


@kernel
def fill_slopes(net, layer, logits, slopes):
    """Fill float32[wide] with the slopes of the mover's equity by the prepared board's sums."""
    dense(layer.old_sums, net.w1[0], net.b1[0], layer.middle)
    dense(layer.middle, net.w2[0], net.b2[0], layer.narrow)
    dense(layer.narrow, net.w3[0], net.b3[0], logits[: net.b3.shape[1]])
    squash(logits, logits)
    for k in range(OUTPUTS):
        logits[k] *= -POINTS[k] * (np.float32(1.0) - logits[k])  # the opponent is on roll
    go_back(net.w3[0], logits, layer.narrow, OUTPUTS)
    go_back(net.w2[0], layer.narrow, layer.middle, len(layer.narrow))
    for j in range(len(slopes)):
        slopes[j] = layer.old_sums[j]
    go_back(net.w1[0], layer.middle, slopes, len(layer.middle))


@kernel
def go_back(weights, slopes, values, width):
    """Replace the values of a layer by the slopes by them; `slopes` belong to the next layer."""
    for i in range(len(values)):
        slope = np.float32(0.0)
        if values[i] > 0.0:
            for k in range(width):
                slope += weights[i, k] * slopes[k]
        values[i] = slope


@kernel
def rough_score(rows, side, counts, checkers):
    """Sum the shares of a side's counts in the mover's equity; side 0 is on roll."""
    first = side * INPUT_PLACES * COUNTS
    left = checkers - counts[BAR]
    even, odd = rows[first + BAR * COUNTS + counts[BAR]], np.float32(0.0)
    for place in range(0, BAR, 2):
        left -= counts[place] + counts[place + 1]
        even += rows[first + place * COUNTS + counts[place]]
        odd += rows[first + (place + 1) * COUNTS + counts[place + 1]]
    return even + odd + rows[first + OFF * COUNTS + left]


@kernel
def guess_rolls(count, work):
    """Fill work.scores of the results of a race with minus the mover's rolls."""
    for i in range(count):
        rolls = 0.0
        for place in range(PLACES):
            rolls += NEEDED[place, work.rolled.results[i, 0, place]]
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
            result = work.rolled.results[start + i]
            encode(result[1], result[0], checkers, slots[i])
        for i in range(count):
            update(net, layer.old_slots, layer.old_sums, slots[i], sums[i])
        tail = (net.w1[0], net.b1[0], net.w2[0], net.b2[0], net.w3[0], net.b3[0])
        small_tails(sums, tail, values)
        for i in range(count):
            constrain_gammons(values[i], any_off(slots[i], 0), any_off(slots[i], 1))
            work.scores[start + i] = -money(values[i])


@kernel
def copy_result(work, i, j):
    """Put a result with its play, key and score in the place of another."""
    copy_board(work.rolled.results[i], work.rolled.results[j])
    for k in range(8):
        work.rolled.plays[j, k] = work.rolled.plays[i, k]
    work.rolled.keys[j] = work.rolled.keys[i]
    work.scores[j] = work.scores[i]


@kernel
def exchange(work, i, j):
    """Exchange two results with their plays, keys and scores."""
    for side in range(2):
        for place in range(PLACES):
            held = work.rolled.results[i, side, place]
            work.rolled.results[i, side, place] = work.rolled.results[j, side, place]
            work.rolled.results[j, side, place] = held
    for k in range(8):
        step = work.rolled.plays[i, k]
        work.rolled.plays[i, k] = work.rolled.plays[j, k]
        work.rolled.plays[j, k] = step
    key = work.rolled.keys[i]
    work.rolled.keys[i] = work.rolled.keys[j]
    work.rolled.keys[j] = key
    score = work.scores[i]
    work.scores[i] = work.scores[j]
    work.scores[j] = score
