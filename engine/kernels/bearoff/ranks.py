"""Bearoff positions as numbers: ranks, the walk through all of them, single steps.

A side that has every checker on its own points 1..P is counts c(1..P). With
s(k) = c(k) + ... + c(P) + (P - k), a strictly falling sequence, its rank is the sum over k of
C(s(k), P - k + 1): the combinatorial number system. Rank 0 has no checkers; fewer checkers always
rank lower, and every step lowers the rank, so increasing rank is an order to fill tables in.

Arrays called `tops` are int64[P] and hold s(1..P). `binomials` is int64[*, P + 2] from binomials().
Moving a checker from point p to q < p (0 is off) lowers s(k) by one for k in q+1..p, and so the
rank by the sum of C(s(k) - 1, P - k) over those k: `drops` int64[P + 1] are running sums of these,
and a step costs one subtraction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.machine.compiled import kernel

WORDS = 32  # a distribution: chance to be done after exactly 0..31 rolls
ONE = 65535  # the sum of a distribution's words
HOME = 6
DICE = 6


def binomials(points: int, checkers: int) -> NDArray[np.int64]:
    """Return C(a, b) as int64[points + checkers + 1, points + 2]; 0 where b > a."""
    table = np.zeros((points + checkers + 1, points + 2), dtype=np.int64)
    table[:, 0] = 1
    for a in range(1, len(table)):
        table[a, 1:] = table[a - 1, 1:] + table[a - 1, :-1]
    return table


@kernel
def rank_of(counts, points, binomials):
    """Return the rank of a side; `counts` holds points 1..P in its first P places."""
    rank = np.int64(0)
    top = np.int64(-1)
    for k in range(points - 1, -1, -1):
        top += counts[k] + 1
        rank += binomials[top, points - k]
    return rank


@kernel
def unrank(rank, points, binomials, tops):
    """Fill `tops` for a rank: for each point the largest s whose binomial still fits."""
    rest = rank
    top = len(binomials) - 1
    for k in range(points):
        while binomials[top, points - k] > rest:
            top -= 1
        tops[k] = top
        rest -= binomials[top, points - k]


@kernel
def next_tops(tops, points):
    """Turn `tops` into the position of the next rank."""
    k = points - 1
    while k > 0 and tops[k] + 1 == tops[k - 1]:
        k -= 1
    tops[k] += 1
    for j in range(k + 1, points):
        tops[j] = points - 1 - j


@kernel
def counts_of(tops, points, counts):
    """Fill the checkers on points 1..P; return the highest occupied point, 0 if none."""
    rear = 0
    for k in range(points - 1):
        counts[k] = tops[k] - tops[k + 1] - 1
        if counts[k] > 0:
            rear = k + 1
    counts[points - 1] = tops[points - 1]
    return points if counts[points - 1] > 0 else rear


@kernel
def drops_of(tops, points, binomials, drops):
    """Fill `drops`: drops[q] - drops[p] is the change of rank when a checker moves from p to q."""
    drops[0] = 0
    for k in range(points):
        drops[k + 1] = drops[k]
        if tops[k] > 0:
            drops[k + 1] += binomials[tops[k] - 1, points - 1 - k]


@kernel
def single_steps(rank, counts, rear, die, drops, out):
    """Write the ranks after one step with `die` to int64[P], highest source first; return how many.

    Nothing blocks. Bearing off needs every checker at home, and takes the exact die or, with a
    larger one, the rearmost checker. Only the empty side (rear 0) has no step.
    """
    found = 0
    for point in range(rear, 0, -1):
        if counts[point - 1] == 0:
            continue
        target = point - die
        if target > 0:
            out[found] = rank - drops[point] + drops[target]
            found += 1
        elif rear <= HOME and (target == 0 or point == rear):
            out[found] = rank - drops[point]
            found += 1
    return found
