"""The cube benchmark: decisions near the threshold, judged by cubeful rollouts of our own engine.

Spots come from our own play, for money and in matches, where one roll ahead the double or the take
is close; every third game begins in a wild position. A rollout to the end of the game gives the
worth of "no double" and "double, take"; a player acts on its own two equities, and the rollout
prices that action. All equities are EMG (engine.search.cube), seen by the player on roll; a pass is
always worth 1. gnubg's rollouts of the same spots are a set of their own: a second judge.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.kernels.luck import WORTH
from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring import gnubg
from sixprime.engine.lab.measuring.benchmarksets import (
    begun,
    judged_in_time,
    read_set,
    saving,
    shipped,
)
from sixprime.engine.lab.measuring.contestants import OurPlayer, RandomPlayer
from sixprime.engine.lab.measuring.peers import brain_of, parts
from sixprime.engine.lab.training.starts import ORDINARY, odd_starts
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.cube import TIE, CubeContext, judged
from sixprime.engine.search.levels import preset
from sixprime.engine.search.plies import Evaluation, Search
from sixprime.engine.search.roller import RollingSearch
from sixprime.engine.search.rollout import LOOK, RolloutSettings, of_cube

NEAR = 0.08  # EMG between the rollout's two equities, at most, to count for the bias
FIELDS = ("length", "my_score", "their_score", "cube", "owner", "jacoby")
CENTRED = -1  # in `owner`; else the seat, and the player on roll sits on 1
LENGTHS = (3, 5, 7, 9, 11)
ASK = 256  # boards that play at the same time where spots are drawn


@dataclass(frozen=True, slots=True)
class CubePlan:
    """The settings of a set."""

    spots: int = 500
    seed: int = 20260003
    within: float = 0.12  # EMG by which the double or the take may be off, one ply ahead
    roughly: float = 0.30  # EMG, the same at 0-ply
    wild: float = 0.33  # share of the games that begin in back games, primes, snakes and the like
    truncate: int = 0  # turns; 0: to the end
    keep: int = 6  # replies that the pruner leaves to be judged in a trial
    error: float = 0.010  # EMG, the standard error of the gain by doubling that ends a rollout
    most: int = 1296  # trials


class Spots(NamedTuple):
    """Cube decisions; `trials` is 0 where a spot has not been rolled out yet."""

    boards: NDArray[np.int8]  # [n, 2, 25], the player on roll
    matches: NDArray[np.int16]  # [n, FIELDS]
    no_double: NDArray[np.float32]  # [n]
    double_take: NDArray[np.float32]
    errors: NDArray[np.float32]  # [n, 3], standard errors of these two and of their difference
    trials: NDArray[np.int32]
    about: str  # JSON: settings, weights, date

    def spot(self, i: int) -> tuple[Position, MatchState]:
        return Position.from_array(self.boards[i]), _match(self.matches[i])

    def judged(self) -> Spots:
        """Return the spots that have been rolled out."""
        return self.chosen(np.flatnonzero(self.trials > 0))

    def chosen(self, which: NDArray[np.intp]) -> Spots:
        arrays: dict[str, Any] = {name: self._asdict()[name][which] for name in Spots._fields[:-1]}
        return Spots(**arrays, about=self.about)


def load_spots(path: Path | None = None) -> Spots:
    """Read a set from its file, or the project's."""
    path = path or shipped("cubes.npz")
    spots = read_set(Spots, path, "cube decisions")
    lengths = {len(array) for array in spots[:-1]}
    if len(lengths) != 1 or spots.matches.shape[1:] != (len(FIELDS),):
        raise LabError(f"{path}: its arrays do not belong together")
    return spots


# --- scoring a player -------------------------------------------------------------------------


class Views(NamedTuple):
    """A player's equities for no double and double/take."""

    no_double: NDArray[np.float64]
    double_take: NDArray[np.float64]

    @property
    def doubles(self) -> NDArray[np.bool_]:
        return np.asarray(np.minimum(self.double_take, 1.0) - self.no_double > TIE)

    @property
    def takes(self) -> NDArray[np.bool_]:
        return np.asarray(self.double_take <= 1.0)


class Losses(NamedTuple):
    """The costs of a player's decisions, a figure a spot."""

    double: NDArray[np.float64]  # by the player on roll, if the answer is right
    take: NDArray[np.float64]  # by the opponent, if doubled
    early: NDArray[np.float64]  # the part of `double` lost by turning the cube: too early, too good
    late: NDArray[np.float64]  # the part of `double` lost by not turning it


def views(name: str, spots: Spots) -> Views:
    """Ask a player (ours, ours:FILE.npz, gnubg, level:NAME; a last :N: N plies) about the spots."""
    kind, rest, plies = parts(name)
    if kind == "gnubg":
        return _gnubg_views(spots, plies, rest)
    if kind not in ("ours", "level"):
        raise LabError(f"{name} has no opinion about cubes")
    look, seconds = Evaluation(plies), None
    if kind == "level":
        look, seconds = preset(rest).cube, preset(rest).seconds
    search = RollingSearch(brain_of(kind, rest))
    equities = np.array(
        [_seen(search, *spots.spot(i), look, seconds) for i in range(len(spots.boards))]
    )
    return Views(*equities.T)


