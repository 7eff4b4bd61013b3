"""The second stage: a wide net learns from exact look-ahead.

Players gather the positions of decisions, with targets from the teacher's net one ply ahead, or
from short games with the luck taken out (engine.lab.training.targets); the learner draws from the
latest ones. The first teacher is the net of self-play; from then on the learner's own running
average teaches. The curve shows the error on fresh positions, before they are learned.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.cubeless import CubelessPlayer
from sixprime.engine.kernels.evaluation import CONTACT, RACE, Brain, judge_many, scratch_for
from sixprime.engine.lab.training import model, selfplay, targets
from sixprime.engine.lab.training.learners import Learners, gap, of_nets, off
from sixprime.engine.lab.training.starts import ORDINARY, odd_starts, race_starts, slow_starts
from sixprime.engine.nets import weights
from sixprime.engine.position import MAX_CHECKERS
from sixprime.engine.system.wholefiles import written_whole

ALONE = -1  # the group of a position that has no rivals
TURNS = 40  # of a game on average, from which the number of games follows


@dataclass(frozen=True, slots=True)
class Gathering:
    """The choice of the positions to gather, and their judgement."""

    shard: int = 10_000  # positions gathered at a time by each player
    margin: float = 0.16  # equity behind the best, at most, of plays that are gathered
    wander: float = 0.1  # the share of turns in which a game goes on with such a play
    races: bool = False  # begin at the end of contact, for the race net alone
    slow: bool = False  # begin in endings, back games, primes and the like only
    ordinary: bool = False  # begin in or near the opening only
    turns: int = selfplay.LONGEST_GAME  # of each game, before another begins
    plies: int = 1  # turns of the short games played on from each gathered position
    mixing: float = 1.0  # lambda of those later turns
    rivals: int = 0  # most plays of each roll to gather, judged by one ply of look-ahead
    ranked: int = 0  # most plays of each roll to gather, good and bad, for the pruner to rank
    pairs: bool = False  # gather each best play together with a worse one, and play on from both
    replies: int = 0  # plays that the look-ahead judges in full after the pruner; 0: all


@dataclass(frozen=True, slots=True)
class Refinement:
    """One run of the second stage; in its file the settings of `gathering` stand among the rest."""

    contact: tuple[int, int, int] = (512, 32, 32)
    race: tuple[int, int, int] = (128, 32, 16)
    pruner: tuple[int, int, int] = (32, 8, 8)
    seconds: float = 3600.0  # the learning rate falls with the clock ...
    positions: int = 0  # ... or until so many positions have been gathered, if this is not 0
    rate: float = 1e-3
    last_rate: float = 1e-5
    batch: int = 1024
    window: int = 3_000_000  # latest positions, which are learned
    reuse: float = 6.0  # passes over a position, on average; 0: only gather
    first_teaching: int = 1_500_000  # positions until the learner teaches itself
    promote_every: int = 300_000  # positions between new teachers
    keep: float = 0.9995  # of the running average, a step
    gathering: Gathering = field(default_factory=Gathering)
    players: int = 2
    seed: int = 1
    save_every_s: float = 300.0


@dataclass
class RefinementProgress:
    """The progress of a run."""

    positions: int = 0
    steps: int = 0
    seconds: float = 0.0
    promoted_at: int = 0
    teaching: bool = False


class Shard(NamedTuple):
    """Positions gathered at a time."""

    boards: NDArray[np.int8]
    targets: NDArray[np.float32]
    groups: NDArray[np.int32]  # equal for plays of one roll; ALONE without rivals


def read_shard(path: Path) -> Shard:
    with np.load(path, allow_pickle=False) as file:
        boards, wanted = file["boards"], file["targets"]
        groups = file["groups"] if "groups" in file else np.full(len(boards), ALONE, np.int32)
    return Shard(boards, wanted, groups)


def rewrite(gathered: Path, out: Path, mark: str, anew: Callable[[Shard], Shard]) -> int:
    """Write the shards of a run, each made anew, to another folder; return their number.

    `mark` goes into their names, if several runs share a folder.
    """
    out.mkdir(parents=True, exist_ok=True)
    shards = sorted(gathered.glob("shard-*.npz"))
    for path in shards:
        np.savez(out / f"{path.stem}{mark}.npz", **anew(read_shard(path))._asdict())
    return len(shards)


def shifted(
    targets: model.Chances, judged: model.Chances, groups: NDArray[np.int32]
) -> model.Chances:
    """Return `targets` of rivals with the mean of `judged` in each group; others stay.

    One ply of look-ahead knows well which of two plays is better, but trusts the net about the
    position as a whole. Nets taught by whole games know its worth better.
    """
    rivals = groups != ALONE
    _, numbers, sizes = np.unique(groups[rivals], return_inverse=True, return_counts=True)
    moved = targets.astype(np.float64)
    for column in range(moved.shape[1]):
        gaps = judged[rivals, column].astype(np.float64) - moved[rivals, column]
        moved[rivals, column] += (np.bincount(numbers, gaps) / sizes)[numbers]
    win, gammon, backgammon, lost, lost_backgammon = moved.clip(0.0, 1.0).T
    gammon, lost = np.minimum(gammon, win), np.minimum(lost, 1.0 - win)
    columns = (
        win, gammon, np.minimum(backgammon, gammon), lost, np.minimum(lost_backgammon, lost)
    )  # fmt: skip
    return np.where(rivals[:, None], np.stack(columns, 1), targets).astype(np.float32)


@dataclass
class Refiner:
    """Learners, their latest positions, and the teacher."""

    run: Refinement
    folder: Path
    teacher: Brain
    device: str = "cpu"
    start: weights.Nets | None = None  # nets to begin with, instead of random ones
    progress: RefinementProgress = field(default_factory=RefinementProgress)
    shards: deque[Shard] = field(default_factory=deque)
    teachers_nets: weights.Nets | None = None  # None: the first teacher's

    def __post_init__(self) -> None:
        run = self.run
        self.learners, state = Learners.begun(run, self.folder, self.device, self.start, widen=True)
        self.races = race_starts(self.teacher, run.seed) if run.gathering.races else None
        if state:
            self.progress = RefinementProgress(**state["progress"])
            if "teacher" in state:
                self.taught_by(model.unpacked(state["teacher"]))
            gathered = self.progress.positions // run.gathering.shard
            first = max(gathered - run.window // run.gathering.shard, 0)
            paths = map(self.shard_path, range(first, gathered))
            self.shards.extend(read_shard(path) for path in paths if path.exists())

    def taught_by(self, nets: weights.Nets) -> None:
        """Let these nets judge all positions gathered from now on."""
        self.teachers_nets = nets
        self.teacher = weights.brain_of(nets)

    def shard_path(self, number: int) -> Path:
        return self.folder / f"shard-{number + 1:06d}.npz"

    def nets(self) -> weights.Nets:
        """Return the learners' running averages."""
        return self.learners.nets()

    def save(self) -> None:
        others: dict[str, Any] = {"progress": asdict(self.progress)}
        if self.teachers_nets is not None:
            others["teacher"] = model.packed(self.teachers_nets)
        self.learners.save(self.folder, others)

    def gathered(self, number: int, teacher: Brain) -> Shard:
        """Return a shard from its file, if a stopped run left it, or gather and keep it."""
        path = self.shard_path(number)
        if path.exists() and len((shard := read_shard(path)).boards) == self.run.gathering.shard:
            return shard
        shard = self.gather(number, teacher)
        with written_whole(path) as file:
            np.savez(file, **shard._asdict())
        return shard

    def gather(self, number: int, teacher: Brain) -> Shard:
        """Gather one shard of positions with targets by a teacher."""
        run = self.run.gathering
        work = scratch_for(teacher)
        boards = np.zeros((run.shard, 2, 25), np.int8)
        wanted = np.zeros((run.shard, 5), np.float32)
        groups = np.full(run.shard, ALONE, np.int32)
        seed = self.run.seed * 1_000_003 + number
        course = targets.Course(
            self.starts(seed), run.turns, seed, np.float32(run.margin), run.wander
        )
        player, sparing = (CubelessPlayer(teacher, work, keep) for keep in (0, run.replies))
        if run.ranked > 0:
            targets.collect_replies(player, course, run.ranked, boards, groups)
            judge_many(teacher, boards, MAX_CHECKERS, work, wanted)
            return Shard(boards, wanted, groups)
        if run.rivals > 0:
            kind = RACE if run.races else CONTACT
            targets.collect_rivals(player, course, run.rivals, kind, boards, groups)
            targets.look_ahead_many(sparing, boards, wanted)
            return Shard(boards, wanted, groups)
        roots = np.zeros((2 * -(-run.shard // (2 * min(run.plies, TURNS))), 2, 25), np.int8)
        collect = targets.collect_pairs if run.pairs else targets.collect
        collect(player, course, roots)
        mixing = np.float32(run.mixing)
        targets.play_without_luck(sparing, roots, seed, mixing, run.plies, boards, wanted)
        if run.pairs:
            targets.number_pairs(boards, roots, groups)
        return Shard(boards, wanted, groups)

    def starts(self, seed: int) -> NDArray[np.int8]:
        """Return the starts of one shard's games: more of them if games are short."""
        run = self.run.gathering
        if self.races is not None:
            return self.races
        if not run.slow:
            return odd_starts(seed)[: ORDINARY if run.ordinary else None]
        turns = run.shard // (min(run.plies, TURNS) * max(run.rivals, 1))
        return slow_starts(seed, turns // run.turns)

    def learn(self, count: int, rate: float) -> dict[str, float]:
        """Learn from `count` positions drawn from the window; return the losses."""
        draws = np.random.default_rng([self.run.seed, self.progress.positions])
        chosen = draws.choice(len(self.shards), size=max(count // self.run.gathering.shard, 1))
        boards = np.concatenate([self.shards[i].boards for i in chosen])
        wanted = np.concatenate([self.shards[i].targets for i in chosen])
        losses = self.learners.learn(boards, wanted, draws.permutation(len(boards)), rate, self.run)
        self.progress.steps += len(boards) // self.run.batch
        return losses

    def error(self, shard: Shard) -> dict[str, float | None]:
        """Return the averaged nets' root mean square error in equity on positions not learned yet.

        It is None for a net without positions in the shard.
        """
        learners = self.learners.by_name
        return {
            name: off(gap(learners[name], shard.boards[own], shard.targets[own]))
            if own.any()
            else None
            for name, own in of_nets(shard.boards).items()
        }

    def done(self) -> float:
        """Return the share of the run that is done, 1 at its end."""
        run, progress = self.run, self.progress
        if run.positions > 0:
            return min(progress.positions / run.positions, 1.0)
        return min(progress.seconds / run.seconds, 1.0)

    def refine(self, report: Callable[[dict[str, Any]], None]) -> None:
        """Run until there is enough, or the time is up; `report` gets a row a round."""
        run, progress = self.run, self.progress
        saved = time.monotonic()
        number = progress.positions // run.gathering.shard
        last = -(-run.positions // run.gathering.shard) if run.positions > 0 else math.inf
        coming: deque[Future[Shard]] = deque()
        with ThreadPoolExecutor(run.players) as players:
            while self.done() < 1.0:
                began = time.monotonic()
                while len(coming) < run.players and number < last:
                    coming.append(players.submit(self.gathered, number, self.teacher))
                    number += 1
                shard = coming.popleft().result()
                errors = self.error(shard)
                self.shards.append(shard)
                while sum(len(kept.boards) for kept in self.shards) > run.window:
                    self.shards.popleft()
                rate = run.rate * (run.last_rate / run.rate) ** self.done()
                progress.positions += len(shard.boards)
                if run.reuse > 0:
                    self.learn(int(len(shard.boards) * run.reuse), rate)
                    self.promote()
                progress.seconds += time.monotonic() - began
                row = {"positions": progress.positions, "rate": rate, **errors}
                report(row | {"seconds": round(progress.seconds, 1), "teaching": progress.teaching})
                if time.monotonic() - saved > run.save_every_s:
                    for shard_to_come in coming:  # a later teacher would gather other positions
                        shard_to_come.result()
                    self.save()
                    saved = time.monotonic()
            self.save()

    def promote(self) -> None:
        """Make the learner the teacher once it has seen enough, and again at intervals."""
        run, progress = self.run, self.progress
        if progress.positions < run.first_teaching:
            return
        if not progress.teaching or progress.positions - progress.promoted_at >= run.promote_every:
            self.taught_by(self.nets())
            progress.teaching = True
            progress.promoted_at = progress.positions
