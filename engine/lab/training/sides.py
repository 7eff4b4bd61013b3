"""The net of one side of a race, taught by a one-sided database of many points.

Sides come from walks, which begin where contact ends, in long races, or with a few checkers drawn
anywhere outside. A side rolls and plays until all its checkers are home, mostly for speed,
sometimes to bring the last checkers home soonest, and now and then otherwise; some results of each
roll are gathered. The database teaches the sides within its points. Sides further out learn the
exact mean over the next roll, by the database and the net so far, so each round carries the truth
further out. Every tail of the net gets an equal share of each lesson.

The loss is the divergence of the distributions, and more for the means, by which plays are chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812  # its name everywhere
from numpy.typing import NDArray
from torch import nn

from sixprime.engine.kernels.bearoff.ranks import HOME, WORDS
from sixprime.engine.kernels.inputs import COUNTS, OFF, PLACES
from sixprime.engine.kernels.moves import roll_results
from sixprime.engine.kernels.network import UNIT, Net
from sixprime.engine.kernels.races import (
    ALL,
    BORNE_OFF,
    CHECKERS,
    ENDS,
    ESTIMATE_UNIT,
    FIGURES,
    FIRST,
    LEARNED,
    SIDE_TAILS,
    TAIL_OF,
)
from sixprime.engine.lab.training.model import count_functions
from sixprime.engine.lab.training.sideends import Ends, Judge, SideBoards, within
from sixprime.engine.lab.training.starts import race_starts
from sixprime.engine.lab.training.targets import POINTS, walk
from sixprime.engine.nets import weights
from sixprime.engine.system.wholefiles import written_whole

POWER = 64.0  # sixprime.engine.kernels.machine.bells.spread_out
EARLIEST, LATEST = -11.0, 13.0
SHIFTS = 16
MORE = 3  # results of a roll that are gathered beside the play made
SAMPLE = 200_000  # sides that the estimates are fitted to
KEEP = 0.999  # of the running average, a step
ROLLS_OF = torch.arange(WORDS, dtype=torch.float32)


@dataclass(frozen=True, slots=True)
class SideRun:
    """The settings of one net of a side."""

    points: int = 12  # of the database: 6 GB of memory; 10 points take a fifth
    starts: int = 6_000  # ends of contact to walk from, and as many long races
    walked: int = 12_000_000  # sides gathered
    far: int = 200_000  # sides beyond the database that a round teaches
    rounds: int = 8  # the first knows the database only
    steps: int = 30_000  # of the first round; the others have a third
    layers: tuple[int, int, int] = (128, 32, 32)
    batch: int = 1024
    rate: float = 2e-3
    last_rate: float = 3e-5
    mean_weight: float = 20.0
    seed: int = 1


# --- the net ------------------------------------------------------------------------------------


def tails_of(sides: SideBoards) -> NDArray[np.int64]:
    """Return the tail of the net for each side."""
    full = sides.sum(1) == CHECKERS
    return np.where(full, TAIL_OF[sides[:, HOME:].sum(1)], BORNE_OFF)


class SideModel(nn.Module):
    """Sides -> estimated means, and figures of how the chances lie around them."""

    def __init__(self, layers: tuple[int, int, int], estimates: NDArray[np.float32], seed: int):
        super().__init__()
        torch.manual_seed(seed)
        wide, middle, narrow = layers
        functions = torch.from_numpy(count_functions()[:PLACES])
        self.register_buffer("functions", functions, persistent=False)
        self.register_buffer("estimates", torch.from_numpy(estimates))
        learned = wide - LEARNED
        self.weights = nn.Parameter(torch.randn(PLACES, functions.shape[2], learned) * 0.1)
        self.free = nn.Parameter(torch.zeros(PLACES * COUNTS, learned))
        self.bias = nn.Parameter(torch.zeros(learned))
        sizes = (wide, middle, narrow, LEARNED * FIGURES)
        dense: list[torch.Tensor] = []
        for size, after in pairwise(sizes):
            weight = (torch.rand(size, after) * 2 - 1) / math.sqrt(size)
            dense += [weight.repeat(SIDE_TAILS, 1, 1), torch.zeros(SIDE_TAILS, after)]
        dense[4] *= 0.1
        dense[5][:, 1::FIGURES] = -0.3  # a bell
        self.dense: Any = nn.ParameterList(map(nn.Parameter, dense))

    def table(self) -> torch.Tensor:
        functions: Any = self.functions
        estimates: Any = self.estimates
        counts = torch.bmm(functions, self.weights).reshape(PLACES * COUNTS, -1)
        return torch.cat((estimates, self.free + counts), 1)

    def forward(self, sides: SideBoards) -> tuple[torch.Tensor, torch.Tensor]:
        """Return estimates [n, LEARNED] and figures of sides that are sorted by their tails."""
        slots = np.arange(POINTS) * COUNTS + sides
        off = OFF * COUNTS + CHECKERS - sides.sum(1, dtype=np.int64)
        met = np.column_stack((sides > 0, np.ones(len(sides), np.bool_)))
        slots = np.column_stack((slots, off))
        begins = np.concatenate(([0], met.sum(1).cumsum()[:-1]))
        sums = F.embedding_bag(
            torch.from_numpy(slots[met]), self.table(), torch.from_numpy(begins), mode="sum"
        )
        means, learned = sums[:, :LEARNED], sums[:, LEARNED:]
        wide = F.relu(torch.cat((means, learned + self.bias), 1))
        out = []
        sizes = np.bincount(tails_of(sides), minlength=SIDE_TAILS).tolist()
        w1, b1, w2, b2, w3, b3 = self.dense
        for tail, part in enumerate(torch.split(wide, sizes)):  # type: ignore[no-untyped-call]
            middle = F.relu(torch.addmm(b1[tail], part, w1[tail]))
            narrow = F.relu(torch.addmm(b2[tail], middle, w2[tail]))
            out.append(torch.addmm(b3[tail], narrow, w3[tail]))
        return means.detach(), torch.cat(out)

    def net(self) -> Net:
        """Return the engine's arrays; the row of no checker off is never added, so the bias is."""
        with torch.no_grad():
            units = np.full(len(self.bias) + LEARNED, UNIT)
            units[:LEARNED] = ESTIMATE_UNIT
            table = np.rint(self.table().numpy() * units)
            none = table[OFF * COUNTS].copy()
            table[OFF * COUNTS :] -= none
            table[: OFF * COUNTS : COUNTS] = 0
            bias = none + np.rint(np.concatenate((np.zeros(LEARNED), self.bias.numpy() * UNIT)))
            dense = [layer.numpy().copy() for layer in self.dense]
        dense[0] = (dense[0] / units[:, np.newaxis]).astype(np.float32)
        return Net(table.astype(np.int16), bias.astype(np.int16), *dense)


