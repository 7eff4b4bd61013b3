"""The network as torch sees it, its gradient step, and its translation into the engine's arrays.

torch is imported here, in `sides` and in engine.lab.people.fitting. The first layer's table is not
learned row by row: the row of n checkers on a place is a weighted sum of a few functions of n ("at
least one", "at least two", ...), so rare counts are close to their neighbours, plus a part of its
own that starts at zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812  # its name everywhere
from numpy.typing import NDArray
from torch import nn

from sixprime.engine.kernels.inputs import (
    COUNT_ROWS,
    COUNT_SLOTS,
    COUNTS,
    EMPTY,
    OFF,
    PHASES,
    PLACES,
    ROWS,
    phases_of,
)
from sixprime.engine.kernels.network import OUTPUTS, POINTS, UNIT, Net
from sixprime.engine.nets.weights import BadWeights, Nets, without_life
from sixprime.engine.system.wholefiles import written_whole

LIMIT = 32767
IMPOSSIBLE = 1e-4  # chances closer than this to 0 or 1 are not corrected
OLD_LAYERS = {"l1": "tails.0.0", "l2": "tails.0.2", "l3": "tails.0.4"}  # before there were tails
CORRECTION_WIDTH = 24
CORRECTION_BATCH = 16_384
CORRECTION_PASSES = 3
CORRECTION_RATE = 3e-3

Chances = NDArray[np.float32]  # [n, OUTPUTS]


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the layers, and the number of tails: one for each phase of the game, or one."""

    wide: int = 256
    middle: int = 32
    narrow: int = 32
    tails: int = 1


def tails(name: str, start: Net | None, phases: bool = False) -> int:
    """Return the number of tails of a net: one per phase if asked, or as in `start`."""
    split = phases or (start is not None and len(start.b1) > 1)
    return PHASES if split and name == "contact" else 1


def count_functions() -> NDArray[np.float32]:
    """Return the parts of rows, float32[COUNT_SLOTS, COUNTS, functions]; zeros for no checkers."""
    counts = np.arange(COUNTS)
    on_point = [counts >= 1, counts >= 2, counts >= 3, counts >= 4, np.maximum(counts - 4, 0) / 4]
    off = [counts >= 1, counts >= 5, counts >= 9, counts >= 13, counts / 8]
    functions = np.zeros((COUNT_SLOTS, COUNTS, 5), np.float32)
    functions[:] = np.stack(on_point, axis=1)
    functions[[OFF, PLACES + OFF]] = np.stack(off, axis=1)
    return functions


