"""One-sided databases: for every side the chance to be done after exactly n rolls.

For each roll the player goes to the successor with the smallest `score`. Ties go to the first play
listed: larger die first, then smaller die first, sources from the highest down. One die at a time
decides, so no list of plays is ever needed:

    best(a then b from r) = first best over steps r -> s with a of best(b from s)

A key is score << 32 | rank, an int64; keys compare by score alone, so the first of equals stays.
Each rank keeps

    ones  int64[n, 8]     [r, 0] its own key, [r, d] the best after one step with d (7 idle)
    pairs int64[n, 6, 2]  the best keys after two and after three steps with die d + 1

and the keys of its (at most P) single-step successors yield its own. Steps of a double in any
order, not only highest first, add no results, and the first listing of a result is highest first,
so ties fall as they should. An empty side stays empty with any die.

Gammon tables hold only ranks with every checker still on the board, from `base` on; below that
a checker is off, the score is 0, and nothing beats it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff.ranks import (
    DICE,
    ONE,
    WORDS,
    counts_of,
    drops_of,
    next_tops,
    single_steps,
)
from sixprime.engine.kernels.machine.compiled import array_kernel, kernel

LANES = 8
ROLLS = 21
DOUBLES = 6
SHIFT = np.int64(32)
WORST = np.int64(0x7FFFFFFFFFFFFFFF)
RANK = np.int64(0xFFFFFFFF)


class StepTable(NamedTuple):
    """The arrays filled rank by rank from `base` on: file rows, and keys (see the module)."""

    rows: NDArray[Any]  # distributions, or means and deviations
    ones: NDArray[np.int64]
    pairs: NDArray[np.int64]


class Spans(NamedTuple):
    """Distributions, with the first index and the length of each one's non-zero part."""

    words: NDArray[np.uint16]
    firsts: NDArray[np.int64]
    sizes: NDArray[np.int64]


@kernel
def consider_steps(steps, found, base, rank, table, best, bests):
    """Fill the step tables of `rank`, and `bests` int64[21] with the best rank of every roll.

    `steps` int64[6, P] and `found` int64[6] are the successors by die; `best` int64[6, 8] is
    scratch. The six doubles come first in `bests`, then larger die 2..6, smaller 1..larger - 1.
    """
    ones, pairs = table.ones, table.pairs
    here = rank - base
    for die in range(DICE):
        for lane in range(LANES):
            best[die, lane] = WORST
        two = WORST
        three = WORST
        for j in range(found[die]):
            there = steps[die, j] - base
            if there < 0:  # only in gammon tables: one checker is off, better is not possible
                for lane in range(LANES):
                    best[die, lane] = 0
                two = np.int64(0)
                three = np.int64(0)
                break
            for lane in range(LANES):
                key = ones[there, lane]
                if (key >> SHIFT) < (best[die, lane] >> SHIFT):
                    best[die, lane] = key
            key = pairs[there, die, 0]
            if (key >> SHIFT) < (two >> SHIFT):
                two = key
            key = pairs[there, die, 1]
            if (key >> SHIFT) < (three >> SHIFT):
                three = key
        ones[here, die + 1] = best[die, 0]
        pairs[here, die, 0] = best[die, die + 1]
        pairs[here, die, 1] = two
        bests[die] = three & RANK
    roll = DOUBLES
    for larger in range(1, DICE):
        for smaller in range(larger):
            key = best[larger, smaller + 1]
            other = best[smaller, larger + 1]
            if (other >> SHIFT) < (key >> SHIFT):
                key = other
            bests[roll] = key & RANK
            roll += 1


