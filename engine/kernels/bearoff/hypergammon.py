"""Hypergammon databases: chances and money equities of every pair of sides with 1 to 3 checkers.

Sides keep being hit, so no order can fill a table: every pair is averaged over its rolls again and
again until nothing changes. Rows are taken by rank, and new figures count at once.

`gains[x, y]` float32[13] belongs to a player who has just moved to side x, with the opponent y to
roll. From CHANCE on come five chances; from EQUITY on four money equities, each the complement of
y's equity, doubling included; at WORTH the cubeless equity that compares chances; from DANCED on
the equities after a dance. Equities are of holding the cube: mine, centred, centred with the Jacoby
rule, the opponent's.

So few checkers make at most one block. For every side and roll the plays are therefore listed once
for each place where a block may stand (24: nowhere). A play is the side it makes, and a bit set of
the points it lands on: the opponent's blots that it hits follow from both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff.ranks import HOME, counts_of, next_tops, rank_of
from sixprime.engine.kernels.machine.compiled import array_kernel, kernel

PLACES = 25
BAR = 24
FAR = 18  # the first place in the other's home
MOST = 3  # checkers a side
NOWHERE = 24  # no block
ROLLS = 21
CHANCE, EQUITY, WORTH, DANCED, FIGURES = 0, 5, 9, 10, 13
ENTRY = 28  # bytes of a pair in the file
CAPACITY = 256  # plays of a roll, equal ones included: 3 * 3 * 3 * 3 at most
SCALE = np.float32(16777215)
SIXTH = np.float32(1) / np.float32(6)
PART = np.float32(1) / np.float32(36)
ONE, TWO, HALF = np.float32(1), np.float32(2), np.float32(0.5)
LEAST = np.float32(-9)


class Sides(NamedTuple):
    """Facts about every side, by rank."""

    counts: NDArray[np.int64]  # [n, 25]
    block: NDArray[np.int64]  # the place of its block as the other sees it, or NOWHERE
    blots: NDArray[np.uint32]  # [n, 3]: places of its blots as the other sees them; BAR: none
    hit: NDArray[np.int32]  # [n, 8]: its rank after hits on the blots in the bits
    points: NDArray[np.uint32]  # bits of its points, as it sees them
    facing: NDArray[np.uint32]  # bits of its points, as the other sees them


class SidePlays(NamedTuple):
    """The plays of every side, block and roll."""

    starts: NDArray[np.int32]  # [n, 25, 21]
    ends: NDArray[np.int32]
    makes: NDArray[np.int32]  # the side made
    lands: NDArray[np.uint32]  # the points landed on


@array_kernel
def fill_sides(binomials, checkers, sides):
    """Fill Sides for every rank."""
    tops = np.zeros(PLACES, dtype=np.int64)
    other = np.zeros(PLACES, dtype=np.int64)
    for k in range(PLACES):
        tops[k] = PLACES - 1 - k
    for rank in range(len(sides.counts)):
        counts = sides.counts[rank]
        counts_of(tops, PLACES, counts)
        next_tops(tops, PLACES)
        sides.block[rank] = NOWHERE
        sides.blots[rank, :] = BAR
        found = 0
        for place in range(BAR):
            if counts[place] > 0:
                sides.points[rank] |= np.uint32(1 << place)
                sides.facing[rank] |= np.uint32(1 << (23 - place))
            if counts[place] > 1:
                sides.block[rank] = 23 - place
            elif counts[place] == 1:
                sides.blots[rank, found] = 23 - place
                found += 1
        for which in range(1 << MOST):
            other[:] = counts
            for k in range(MOST):
                blot = np.int64(sides.blots[rank, k])
                if which >> k & 1 and blot != BAR:
                    other[23 - blot] -= 1
                    other[BAR] += 1
            sides.hit[rank, which] = rank_of(other, PLACES, binomials)


@kernel
def rear_of(counts):
    """Return the highest occupied place, -1 if none."""
    for place in range(BAR, -1, -1):
        if counts[place] > 0:
            return place
    return -1


@kernel
def steps_on(counts, die, block, place, rear):
    """Return whether a checker on `place` may move by `die`."""
    if counts[place] == 0 or (rear == BAR and place != BAR):
        return False
    target = place - die
    if target >= 0:
        return target != block
    return rear < HOME and (target == -1 or place == rear)


@array_kernel
def walk(counts, dice, block, binomials, makes, lands, found):
    """Add the longest plays of `dice`, in this order; return their number and length.

    Rear checkers first; equal dice are played from the rear forwards only.
    """
    depth = 0
    longest = 0
    began = found
    many = len(dice)
    at = np.full(5, BAR, dtype=np.int64)
    start = np.zeros(5, dtype=np.int64)
    moved = np.zeros(5, dtype=np.bool_)
    land = np.zeros(5, dtype=np.uint32)
    while True:
        place = -1
        if depth < many:
            rear = rear_of(counts)
            place = min(at[depth], rear)
            while place >= 0 and not steps_on(counts, dice[depth], block, place, rear):
                place -= 1
        if place >= 0:
            moved[depth] = True
            at[depth] = place - 1
            start[depth] = place
            target = place - dice[depth]
            counts[place] -= 1
            land[depth + 1] = land[depth]
            if target >= 0:
                counts[target] += 1
                land[depth + 1] |= np.uint32(1 << target)
            depth += 1
            at[depth] = place if many == 4 else BAR
            moved[depth] = False
            continue
        if not moved[depth] and depth >= max(longest, 1):
            if depth > longest:
                found = began
                longest = depth
            makes[found] = rank_of(counts, PLACES, binomials)
            lands[found] = land[depth]
            found += 1
        if depth == 0:
            return found, longest
        depth -= 1
        counts[start[depth]] += 1
        target = start[depth] - dice[depth]
        if target >= 0:
            counts[target] -= 1


@array_kernel
def plays_of(counts, high, low, block, binomials, makes, lands):
    """Write the plays of a roll against one block; return their number, 0 for a dance."""
    if high == low:
        found, _ = walk(counts, np.array([high] * 4), block, binomials, makes, lands, 0)
        return found
    found, longest = walk(counts, np.array([high, low]), block, binomials, makes, lands, 0)
    more, other = walk(counts, np.array([low, high]), block, binomials, makes, lands, found)
    if other == longest == 2:
        return more
    if longest >= other:  # if only one die can be played, the larger one
        return found
    for i in range(found, more):
        makes[i - found] = makes[i]
        lands[i - found] = lands[i]
    return more - found


@array_kernel
def distinct(makes, lands, found):
    """Drop equal plays, in their order; return the number left."""
    kept = 0
    for i in range(found):
        fresh = True
        for j in range(kept):
            if makes[j] == makes[i] and lands[j] == lands[i]:
                fresh = False
        if fresh:
            makes[kept] = makes[i]
            lands[kept] = lands[i]
            kept += 1
    return kept


@array_kernel
def all_plays(sides, binomials, plays, makes, lands):
    """Fill SidePlays; return the number of plays.

    A block where no checker could land changes nothing, and has the plays of no block.
    """
    at = 0
    some_makes = np.zeros(CAPACITY, dtype=np.int32)
    some_lands = np.zeros(CAPACITY, dtype=np.uint32)
    for side in range(1, len(sides.counts)):
        counts = sides.counts[side].copy()
        roll = 0
        for high in range(1, 7):
            for low in range(1, high + 1):
                for block in range(NOWHERE, -1, -1):
                    if block != NOWHERE and not reaches(counts, high, low, block):
                        plays.starts[side, block, roll] = plays.starts[side, NOWHERE, roll]
                        plays.ends[side, block, roll] = plays.ends[side, NOWHERE, roll]
                        continue
                    found = plays_of(counts, high, low, block, binomials, some_makes, some_lands)
                    if found == 0:
                        some_makes[0] = side
                        some_lands[0] = 0
                        found = 1
                    found = distinct(some_makes, some_lands, found)
                    plays.starts[side, block, roll] = at
                    plays.ends[side, block, roll] = at + found
                    makes[at : at + found] = some_makes[:found]
                    lands[at : at + found] = some_lands[:found]
                    at += found
                roll += 1
    return at


@kernel
def reaches(counts, high, low, block):
    """Return whether some checker, played alone, could land on the place of the block."""
    for place in range(PLACES):
        way = place - block
        if counts[place] == 0 or way <= 0:
            continue
        if way == high or way == low or way == high + low:
            return True
        if high == low and (way == 3 * high or way == 4 * high):
            return True
    return False


@kernel
def with_right(hold, taken):
    """Return the equity with the right to double; `taken` is the equity after a take."""
    twice = TWO * taken
    if twice >= hold and hold <= ONE:
        return min(twice, ONE)
    return hold


@kernel
def complement(figures, gain):
    """Fill a gain from the figures of the player on roll."""
    gain[CHANCE] = ONE - figures[CHANCE]
    gain[CHANCE + 1] = figures[CHANCE + 3]
    gain[CHANCE + 2] = figures[CHANCE + 4]
    gain[CHANCE + 3] = figures[CHANCE + 1]
    gain[CHANCE + 4] = figures[CHANCE + 2]
    owned = figures[EQUITY]
    against = figures[EQUITY + 3]
    gain[EQUITY] = -against
    gain[EQUITY + 1] = -with_right(figures[EQUITY + 1], against)
    gain[EQUITY + 2] = -with_right(figures[EQUITY + 2], against)
    gain[EQUITY + 3] = -with_right(owned, against)
    gain[WORTH] = -figures[WORTH]
    gain[DANCED] = -owned
    gain[DANCED + 1] = -figures[EQUITY + 1]
    gain[DANCED + 2] = -figures[EQUITY + 2]


@kernel
def changed(figures, gain):
    """Return the largest difference between new figures and the figures behind a gain."""
    most = abs(gain[WORTH] + figures[WORTH])
    most = max(most, abs(gain[EQUITY] + figures[EQUITY + 3]))
    most = max(most, abs(ONE - gain[CHANCE] - figures[CHANCE]))
    for k in range(1, 3):
        most = max(most, abs(gain[CHANCE + k] - figures[CHANCE + 2 + k]))
        most = max(most, abs(gain[CHANCE + 2 + k] - figures[CHANCE + k]))
    for k in range(3):
        most = max(most, abs(gain[DANCED + k] + figures[EQUITY + k]))
    return most


@kernel
def store(figures, out):
    """Write nine figures in the file's form: three bytes each, the low one first."""
    for k in range(9):
        share = figures[k]
        if k >= EQUITY:
            share = share * SIXTH + HALF
        word = np.int64(share * SCALE)
        out[3 * k] = word & 255
        out[3 * k + 1] = word >> 8 & 255
        out[3 * k + 2] = word >> 16
    out[27] = 0


