"""The figures that people may see in a roll's plays: kernels that fill the inputs of the choice.

Each play gets a row: its loss and chances beside the best play's, sights of the board after it and
their difference from before, and its steps. Each decision gets a row that its plays share. Boards
are int8[2, 25] as the mover sees them. Sets of points are bits, bit 0 the ace point of their owner;
`turned` shows them from the other side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.machine.compiled import kernel

POINTS, BAR = 24, 24
LOSSES, CHANCES, SIGHTS, STEPS, CHECKERS = 16, 5, 18, 20, 3
FIRST_CHANCE = LOSSES
FIRST_SIGHT = FIRST_CHANCE + CHANCES
FIRST_STEP = FIRST_SIGHT + 2 * SIGHTS  # after the play, and the difference from before
FIRST_MINE = FIRST_STEP + STEPS
FIRST_CHANGE = FIRST_MINE + CHECKERS * POINTS
FIRST_THEIRS = FIRST_CHANGE + CHECKERS * POINTS
FIRST_OFF = FIRST_THEIRS + CHECKERS * POINTS
FIGURES = FIRST_OFF + 6
CONTEXT = 36
HIGH, LOW, PR, AWAY, THEIR_AWAY, MONEY, CUBE, OWNER, CRAWFORD, MEN = range(10)  # of `facts`
FACTS = 10
HOME, OUTER, THEIR_OUTER, THEIR_HOME = (np.uint64(63 << shift) for shift in (0, 6, 12, 18))
ONE, NONE = np.uint64(1), np.uint64(0)
ROLLS = np.array([(a, b, 1 + (a > b)) for a in range(1, 7) for b in range(1, a + 1)], np.uint64)


class PlayRows(NamedTuple):
    """Decisions one after the other; the plays of decision i are offsets[i] to offsets[i + 1]."""

    boards: NDArray[np.int8]  # [decisions, 2, 25]
    facts: NDArray[np.float64]  # [decisions, FACTS]
    offsets: NDArray[np.int64]  # [decisions + 1]
    results: NDArray[np.int8]  # [plays, 2, 25]
    equities: NDArray[np.float64]  # [plays]
    outcomes: NDArray[np.float64]  # [plays, 5]
    rolls: NDArray[np.uint64]  # ROLLS
    sights: NDArray[np.float32]  # [SIGHTS], scratch


@kernel
def see_spots(spots, figures, contexts):
    """Fill float32[plays, FIGURES] and float32[decisions, CONTEXT]."""
    for i in range(len(spots.boards)):
        first, end = spots.offsets[i], spots.offsets[i + 1]
        board, facts = spots.boards[i], spots.facts[i]
        see_decision(board, facts, end - first, contexts[i])
        see_losses(spots, first, end, facts[PR], figures)
        see_board(board[0], board[1], spots.rolls, spots.sights)
        for play in range(first, end):
            row, result = figures[play], spots.results[play]
            see_board(result[0], result[1], spots.rolls, row[FIRST_SIGHT:FIRST_STEP])
            for k in range(SIGHTS):
                row[FIRST_SIGHT + SIGHTS + k] = row[FIRST_SIGHT + k] - spots.sights[k]
            see_steps(board, result, facts, row[FIRST_STEP:FIRST_MINE])
            see_checkers(board, result, facts[MEN], row)


@kernel
def see_decision(board, facts, plays, out):
    """Fill the figures that all plays of a decision share."""
    out[:] = 0.0
    out[int(facts[HIGH]) - 1] = 1.0
    out[int(facts[LOW]) + 5] = 1.0
    out[12] = facts[HIGH] == facts[LOW]
    pips, their_pips, rear, their_rear = 0, 0, 0, 0
    for place in range(BAR + 1):
        pips += (place + 1) * board[0, place]
        their_pips += (place + 1) * board[1, place]
        rear = place if board[0, place] > 0 else rear
        their_rear = place if board[1, place] > 0 else their_rear
    out[13], out[14], out[15] = pips / 100.0, their_pips / 100.0, (pips - their_pips) / 50.0
    out[16] = np.log(plays) / 2.0
    race = rear + their_rear < POINTS - 1
    out[17], out[18] = race, race and rear < 6
    away, their_away, cube = facts[AWAY], facts[THEIR_AWAY], facts[CUBE]
    out[19] = facts[MONEY]
    out[20], out[21] = min(away, 9.0) / 5.0, min(their_away, 9.0) / 5.0
    out[22], out[23] = away == 1.0, their_away == 1.0
    out[24], out[25] = away == 2.0, their_away == 2.0
    out[26] = np.log2(cube) / 2.0
    out[27], out[28] = facts[OWNER] > 0.0, facts[OWNER] < 0.0
    out[29] = facts[MONEY] == 0.0 and cube >= away
    out[30] = facts[CRAWFORD]
    pr = facts[PR]
    out[31], out[32] = pr / 10.0, np.log(pr / 7.0)
    out[33], out[34] = max(4.5 - pr, 0.0), max(pr - 11.0, 0.0) / 5.0
    out[35] = board[0, BAR]


@kernel
def see_losses(spots, first, end, pr, figures):
    """Fill the loss of each play, as it is and by the size of this player's errors."""
    best = first
    for play in range(first, end):
        if is_better(spots, play, best):
            best = play
    top = spots.equities[best]
    second = 1.0
    for play in range(first, end):
        if play != best:
            second = min(second, top - spots.equities[play])
    size = 0.003 * pr + 0.004  # of errors, about; EMG
    for play in range(first, end):
        row, loss = figures[play], top - spots.equities[play]
        better = 0
        for other in range(first, end):
            better += spots.equities[other] > spots.equities[play]
        row[0] = min(loss, 2.0)
        row[1] = 2.0 * np.sqrt(loss)
        row[2] = min(loss, 0.01) * 100.0
        row[3] = min(loss, 0.03) * 33.0
        row[4] = min(loss, 0.08) * 12.5
        row[5] = min(loss, 0.2) * 5.0
        row[6] = better == 0
        row[7] = np.log(1.0 + better)
        row[8] = min(second, 0.1) * 10.0 if loss == 0.0 else 0.0
        row[9] = np.log(loss + 0.003) + 4.0
        row[10] = min(loss / size, 20.0) / 4.0
        row[11] = np.sqrt(min(loss / size, 40.0)) / 2.0
        row[12] = min(loss / size, 1.0)
        row[13] = min(loss / size, 3.0) / 2.0
        row[14] = min(loss * 100.0, 5.0) / pr
        row[15] = loss * pr / 4.0
        for k in range(CHANCES):
            row[FIRST_CHANCE + k] = 8.0 * (spots.outcomes[play, k] - spots.outcomes[best, k])


