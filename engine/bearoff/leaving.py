"""The rolls of a side until its last checkers have left the other's home.

Leaving saves a backgammon in a race. It differs from bearing off: a large die may take any checker
out, even from behind others. The table ships; `python -m sixprime.engine.bearoff.leaving FILE`
makes it again, ten seconds of plain Python.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff.ranks import HOME, ONE, WORDS, binomials, rank_of
from sixprime.engine.position import MAX_CHECKERS, ROLLS

MOST = 10  # checkers in the table
TABLE = Path(__file__).parent.parent / "data" / "leaving.npz"

Side = tuple[int, ...]  # the distance of each checker to go, nearest first
Chances = NDArray[np.float64]  # to be out after exactly 0, 1, ... rolls


@lru_cache
def tails() -> NDArray[np.uint16]:
    """Return ONE times the chance not to be out before roll i, by rank of the side: [ranks, WORDS].

    Sides have their ranks of the one-sided bearoff database; the table ends with MOST checkers.
    """
    with np.load(TABLE, allow_pickle=False) as file:
        shipped: NDArray[np.uint16] = file["tails"]
    return np.pad(shipped, ((0, 0), (0, WORDS - shipped.shape[1])))


def steps(side: Side, die: int) -> Iterator[Side]:
    """Yield the side after any one checker has moved by `die`; an empty side stays."""
    if not side:
        yield side
    for which, distance in enumerate(side):
        if which and distance == side[which - 1]:
            continue
        others = side[:which] + side[which + 1 :]
        yield tuple(sorted((*others, distance - die))) if distance > die else others


def results(side: Side, dice: tuple[int, ...]) -> set[Side]:
    """Return the sides after all plays of the dice in this order."""
    reached = {side}
    for die in dice:
        reached = {
            after for before in reached for after in (steps(before, die) if before else [()])
        }
    return reached


def made() -> NDArray[np.uint16]:
    """Make the table, played for the fewest rolls on average."""
    chances: dict[Side, Chances] = {(): np.eye(1, WORDS)[0]}
    mean: dict[Side, float] = {(): 0.0}
    table = binomials(HOME, MAX_CHECKERS)
    distances = range(1, HOME + 1)
    sides = (
        side for n in range(1, MOST + 1) for side in combinations_with_replacement(distances, n)
    )
    for side in sorted(sides, key=lambda side: (len(side), sum(side))):
        later = np.zeros(WORDS)
        for smaller, larger in ROLLS:
            if larger == smaller:
                reached, weight = results(side, (larger,) * 4), 1
            else:
                reached = results(side, (larger, smaller)) | results(side, (smaller, larger))
                weight = 2
            later += weight / 36 * chances[min(reached, key=mean.__getitem__)]
        chances[side] = np.concatenate(([0.0], later[:-1]))
        mean[side] = float(chances[side] @ np.arange(WORDS))
    rows = np.zeros((len(chances), WORDS))
    for side, chance in chances.items():
        counts = np.array([side.count(distance) for distance in distances])
        rows[rank_of(counts, HOME, table)] = 1.0 - np.cumsum(chance) + chance
    return np.rint(ONE * np.clip(rows, 0.0, 1.0)).astype(np.uint16)


if __name__ == "__main__":
    rows = made()
    np.savez_compressed(sys.argv[1], tails=rows[:, : int(rows.any(axis=0).sum())])