@kernel
def is_over(sides, mine, theirs, checkers, figures):
    """Fill the figures of a finished game; return False if it goes on."""
    if mine > 0 and theirs > 0:
        return False
    figures[:] = np.float32(0)
    loser = sides.counts[theirs if mine == 0 else mine]
    left = 0
    far = 0
    for place in range(PLACES):
        left += loser[place]
        if place >= FAR:
            far += loser[place]
    points = 1
    if left == checkers:
        points = 3 if far > 0 else 2
    if theirs == 0:  # and so if neither has any
        for k in range(1, points):
            figures[CHANCE + 2 + k] = ONE
        points = -points
    else:
        for k in range(points):
            figures[CHANCE + k] = ONE
    for k in range(EQUITY, WORTH + 1):
        figures[k] = np.float32(points)
    figures[EQUITY + 2] = np.float32(1 if points > 0 else -1)
    return True


@array_kernel
def fill_first(sides, checkers, gains, words):
    """Fill finished games with their results, and every other as a sure gammon."""
    figures = np.zeros(WORTH + 1, dtype=np.float32)
    n = len(sides.counts)
    for mine in range(n):
        for theirs in range(n):
            if not is_over(sides, mine, theirs, checkers, figures):
                figures[:] = np.float32(0)
                if sides.points[mine] & sides.facing[theirs] == 0:
                    figures[CHANCE] = ONE
                    figures[CHANCE + 1] = ONE
                    figures[WORTH] = TWO
            complement(figures, gains[theirs, mine])
            if sides.points[mine] & sides.facing[theirs] != 0:
                figures[:] = np.float32(0)
            store(figures, words[mine, theirs])