class Tail(nn.Sequential):
    """Wide sums -> logits of the five probabilities."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(
            nn.Linear(shape.wide, shape.middle),
            nn.ReLU(),
            nn.Linear(shape.middle, shape.narrow),
            nn.ReLU(),
            nn.Linear(shape.narrow, OUTPUTS),
        )

    def dense(self) -> tuple[nn.Linear, ...]:
        return tuple(layer for layer in self if isinstance(layer, nn.Linear))


class Model(nn.Module):
    """slots -> logits of the five probabilities."""

    def __init__(self, shape: Shape, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.shape = shape
        functions = torch.from_numpy(count_functions())
        self.register_buffer("functions", functions, persistent=False)
        self.register_buffer("empty", torch.from_numpy(EMPTY).long(), persistent=False)
        self.weights = nn.Parameter(torch.randn(COUNT_SLOTS, functions.shape[2], shape.wide) * 0.1)
        self.free = nn.Parameter(torch.zeros(ROWS, shape.wide))
        self.bias = nn.Parameter(torch.zeros(shape.wide))
        tails = [Tail(shape) for _ in range(shape.tails)]
        self.tails: Iterable[Tail] = nn.ModuleList(tails)  # type: ignore[assignment]

    def table(self) -> torch.Tensor:
        """Return [ROWS, wide]; the rows of no checkers are never used."""
        functions: Any = self.functions
        counts = torch.bmm(functions, self.weights).reshape(COUNT_ROWS, -1)
        of_counts, others = self.free.split_with_sizes((COUNT_ROWS, ROWS - COUNT_ROWS))
        return torch.cat((of_counts + counts, others))

    def forward(self, slots: torch.Tensor, phases: torch.Tensor) -> torch.Tensor:
        tails = list(self.tails)
        # by phase: each tail's rows are a part of one piece, whose gradient is not summed up from
        # nine as large as the whole
        order = torch.argsort(phases, stable=True) if len(tails) > 1 else None
        hidden = self.hidden(slots if order is None else slots[order])
        if order is None:
            only: torch.Tensor = tails[0](hidden)
            return only
        sizes = torch.bincount(phases, minlength=len(tails)).tolist()
        said = [tail(own) for tail, own in zip(tails, hidden.split_with_sizes(sizes), strict=True)]
        return torch.empty_like(hidden[:, :OUTPUTS]).index_copy(0, order, torch.cat(said))

    def hidden(self, slots: torch.Tensor) -> torch.Tensor:
        """Return the wide sums that the tails begin with."""
        # most places are empty and their rows zero: bags of the occupied ones only
        empty: Any = self.empty
        occupied: torch.Tensor = slots != empty
        offsets = torch.cat([occupied.new_zeros(1, dtype=torch.long), occupied.sum(1).cumsum(0)])
        sums = F.embedding_bag(slots[occupied].long(), self.table(), offsets[:-1], mode="sum")
        return F.relu(sums + self.bias)

    def take(self, net: Net) -> None:
        """Go on from the engine's arrays: every row becomes a row's own part.

        A smaller net than this one is widened and keeps its answers: no layer weighs the new units
        yet, which keep their random inputs. A single tail serves all phases.
        """
        if len(net.b1) not in (1, self.shape.tails):
            raise BadWeights(f"a net of {len(net.b1)} tails does not fit into {self.shape.tails}")
        net = without_life(net)  # it is taught last
        dense = ((net.w1 * UNIT, net.b1), (net.w2, net.b2), (net.w3, net.b3))
        with torch.no_grad():
            _overwrite(self.free, net.table.astype(np.float32) / UNIT)
            self.weights[:, :, : net.table.shape[1]].zero_()
            _overwrite(self.bias, net.bias.astype(np.float32) / UNIT)
            for phase, tail in enumerate(self.tails):
                own = phase if len(net.b1) > 1 else 0
                for layer, (weights, bias) in zip(tail.dense(), dense, strict=True):
                    layer.weight[:, weights.shape[1] :] = 0.0
                    _overwrite(layer.weight, weights[own].T)
                    _overwrite(layer.bias, bias[own])

    def net(self) -> Net:
        """Return the engine's arrays."""
        parts = []
        for layers in zip(*(tail.dense() for tail in self.tails), strict=True):
            parts += [_stacked([layer.weight.T for layer in layers])]
            parts += [_stacked([layer.bias for layer in layers])]
        parts[0] = parts[0] / np.float32(UNIT)
        empty: Any = self.empty
        table = self.table().index_fill(0, empty, 0.0)
        return Net(_fixed(table), _fixed(self.bias), *parts)


def _stacked(parameters: list[torch.Tensor]) -> NDArray[np.float32]:
    arrays = np.stack([each.detach().cpu().numpy() for each in parameters])
    return np.ascontiguousarray(arrays, np.float32)


def _overwrite(parameter: torch.Tensor, values: NDArray[np.float32]) -> None:
    """Put values into the corner that begins at index 0 of every axis."""
    corner = tuple(slice(size) for size in values.shape)
    parameter[corner] = torch.from_numpy(np.array(values, np.float32))


def _fixed(values: torch.Tensor) -> NDArray[np.int16]:
    scaled = np.rint(values.detach().cpu().numpy() * UNIT)
    return np.clip(scaled, -LIMIT, LIMIT).astype(np.int16)


class Stress(NamedTuple):
    """The extra weight of ranking rival plays rightly, beside valuing each position."""

    contrast: float = 0.0  # of the mean square of rivals' errors about their mean
    win: float = 0.0  # of the same for winning chances alone, on the scale of an equity
    regret: float = 0.0  # of the equity lost by a player who chooses among near equals at random


NO_STRESS = Stress()
UNSURE = 0.02  # equity between two plays that are chosen as 1 to e


def _stressed(
    logits: torch.Tensor, want: torch.Tensor, groups: NDArray[np.int32], stress: Stress
) -> torch.Tensor:
    """Return the addition to a batch's loss; rows of the same group, unless -1, are rivals."""
    rows = torch.from_numpy(np.flatnonzero(groups >= 0)).to(logits.device)
    _, numbers = np.unique(groups[groups >= 0], return_inverse=True)
    group = torch.from_numpy(numbers).to(logits.device)
    signs = torch.tensor(POINTS, device=logits.device)
    said, true = logits[rows].sigmoid() @ signs, want[rows] @ signs
    size = torch.bincount(group).clamp(min=1)

    def sums(values: torch.Tensor) -> torch.Tensor:
        return values.new_zeros(len(size)).index_add(0, group, values)

    def least(values: torch.Tensor) -> torch.Tensor:
        return values.new_full((len(size),), 9.0).scatter_reduce(0, group, values, "amin")

    def differing(errors: torch.Tensor) -> torch.Tensor:
        return ((errors - (sums(errors) / size)[group]) ** 2).sum()

    by_wins = 2 * (logits[rows, 0].sigmoid() - want[rows, 0])
    # the opponent is on roll, so the mover likes the least
    liking = torch.exp((least(said.detach())[group] - said) / UNSURE)
    lost = liking / sums(liking)[group] * (true - least(true)[group])
    apart = stress.contrast * differing(said - true) + stress.win * differing(by_wins)
    return (apart + stress.regret * lost.sum()) / len(logits)