@kernel
def is_better(spots, play, other):
    """Compare equities, then chances, so that no order of equal plays matters."""
    if spots.equities[play] != spots.equities[other]:
        return spots.equities[play] > spots.equities[other]
    for k in range(CHANCES):
        if spots.outcomes[play, k] != spots.outcomes[other, k]:
            return spots.outcomes[play, k] > spots.outcomes[other, k]
    return False


@kernel
def see_board(mine, theirs, rolls, out):
    """Fill SIGHTS figures of a board after a move: shots, blots, points, primes and stacks."""
    own, own_points = points_with(mine, 1), points_with(mine, 2)
    their, their_points = points_with(theirs, 1), points_with(theirs, 2)
    blots, blocks = own & ~own_points, turned(own_points)
    hit, worth = shots(their, theirs[BAR], turned(blots), blocks, rolls)
    out[0], out[1] = hit / 36.0, worth / 432.0
    hit, worth = shots(own, mine[BAR], turned(their & ~their_points), turned(their_points), rolls)
    out[2], out[3] = hit / 36.0, worth / 432.0
    out[4] = how_many(own_points & HOME)
    out[5], out[6] = how_many(blots & HOME), how_many(blots & OUTER)
    out[7], out[8] = how_many(blots & THEIR_OUTER), how_many(blots & THEIR_HOME)
    out[9] = longest(own_points)
    out[10] = how_many(own_points & THEIR_HOME)
    rear, their_rear = rearmost(own, mine[BAR]), rearmost(their, theirs[BAR])
    out[11] = rear / 12.0
    out[12] = how_many(before(blocks, their_rear))
    out[13] = how_many(before(turned(their_points), rear))
    tallest, spare, gaps, last, builders = 0, 0, 0, -1, 0
    for point in range(POINTS):
        count = mine[point]
        if count == 0:
            continue
        tallest = max(tallest, count)
        spare += max(count - 3, 0)
        if last >= 0:
            gaps += max(point - last - 6, 0)
        last = point
        builders += 4 <= point < 15 and count != 2
    out[14], out[15], out[16] = tallest / 3.0, spare / 3.0, gaps / 6.0
    out[17] = builders / 3.0