@kernel
def mix(words, bests, base, total):
    """Fill `total` 0..31 with the distribution one roll earlier; return its mean rolls times ONE.

    It is the average over the best successors, rounded, made to add up. `total` is int32[33]. Ranks
    below `base` are done.
    """
    for i in range(WORDS + 1):
        total[i] = 0
    for roll in range(DOUBLES, ROLLS):
        there = bests[roll] - base
        if there < 0:
            total[1] += ONE
        else:
            for i in range(WORDS):
                total[i + 1] += words[there, i]
    for i in range(WORDS + 1):
        total[i] += total[i]
    for roll in range(DOUBLES):
        there = bests[roll] - base
        if there < 0:
            total[1] += ONE
        else:
            for i in range(WORDS):
                total[i + 1] += words[there, i]
    excess = np.int64(-ONE)
    score = np.int64(0)
    most = np.int64(0)
    for i in range(WORDS):
        word = np.int64((total[i] + 18) // 36)
        total[i] = word
        excess += word
        score += i * word
        most = max(most, word)
    for i in range(WORDS):
        if total[i] == most:
            total[i] -= excess
            score -= i * excess
            break
    return score


@array_kernel
def fill_distributions(first, last, tops, binomials, base, table, gammons):
    """Fill ranks first..last-1 (first >= 1; rank 0 is done by the caller); `tops` stands at first.

    Rows are uint16[n, 32]; `gammons` has rows for ranks from `base` on, or none.
    """
    points = len(tops)
    counts = np.zeros(points, dtype=np.int64)
    drops = np.zeros(points + 1, dtype=np.int64)
    steps = np.zeros((DICE, points), dtype=np.int64)
    found = np.zeros(DICE, dtype=np.int64)
    best = np.zeros((DICE, LANES), dtype=np.int64)
    bests = np.zeros(ROLLS, dtype=np.int64)
    total = np.zeros(WORDS + 1, dtype=np.int32)
    for rank in range(first, last):
        rear = counts_of(tops, points, counts)
        drops_of(tops, points, binomials, drops)
        for die in range(DICE):
            found[die] = single_steps(rank, counts, rear, die + 1, drops, steps[die])
        consider_steps(steps, found, 0, rank, table, best, bests)
        score = mix(table.rows, bests, 0, total)
        for i in range(WORDS):
            table.rows[rank, i] = total[i]
        table.ones[rank, 0] = (score << SHIFT) | rank
        if len(gammons.rows) > 0 and rank >= base:
            consider_steps(steps, found, base, rank, gammons, best, bests)
            score = mix(gammons.rows, bests, base, total)
            for i in range(WORDS):
                gammons.rows[rank - base, i] = total[i]
            gammons.ones[rank - base, 0] = (score << SHIFT) | rank
        next_tops(tops, points)


@array_kernel
def fill_normals(first, last, tops, binomials, base, bits, table, gammons):
    """Fill ranks as fill_distributions does, with means and deviations in single precision.

    Both tables have the same rows, float32[n, 4]: mean and deviation of the rolls to bear off, and
    the same for the first checker. `bits` int32[n, 4] is the same memory: positive floats order as
    their bits do.
    """
    points = len(tops)
    counts = np.zeros(points, dtype=np.int64)
    drops = np.zeros(points + 1, dtype=np.int64)
    steps = np.zeros((DICE, points), dtype=np.int64)
    found = np.zeros(DICE, dtype=np.int64)
    best = np.zeros((DICE, LANES), dtype=np.int64)
    bests = np.zeros(ROLLS, dtype=np.int64)
    for rank in range(first, last):
        rear = counts_of(tops, points, counts)
        drops_of(tops, points, binomials, drops)
        for die in range(DICE):
            found[die] = single_steps(rank, counts, rear, die + 1, drops, steps[die])
        consider_steps(steps, found, 0, rank, table, best, bests)
        mix_normals(table.rows, bests, 0, rank)
        table.ones[rank, 0] = (np.int64(bits[rank, 0]) << SHIFT) | rank
        if rank >= base:
            consider_steps(steps, found, base, rank, gammons, best, bests)
            mix_normals(gammons.rows, bests, 2, rank)
            gammons.ones[rank - base, 0] = (np.int64(bits[rank, 2]) << SHIFT) | rank
        next_tops(tops, points)


@kernel
def mix_normals(normals, bests, column, rank):
    """Write mean and deviation one roll earlier; float32, rolls by larger, then smaller die."""
    unit = np.float32(1)
    part = unit / np.float32(36)
    mean = np.float32(0)
    square = np.float32(0)
    roll = DOUBLES
    for larger in range(DICE):
        for smaller in range(larger + 1):
            if larger == smaller:
                there = bests[larger]
                weight = unit
            else:
                there = bests[roll]
                roll += 1
                weight = np.float32(2)
            later = unit + normals[there, column]
            deviation = normals[there, column + 1]
            mean += weight * later
            square += weight * (deviation * deviation + later * later)
    mean = mean * part
    normals[rank, column] = mean
    normals[rank, column + 1] = np.float32(np.sqrt(square * part - mean * mean))


@kernel
def find_spans(spans):
    """Fill firsts and sizes; return the sum of the sizes."""
    words = spans.words
    total = np.int64(0)
    for row in range(len(words)):
        i = 0
        while words[row, i] == 0:
            i += 1
        j = WORDS - 1
        while words[row, j] == 0:
            j -= 1
        spans.firsts[row] = i
        spans.sizes[row] = j - i + 1
        total += j - i + 1
    return total


@kernel
def add_span(spans, row, data, at):
    """Write the words of one distribution at `at`; return the place of the next."""
    for i in range(spans.sizes[row]):
        data[at + i] = spans.words[row, spans.firsts[row] + i]
    return at + spans.sizes[row]


@kernel
def pack(spans, gammons, base, offset, data):
    """Fill `data` uint16 with the non-zero spans, rank by rank, gammons after each; `offset` too.

    Ranks below `base` have one gammon word, ONE, unless there are no gammons at all.
    """
    at = np.int64(0)
    for rank in range(len(spans.words)):
        offset[rank] = at
        at = add_span(spans, rank, data, at)
        if len(gammons.words) == 0:
            continue
        if rank < base:
            data[at] = ONE
            at += 1
        else:
            at = add_span(gammons, rank - base, data, at)
