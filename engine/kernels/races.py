"""Races side by side: the rolls that each side needs by itself, and then who ends first.

A side comes to three ends: all checkers off, the first one off (which saves a gammon), and the last
one out of the other's home (which saves a backgammon). For each there are the chances to reach it
with exactly roll 0, 1 ... They come from the one-sided databases where these reach, else from a
small net of one side's checkers; leaving always has its table. Each side plays for speed, as if the
other were not there.

The net has a tail for each of some numbers of checkers outside the home. The first units of its
first layer estimate the mean numbers of rolls; its figures say how the chances lie around them
(engine.kernels.machine.vectors.spread_out).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff.ranks import HOME, ONE, WORDS, rank_of
from sixprime.engine.kernels.inputs import COUNTS, EMPTY, OFF
from sixprime.engine.kernels.machine.bells import inner, spread_out
from sixprime.engine.kernels.machine.compiled import array_kernel, inner_kernel, kernel
from sixprime.engine.kernels.network import Net, build, dense

CHECKERS = 15
ALL, FIRST, LEAVING = range(3)
ENDS = 3
LEARNED = 2  # ends that the net knows: ALL and FIRST
FIGURES = 19  # of the net for an end
ESTIMATE_UNIT = 512.0  # 1.0 in the units that estimate; the others have network.UNIT
LONGEST = np.float32(40.0)  # rolls, of an estimate
SIDE_SLOTS = 32  # of one side, padded for vectors
FAR = 18  # the first place in the other's home
TAIL_OF = np.array((0, 0, 1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5))  # by checkers outside home
SIDE_TAILS = 6
REMEMBERED = 2048  # sides, a power of two: a search meets the same ones again and again
HASH_SHIFT = np.uint64(64 - 11)
_rng = np.random.Generator(np.random.PCG64(20261129))
HASHES = _rng.integers(1, 2**63, size=25, dtype=np.uint64)
UNITS_OF_ESTIMATE = np.float32(1.0 / ESTIMATE_UNIT)
UNITS_OF_ONE = np.float32(1.0 / ONE)


class SideScratch(NamedTuple):
    """Scratch for the sides of a race."""

    slots: NDArray[np.int16]  # [SIDE_SLOTS]
    sums: NDArray[np.int16]
    middle: NDArray[np.float32]
    narrow: NDArray[np.float32]
    figures: NDArray[np.float32]
    ends: NDArray[np.float32]  # [2, ENDS, WORDS]
    pace: NDArray[np.float32]  # [ENDS, WORDS]: see fill_pace
    sides: NDArray[np.int8]  # [REMEMBERED, 25]: judged last by the net, at their hashes
    learned: NDArray[np.float32]  # [REMEMBERED, LEARNED, WORDS]


def side_scratch(net: Net) -> SideScratch:
    """Return scratch for one thread."""
    return SideScratch(
        EMPTY[:SIDE_SLOTS].copy(),
        np.zeros(len(net.bias), np.int16),
        np.zeros(net.b1.shape[1], np.float32),
        np.zeros(net.b2.shape[1], np.float32),
        np.zeros(net.b3.shape[1], np.float32),
        np.zeros((2, ENDS, WORDS), np.float32),
        np.zeros((ENDS, WORDS), np.float32),
        np.zeros((REMEMBERED, 25), np.int8),
        np.zeros((REMEMBERED, LEARNED, WORDS), np.float32),
    )


@inner_kernel
def fill_ends(brain, side, scratch, ends):
    """Fill the ends of int8[25] `side`, float32[ENDS, WORDS]; a side has 15 checkers at first.

    An end that is no matter any more comes with roll 0.
    """
    left, outside, beyond, far = 0, 0, 0, 0
    points = brain.reach[0]
    for place in range(25):
        count = side[place]
        left += count
        outside += count * (place >= HOME)
        beyond += count * (place >= points)
        far += count * (place >= FAR)
    if outside == 0:
        rank = rank_of(side, HOME, brain.binomials)
        fill_known(brain.tails, brain.gammon_tails, rank, left, ends)
    elif beyond == 0:
        rank = rank_of(side, points, brain.far_binomials)
        fill_known(brain.far_tails, brain.far_gammon_tails, rank, left, ends)
    else:
        recall_learned(brain.sides, side, left, TAIL_OF[outside], scratch, ends)
    if left < CHECKERS:
        come_at_once(ends[FIRST])
    if far == 0 or left < CHECKERS:
        come_at_once(ends[LEAVING])
        return
    rank = rank_of(side[FAR:], HOME, brain.binomials)
    if rank < len(brain.leaving):
        fill_from(brain.leaving[rank], ends[LEAVING])
    else:  # with so many, leaving takes nearly as long as bearing off
        fill_from(brain.tails[rank], ends[LEAVING])


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
def fill_known(tails, gammon_tails, rank, left, ends):
    """Fill the ends of a side by its rank in a one-sided database."""
    fill_from(tails[rank], ends[ALL])
    if left == CHECKERS:
        fill_from(gammon_tails[rank - len(tails) + len(gammon_tails)], ends[FIRST])


@inner_kernel
def recall_learned(net, side, left, tail, scratch, ends):
    """Fill the ends of a side by a tail of the net, or as it did the last time."""
    key = np.uint64(0)
    for place in range(25):
        key += np.uint64(side[place]) * HASHES[place]
    slot = np.int64(key >> HASH_SHIFT)
    known = scratch.sides[slot]
    differs = 0
    for place in range(25):
        differs |= known[place] ^ side[place]
    learned = scratch.learned[slot]
    if differs != 0:
        fill_learned(net, side, left, tail, scratch, learned)
        for place in range(25):
            known[place] = side[place]
    for end in range(LEARNED):
        for i in range(WORDS):
            ends[end, i] = learned[end, i]


@inner_kernel
def fill_learned(net, side, left, tail, scratch, ends):
    """Fill the ends of a side by a tail of the net."""
    slots, sums = scratch.slots, scratch.sums
    for place in range(25):
        slots[place] = place * COUNTS + side[place]
    slots[OFF] = OFF * COUNTS + CHECKERS - left
    build(net, slots, sums)
    dense(sums, net.w1[tail], net.b1[tail], scratch.middle)
    dense(scratch.middle, net.w2[tail], net.b2[tail], scratch.narrow)
    dense(scratch.narrow, net.w3[tail], net.b3[tail], scratch.figures)
    for end in range(LEARNED if left == CHECKERS else 1):
        estimate = min(np.float32(sums[end]) * UNITS_OF_ESTIMATE, LONGEST)
        spread_out(scratch.figures, end * FIGURES, estimate, ends[end])


@kernel
def fill_pace(ends, pace):
    """Fill the pace of the side on roll: chances to have all off with roll i, or no first end yet.

    The other side comes to its roll i later.
    """
    done, first, leaving = np.float32(0.0), np.float32(0.0), np.float32(0.0)
    for i in range(WORDS):
        done += ends[ALL, i]
        first += ends[FIRST, i]
        leaving += ends[LEAVING, i]
        pace[ALL, i] = min(done, np.float32(1.0))
        pace[FIRST, i] = max(np.float32(1.0) - first, np.float32(0.0))
        pace[LEAVING, i] = max(np.float32(1.0) - leaving, np.float32(0.0))


@kernel
def race_outcomes(pace, ends, out):
    """Fill float32[5] for the side on roll from its pace and the ends of the other."""
    for k in range(5):
        out[k] = np.float32(0.0)
    win = min(inner(pace[ALL], ends[ALL]), np.float32(1.0))
    lost = np.float32(1.0) - win
    out[0] = win
    if ends[FIRST, 0] == 0.0:
        if ends[LEAVING, 0] == 0.0:
            out[2] = min(inner(pace[ALL], ends[LEAVING]), win)
        out[1] = max(min(inner(pace[ALL], ends[FIRST]), win), out[2])
    if pace[FIRST, 0] > 0.0:
        if pace[LEAVING, 0] > 0.0:
            out[4] = min(inner(pace[LEAVING], ends[ALL]), lost)
        out[3] = max(min(inner(pace[FIRST], ends[ALL]), lost), out[4])


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
        fill_pace(ends[i, 0], pace)
        race_outcomes(pace, ends[i, 1], out[i])


@inner_kernel
def judge_race(brain, board, scratch, out):
    """Fill float32[5] for the player on roll of a race of 15 checkers a side."""
    for side in range(2):
        fill_ends(brain, board[side], scratch, scratch.ends[side])
    fill_pace(scratch.ends[0], scratch.pace)
    race_outcomes(scratch.pace, scratch.ends[1], out)


@inner_kernel
def judge_race_results(brain, theirs, results, which, scratch, outs):
    """Fill the rows `which` int64[n] of outs float32[*, 5]: the opponent's chances after results.

    The opponent has int8[25] `theirs` in each of them, as nothing is hit on the way to a race.
    """
    for i in range(-1, len(which)):
        side = results[which[max(i, 0)], 0]
        fill_ends(brain, theirs if i < 0 else side, scratch, scratch.ends[0])
        if i < 0:
            fill_pace(scratch.ends[0], scratch.pace)
        else:
            race_outcomes(scratch.pace, scratch.ends[0], outs[which[i]])
