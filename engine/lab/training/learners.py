"""The three learners of a run: started, taught and saved together; and the mean of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.inputs import encode_many
from sixprime.engine.kernels.network import Net
from sixprime.engine.lab import LabError
from sixprime.engine.lab.training import model, selfplay
from sixprime.engine.nets.weights import BadWeights, Nets
from sixprime.engine.position import MAX_CHECKERS

CHECKPOINT = "checkpoint.pt"


class Learners:
    """A learner for each of the nets, by its name."""

    def __init__(self, shapes: Mapping[str, model.Shape], seed: int, device: str = "cpu") -> None:
        self.by_name = {
            name: model.Learner(shape, seed + i, device)
            for i, (name, shape) in enumerate(shapes.items())
        }

    @classmethod
    def begun(
        cls, run: Any, folder: Path, device: str, start: Nets | None, *, widen: bool
    ) -> tuple[Learners, dict[str, Any]]:
        """Restore a folder's checkpoint, or begin with the nets of `start`, or with random ones.

        The run says their sizes and the seed; with `widen` they have as many tails as `start`. The
        second value holds the rest of the checkpoint, nothing if there is none.
        """
        model.threads(1)  # the other core plays
        folder.mkdir(parents=True, exist_ok=True)
        shapes = {}
        for name in Nets._fields:
            net = getattr(start, name) if start is not None and widen else None
            wide, middle, narrow = getattr(run, name)
            shapes[name] = model.Shape(wide, middle, narrow, model.tails(name, net))
        checkpoint = folder / CHECKPOINT
        try:
            learners = cls(shapes, run.seed, device)
            if checkpoint.exists():
                state = model.load_checkpoint(str(checkpoint))
                for name, learner in learners.by_name.items():
                    learner.restore(state[name])
                return learners, state
        except RuntimeError as error:  # torch's, about other shapes or the device
            raise BadWeights(str(error).splitlines()[0]) from error
        if start is not None:
            for name, learner in learners.by_name.items():
                learner.take(getattr(start, name))
        return learners, {}

    def nets(self, averaged: bool = True) -> Nets:
        """Return the nets in the engine's form: the running average, or the latest."""
        return Nets(**{name: learner.net(averaged) for name, learner in self.by_name.items()})

    def save(self, folder: Path, others: Mapping[str, Any]) -> None:
        """Write the checkpoint, with `others` in it, whole or not at all."""
        states = {name: learner.state() for name, learner in self.by_name.items()}
        model.save_checkpoint(folder / CHECKPOINT, {**states, **others})

    def learn(
        self,
        boards: NDArray[np.int8],
        targets: NDArray[np.float32],
        order: NDArray[np.intp],
        rate: float,
        run: Any,
    ) -> dict[str, float]:
        """Learn in one pass in this order, each net from its positions; return the losses."""
        slots = encode_many(boards, MAX_CHECKERS)
        losses = {}
        for name, own in of_nets(boards).items():
            rows = order[own[order]]
            learner = self.by_name[name]
            losses[name] = learner.learn(slots[rows], targets[rows], rate, run.batch, run.keep)
        return losses


def of_nets(boards: NDArray[np.int8]) -> dict[str, NDArray[np.bool_]]:
    """Return a mask of the positions for each net."""
    race = selfplay.races(boards)
    return {"contact": ~race, "race": race, "pruner": ~race}


def gap(
    learner: model.Learner, boards: NDArray[np.int8], targets: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the equity by which the running average exceeds the targets."""
    said = learner.judge(encode_many(boards, MAX_CHECKERS))
    return model.equity(said) - model.equity(targets)


def off(gaps: NDArray[np.float32]) -> float:
    """Return the root mean square."""
    return float(np.sqrt((gaps**2).mean()))


def average(brains: Sequence[Nets]) -> Nets:
    """Return nets that are the means of their namesakes, weight by weight.

    The mean of some that learned from the same start is a little better than each of them.
    """
    return Nets(*(_mean(name, nets) for name, *nets in zip(Nets._fields, *brains, strict=True)))


def _mean(name: str, nets: Sequence[Net]) -> Net:
    if len({tuple(array.shape for array in net) for net in nets}) != 1:
        raise LabError(f"the {name} nets have different shapes")
    return Net(*(_middle(arrays) for arrays in zip(*nets, strict=True)))


def _middle(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    kind = arrays[0].dtype
    mean = np.mean([array.astype(np.float64) for array in arrays], axis=0)
    return np.asarray(np.rint(mean) if kind.kind == "i" else mean, kind)