def losses(player: Views, spots: Spots) -> Losses:
    """Price the actions that follow from these views by the judge's equities."""
    no_double = spots.no_double.astype(np.float64)
    double_take = spots.double_take.astype(np.float64)
    doubled = np.minimum(double_take, 1.0)
    gain = doubled - no_double
    early = np.where(player.doubles, np.maximum(-gain, 0.0), 0.0)
    late = np.where(player.doubles, 0.0, np.maximum(gain, 0.0))
    take = np.where(player.takes, double_take, 1.0) - doubled
    return Losses(early + late, take, early, late)


def differ(one: Views, other: Views) -> NDArray[np.bool_]:
    """Return where two players act differently: only there can one lose more than the other."""
    return np.asarray((one.doubles != other.doubles) | (one.takes != other.takes))


def bias(player: Views, spots: Spots) -> dict[str, NDArray[np.float64]]:
    """Return by how much a player overrates both equities where doubling or not is close."""
    gain = np.minimum(spots.double_take, 1.0) - spots.no_double
    near = np.abs(gain) <= NEAR
    return {
        "no_double": (player.no_double - spots.no_double)[near],
        "double_take": (player.double_take - spots.double_take)[near],
    }


def _seen(
    search: Search,
    position: Position,
    match: MatchState,
    look: Evaluation,
    seconds: float | None = None,
) -> tuple[float, float]:
    seen = search.see(position, match, look, seconds)
    decision = judged(seen.no_double, seen.double_take, match)
    return decision.no_double, decision.double_take


_GNUBG = """
for board, cube in asked["spots"]:
    found = gnubg.cfevaluate(tuple(map(tuple, board)), cube_of(cube), look(asked["plies"]))
    answer.append(found[1:3])
"""


def _gnubg_views(spots: Spots, plies: int, command: str) -> Views:
    asked = [
        ((position.theirs, position.mine), asdict(match))
        for position, match in map(spots.spot, range(len(spots.boards)))
    ]
    question = {"plies": plies, "spots": asked}
    equities = np.array(gnubg.run_inside(_GNUBG, question, command=command), np.float64)
    return Views(*equities.T)


# --- making a set -----------------------------------------------------------------------------


def begun_by_us(brain: Brain, plan: CubePlan, path: Path, about: dict[str, Any]) -> Spots:
    """Return the part of the set in the file; LabError if it has another plan."""
    made = {"making": asdict(plan), **about}
    return begun(load_spots, lambda: draw(brain, plan, about), path, made)


def begun_by_gnubg(spots: Spots, count: int, path: Path, about: dict[str, Any]) -> Spots:
    """Return the first `count` of these judged spots for gnubg, or the part of them in the file."""
    of = {"of": json.loads(spots.about), **about}

    def unjudged() -> Spots:
        some = spots.judged().chosen(np.arange(min(count, int((spots.trials > 0).sum()))))
        bare = {name: np.zeros_like(getattr(some, name)) for name in VERDICT}
        return some._replace(**bare, about=json.dumps(of))

    return begun(load_spots, unjudged, path, of)