@kernel
def is_new(plays, blots, start, i):
    """Return whether no play from `start` to before `i` has this result against these blots."""
    for j in range(start, i):
        if plays.makes[j] == plays.makes[i]:
            if plays.lands[j] & blots == plays.lands[i] & blots:
                return False
    return True


@kernel
def average(sides, plays, gains, mine, theirs, figures):
    """Average the figures of a pair over the pairs that may follow."""
    figures[:] = np.float32(0)
    block = sides.block[theirs]
    first, second, third = sides.blots[theirs, 0], sides.blots[theirs, 1], sides.blots[theirs, 2]
    hit = sides.hit[theirs]
    blots = sides.facing[theirs]
    starts, ends = plays.starts[mine, block], plays.ends[mine, block]
    one, two = np.uint32(1), np.uint32(2)
    roll = 0
    for high in range(1, 7):
        for low in range(1, high + 1):
            best = LEAST
            make = 0
            other = 0
            owned, centred, jacoby, against = LEAST, LEAST, LEAST, LEAST
            for i in range(starts[roll], ends[roll]):
                land = plays.lands[i]
                which = (land >> first & one) | (land >> second & one) << one
                which |= (land >> third & one) << two
                x = plays.makes[i]
                y = hit[which]
                gain = gains[x, y]
                worth = gain[WORTH]
                if worth > best or (worth == best and is_new(plays, blots, starts[roll], i)):
                    best = worth
                    make = x
                    other = y
                owned = max(owned, gain[EQUITY])
                centred = max(centred, gain[EQUITY + 1])
                jacoby = max(jacoby, gain[EQUITY + 2])
                against = max(against, gain[EQUITY + 3])
            if make == mine:  # a dance: makehyper does not change sides here, and so neither do we
                gain = gains[mine, theirs]
                owned, centred = gain[DANCED], gain[DANCED + 1]
                jacoby, against = gain[DANCED + 2], gain[EQUITY]
            times = ONE if high == low else TWO
            for k in range(5):
                figures[k] += times * gains[make, other, k]
            figures[WORTH] += times * best
            figures[EQUITY] += times * owned
            figures[EQUITY + 1] += times * centred
            figures[EQUITY + 2] += times * jacoby
            figures[EQUITY + 3] += times * against
            roll += 1
    for k in range(WORTH + 1):
        figures[k] *= PART


