"""Look-ups in bearoff databases: the hot path of evaluation and self-play.

Boards are int8[2, 25] as the player on roll sees them; that player is about to roll.

One-sided tables hold tails instead of distributions: tails[rank, i] uint16 is 65535 times the
chance not to be done before roll i, tails[rank, 0] = 65535; gammon_tails the same for the first
checker, only for sides with all their checkers on the board (the last ranks, one per row).
Then with p(i) = tail(i) - tail(i + 1)

    win         = sum of p_mine(i) tail_theirs(i)             they are not done before roll i
    win gammon  = sum of p_mine(i) gammon_tail_theirs(i)
    lose gammon = sum of p_theirs(i) gammon_tail_mine(i + 1)  I have rolled i times, not i - 1

in exact integer arithmetic. No backgammon is possible: a side within 18 points of bearing off has
no checker in the other's home. A side without checkers has won or lost, and comes out right too.
Two-sided words are uint16[n, n, cases]: equity = word / 32767.5 - 1.
"""

from __future__ import annotations

import numpy as np

from sixprime.engine.kernels.bearoff.ranks import ONE, WORDS, rank_of
from sixprime.engine.kernels.machine.compiled import kernel

MINE = 0
THEIRS = 1
PLACES = 25
WIN = 0
WIN_GAMMON = 1
WIN_BACKGAMMON = 2
LOSE_GAMMON = 3
LOSE_BACKGAMMON = 4
HALF_SCALE = 32767.5  # an equity word is this times (1 + equity)


@kernel
def inside(board, points):
    """Return whether every checker of both sides stands on its own points 1..points."""
    outside = 0
    for place in range(points, PLACES):
        outside |= board[MINE, place] | board[THEIRS, place]
    return outside == 0


@kernel
def inside_two_sided(board, points, checkers):
    """Return whether both sides are within `points` and have at most `checkers` left."""
    if not inside(board, points):
        return False
    mine = 0
    theirs = 0
    for place in range(points):
        mine += board[MINE, place]
        theirs += board[THEIRS, place]
    return mine <= checkers and theirs <= checkers


@kernel
def meet(tails, row, others, other):
    """Sum p(row, i) times tail(other, i) over i, in units of 1 / ONE squared."""
    mass = np.int64(tails[row, WORDS - 1]) * np.int64(others[other, WORDS - 1])
    for i in range(WORDS - 1):
        exact = np.int64(tails[row, i]) - np.int64(tails[row, i + 1])
        mass += exact * np.int64(others[other, i])
    return mass


@kernel
def meet_later(tails, row, others, other):
    """Sum p(row, i) times tail(other, i + 1) over i, in units of 1 / ONE squared."""
    mass = np.int64(0)
    for i in range(WORDS - 1):
        exact = np.int64(tails[row, i]) - np.int64(tails[row, i + 1])
        mass += exact * np.int64(others[other, i + 1])
    return mass


@kernel
def bearoff_outcomes(board, tails, gammon_tails, binomials, out):
    """Fill `out` float32[5] for a board that is inside the one-sided database.

    The arrays are OneSidedTables: uint16[n, 32], uint16[m, 32], int64[*, points + 2].
    """
    points = binomials.shape[1] - 2
    mine = rank_of(board[MINE], points, binomials)
    theirs = rank_of(board[THEIRS], points, binomials)
    outcomes_of_ranks(mine, theirs, tails, gammon_tails, out)


@kernel
def outcomes_of_ranks(mine, theirs, tails, gammon_tails, out):
    """Fill `bearoff_outcomes` of two sides by their ranks, the owner of `mine` on roll."""
    base = len(tails) - len(gammon_tails)
    unit = 1.0 / (float(ONE) * float(ONE))
    out[WIN] = meet(tails, mine, tails, theirs) * unit
    out[WIN_GAMMON] = 0.0
    out[WIN_BACKGAMMON] = 0.0
    out[LOSE_GAMMON] = 0.0
    out[LOSE_BACKGAMMON] = 0.0
    if theirs >= base:
        out[WIN_GAMMON] = meet(tails, mine, gammon_tails, theirs - base) * unit
    if mine >= base:
        out[LOSE_GAMMON] = meet_later(tails, theirs, gammon_tails, mine - base) * unit


@kernel
def two_sided_equity(board, words, binomials, case):
    """The money equity in one case: 0 cubeless, 1 my cube, 2 centred, 3 the opponent's.

    `words` uint16[n, n, cases] and `binomials` are TwoSidedTables.
    """
    points = binomials.shape[1] - 2
    mine = rank_of(board[MINE], points, binomials)
    theirs = rank_of(board[THEIRS], points, binomials)
    return words[mine, theirs, case] / HALF_SCALE - 1.0


@kernel
def two_sided_outcomes(board, words, binomials, out):
    """Fill `out` float32[5] for a board that is inside the two-sided database; no gammons."""
    out[WIN] = 0.5 * (two_sided_equity(board, words, binomials, 0) + 1.0)
    out[WIN_GAMMON] = 0.0
    out[WIN_BACKGAMMON] = 0.0
    out[LOSE_GAMMON] = 0.0
    out[LOSE_BACKGAMMON] = 0.0


@kernel
def unpack_tails(offsets, spans, data, base, tails, gammon_tails):
    """Fill the tails from a compressed file; False if an entry is impossible.

    `offsets` int64[n] into `data` uint16[*]; `spans` uint8[n, 4] is count and first of the words,
    then of the gammon words, or uint8[n, 2] in a file without gammons.
    """
    for rank in range(len(offsets)):
        at = offsets[rank]
        count = np.int64(spans[rank, 0])
        if not unpack_tail(data, at, np.int64(spans[rank, 1]), count, tails[rank]):
            return False
        if rank >= base and spans.shape[1] == 4:
            at += count
            count = np.int64(spans[rank, 2])
            row = gammon_tails[rank - base]
            if not unpack_tail(data, at, np.int64(spans[rank, 3]), count, row):
                return False
    return True


@kernel
def unpack_tail(data, at, first, count, tail):
    """Fill one row of tails from `count` words that start with roll `first`."""
    if first + count > WORDS or at + count > len(data):
        return False
    rest = np.int64(ONE)
    for i in range(first):
        tail[i] = ONE
    for i in range(count):
        tail[first + i] = rest
        rest -= np.int64(data[at + i])
        if rest < 0:
            return False
    for i in range(first + count, WORDS):
        tail[i] = 0
    return rest == 0
