"""Races side by side: the rolls that each side needs by itself, and then who ends first.

A side comes to three ends: all checkers off, the first one off (which saves a gammon), and the last
one out of the other's home (which saves a backgammon). For each there are the chances to reach it
with exactly roll 0, 1 ... They come from the one-sided databases where these reach, else from a
small net of one side's checkers; leaving always has its table. Each side plays for speed, as if the
other were not there.

The net has a tail for each of some numbers of checkers outside the home, and one for sides that
have borne off. The first units of its first layer estimate the mean numbers of rolls; its figures
say how the chances lie around them (engine.kernels.machine.bells.spread_out).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff.ranks import HOME, ONE, WORDS, rank_of
from sixprime.engine.kernels.inputs import COUNTS, EMPTY, OFF
from sixprime.engine.kernels.machine.bells import COUNTED, inner, read_side, run_up, spread_out
from sixprime.engine.kernels.machine.compiled import array_kernel, kernel
from sixprime.engine.kernels.machine.vectors import LANES, ONE_BIT, add_rows
from sixprime.engine.kernels.network import Net, dense_alone

CHECKERS = 15
ALL, FIRST, LEAVING = range(3)
ENDS = 3
LEARNED = 2  # ends that the net knows: ALL and FIRST
FIGURES = 19  # of the net for an end
ESTIMATE_UNIT = 512.0  # 1.0 in the units that estimate; the others have network.UNIT
LONGEST = np.float32(40.0)  # rolls, of an estimate
FAR = 18  # the first place in the other's home
TAIL_OF = np.array((0, 0, 1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5))  # by checkers outside home
BORNE_OFF = 6  # the tail of sides with fewer than CHECKERS
SIDE_TAILS = 7
REMEMBERED = 2048  # sides, a power of two: a search meets the same ones again and again
HASH_SHIFT = np.uint64(64 - 11)
_rng = np.random.Generator(np.random.PCG64(20261129))
HASHES = _rng.integers(1, 2**63, size=4, dtype=np.uint64)
IN_WORDS = np.uint64(2 * LANES), np.uint64(COUNTED), np.uint64(2**COUNTED - 1)  # see read_side
UNITS_OF_ESTIMATE = np.float32(1.0 / ESTIMATE_UNIT)
UNITS_OF_ONE = np.float32(1.0 / ONE)


class SideScratch(NamedTuple):
    """Scratch for the sides of a race."""

    slots: NDArray[np.int16]  # [2 * LANES]
    sums: NDArray[np.int16]
    middle: NDArray[np.float32]
    narrow: NDArray[np.float32]
    figures: NDArray[np.float32]
    words: NDArray[np.uint64]  # [4]: the side read last
    leaving: NDArray[np.float32]  # [WORDS]: its end
    pace: NDArray[np.float32]  # [ENDS, WORDS]: see fill_pace
    sides: NDArray[np.uint64]  # [REMEMBERED, 4]: judged last by the net, at their hashes
    learned: NDArray[np.float32]  # [REMEMBERED + 1, LEARNED, WORDS]: their ends, last a known one's


def side_scratch(net: Net) -> SideScratch:
    """Return scratch for one thread."""
    return SideScratch(
        np.zeros(2 * LANES, np.int16),
        np.zeros(len(net.bias), np.int16),
        np.zeros(net.b1.shape[1], np.float32),
        np.zeros(net.b2.shape[1], np.float32),
        np.zeros(net.b3.shape[1], np.float32),
        np.zeros(4, np.uint64),
        np.zeros(WORDS, np.float32),
        np.zeros((ENDS, WORDS), np.float32),
        np.zeros((REMEMBERED, 4), np.uint64),
        np.zeros((REMEMBERED + 1, LEARNED, WORDS), np.float32),
    )


@kernel
def find_ends(brain, side, scratch):
    """Find the ends of int8[25] `side`; a side has 15 checkers at first.

    Return the place in scratch.learned of the ends ALL and FIRST. The end of leaving comes in
    scratch.leaving. An end that is no matter any more comes with roll 0.
    """
    found = read_side(side, EMPTY, scratch.slots, scratch.words, HOME, FAR)
    first, bits, ones = IN_WORDS
    left = np.int64((found >> first) & ones)
    outside = np.int64((found >> (first + bits)) & ones)
    far = found >> (first + bits + bits)
    points = brain.far_binomials.shape[1] - 2
    beyond = np.int64(side[points:].sum()) if points > HOME else outside
    if outside == 0:
        place = REMEMBERED
        rank = rank_of(side, HOME, brain.binomials)
        fill_known(brain.tails, brain.gammon_tails, rank, left, scratch.learned[place])
    elif beyond == 0:
        place = REMEMBERED
        rank = rank_of(side, points, brain.far_binomials)
        fill_known(brain.far_tails, brain.far_gammon_tails, rank, left, scratch.learned[place])
    else:
        tail = TAIL_OF[outside] if left == CHECKERS else BORNE_OFF
        place = recall_learned(brain.sides, found, left, tail, scratch)
    if far == 0 or left < CHECKERS:
        come_at_once(scratch.leaving)
        return place
    rank = rank_of(side[FAR:], HOME, brain.binomials)
    if rank < len(brain.leaving):
        fill_from(brain.leaving[rank], scratch.leaving)
    else:  # with so many, leaving takes nearly as long as bearing off
        fill_from(brain.tails[rank], scratch.leaving)
    return place


@kernel
def come_at_once(end):
    """Let an end come with roll 0."""
    for i in range(1, WORDS):
        end[i] = np.float32(0.0)
    end[0] = np.float32(1.0)


@kernel
def fill_from(tail, end):
    """Fill an end from a row of tails (engine.kernels.bearoff.lookup)."""
    for i in range(WORDS - 1):
        end[i] = (np.int32(tail[i]) - np.int32(tail[i + 1])) * UNITS_OF_ONE
    end[WORDS - 1] = tail[WORDS - 1] * UNITS_OF_ONE


@kernel
def fill_known(tails, gammon_tails, rank, left, learned):
    """Fill the ends of a side by its rank in a one-sided database."""
    fill_from(tails[rank], learned[ALL])
    if left == CHECKERS:
        fill_from(gammon_tails[rank - len(tails) + len(gammon_tails)], learned[FIRST])
    else:
        come_at_once(learned[FIRST])


@kernel
def recall_learned(net, found, left, tail, scratch):
    """Fill the ends of the side read last, or leave them as they were; return their place."""
    words = scratch.words
    key = np.uint64(0)
    for i in range(4):
        key += words[i] * HASHES[i]
    place = np.int64(key >> HASH_SHIFT)
    known = scratch.sides[place]
    differs = np.uint64(0)
    for i in range(4):
        differs |= known[i] ^ words[i]
    if differs != 0:
        fill_learned(net, found, left, tail, scratch, scratch.learned[place])
        for i in range(4):
            known[i] = words[i]
    return place


@kernel
def fill_learned(net, found, left, tail, scratch, learned):
    """Fill the ends of the side read last by a tail of the net."""
    slots, sums = scratch.slots, scratch.sums
    met = found & np.uint64(2**OFF - 1)
    if left < CHECKERS:
        slots[OFF] = OFF * COUNTS + CHECKERS - left
        met |= ONE_BIT << np.uint64(OFF)
    for j in range(len(sums)):
        sums[j] = net.bias[j]
    add_rows(met, net.table, slots, 0, sums)
    dense_alone(sums, net.w1[tail], net.b1[tail], scratch.middle)
    dense_alone(scratch.middle, net.w2[tail], net.b2[tail], scratch.narrow)
    dense_alone(scratch.narrow, net.w3[tail], net.b3[tail], scratch.figures)
    for end in range(LEARNED):
        if end == FIRST and left < CHECKERS:
            come_at_once(learned[FIRST])
        else:
            estimate = min(np.float32(sums[end]) * UNITS_OF_ESTIMATE, LONGEST)
            spread_out(scratch.figures, end * FIGURES, estimate, learned[end])


@kernel
def fill_pace(learned, leaving, pace):
    """Fill the pace of the side on roll: chances to have all off with roll i, or no first end yet.

    The other side comes to its roll i later.
    """
    run_up(learned[ALL], pace[ALL])
    run_up(learned[FIRST], pace[FIRST])
    for i in range(WORDS):
        pace[ALL, i] = min(pace[ALL, i], np.float32(1.0))
        pace[FIRST, i] = max(np.float32(1.0) - pace[FIRST, i], np.float32(0.0))
    pace[LEAVING, 0] = np.float32(1.0) - leaving[0]
    if pace[LEAVING, 0] > 0.0:
        run_up(leaving, pace[LEAVING])
        for i in range(WORDS):
            pace[LEAVING, i] = max(np.float32(1.0) - pace[LEAVING, i], np.float32(0.0))


@kernel
def race_outcomes(pace, learned, leaving, out):
    """Fill float32[5] for the side on roll from its pace and the ends of the other."""
    for k in range(5):
        out[k] = np.float32(0.0)
    win = min(inner(pace[ALL], learned[ALL]), np.float32(1.0))
    lost = np.float32(1.0) - win
    out[0] = win
    if learned[FIRST, 0] == 0.0:
        if leaving[0] == 0.0:
            out[2] = min(inner(pace[ALL], leaving), win)
        out[1] = max(min(inner(pace[ALL], learned[FIRST]), win), out[2])
    if pace[FIRST, 0] > 0.0:
        if pace[LEAVING, 0] > 0.0:
            out[4] = min(inner(pace[LEAVING], learned[ALL]), lost)
        out[3] = max(min(inner(pace[FIRST], learned[ALL]), lost), out[4])


@kernel
def fill_ends(brain, side, scratch, ends):
    """Fill float32[ENDS, WORDS] for int8[25] `side`."""
    place = find_ends(brain, side, scratch)
    for i in range(WORDS):
        for end in range(LEARNED):
            ends[end, i] = scratch.learned[place, end, i]
        ends[LEAVING, i] = scratch.leaving[i]


@array_kernel
def ends_of(brain, sides, scratch, ends):
    """Fill float32[n, ENDS, WORDS] for int8[n, 25] sides."""
    for i in range(len(sides)):
        fill_ends(brain, sides[i], scratch, ends[i])


@array_kernel
def meet_all(ends, out):
    """Fill float32[n, 5] for the players on roll from the ends float32[n, 2, ENDS, WORDS]."""
    pace = np.zeros((ENDS, WORDS), np.float32)
    for i in range(len(ends)):
        fill_pace(ends[i, 0], ends[i, 0, LEAVING], pace)
        race_outcomes(pace, ends[i, 1], ends[i, 1, LEAVING], out[i])


@kernel
def judge_race(brain, board, scratch, out):
    """Fill float32[5] for the player on roll of a race of 15 checkers a side."""
    leaving = scratch.leaving
    for side in range(2):
        place = find_ends(brain, board[side], scratch)
        if side == 0:
            fill_pace(scratch.learned[place], leaving, scratch.pace)
        else:
            race_outcomes(scratch.pace, scratch.learned[place], leaving, out)


@kernel
def judge_race_results(brain, theirs, results, which, scratch, outs):
    """Fill the rows `which` int64[n] of outs float32[*, 5]: the opponent's chances after results.

    The opponent has int8[25] `theirs` in each of them, as nothing is hit on the way to a race.
    """
    leaving = scratch.leaving
    for i in range(-1, len(which)):
        side = results[which[max(i, 0)], 0]
        place = find_ends(brain, theirs if i < 0 else side, scratch)
        if i < 0:
            fill_pace(scratch.learned[place], leaving, scratch.pace)
        else:
            race_outcomes(scratch.pace, scratch.learned[place], leaving, outs[which[i]])
