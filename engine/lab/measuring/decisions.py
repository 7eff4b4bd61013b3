"""The decision benchmark: a fixed set of decisions, with the cost of each play.

The positions come from our own play, seeded apart from training, and fall into contact, races and
the bearoff. What a play costs is judged in steps, each for the plays that the one before left in
question: by the net alone, one ply ahead, two plies ahead; then contact three plies ahead, every
roll of every ply, and the rest by rollouts into the databases with the same dice for all plays. A
play's cost is always the difference to the best play judged equally deep.

A comparison needs only decisions in which players differ. So contact stays at two plies where all
of them choose alike, which allows a set several times as large for the same effort.

Contact can be judged by truncated rollouts too (`plies` 0). They depend less on the net, but the
best of several noisy figures is biased upwards, so everybody seems to lose too much.
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

from sixprime.engine.kernels.cubeless import CubelessPlayer, TrialEnd, expect_many, trials
from sixprime.engine.kernels.evaluation import (
    CONTACT,
    ONE_SIDED,
    OVER,
    RACE,
    TWO_SIDED,
    Brain,
    Workspace,
    class_of,
    judge_many,
    workspace,
)
from sixprime.engine.kernels.moves import generate
from sixprime.engine.kernels.network import OUTPUTS, POINTS
from sixprime.engine.lab.measuring import benchmarkfile
from sixprime.engine.lab.measuring.benchmarkfile import BadBenchmark
from sixprime.engine.lab.measuring.intime import judged_in_time
from sixprime.engine.lab.measuring.mean import Mean
from sixprime.engine.lab.measuring.peers import Contestant, OurPlayer
from sixprime.engine.lab.training.selfplay import LONGEST_GAME
from sixprime.engine.lab.training.targets import Course, collect
from sixprime.engine.position import MAX_CHECKERS, Position

KINDS = ("contact", "race", "bearoff")
CHUNK = 36  # trials between looks at who is behind
FULL = 9  # depth of a play judged as deep as the set goes; else plies


@dataclass(frozen=True, slots=True)
class DecisionPlan:
    """How a set is made."""

    counts: tuple[int, int, int] = (1500, 400, 300)  # decisions of each of KINDS
    seed: int = 20260001
    look_within: float = 0.20  # of the best by the net: these plays are looked at one ply deep
    look_further_within: float = 0.10  # of the best after that: these two plies
    roll_within: float = 0.06  # of the best after that: these to the full depth ...
    most: int = 5  # ... but no more than this many, and those that players chose
    plies: int = 3  # for contact; 0: rollouts
    trials: int = 72
    truncate: int = 7  # turns until a contact trial is cut; others are played into the databases
    keep: int = 4  # replies that the pruner leaves to be judged in a trial
    stop_at: float = 3.0  # standard errors behind the best: no more trials
    disputed: bool = True  # contact goes to the full depth only where players choose differently


class Benchmark(NamedTuple):
    """Decisions; those of number i have the plays starts[i] .. starts[i + 1] - 1."""

    boards: NDArray[np.int8]  # [n, 2, 25]
    dice: NDArray[np.int8]  # [n, 2]
    kinds: NDArray[np.int8]  # [n], places in KINDS
    starts: NDArray[np.int32]  # [n + 1]
    results: NDArray[np.int8]  # [m, 2, 25], the mover's view
    costs: NDArray[np.float32]  # [m], equity lost by the play
    depths: NDArray[np.int8]  # [m], plies or FULL
    errors: NDArray[np.float32]  # [m], standard error of a rollout, else 0
    about: str  # JSON: settings, weights, date


def load(path: Path | None = None) -> Benchmark:
    """A set from its file, or the project's."""
    path = path or benchmarkfile.shipped("decisions.npz")
    found = Benchmark(**benchmarkfile.read(path, Benchmark._fields, "decisions"))
    plays, decisions = len(found.results), len(found.boards)
    if len(found.starts) != decisions + 1 or (decisions and found.starts[-1] != plays):
        raise BadBenchmark(f"{path}: the plays do not belong to the decisions")
    return found


# --- scoring a player -------------------------------------------------------------------------


