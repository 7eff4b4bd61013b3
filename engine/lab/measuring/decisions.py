"""The decision benchmark: a fixed set of decisions, with the cost of each play.

The positions come from our own play, seeded apart from training, and fall into contact, races and
the bearoff; `chances` draws odd families (back games, primes ...). The cost of a play is judged in
steps, each for the plays that are still in question: by the net alone, one ply ahead, two plies
ahead (contact only), and by rollouts to the end of the game with the same dice for all plays: a
judge may not ask the judged.

A comparison needs only decisions in which players differ. So contact is not rolled out where all of
them choose alike, which allows a set several times as large for the same effort.
"""

from __future__ import annotations

import json
import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels import cube as cube_kernel
from sixprime.engine.kernels.cubeless import CubelessPlayer, expect_many
from sixprime.engine.kernels.evaluation import (
    CONTACT,
    RACE,
    Brain,
    Scratch,
    class_of,
    judge_many,
    scratch_for,
)
from sixprime.engine.kernels.luck import WORTH
from sixprime.engine.kernels.moves import generate
from sixprime.engine.kernels.network import OUTPUTS, POINTS
from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring import chances
from sixprime.engine.lab.measuring.benchmarksets import (
    judged_in_time,
    read_set,
    shipped,
)
from sixprime.engine.lab.measuring.contestants import Contestant, OurPlayer
from sixprime.engine.lab.tallies import Mean
from sixprime.engine.lab.training.selfplay import LONGEST_GAME
from sixprime.engine.lab.training.targets import Course, collect
from sixprime.engine.position import MAX_CHECKERS, MatchState, Position
from sixprime.engine.search.rollout import LOOK, Alternative, Rollout
from sixprime.engine.search.trials import RolloutSettings

PLAYED = ("contact", "race", "bearoff")  # in games of our own
ODD = tuple(family for family in chances.FAMILIES if family != "ordinary")
KINDS = (*PLAYED, *ODD)
BEAROFF = PLAYED.index("bearoff")
AT_ONCE = 50  # decisions between two reports
FULL = 9  # depth of a play rolled out; else plies
DEEP_TURNS = 6  # of a trial are played one ply ahead, the rest at first sight


@dataclass(frozen=True, slots=True)
class DecisionPlan:
    """The settings of a set; equities are distances from the best play so far."""

    counts: tuple[int, int, int] = (1500, 400, 300)  # decisions of each of PLAYED
    odd: int = 40  # most decisions of each of ODD
    seed: int = 20260001
    look_within: float = 0.20  # equity, for plays judged one ply deep
    look_further_within: float = 0.10  # equity, for plays judged two plies deep
    roll_within: float = 0.04  # equity, for plays rolled out
    most: int = 4  # plays rolled out, besides those chosen by players
    trials: int = 288
    deep_turns: int = DEEP_TURNS
    keep: int = 4  # replies that the pruner leaves to a judgement in plies
    stop_at: float = 3.0  # standard errors behind the best: no more trials
    disputed: bool = True  # contact is rolled out only where players choose differently


class Benchmark(NamedTuple):
    """Decisions; decision i has the plays starts[i] .. starts[i + 1] - 1."""

    boards: NDArray[np.int8]  # [n, 2, 25]
    dice: NDArray[np.int8]  # [n, 2]
    kinds: NDArray[np.int8]  # [n], places in KINDS
    starts: NDArray[np.int32]  # [n + 1]
    results: NDArray[np.int8]  # [m, 2, 25], the mover's view
    costs: NDArray[np.float32]  # [m], equity lost by the play
    depths: NDArray[np.int8]  # [m], plies or FULL
    errors: NDArray[np.float32]  # [m], standard error of a rollout, else 0
    about: str  # JSON: settings, weights, date

    def chosen(self, which: NDArray[np.bool_]) -> Benchmark:
        """Return some of the decisions with their plays."""
        counts = np.diff(self.starts)
        plays = np.repeat(which, counts)
        return Benchmark(
            self.boards[which], self.dice[which], self.kinds[which],
            np.cumsum([0, *counts[which]], dtype=np.int32),
            self.results[plays], self.costs[plays], self.depths[plays], self.errors[plays],
            self.about,
        )  # fmt: skip