@kernel
def looks_back(sides, theirs, mine):
    """Return whether hits can turn the opponent's side into mine, so that a row needs itself."""
    for which in range(1 << MOST):
        if sides.hit[theirs, which] == mine:
            return True
    return False


@kernel
def goes_on(sides, mine, theirs):
    """Return whether two sides are a possible position of a game that is not over."""
    return mine > 0 and theirs > 0 and sides.points[mine] & sides.facing[theirs] == 0


@kernel
def prepare_row(sides, plays, gains, mine, low, high, row):
    """Average the figures of a row that do not depend on the row itself; for several threads."""
    for theirs in range(low, high):
        if goes_on(sides, mine, theirs) and not looks_back(sides, theirs, mine):
            average(sides, plays, gains, mine, theirs, row[theirs])


@kernel
def finish_row(sides, plays, gains, mine, row, words):
    """Put a row in place; return the largest change of any figure."""
    change = np.float32(0)
    for theirs in range(len(row)):
        if not goes_on(sides, mine, theirs):
            continue
        figures = row[theirs]
        if looks_back(sides, theirs, mine):
            average(sides, plays, gains, mine, theirs, figures)
        gain = gains[theirs, mine]
        change = max(change, changed(figures, gain))
        complement(figures, gain)
        store(figures, words[mine, theirs])
    return change
