"""The last stage: a few passes over everything that a refinement has gathered.

While positions are gathered the learning rate has to stay high enough to follow the teacher; here
it falls evenly to almost nothing over targets that do not change any more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.inputs import encode_many
from sixprime.engine.lab import LabError
from sixprime.engine.lab.training import model
from sixprime.engine.lab.training.learners import gap, of_nets, off
from sixprime.engine.lab.training.refine import ALONE, Shard, read_shard
from sixprime.engine.nets import weights
from sixprime.engine.position import MAX_CHECKERS

PARTS = 16  # of a pass; after each part the learning rate falls and the curve gets a point
HELD_OUT = 20_000  # newest positions, which only measure the error


@dataclass(frozen=True, slots=True)
class Polish:
    passes: int = 4
    rate: float = 1.5e-3
    last_rate: float = 2e-5
    newest: int = 2_000_000  # positions
    batch: int = 1024
    keep: float = 0.998  # of the running average, a step
    contrast: float = 0.0  # see model.Stress
    win: float = 0.0
    regret: float = 0.0
    phases: bool = False  # the contact net gets a tail for each phase of the game
    tails_only: bool = False  # the first layer stays as it is
    seed: int = 1


def gathered(paths: Sequence[Path], newest: int) -> Shard:
    """Return the newest positions of some shards, in the order of their numbers, as one shard."""
    shards: list[Shard] = []
    groups = 0  # every shard counts its own from 0
    for path in sorted(paths, key=lambda path: path.name, reverse=True):
        shard = read_shard(path)
        own = np.where(shard.groups == ALONE, ALONE, shard.groups + groups).astype(np.int32)
        shards.append(shard._replace(groups=own))
        groups += int(shard.groups.max()) + 1
        if sum(len(shard.boards) for shard in shards) >= newest:
            break
    if sum(len(shard.boards) for shard in shards) < 2 * HELD_OUT:
        places = ", ".join(sorted({str(path.parent) for path in paths})) or "no shards"
        raise LabError(f"{places}: fewer than {2 * HELD_OUT} positions gathered")
    return Shard(*(np.concatenate(parts) for parts in zip(*reversed(shards), strict=True)))


def shuffled(groups: NDArray[np.int32], draws: np.random.Generator) -> NDArray[np.intp]:
    """Return the places of `groups` in random order, rivals side by side."""
    first = np.flatnonzero(np.diff(groups, prepend=groups[0] - 1) | (groups == ALONE))
    sizes = np.diff(first, append=len(groups))
    order = draws.permutation(len(first))
    sizes = sizes[order]
    within = np.arange(len(groups)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(np.repeat(first[order], sizes) + within, np.intp)


def apart(errors: NDArray[np.float32], groups: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the errors of rivals less their mean, without positions that stand alone."""
    rivals = groups != ALONE
    _, numbers = np.unique(groups[rivals], return_inverse=True)
    means = np.bincount(numbers, errors[rivals]) / np.maximum(np.bincount(numbers), 1)
    return np.asarray(errors[rivals] - means[numbers], np.float32)


def lesson(
    rows: NDArray[np.intp], groups: NDArray[np.int32], batch: int, draws: np.random.Generator
) -> NDArray[np.intp]:
    """Return `rows` in random order, with the same share of rivals in each batch."""
    alone = groups[rows] == ALONE
    rivals = rows[~alone]
    rivals = rivals[shuffled(groups[rivals], draws)] if len(rivals) else rivals
    others = draws.permutation(rows[alone])
    batches = max(-(-len(rows) // batch), 1)
    parts = zip(np.array_split(rivals, batches), np.array_split(others, batches), strict=True)
    return np.concatenate([rows for pair in parts for rows in pair])


def polish(
    nets: weights.Nets,
    shards: Sequence[Path],
    settings: Polish,
    names: tuple[str, ...],
    report: Callable[[dict[str, Any]], None],
) -> weights.Nets:
    """Let the nets in `names` learn and return all; `report` gets a row per part."""
    boards, targets, groups = gathered(shards, settings.newest)
    own = of_nets(boards)
    learners = {}
    for name in names:
        start = getattr(nets, name)
        tails = model.tails(name, start, settings.phases)
        shape = replace(model.shape_of(start), tails=tails)
        learners[name] = model.Learner(shape, settings.seed, tails_only=settings.tails_only)
        learners[name].take(start)
    held_out = np.arange(len(boards)) >= len(boards) - HELD_OUT
    draws = np.random.default_rng(settings.seed)
    stress = model.Stress(settings.contrast, settings.win, settings.regret)
    parts = settings.passes * PARTS
    order: dict[str, NDArray[np.intp]] = {}
    for part in range(parts):
        left = 1.0 - part / max(parts - 1, 1)
        rate = settings.last_rate + left * (settings.rate - settings.last_rate)
        row: dict[str, Any] = {"part": part + 1, "rate": rate}
        for name, learner in learners.items():
            rows = np.flatnonzero(own[name] & ~held_out)
            part_of_pass = len(rows) // PARTS
            if part % PARTS == 0:
                order[name] = lesson(rows, groups, settings.batch, draws)
            begin = part % PARTS * part_of_pass
            picked = order[name][begin : begin + part_of_pass]
            slots = encode_many(boards[picked], MAX_CHECKERS)  # not all at once: they are large
            learner.learn(
                slots, targets[picked], rate, settings.batch, settings.keep, groups[picked], stress
            )
            unseen = np.flatnonzero(own[name] & held_out)
            gaps = gap(learner, boards[unseen], targets[unseen])
            row[name] = off(gaps)
            differing = apart(gaps, groups[unseen])
            if len(differing):
                row[f"{name}_rivals"] = off(differing)
        report(row)
    return nets._replace(**{name: learner.net(True) for name, learner in learners.items()})