def draw(brain: Brain, plan: CubePlan, about: dict[str, Any] | None = None) -> Spots:
    """Draw spots, which are not rolled out yet: always the same ones."""
    draws = np.random.default_rng(plan.seed)
    player, other, search = OurPlayer(brain), RandomPlayer(plan.seed), Search(brain)
    found: list[tuple[Position, MatchState]] = []
    wild = odd_starts(plan.seed)[ORDINARY:]

    def start() -> NDArray[np.int8]:
        if draws.random() < plan.wild:
            return np.asarray(draws.choice(wild))
        return Position.start().array()

    boards = np.stack([start() for _ in range(ASK)])
    while True:
        dice = draws.integers(1, 7, size=(ASK, 2), dtype=np.int8)
        for i in draws.permutation(ASK)[: ASK // 8]:
            position, match = Position.from_array(boards[i]), _random_match(draws)
            if _close(search, position, match, plan):
                found.append((position, match))
                boards[i] = start()  # one spot a game
            if len(found) == plan.spots:
                return _unjudged(found, json.dumps({"making": asdict(plan), **(about or {})}))
        after = player.choose(boards, dice)
        strange = draws.random(ASK) < 0.05  # a few plays that we would not make
        after[strange] = other.choose(boards[strange], dice[strange])
        boards = np.ascontiguousarray(after[:, ::-1])
        for i in np.flatnonzero(boards.sum(axis=2).min(axis=1) == 0):
            boards[i] = start()


def _random_match(draws: np.random.Generator) -> MatchState:
    """Draw money every other time; the cube is centred or the player on roll, seat 1, owns it.

    Nobody is one point away, where the trailer doubles anyway.
    """
    owned = draws.random() < 0.3
    cube, owner = (2, 1) if owned else (1, None)
    if draws.random() < 0.5:
        return MatchState(cube=cube, cube_owner=owner, jacoby=bool(draws.random() < 0.5))
    length = int(draws.choice(LENGTHS))
    score = (int(draws.integers(length - 1)), int(draws.integers(length - 1)))
    return MatchState(length=length, score=score, cube=cube, cube_owner=owner)


def _close(search: Search, position: Position, match: MatchState, plan: CubePlan) -> bool:
    """Return whether our evaluation finds the double close or, if it is right, the take."""
    if position.is_over() or not CubeContext.of(match).available():
        return False
    for plies, within in ((0, plan.roughly), (1, plan.within)):
        no_double, double_take = _seen(search, position, match, Evaluation(plies))
        gain = min(double_take, 1.0) - no_double
        if abs(gain) > within and (abs(double_take - 1.0) > within or gain < 0):
            return False
    return True


def _unjudged(found: Sequence[tuple[Position, MatchState]], about: str) -> Spots:
    count = len(found)
    return Spots(
        np.stack([position.array() for position, _ in found]),
        np.array([_fields(match) for _, match in found], np.int16),
        np.zeros(count, np.float32),
        np.zeros(count, np.float32),
        np.zeros((count, 3), np.float32),
        np.zeros(count, np.int32),
        about,
    )


def _fields(match: MatchState) -> tuple[int, ...]:
    owner = CENTRED if match.cube_owner is None else match.cube_owner
    theirs, mine = match.score
    return match.length, mine, theirs, match.cube, owner, int(match.jacoby)


def _match(fields: NDArray[np.int16]) -> MatchState:
    length, mine, theirs, cube, owner, jacoby = (int(field) for field in fields)
    return MatchState(
        length=length, score=(theirs, mine), cube=cube,
        cube_owner=None if owner == CENTRED else owner, jacoby=bool(jacoby),
    )  # fmt: skip


class CubeVerdict(NamedTuple):
    """The worths of no double and double/take by a rollout."""

    no_double: float
    double_take: float
    errors: tuple[float, float, float]  # standard errors of both, and of their difference
    trials: int


VERDICT = CubeVerdict._fields  # of Spots, too


def judge(brain: Brain, position: Position, match: MatchState, plan: CubePlan) -> CubeVerdict:
    """Roll out a cube decision with our own engine.

    Both worths get the same dice. Only the standard errors decide when to stop, never who is ahead.
    """
    seed = plan.seed + zlib.crc32(position.array().tobytes())
    settings = RolloutSettings(trials=LOOK, truncate=plan.truncate, keep=plan.keep, seed=seed)
    rollout = of_cube(position, match, settings)
    zero, one = (CubeContext.of(match).cubeful(worth).equity for worth in (0.0, 1.0))
    while True:
        rolled = rollout.run(brain)
        worths = [rows[:, WORTH] for rows in rollout.results]
        trials = len(worths[0])
        spread = float((worths[1] - worths[0]).std(ddof=1)) * abs(one - zero)
        error = spread / math.sqrt(trials)
        if error <= plan.error or trials >= plan.most:
            errors = rolled[0].error, rolled[1].error, error
            return CubeVerdict(rolled[0].equity, rolled[1].equity, errors, trials)
        rollout.settings = replace(settings, trials=min(trials + LOOK, plan.most))


def rolled_by_gnubg(ids: str, terms: gnubg.CubeTerms, command: str) -> CubeVerdict:
    """Let gnubg roll out the decision of a Position ID and a Match ID.

    It tells no standard error of the difference: that of both without their common dice is larger.
    """
    worths = gnubg.printed_cube(gnubg.printed_cube_rollout(ids, terms, command))
    apart = math.hypot(*worths.errors)
    return CubeVerdict(worths.no_double, worths.double_take, (*worths.errors, apart), worths.trials)


def judge_all(
    judged: Callable[[int], CubeVerdict],
    spots: Spots,
    path: Path,
    *,
    where: NDArray[np.bool_] | None = None,
    threads: int = 1,
    seconds: float = float("inf"),
    report: Callable[[int, int], None] = lambda done, total: None,
) -> Spots:
    """Judge the spots, or those in `where`, that have no verdict yet; a file keeps the verdicts."""
    asked = np.ones(len(spots.trials), bool) if where is None else where
    missing = [int(i) for i in np.flatnonzero(asked & (spots.trials == 0))]
    with saving(path, spots) as now_and_then:
        for i, verdict in judged_in_time(judged, missing, threads, seconds):
            spots.no_double[i], spots.double_take[i], spots.errors[i], spots.trials[i] = verdict
            report(int((spots.trials[asked] > 0).sum()), int(asked.sum()))
            now_and_then()
    return spots


def by_us(brain: Brain, spots: Spots) -> Callable[[int], CubeVerdict]:
    """Return the judge of one of our own spots, by its place."""
    plan = CubePlan(**json.loads(spots.about)["making"])
    return lambda i: judge(brain, *spots.spot(i), plan)
