"""The last stage: all that a refinement has gathered is learned from as a whole, a few times.

While positions are gathered the learning rate has to stay high enough to follow the teacher; here
it falls to almost nothing over targets that do not change any more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import weights
from engine.kernels.inputs import encode_many
from engine.position import MAX_CHECKERS
from engine.training import model, selfplay

PARTS = 4  # of a pass, after each of which the rate falls and the curve gets a point
HELD_OUT = 20_000  # newest positions, which show the error and are not learned from


@dataclass(frozen=True, slots=True)
class Polish:
    """How to polish."""

    passes: int = 4
    rate: float = 1.5e-3
    last_rate: float = 2e-5
    newest: int = 2_000_000  # positions
    batch: int = 1024
    keep: float = 0.998  # of the running average, a step
    seed: int = 1


class NothingGathered(ValueError):
    """The folder holds too few positions; the text says so."""


def gathered(folder: Path, newest: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The newest positions of a refinement's shards with their targets, in their order."""
    boards: list[NDArray[np.int8]] = []
    targets: list[NDArray[np.float32]] = []
    for path in sorted(folder.glob("shard-*.npz"), reverse=True):
        with np.load(path, allow_pickle=False) as file:
            boards.append(file["boards"])
            targets.append(file["targets"])
        if sum(map(len, boards)) >= newest:
            break
    if sum(map(len, boards)) < 2 * HELD_OUT:
        raise NothingGathered(f"{folder}: fewer than {2 * HELD_OUT} positions gathered")
    return np.concatenate(boards[::-1]), np.concatenate(targets[::-1])


def polish(
    nets: weights.Nets,
    shapes: dict[str, model.Shape],
    folder: Path,
    settings: Polish,
    names: tuple[str, ...],
    report: Callable[[dict[str, Any]], None],
) -> weights.Nets:
    """`nets`, of which those in `names` have learned; `report` gets a row a part."""
    boards, targets = gathered(folder, settings.newest)
    slots = encode_many(boards, MAX_CHECKERS)
    race = selfplay.races(boards)
    learners = {name: model.Learner(shapes[name], settings.seed) for name in names}
    for name, learner in learners.items():
        learner.take(getattr(nets, name))
    held_out = np.arange(len(boards)) >= len(boards) - HELD_OUT
    draws = np.random.default_rng(settings.seed)
    parts = settings.passes * PARTS
    for part in range(parts):
        rate = settings.rate * (settings.last_rate / settings.rate) ** (part / max(parts - 1, 1))
        row: dict[str, Any] = {"part": part + 1, "rate": rate}
        for name, learner in learners.items():
            own = race if name == "race" else ~race
            rows = np.flatnonzero(own & ~held_out)
            picked = draws.permutation(rows)[: len(rows) // PARTS]
            learner.learn(slots[picked], targets[picked], rate, settings.batch, settings.keep)
            unseen = np.flatnonzero(own & held_out)
            gap = model.equity(learner.judge(slots[unseen])) - model.equity(targets[unseen])
            row[name] = float(np.sqrt((gap**2).mean()))
        report(row)
    return nets._replace(**{name: learner.net(True) for name, learner in learners.items()})
