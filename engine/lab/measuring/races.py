"""Race decisions from our own play, judged by the rolls of each side in a large database.

A one-sided database of many points knows each side's rolls; a side beyond it gets the exact mean
over its next roll, after which few are beyond it still. Each side plays for speed, or for the first
checker off where gammons count: that is the truth but for plays that suit both a little.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.bearoff.ranks import HOME, WORDS
from sixprime.engine.kernels.cubeless import CubelessPlayer
from sixprime.engine.kernels.evaluation import RACE, class_of, scratch_for
from sixprime.engine.kernels.moves import generate
from sixprime.engine.kernels.network import LOSE_GAMMON, OUTPUTS, WIN_GAMMON
from sixprime.engine.kernels.races import ENDS, meet_all
from sixprime.engine.lab.measuring.contestants import Contestant
from sixprime.engine.lab.measuring.decisions import Benchmark, losses, money
from sixprime.engine.lab.tallies import Mean
from sixprime.engine.lab.training.selfplay import play_games
from sixprime.engine.lab.training.sideends import Judge
from sixprime.engine.position import MAX_CHECKERS, Position

KINDS = ("ordinary", "bearoffs")
FEW = 3  # checkers outside at most, in a bearoff
STEP = 100_000  # positions of games at a time
DOUBT = 0.005  # chances of gammons that are compared are so far from certain


@dataclass(frozen=True, slots=True)
class RacePlan:
    """The settings of a set of race decisions."""

    ordinary: int = 2_000
    bearoffs: int = 1_000
    points: int = 10
    seed: int = 20261201


class RaceSet(NamedTuple):
    """Decisions with the cost of each play, and the chances after the best."""

    benchmark: Benchmark
    best: NDArray[np.int8]  # [n, 2, 25], the opponent on roll
    chances: NDArray[np.float32]  # [n, 5], of that opponent


def truth(judge: Judge, boards: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the chances float32[n, 5] of the players on roll of races."""
    sides, places = np.unique(boards.reshape(-1, boards.shape[2]), axis=0, return_inverse=True)
    ends = np.ascontiguousarray(judge.ends(sides)[places].reshape(len(boards), 2, ENDS, WORDS))
    outs = np.zeros((len(boards), OUTPUTS), np.float32)
    meet_all(ends, outs)
    return outs


def drawn(judge: Judge, plan: RacePlan) -> RaceSet:
    """Draw decisions from games that begin with the opening, and judge them."""
    draws = np.random.default_rng(plan.seed)
    work = scratch_for(judge.brain)
    start = Position.start().array()[np.newaxis]
    left = [plan.ordinary, plan.bearoffs]
    boards, dice, kinds, results = [], [], [], []
    while any(left):
        met = np.zeros((STEP, 2, 25), np.int8)
        values = np.zeros((STEP, OUTPUTS), np.float32)
        player = CubelessPlayer(judge.brain, work)
        play_games(player, start, 1, int(draws.integers(2**31)), np.float32(0.0), met, values)
        for i in draws.permutation(STEP):
            if class_of(met[i], MAX_CHECKERS) != RACE:
                continue
            kind = int(0 < met[i, 0, HOME:].sum() <= FEW and left[1] > 0)
            roll = draws.integers(1, 7, size=2)
            count = generate(met[i], *roll, work.rolled)
            made = work.rolled.results[:count]
            if not left[kind] or count < 2 or not made[:, 0].any(1).all():
                continue
            left[kind] -= 1
            boards.append(met[i])
            dice.append(roll)
            kinds.append(kind)
            results.append(made.copy())
    starts = np.cumsum([0, *map(len, results)], dtype=np.int32)
    after = np.concatenate(results)
    theirs = truth(judge, np.ascontiguousarray(after[:, ::-1]))
    worse = money(theirs).astype(np.float64)
    best = np.array(
        [begin + worse[begin:end].argmin() for begin, end in pairwise(starts)], np.int64
    )
    costs = worse - np.repeat(worse[best], np.diff(starts))
    benchmark = Benchmark(
        np.stack(boards), np.array(dice, np.int8), np.array(kinds, np.int8), starts, after,
        costs.astype(np.float32), np.zeros(len(after), np.int8),
        np.zeros(len(after), np.float32), json.dumps(asdict(plan)),
    )  # fmt: skip
    return RaceSet(benchmark, np.ascontiguousarray(after[best][:, ::-1]), theirs[best])


def scored(player: Contestant, races: RaceSet) -> dict[str, Any]:
    """Return a player's losses by kind, and how far it is off about gammons won and lost."""
    lost = losses(player, races.benchmark)
    kinds = races.benchmark.kinds
    rows: dict[str, Any] = {
        name: Mean.of_values(lost[kinds == kind]) for kind, name in enumerate(KINDS)
    }
    seen = player.evaluate(races.best)
    for name, column in (("gammons_won", LOSE_GAMMON), ("gammons_lost", WIN_GAMMON)):
        true = races.chances[:, column].astype(np.float64)
        in_doubt = (true > DOUBT) & (true < 1 - DOUBT)
        gaps = seen[in_doubt, column] - true[in_doubt]
        rows[name] = {
            "positions": int(in_doubt.sum()),
            "bias": float(gaps.mean()) if len(gaps) else 0.0,
            "off": float(np.sqrt((gaps**2).mean())) if len(gaps) else 0.0,
        }
    return rows
