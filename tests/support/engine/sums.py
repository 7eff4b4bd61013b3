"""First-layer sums by numpy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels import network
from sixprime.engine.position import Checkers, Position


def sums(net: network.Net, position: Position) -> NDArray[np.float64]:
    rows = []
    for side, checkers in enumerate((position.mine, position.theirs)):
        counts = [*checkers, position.checkers - sum(checkers)]
        rows += [(side * 26 + place) * 16 + count for place, count in enumerate(counts)]
    holds = []
    for point in range(24):
        mine, theirs = position.mine[point], position.theirs[23 - point]
        holds.append(min(mine, 3) if mine else min(theirs, 3) + 3 * (theirs > 0))
    rows += [832 + i * 49 + holds[i] * 7 + holds[i + 1] for i in range(23)]
    rows += relation_rows(position)
    return np.asarray(net.table[rows].astype(np.float64).sum(0) + net.bias)


def after_sums(net: network.Net, sums: NDArray[np.float64], tail: int) -> NDArray[np.float64]:
    hidden = np.maximum(sums, 0) @ net.w1[tail].astype(np.float64) + net.b1[tail]
    hidden = np.maximum(hidden, 0) @ net.w2[tail].astype(np.float64) + net.b2[tail]
    logits = np.maximum(hidden, 0) @ net.w3[tail].astype(np.float64) + net.b3[tail]
    return np.asarray(1 / (1 + np.exp(-logits)))


def prime(mine: Checkers, theirs: Checkers) -> tuple[int, int]:
    """How long the longest prime is, of several the rearmost, and how many checkers it traps."""
    points = {place for place in range(24) if mine[place] >= 2}
    primes = [
        (length, place)
        for place in range(24)
        for length in range(1, 25 - place)
        if set(range(place, place + length)) <= points
    ]
    length, front = max(primes, default=(0, 0))
    return length, theirs[24] + sum(theirs[23 - point] for point in range(front))


def relation_rows(position: Position) -> list[int]:
    """The rows of how the sides stand towards each other, from their definitions."""
    first = 52 * 16 + 23 * 49
    rows = []
    sides = ((position.mine, position.theirs), (position.theirs, position.mine))
    for side, (mine, theirs) in enumerate(sides):
        row = first + side * (64 + 64 + 21 + 48)
        distances = {
            place - point
            for place in range(25)
            for point in range(24)
            if mine[place] and theirs[23 - point] == 1
        }
        rows.append(row + sum(2 ** (each - 1) for each in distances if 1 <= each <= 6))
        rows.append(row + 64 + sum(2 ** (each - 7) for each in distances if 7 <= each <= 12))
        made = sum(count >= 2 for count in mine[:6])
        rows.append(row + 128 + 3 * made + min(theirs[24], 2))
        length, behind = prime(mine, theirs)
        rows.append(row + 149 + 6 * min(length, 7) + min(behind, 5))
    rears = [max((p for p in range(25) if checkers[p]), default=0) for checkers, _ in sides]
    return [*rows, first + 2 * 197 + 25 * rears[0] + rears[1]]