@contextmanager
def _without_denormals() -> Iterator[None]:
    """Flush denormal numbers to zero meanwhile.

    The moments of rare rows decay to them, and arithmetic with them made a step ten times slower.
    """
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


class Learner:
    """A model with its optimiser."""

    def __init__(
        self, shape: Shape, seed: int, device: str = "cpu", tails_only: bool = False
    ) -> None:
        """With `tails_only` the first layer does not learn, so that other phases cannot suffer."""
        self.device = device
        self.shape = shape
        self.model = Model(shape, seed).to(device)
        for parameter in (self.model.weights, self.model.free, self.model.bias):
            parameter.requires_grad_(not tails_only)
        learning = [each for each in self.model.parameters() if each.requires_grad]
        self.optimiser = torch.optim.Adam(learning, betas=(0.9, 0.999), fused=True)
        self.average = self._weights()
        self.steps = 0

    def take(self, net: Net) -> None:
        """Begin with a finished net instead of random weights."""
        self.model.take(net)
        self.average = self._weights()

    @_without_denormals()
    def learn(
        self,
        slots: NDArray[np.int16],
        targets: NDArray[np.float32],
        rate: float,
        batch: int,
        keep: float = 0.999,
        groups: NDArray[np.int32] | None = None,
        stress: Stress = NO_STRESS,
    ) -> float:
        """Learn in one pass from the rows in order; return the mean loss above the targets' own.

        Rows of the same number in `groups`, if that is not negative, are plays of one roll, and
        `stress` gives the extra weight of ranking them rightly.
        """
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        total = 0.0
        for i in range(0, len(slots), batch):
            want = torch.from_numpy(targets[i : i + batch]).to(self.device)
            logits = self._logits(slots[i : i + batch])
            loss = F.binary_cross_entropy_with_logits(logits, want)
            objective = loss
            if groups is not None and any(stress):
                objective = loss + _stressed(logits, want, groups[i : i + batch], stress)
            self.optimiser.zero_grad(set_to_none=True)
            objective.backward()  # type: ignore[no-untyped-call]
            self.optimiser.step()
            with torch.no_grad():
                likely = want.clamp(0.0, 1.0)
                noise = F.binary_cross_entropy(likely, likely)
                total += float(loss - noise) * len(want)
                self.steps += 1
                kept = min(keep, self.steps / (self.steps + 10))  # soon forget the random start
                for name, value in self.model.state_dict().items():
                    self.average[name].lerp_(value, 1.0 - kept)
        return total / max(len(slots), 1)

    def _logits(self, slots: NDArray[np.int16]) -> torch.Tensor:
        rows, phases = torch.from_numpy(slots), torch.from_numpy(phases_of(slots))
        said: torch.Tensor = self.model(rows.to(self.device), phases.to(self.device))
        return said

    def judge(self, slots: NDArray[np.int16], batch: int = 8192) -> NDArray[np.float32]:
        """Return the running average's chances, float32[n, OUTPUTS]."""
        with self._averaged(), torch.no_grad():
            said = [
                self._logits(slots[i : i + batch]).sigmoid().cpu()
                for i in range(0, len(slots), batch)
            ]
        empty = np.zeros((0, OUTPUTS), np.float32)
        return np.asarray(torch.cat(said).numpy(), np.float32) if said else empty

    def net(self, averaged: bool = False) -> Net:
        """Return the engine's arrays of the latest weights, or of their running average."""
        if not averaged:
            return self.model.net()
        with self._averaged():
            return self.model.net()

    @contextmanager
    def _averaged(self) -> Iterator[None]:
        """Put the running average into the model meanwhile."""
        latest = self._weights()
        self.model.load_state_dict(self.average)
        yield
        self.model.load_state_dict(latest)

    def _weights(self) -> dict[str, torch.Tensor]:
        return {k: v.detach().clone() for k, v in self.model.state_dict().items()}

    def state(self) -> dict[str, Any]:
        """Return everything that a resumed run needs."""
        return {
            "model": self.model.state_dict(),
            "average": self.average,
            "optimiser": self.optimiser.state_dict(),
            "steps": self.steps,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state()`."""
        self.model.load_state_dict(state["model"])
        self.average = state["average"]
        self.optimiser.load_state_dict(state["optimiser"])
        self.steps = state["steps"]


class Correction(nn.Module):
    """A map from a net's logits to better ones, symmetric for both players."""

    def __init__(self, seed: int = 1) -> None:
        torch.manual_seed(seed)
        super().__init__()
        self.inner = nn.Linear(OUTPUTS, CORRECTION_WIDTH)
        self.outer = nn.Linear(CORRECTION_WIDTH, OUTPUTS)
        nn.init.zeros_(self.outer.weight)
        nn.init.zeros_(self.outer.bias)

    def forward(self, logits: torch.Tensor) -> torch.Tensor:
        mine, theirs = self._one_sided(logits), turned(self._one_sided(turned(logits)))
        return logits + (mine + theirs) / 2

    def _one_sided(self, logits: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.outer(torch.tanh(self.inner(logits / 3)))
        return found

    def corrected(self, chances: Chances) -> Chances:
        """Return corrected chances; impossible outcomes stay impossible."""
        with torch.no_grad():
            better = np.asarray(torch.sigmoid(self(_logits(chances))).numpy(), np.float32)
        open_ = (chances > IMPOSSIBLE) & (chances < 1 - IMPOSSIBLE)
        better = np.where(open_, better, chances)
        for more, less in ((better[:, 0], 1), (1 - better[:, 0], 3)):  # wins, gammons, backgammons
            better[:, less] = np.minimum(better[:, less], more)
            better[:, less + 1] = np.minimum(better[:, less + 1], better[:, less])
        return better


def turned(logits: torch.Tensor) -> torch.Tensor:
    """Return logits as the other player sees them."""
    win, *others = logits.unbind(1)
    return torch.stack([-win, *others[2:], *others[:2]], 1)


def fit(said: Chances, ended: Chances, seed: int = 1) -> Correction:
    """Fit a correction to the results of games."""
    correction = Correction(seed)
    optimiser = torch.optim.Adam(correction.parameters(), CORRECTION_RATE)
    logits, results = _logits(said), torch.from_numpy(ended)
    draws = np.random.default_rng(seed)
    steps = CORRECTION_PASSES * -(-len(said) // CORRECTION_BATCH)
    step = 0
    for _ in range(CORRECTION_PASSES):
        order = torch.from_numpy(draws.permutation(len(said)))
        for start in range(0, len(order), CORRECTION_BATCH):
            rows = order[start : start + CORRECTION_BATCH]
            for group in optimiser.param_groups:
                group["lr"] = CORRECTION_RATE * (1 - step / steps)
            step += 1
            loss = F.binary_cross_entropy_with_logits(correction(logits[rows]), results[rows])
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
    return correction


def _logits(chances: Chances) -> torch.Tensor:
    likely = np.clip(chances, IMPOSSIBLE, 1 - IMPOSSIBLE)
    return torch.from_numpy(np.log(likely / (1 - likely)))


def restored(path: str) -> dict[str, Learner]:
    """Restore the contact, race and pruner learners of a checkpoint, in their saved shapes."""
    state = load_checkpoint(path)
    learners = {}
    for name in ("contact", "race", "pruner"):
        found = state[name]["model"]
        wide, middle, narrow = (
            len(found[key]) for key in ("bias", "tails.0.0.bias", "tails.0.2.bias")
        )
        shape = Shape(wide, middle, narrow, sum(key.endswith(".4.bias") for key in found))
        learners[name] = Learner(shape, seed=0)
        learners[name].restore(state[name])
    return learners


def equity(outcomes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cubeless money equity of float32[n, OUTPUTS]."""
    # Not by BLAS, whose product of so narrow a matrix once raised a flag for no reason.
    points = np.einsum("nk,k->n", outcomes, POINTS)
    return np.asarray(points - np.float32(1.0))


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write a checkpoint, whole or not at all."""
    with written_whole(path) as file:
        torch.save(state, file)


def load_checkpoint(path: str) -> dict[str, Any]:
    """Read a checkpoint; only tensors and plain values are accepted."""
    state: dict[str, Any] = torch.load(path, weights_only=True)
    for learner in state.values():
        if isinstance(learner, dict) and "model" in learner:
            for part in ("model", "average"):
                learner[part] = {_renamed(name): array for name, array in learner[part].items()}
    return state


def packed(nets: Nets) -> dict[str, list[torch.Tensor]]:
    """Return finished nets in a checkpoint's form."""
    return {
        name: [torch.from_numpy(np.array(array)) for array in net]
        for name, net in nets._asdict().items()
    }


def unpacked(packed: dict[str, list[torch.Tensor]]) -> Nets:
    return Nets(**{name: Net(*(array.numpy() for array in net)) for name, net in packed.items()})


def shape_of(net: Net) -> Shape:
    """Return the sizes of a finished net."""
    net = without_life(net)
    return Shape(net.table.shape[1], net.b1.shape[-1], net.b2.shape[-1], len(net.b1))


def _renamed(parameter: str) -> str:
    layer, dot, rest = parameter.partition(".")
    return OLD_LAYERS.get(layer, layer) + dot + rest


def threads(count: int) -> None:
    """Let torch use this many threads."""
    torch.set_num_threads(count)