def logs_of(figures: torch.Tensor, means: torch.Tensor, end: int) -> torch.Tensor:
    """Return the logarithms of the chances of an end, as spread_out makes them."""
    own = figures[:, end * FIGURES : (end + 1) * FIGURES]
    x = ROLLS_OF - means[:, end : end + 1]
    power = x * (own[:, 0:1] + x * (own[:, 1:2] + x * (own[:, 2:3] * 0.1)))
    power = power + F.pad(own[:, FIGURES - SHIFTS :], (0, WORDS - SHIFTS))
    logs = POWER * torch.log((1 + power / POWER).clamp_min(1e-3))
    beyond = (x < EARLIEST) | (x > LATEST) | (ROLLS_OF < 1)
    return F.log_softmax(logs.masked_fill(beyond, -1e9), 1)


def fitted_estimates(sides: SideBoards, ends: Ends) -> NDArray[np.float32]:
    """Return the shares float32[rows, LEARNED] of counts in the mean numbers of rolls.

    They are linear in a few facts, so rows that these sides never have are sensible, too.
    """
    full = sides.sum(1) == CHECKERS
    facts = _facts(sides)
    estimates = np.zeros((PLACES, COUNTS, LEARNED))
    for end, known in ((ALL, full | True), (FIRST, full)):
        rolls = ends[known, end] @ np.arange(WORDS)
        share = np.linalg.lstsq(facts[known], rolls, rcond=None)[0]
        for place in range(POINTS):
            alone = np.zeros((COUNTS, POINTS), np.int8)
            alone[:, place] = np.arange(COUNTS)
            estimates[place, :, end] = _facts(alone) @ share - share[-1]
        estimates[OFF, :, end] = share[-1]
    rounded = np.rint(estimates * ESTIMATE_UNIT) / ESTIMATE_UNIT
    return rounded.reshape(PLACES * COUNTS, LEARNED).astype(np.float32)


def _facts(sides: SideBoards) -> NDArray[np.float64]:
    counts = sides.astype(np.float64)
    home, outside = counts[:, :HOME], counts[:, HOME:]
    return np.column_stack((
        home, home >= 1, np.maximum(home - 1, 0), np.maximum(home - 3, 0),
        outside.sum(1), outside @ np.arange(1, POINTS - HOME + 1), (outside[:, :6] >= 1).sum(1),
        outside[:, :3], np.ones(len(counts)),
    ))  # fmt: skip


def learn(
    model: SideModel,
    run: SideRun,
    lesson: Callable[[np.random.Generator], tuple[SideBoards, Ends]],
    pace: tuple[float, int],
    number: int,
) -> dict[str, float]:
    """Take steps at a falling rate; leave the running average, and return the mean loss."""
    first, steps = pace
    draws = np.random.default_rng([run.seed, number])
    optimizer = torch.optim.Adam(model.parameters(), first, betas=(0.9, 0.99))
    average = {name: value.clone() for name, value in model.state_dict().items()}
    total = 0.0
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = first * (run.last_rate / first) ** (step / steps)
        loss = loss_of(model, *lesson(draws), run.mean_weight)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        total += loss.item()
        keep = min(KEEP, 1 - 1 / (step + 2))
        with torch.no_grad():
            for name, value in model.state_dict().items():
                average[name].lerp_(value, 1 - keep)
    model.load_state_dict(average)
    return {"loss": total / max(steps, 1)}