def money(chances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cubeless equity, plus 1, of float32[n, 5].

    Not a matrix product: in one run of all tests numpy warned of invalid values there. No chance
    is invalid, and the cause was not found.
    """
    return np.asarray((chances * POINTS).sum(axis=1), np.float32)


def losses(player: Contestant, benchmark: Benchmark) -> NDArray[np.float64]:
    """What each decision of the player costs, in equity."""
    chosen = player.choose(benchmark.boards, benchmark.dice)
    lost = np.empty(len(chosen))
    for i, board in enumerate(chosen):
        first, end = benchmark.starts[i], benchmark.starts[i + 1]
        same = (benchmark.results[first:end] == board).all(axis=(1, 2))
        if not same.any():
            raise BadBenchmark(f"decision {i}: {player.name} chose no play of the set")
        lost[i] = benchmark.costs[first + int(same.argmax())]
    return lost


def by_kind(values: NDArray[np.float64], kinds: NDArray[np.int8]) -> dict[str, Mean]:
    """The mean of all values, and of each kind's."""
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
    """The findings about the plays of one decision."""

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

    After `seconds` the set consists of what has been judged; every kind then has its share.
    """
    decisions = draw(brain, plan)
    boards = np.stack([decision.board for decision in decisions])
    dice = np.stack([decision.dice for decision in decisions])
    chosen = [player.choose(boards, dice) for player in players or (OurPlayer(brain),)]
    room = threading.local()

    def judged(i: int) -> PlayCosts:
        if not hasattr(room, "work"):
            room.work = workspace(brain)
        wanted = np.stack([choice[i] for choice in chosen])
        return judge(brain, decisions[i], wanted, plan, room.work)

    found: dict[int, PlayCosts] = {}
    for i, costs in judged_in_time(judged, range(len(decisions)), threads, seconds):
        found[i] = costs
        report(len(found), len(decisions))
    order = sorted(found, key=lambda i: (decisions[i].kind, i))
    return _assembled(
        [decisions[i] for i in order],
        [found[i] for i in order],
        json.dumps({"making": asdict(plan), **(about or {})}),
    )


def _assembled(decisions: list[OpenDecision], found: list[PlayCosts], about: str) -> Benchmark:
    ends = np.cumsum([0, *(len(decision.results) for decision in decisions)], dtype=np.int32)
    return Benchmark(
        np.stack([decision.board for decision in decisions]),
        np.stack([decision.dice for decision in decisions]),
        np.array([decision.kind for decision in decisions], np.int8),
        ends,
        np.concatenate([decision.results for decision in decisions]),
        np.concatenate([each.costs for each in found]),
        np.concatenate([each.depths for each in found]),
        np.concatenate([each.errors for each in found]),
        about,
    )


def draw(brain: Brain, plan: DecisionPlan) -> list[OpenDecision]:
    """Decisions between at least two plays, each kind as often as asked, mixed."""
    wanted = {kind: count for kind, count in enumerate(plan.counts) if count}
    draws = np.random.default_rng(plan.seed)
    player, work = OurPlayer(brain), workspace(brain)
    found: list[OpenDecision] = []
    left = dict(wanted)
    start = Position.start().array()[None]
    while any(left.values()):
        seed = int(draws.integers(2**31))
        boards = np.zeros((256, 2, 25), np.int8)
        course = Course(start, LONGEST_GAME, seed, np.float32(0.1), 0.1)
        collect(CubelessPlayer(brain, work), course, boards)
        while len(boards) > 64:  # play on from there into the bearoff
            dice = draws.integers(1, 7, size=(len(boards), 2), dtype=np.int8)
            for i in draws.permutation(len(boards))[:8]:
                decision = _decision(boards[i], dice[i], work)
                if decision is not None and left.get(decision.kind, 0) > 0:
                    left[decision.kind] -= 1
                    found.append(decision)
            boards = np.ascontiguousarray(player.choose(boards, dice)[:, ::-1])
            boards = boards[boards.sum(axis=2).min(axis=1) > 0]
    return [found[i] for i in draws.permutation(len(found))]


def _decision(
    board: NDArray[np.int8], dice: NDArray[np.int8], work: Workspace
) -> OpenDecision | None:
    kind = kind_of(board)
    count = generate(board, dice[0], dice[1], work.room)
    if kind is None or count < 2:
        return None
    results = work.room.results[:count].copy()
    if (results[:, 0].sum(axis=1) == 0).any():  # the game can be won at once
        return None
    return OpenDecision(board.copy(), dice.copy(), kind, results)


def kind_of(board: NDArray[np.int8]) -> int | None:
    """A place in KINDS, None for a finished game."""
    kind = class_of(board, MAX_CHECKERS)
    if kind == OVER:
        return None
    return {CONTACT: 0, RACE: 1}.get(kind, 2)


def judge(
    brain: Brain,
    decision: OpenDecision,
    chosen: NDArray[np.int8],
    plan: DecisionPlan,
    work: Workspace,
) -> PlayCosts:
    """What each play costs; the `chosen` results int8[k, 2, 25] are judged to the full depth."""
    turned = np.ascontiguousarray(decision.results[:, ::-1])
    picked = (decision.results[:, None] == chosen[None]).all(axis=(2, 3)).any(axis=1)
    chances = np.empty((len(turned), OUTPUTS), np.float32)
    judge_many(brain, turned, MAX_CHECKERS, work, chances)
    by_net = 1 - money(chances)
    costs = by_net.max() - by_net
    depths = np.zeros(len(turned), np.int8)
    errors = np.zeros(len(turned), np.float32)

    levels = ((1, plan.look_within), (2, plan.look_further_within))
    for plies, within in levels if decision.kind == 0 else levels[:1]:
        near = np.flatnonzero((depths == plies - 1) & ((costs <= within) | picked))
        costs[near] = look(brain, turned[near], plies, plan, work)
        depths[near] = plies
    deepest = int(depths.max())
    close = np.flatnonzero((depths == deepest) & (costs <= plan.roll_within))
    close = close[np.argsort(costs[close], kind="stable")][: plan.most]
    full = np.union1d(close, np.flatnonzero(picked))
    agreed = plan.disputed and decision.kind == 0 and len(chosen) > 1 and picked.sum() == 1
    if len(full) > 1 and not agreed:
        if decision.kind == 0 and plan.plies:
            costs[full] = look(brain, turned[full], plan.plies, plan, work)
        else:
            costs[full], errors[full] = roll_out(brain, decision, full, plan, work)
        depths[full] = FULL
    return PlayCosts(costs.astype(np.float32), depths, errors)


def look(
    brain: Brain, turned: NDArray[np.int8], plies: int, plan: DecisionPlan, work: Workspace
) -> NDArray[np.float64]:
    """What each of some plays costs against the best of them, `plies` ahead."""
    worths = np.empty(len(turned))
    expect_many(CubelessPlayer(brain, work, plan.keep), turned, plies, worths)
    costs: NDArray[np.float64] = worths - worths.min()  # worths are the opponent's
    return costs


def roll_out(
    brain: Brain,
    decision: OpenDecision,
    which: NDArray[np.int64],
    plan: DecisionPlan,
    work: Workspace,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What some plays cost against the best of them, and the standard errors of that.

    All meet the same dice. A play that is clearly behind gets no more trials.
    """
    seed = plan.seed + zlib.crc32(decision.board.tobytes() + decision.dice.tobytes())
    turned = np.ascontiguousarray(decision.results[which, ::-1])
    turns = plan.truncate if decision.kind == 0 else 0
    # Bearoffs of the one-sided database are played out: it is what is to be tested.
    ending = TrialEnd(turns, TWO_SIDED if decision.kind == 2 else ONE_SIDED)
    rolling = CubelessPlayer(brain, work, plan.keep)
    worths = np.full((len(which), plan.trials), np.nan)
    open_ = np.ones(len(which), bool)
    costs, errors = np.zeros(len(which)), np.zeros(len(which))
    for first in range(0, plan.trials, CHUNK):
        end = min(first + CHUNK, plan.trials)
        for i in np.flatnonzero(open_):
            out = np.empty(end - first)
            trials(rolling, turned[i], seed, first, ending, out)
            worths[i, first:end] = -out
        best = int(np.where(open_, worths[:, :end].mean(axis=1), -np.inf).argmax())
        for i in np.flatnonzero(open_):
            behind = worths[best, :end] - worths[i, :end]
            costs[i] = behind.mean()
            errors[i] = behind.std(ddof=1) / np.sqrt(end)
        open_ &= costs <= plan.stop_at * errors
        open_[best] = True
        if open_.sum() == 1:
            break
    return costs - costs.min(), errors