def load_benchmark(path: Path | None = None) -> Benchmark:
    """Read a set from its file, or the project's."""
    path = path or shipped("decisions.npz")
    benchmark = read_set(Benchmark, path, "decisions")
    plays, decisions = len(benchmark.results), len(benchmark.boards)
    if len(benchmark.starts) != decisions + 1 or (decisions and benchmark.starts[-1] != plays):
        raise LabError(f"{path}: the plays do not belong to the decisions")
    return benchmark


# --- scoring a player -------------------------------------------------------------------------


def money(chances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cubeless equity, plus 1, of float32[n, 5].

    Not a matrix product: in one run of all tests numpy warned of invalid values there. No chance
    is invalid, and the cause was not found.
    """
    return np.asarray((chances * POINTS).sum(axis=1), np.float32)


def losses(
    player: Contestant,
    benchmark: Benchmark,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> NDArray[np.float64]:
    """Return the cost in equity of each decision of the player."""
    total = len(benchmark.boards)
    lost = np.empty(total)
    for i in range(total):
        if i % AT_ONCE == 0:
            some = slice(i, i + AT_ONCE)
            chosen = player.choose(benchmark.boards[some], benchmark.dice[some])
        first, end = benchmark.starts[i], benchmark.starts[i + 1]
        same = (benchmark.results[first:end] == chosen[i % AT_ONCE]).all(axis=(1, 2))
        if not same.any():
            raise LabError(f"decision {i}: {player.name} chose no play of the set")
        lost[i] = benchmark.costs[first + int(same.argmax())]
        if (i + 1) % AT_ONCE == 0 or i + 1 == total:
            report(i + 1, total)
    return lost


def by_kind(values: NDArray[np.float64], kinds: NDArray[np.int8]) -> dict[str, Mean]:
    """Return the mean of all values, and of each kind."""
    parts = {"all": values} | {name: values[kinds == k] for k, name in enumerate(KINDS)}
    return {name: Mean.of_values(part) for name, part in parts.items() if len(part)}


# --- making a set -----------------------------------------------------------------------------


class OpenDecision(NamedTuple):
    """One decision while it is judged."""

    board: NDArray[np.int8]
    dice: NDArray[np.int8]
    kind: int
    results: NDArray[np.int8]


class PlayCosts(NamedTuple):
    """The costs of the plays of one decision."""

    costs: NDArray[np.float32]
    depths: NDArray[np.int8]
    errors: NDArray[np.float32]


def make(
    brain: Brain,
    plan: DecisionPlan,
    players: Sequence[Contestant] = (),
    *,
    threads: int = 1,
    seconds: float = float("inf"),
    about: dict[str, Any] | None = None,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Benchmark:
    """Make a set; the plays of `players`, or else of the net, are judged as deep as the best ones.

    After `seconds` the set ends with the decisions judged by then; every kind has its share.
    """
    decisions = draw(brain, plan)
    boards = np.stack([decision.board for decision in decisions])
    dice = np.stack([decision.dice for decision in decisions])
    chosen = [player.choose(boards, dice) for player in players or (OurPlayer(brain),)]
    own = threading.local()

    def judged(i: int) -> PlayCosts:
        if not hasattr(own, "work"):
            own.work = scratch_for(brain)
        wanted = np.stack([choice[i] for choice in chosen])
        return judge(brain, decisions[i], wanted, plan, own.work)

    judgements: dict[int, PlayCosts] = {}
    for i, costs in judged_in_time(judged, range(len(decisions)), threads, seconds):
        judgements[i] = costs
        report(len(judgements), len(decisions))
    order = sorted(judgements, key=lambda i: (decisions[i].kind, i))
    return _assembled(
        [decisions[i] for i in order],
        [judgements[i] for i in order],
        json.dumps({"making": asdict(plan), **(about or {})}),
    )


def _assembled(decisions: list[OpenDecision], plays: list[PlayCosts], about: str) -> Benchmark:
    ends = np.cumsum([0, *(len(decision.results) for decision in decisions)], dtype=np.int32)
    return Benchmark(
        np.stack([decision.board for decision in decisions]),
        np.stack([decision.dice for decision in decisions]),
        np.array([decision.kind for decision in decisions], np.int8),
        ends,
        np.concatenate([decision.results for decision in decisions]),
        np.concatenate([judged.costs for judged in plays]),
        np.concatenate([judged.depths for judged in plays]),
        np.concatenate([judged.errors for judged in plays]),
        about,
    )


def draw(brain: Brain, plan: DecisionPlan) -> list[OpenDecision]:
    """Draw decisions between at least two plays, each kind as often as asked, mixed."""
    draws = np.random.default_rng(plan.seed)
    player, work = OurPlayer(brain), scratch_for(brain)
    found = _odd(brain, plan, draws, work)
    left = dict(enumerate(plan.counts))
    start = Position.start().array()[None]
    while any(left.values()):
        seed = int(draws.integers(2**31))
        boards = np.zeros((256, 2, 25), np.int8)
        course = Course(start, LONGEST_GAME, seed, np.float32(0.1), 0.1)
        collect(CubelessPlayer(brain, work), course, boards)
        while len(boards) > 64:  # play on from there into the bearoff
            dice = draws.integers(1, 7, size=(len(boards), 2), dtype=np.int8)
            for i in draws.permutation(len(boards))[:8]:
                kind = kind_of(boards[i])
                decision = _decision(boards[i], dice[i], kind, work) if left.get(kind) else None
                if decision is not None:
                    left[decision.kind] -= 1
                    found.append(decision)
            boards = np.ascontiguousarray(player.choose(boards, dice)[:, ::-1])
            boards = boards[boards.sum(axis=2).min(axis=1) > 0]
    return [found[i] for i in draws.permutation(len(found))]


def _odd(
    brain: Brain, plan: DecisionPlan, draws: np.random.Generator, work: Scratch
) -> list[OpenDecision]:
    found: list[OpenDecision] = []
    for kind, family in enumerate(ODD, len(PLAYED)):
        # twice as many as wanted: some rolls have one play, or none
        boards = chances.drawn(brain, family, 2 * plan.odd, plan.seed) if plan.odd else ()
        dice = draws.integers(1, 7, size=(len(boards), 2), dtype=np.int8)
        drawn = (_decision(*each, kind, work) for each in zip(boards, dice, strict=True))
        found += [decision for decision in drawn if decision is not None][: plan.odd]
    return found


def _decision(
    board: NDArray[np.int8], dice: NDArray[np.int8], kind: int, work: Scratch
) -> OpenDecision | None:
    count = generate(board, dice[0], dice[1], work.rolled)
    if count < 2:
        return None
    results = work.rolled.results[:count].copy()
    if (results[:, 0].sum(axis=1) == 0).any():  # the game can be won at once
        return None
    return OpenDecision(board.copy(), dice.copy(), kind, results)


def kind_of(board: NDArray[np.int8]) -> int:
    """Return a place in PLAYED."""
    return {CONTACT: 0, RACE: 1}.get(class_of(board, MAX_CHECKERS), BEAROFF)


def judge(
    brain: Brain,
    decision: OpenDecision,
    chosen: NDArray[np.int8],
    plan: DecisionPlan,
    work: Scratch,
) -> PlayCosts:
    """Cost each play; the `chosen` results int8[k, 2, 25] are judged to the full depth."""
    turned = np.ascontiguousarray(decision.results[:, ::-1])
    picked = (decision.results[:, None] == chosen[None]).all(axis=(2, 3)).any(axis=1)
    chances = np.empty((len(turned), OUTPUTS), np.float32)
    judge_many(brain, turned, MAX_CHECKERS, work, chances)
    by_net = 1 - money(chances)
    costs = by_net.max() - by_net
    depths = np.zeros(len(turned), np.int8)
    errors = np.zeros(len(turned), np.float32)

    contact = decision.kind not in (PLAYED.index("race"), BEAROFF)
    levels = ((1, plan.look_within), (2, plan.look_further_within))
    for plies, within in levels if contact else levels[:1]:
        near = np.flatnonzero((depths == plies - 1) & ((costs <= within) | picked))
        costs[near] = look(brain, turned[near], plies, plan, work)
        depths[near] = plies
    deepest = int(depths.max())
    close = np.flatnonzero((depths == deepest) & (costs <= plan.roll_within))
    close = close[np.argsort(costs[close], kind="stable")][: plan.most]
    full = np.union1d(close, np.flatnonzero(picked))
    agreed = plan.disputed and contact and len(chosen) > 1 and picked.sum() == 1
    if len(full) > 1 and not agreed:
        costs[full], errors[full] = roll_out(brain, decision, full, plan)
        depths[full] = FULL
    return PlayCosts(costs.astype(np.float32), depths, errors)


def look(
    brain: Brain, turned: NDArray[np.int8], plies: int, plan: DecisionPlan, work: Scratch
) -> NDArray[np.float64]:
    """Return the cost of each of some plays against the best of them, `plies` ahead."""
    worths = np.empty(len(turned))
    expect_many(CubelessPlayer(brain, work, plan.keep), turned, plies, worths)
    costs: NDArray[np.float64] = worths - worths.min()  # worths are the opponent's
    return costs


def roll_out(
    brain: Brain, decision: OpenDecision, which: NDArray[np.int64], plan: DecisionPlan
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the costs of some plays against the best of them, and their standard errors.

    All meet the same dice. A play that is clearly behind gets no more trials.

    The best of several noisy figures is mostly too good, and everybody would seem to lose too much.
    So each half of the trials is compared with the play that the other half thinks best; a play may
    then cost less than nothing.
    """
    settings = RolloutSettings(
        trials=plan.trials,
        # Bearoffs of the one-sided database are played out, since they test it.
        one_sided=decision.kind != BEAROFF,
        seed=plan.seed + zlib.crc32(decision.board.tobytes() + decision.dice.tobytes()),
        stop_at=plan.stop_at,
        stop_after=min(LOOK, plan.trials),
    )
    worths = played_out(brain, decision.results[which], settings, plan.deep_turns)
    return compared([gains[: len(gains) // 2 * 2].reshape(-1, 2) for gains in worths])


def compared(
    worths: Sequence[NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the costs of plays and their standard errors, from [trials, 2] of each play."""
    means = np.array([gains.mean(axis=0) for gains in worths])
    costs, variances = np.zeros(len(worths)), np.zeros(len(worths))
    for half in (0, 1):
        best = worths[int(means[:, 1 - half].argmax())][:, half]
        for i, gains in enumerate(worths):
            trials = min(len(gains), len(best))
            behind = best[:trials] - gains[:trials, half]
            costs[i] += behind.mean() / 2
            variances[i] += behind.var(ddof=1) / trials / 4 if trials > 1 else 0.0
    return costs, np.sqrt(variances)


def played_out(
    brain: Brain, results: NDArray[np.int8], settings: RolloutSettings, deep_turns: int
) -> list[NDArray[np.float64]]:
    """Return the mover's cubeless gain in each trial after each of int8[n, 2, 25] `results`.

    Trials go to the end of the game with the luck taken out, `deep_turns` of it one ply ahead.
    """
    alternatives = [
        Alternative(str(i), Position.from_array(board[::-1]), 1, 1, cube_kernel.CENTRED, False)
        for i, board in enumerate(results)
    ]
    rollout = Rollout(MatchState(), alternatives, chances.to_the_end(settings, deep_turns))
    rollout.run(brain)
    return [rows[:, WORTH] for rows in rollout.results]