@kernel
def see_steps(board, result, facts, out):
    """Fill STEPS figures of a play: hits, points made and broken, checkers moved."""
    out[:] = 0.0
    mine, theirs, old = result[0], result[1], board[0]
    for point in range(POINTS):
        if board[1, point] == 0 or theirs[point] > 0:
            continue
        place = POINTS - 1 - point
        out[0] += 1.0
        if place < 6:
            out[1] += 1.0
            out[2] += mine[place] >= 2  # pointed on
            out[3] += mine[place] == 1  # hit loose
        else:
            out[2 + place // 6 + 1] += 1.0
        out[7] += (POINTS - point) / 24.0
    left, arrived, places_left, places_reached, pips = 0, 0, 0, 0, 0
    for place in range(BAR + 1):
        change = mine[place] - old[place]
        pips -= (place + 1) * change
        if change < 0:
            left -= change
            places_left += 1
            out[8] -= change if place >= 18 else 0.0
            out[9] += old[place] == 2 and mine[place] == 1
            out[10] += old[place] >= 2 and mine[place] == 0
        elif change > 0:
            arrived += change
            places_reached += 1
            out[11] += old[place] == 1
            out[12] += old[place] == 0 and mine[place] >= 2
            out[13] += change if place < 2 else 0.0
    out[14] = left == 1
    out[15], out[16], out[17] = left / 2.0, places_left / 2.0, places_reached / 2.0
    out[18] = left - arrived  # borne off
    doublet = facts[HIGH] == facts[LOW]
    out[19] = pips / ((4.0 if doublet else 2.0) * (facts[HIGH] + facts[LOW]) / 2.0)


@kernel
def see_checkers(board, result, men, row):
    """Fill where both sides stand after a play, and where the mover no longer or newly stands."""
    mine, theirs, old = result[0], result[1], board[0]
    off, their_off = men, men
    for point in range(POINTS):
        for k in range(CHECKERS):
            place = CHECKERS * point + k
            stands, stood = int(mine[point] > k), int(old[point] > k)
            row[FIRST_MINE + place] = stands
            row[FIRST_CHANGE + place] = stands - stood
            row[FIRST_THEIRS + place] = theirs[point] > k
        off -= mine[point]
        their_off -= theirs[point]
    off -= mine[BAR]
    their_off -= theirs[BAR]
    row[FIRST_OFF], row[FIRST_OFF + 1] = mine[BAR], off / 5.0
    row[FIRST_OFF + 2] = off == men
    row[FIRST_OFF + 3], row[FIRST_OFF + 4] = theirs[BAR], theirs[BAR] > 1
    row[FIRST_OFF + 5] = their_off / 5.0


# -- sets of points


@kernel
def points_with(side, least):
    """Return the points of a side with at least so many checkers."""
    points = NONE
    for point in range(POINTS):
        if side[point] >= least:
            points |= ONE << np.uint64(point)
    return points


@kernel
def turned(points):
    """Return points as the other side numbers them."""
    seen = NONE
    for point in range(POINTS):
        if (points >> np.uint64(point)) & ONE != NONE:
            seen |= ONE << np.uint64(POINTS - 1 - point)
    return seen


@kernel
def how_many(points):
    count = 0
    while points != NONE:
        points &= points - ONE
        count += 1
    return count


@kernel
def highest(points):
    """Return the place of the last point; -1 without any."""
    place = -1
    while points != NONE:
        points >>= ONE
        place += 1
    return place


@kernel
def rearmost(points, bar):
    return BAR if bar > 0 else highest(points)


@kernel
def before(points, place):
    """Return the points one to six pips before a place."""
    if place <= 0:
        return NONE
    reached = (ONE << np.uint64(place)) - ONE
    if place > 6:
        reached &= ~((ONE << np.uint64(place - 6)) - ONE)
    return points & reached


@kernel
def longest(points):
    """Return the length of the longest prime."""
    length = 0
    while points != NONE:
        points &= points >> ONE
        length += 1
    return length


@kernel
def shots(hitters, bar, blots, blocks, rolls):
    """Return how many of 36 rolls hit, and the sum of the pips that the worst hits cost.

    All points are in the hitter's numbering. With several checkers on the bar only entering hits.
    """
    count, cost = 0, 0
    for k in range(len(rolls)):
        high, low, weight = rolls[k, 0], rolls[k, 1], rolls[k, 2]
        hit = NONE
        if bar > 0:
            hit |= entering(hitters, bar, blots, blocks, high, low)
            hit |= entering(hitters, bar, blots, blocks, low, high)
        elif high == low:
            reached = hitters
            for _ in range(4):
                reached >>= high
                hit |= reached & blots
                reached &= ~blocks
        else:
            far, near = hitters >> high, hitters >> low
            hit |= (far | near) & blots
            hit |= (((far & ~blocks) >> low) | ((near & ~blocks) >> high)) & blots
        if hit != NONE:
            count += int(weight)
            cost += int(weight) * (highest(hit) + 1)
    return count, cost


@kernel
def entering(hitters, bar, blots, blocks, die, other):
    """Return the blots that are hit if `die` enters a checker, and `other` moves one."""
    entry = ONE << (np.uint64(POINTS) - die)
    if entry & blocks != NONE:
        return NONE
    hit = entry & blots
    if bar == 1:
        hit |= ((hitters | entry) >> other) & blots
    return hit