def loss_of(model: SideModel, sides: SideBoards, ends: Ends, mean_weight: float) -> torch.Tensor:
    """Return the loss on sides whose ends are known; the first checker off only counts with 15."""
    order = np.argsort(tails_of(sides), kind="stable")
    means, figures = model(sides[order])
    wanted = torch.from_numpy(ends[order])
    full = torch.from_numpy((sides[order].sum(1) == CHECKERS).astype(np.float32))
    loss = torch.zeros(())
    for end in (ALL, FIRST):
        logs, wish = logs_of(figures, means, end), wanted[:, end]
        gap = torch.xlogy(wish, wish).sum(1) - (wish * logs.clamp_min(-40)).sum(1)
        off = (logs.exp() - wish) @ ROLLS_OF
        each = gap + mean_weight * off * off
        loss = loss + (each * full if end == FIRST else each).mean()
    return loss


class Shares:
    """Sides of which each tail of the net has an equal share, if it has any."""

    def __init__(self, sides: SideBoards) -> None:
        tails = tails_of(sides)
        self.sides = sides[np.argsort(tails, kind="stable")]
        sizes = np.bincount(tails, minlength=SIDE_TAILS)
        self.begins, self.sizes = (sizes.cumsum() - sizes)[sizes > 0], sizes[sizes > 0]

    def drawn(self, count: int, draws: np.random.Generator) -> NDArray[np.int64]:
        """Draw the places of some sides."""
        which = draws.integers(len(self.sizes), size=count)
        return np.asarray(self.begins[which] + draws.integers(self.sizes[which]))


class SideTrainer:
    """The lessons and the net of a run, which goes on after its last whole round."""

    def __init__(self, run: SideRun, folder: Path, nets: weights.Nets) -> None:
        """Gather the sides; `nets` only play the games that races come from."""
        self.run = run
        self.path = folder / "sides.pt"
        self.brain = within(weights.brain_of(nets), run.points)
        starts = race_starts(self.brain, run.seed, run.starts).reshape(-1, POINTS)
        sides = np.zeros((run.walked, POINTS), np.int8)
        outside = np.ascontiguousarray(starts[starts[:, HOME:].any(1)])
        walk(outside, run.seed, MORE, roll_results(), sides)
        sides = np.random.default_rng(run.seed).permutation(np.unique(sides, axis=0))
        far = sides[:, run.points :].any(1)
        self.near, self.far = Shares(sides[~far]), Shares(sides[far])
        self.taught = Shares(sides[:0])  # the far ones of this round
        self.ends = np.zeros((0, ENDS, WORDS), np.float32)  # of these
        self.judge = Judge.of(self.brain)
        sample = sides[~far][:SAMPLE]
        estimates = fitted_estimates(sample, self.judge.ends(sample))
        self.model = SideModel(run.layers, estimates, run.seed)
        self.rounds = 0
        if self.path.exists():
            kept = torch.load(self.path, weights_only=True)
            self.rounds = kept.pop("rounds")
            self.model.load_state_dict(kept)

    def lesson(self, draws: np.random.Generator) -> tuple[SideBoards, Ends]:
        """Return a batch of sides and their ends, half of them far ones once there are some."""
        distant = self.run.batch // 2 if len(self.ends) else 0
        near = self.near.sides[self.near.drawn(self.run.batch - distant, draws)]
        if not distant:
            return near, self.judge.ends(near)
        which = self.taught.drawn(distant, draws)
        ends = np.concatenate((self.judge.ends(near), self.ends[which]))
        return np.concatenate((near, self.taught.sides[which])), ends

    def train(self, report: Callable[[dict[str, Any]], None]) -> Net:
        """Carry out the rounds that are left; return the net."""
        run = self.run
        while self.rounds < run.rounds:
            steps, rate = run.steps, run.rate
            if self.rounds > 0:
                steps, rate = steps // 3, rate / 4
                learned = self.brain._replace(sides=weights.laid_out(self.model.net()))
                draws = np.random.default_rng([run.seed, self.rounds, run.far])
                which = np.unique(self.far.drawn(run.far, draws))
                self.taught = Shares(self.far.sides[which])
                self.ends = Judge.of(learned).ends(self.taught.sides)
            loss = learn(self.model, run, self.lesson, (rate, steps), self.rounds)
            self.rounds += 1
            with written_whole(self.path) as file:
                torch.save({**self.model.state_dict(), "rounds": self.rounds}, file)
            near = len(self.near.sides)
            report({"round": self.rounds, "near": near, "far": len(self.ends)} | loss)
        return self.model.net()
