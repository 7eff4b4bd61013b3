"""The exact values of races, as far as a large one-sided database reaches.

Sides do not meet in a race: a database of the rolls of each side values any two of them. So each
gathered race teaches more than once: as it is, with the other player on roll, and with its sides
paired with others of about the same length. Races beyond the database get the exact mean over the
next roll, by nets with the database: each round carries its truth further. Decided races teach
little, and most are left out.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.bearoff.databases import OneSided, OneSidedDatabase
from sixprime.engine.kernels.bearoff.ranks import HOME
from sixprime.engine.kernels.cubeless import CubelessPlayer
from sixprime.engine.kernels.evaluation import Brain, judge_many, scratch_for
from sixprime.engine.lab.training.model import Chances
from sixprime.engine.lab.training.refine import ALONE, Shard
from sixprime.engine.lab.training.targets import look_ahead_many
from sixprime.engine.nets.weights import reaching
from sixprime.engine.position import MAX_CHECKERS

Boards = NDArray[np.int8]  # [n, 2, 25]
PIPS = np.arange(1, 26)
ABOUT = 10.0  # pips, one standard deviation, between sides that are paired anew
OPEN = 0.02  # distance of an open win from certainty; half of it for gammons
DECIDED = 0.15  # the share of decided races that teach all the same


@dataclass(frozen=True, slots=True)
class Truth:
    """The reach of the database: 12 points take 6 GB of memory and a minute, 10 a fifth."""

    points: int = 12
    seed: int = 1


def within(brain: Brain, points: int) -> Brain:
    """Return the brain with a one-sided database of so many points, made in memory."""
    return reaching(brain, OneSidedDatabase.built(OneSided(points, compressed=False)))


def paired_anew(boards: Boards, draws: np.random.Generator) -> Boards:
    """Return as many boards of the same sides, paired so that pips differ by about ABOUT."""
    sides = boards.reshape(-1, boards.shape[2])
    pips = sides @ PIPS
    order = np.argsort(pips, kind="stable")
    mine = draws.integers(len(sides), size=len(boards))
    wanted = pips[mine] + draws.normal(0.0, ABOUT, len(boards))
    place = np.searchsorted(pips[order], wanted).clip(0, len(sides) - 1)
    return np.stack([sides[mine], sides[order[place]]], axis=1)


def taught(boards: Boards, reach: int, draws: np.random.Generator) -> Boards:
    """Return the positions that these races teach, without those in the bearoff database."""
    turned = boards[:, ::-1]
    near = boards[~boards[:, :, reach:].any((1, 2))]
    anew = paired_anew(near, draws) if len(near) else near
    every = np.concatenate([boards, turned, anew])
    return np.ascontiguousarray(every[every[:, :, HOME:].any((1, 2))])


def judged(brain: Brain, boards: Boards, threads: int) -> Chances:
    """Return the chances by a brain `within` a database: exact, or one ply ahead."""
    chances = np.zeros((len(boards), 5), np.float32)
    far = np.flatnonzero(boards[:, :, brain.reach[0] :].any((1, 2)))

    def look_ahead(places: NDArray[np.intp]) -> None:
        ahead = np.zeros((len(places), 5), np.float32)
        look_ahead_many(CubelessPlayer(brain, scratch_for(brain), 0), boards[places], ahead)
        chances[places] = ahead

    judge_many(brain, boards, MAX_CHECKERS, scratch_for(brain), chances)
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(look_ahead, np.array_split(far, threads)))
    return chances


def is_open(chances: Chances) -> NDArray[np.bool_]:
    """Return a mask of the results in doubt."""
    win, gammon, _, lost, _ = np.minimum(chances, 1 - chances).T
    return np.asarray((win > OPEN) | (np.maximum(gammon, lost) > OPEN / 2))


def truth_of(shard: Shard, brain: Brain, draws: np.random.Generator, threads: int) -> Shard:
    """Return the positions that a shard of gathered races teaches, with their values."""
    boards = taught(shard.boards, int(brain.reach[0]), draws)
    chances = judged(brain, boards, threads)
    kept = is_open(chances) | (draws.random(len(boards)) < DECIDED)
    return Shard(boards[kept], chances[kept], np.full(kept.sum(), ALONE, np.int32))
