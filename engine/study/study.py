"""All facts about a position before the roll, in one value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sixprime.engine.kernels import cube as kernel
from sixprime.engine.kernels.evaluation import judge
from sixprime.engine.kernels.network import JUDGED
from sixprime.engine.position import Chances, MatchState, Position
from sixprime.engine.search.cube import (
    CubeContext,
    CubeDecision,
    judged,
    worth_of,
)
from sixprime.engine.search.decide import Engine, within_tables
from sixprime.engine.study import counts as race_counts
from sixprime.engine.study import cubepoints, races
from sixprime.engine.study.counts import ChanceRule, RaceCount
from sixprime.engine.study.races import Race
from sixprime.engine.study.rolls import Progress, RollList, rolls_of
from sixprime.engine.system.errors import InputError


@dataclass(frozen=True)
class Study:
    """Facts as the player on roll sees them; in pairs that player's figure comes first."""

    position: Position
    match: MatchState
    counts: tuple[RaceCount, ...]
    rules: tuple[ChanceRule, ...]
    one_checker: Race
    race: Race
    chances: Chances
    decision: CubeDecision
    gammon_values: tuple[tuple[float, float], tuple[float, float]]
    points: tuple[tuple[cubepoints.CubePoints, ...], tuple[cubepoints.CubePoints, ...]]
    efficiency: float  # of the cube, as the level has it, for effective points
    rolls: RollList | None

    @property
    def bluff(self) -> float | None:
        return cubepoints.bluff(self.decision)


def study(
    position: Position,
    match: MatchState,
    engine: Engine,
    chances: Chances | None = None,
    *,
    with_rolls: bool = True,
    progress: Progress | None = None,
) -> Study:
    """Study a position, perhaps with other `chances` than the engine's; NoDecision, InputError."""
    met = engine.level.met or match.met
    match = within_tables(position, match.with_(dice=None, met=met))
    alive = _liveness(position, engine)
    if chances is None:
        advice = engine.cube(position, match)
        chances, decision = advice.outcomes, advice.decision
    else:
        decision = _decision(possible_chances(chances), match, alive)
    efficiency = alive.efficiencies[CubeContext.of(match).owner]
    seats = match.on_roll, 1 - match.on_roll
    mine, theirs = (tuple(cubepoints.cube_points(match, seat, chances)) for seat in seats)
    my_values, their_values = (cubepoints.gammon_values(match, seat) for seat in seats)
    return Study(
        position, match, tuple(race_counts.counts(position)), tuple(race_counts.chances(position)),
        races.one_checker(position), races.race(position, engine.search.brain), chances, decision,
        (my_values, their_values), (mine, theirs), efficiency,
        rolls_of(position, match, engine, progress) if with_rolls else None,
    )  # fmt: skip


def possible_chances(chances: Iterable[float | str]) -> Chances:
    """Check five numbers as chances; InputError."""
    given = tuple(chances)
    try:
        win, gammon, backgammon, lost, lost_backgammon = map(float, given)
    except (TypeError, ValueError):
        raise InputError(f"{_said(given)}: five numbers are needed") from None
    if not (0 <= backgammon <= gammon <= win <= 1 and 0 <= lost_backgammon <= lost <= 1 - win):
        raise InputError(
            f"{_said(given)}: from 0 to 1, a gammon no likelier than the game it is part of"
        )
    return win, gammon, backgammon, lost, lost_backgammon


def _said(given: Sequence[object]) -> str:
    return ",".join(map(str, given))[:40]


def _liveness(position: Position, engine: Engine) -> kernel.Liveness:
    """Return the liveness of the cube at first sight."""
    board, search = position.checked().array(), engine.search
    figures = np.zeros(JUDGED, np.float32)
    kind = judge(search.brain, board, position.checkers, search.scratches[0].work, figures)
    level = np.array(engine.level.cube.efficiency.known())
    return kernel.Liveness(kernel.efficiencies_of(board, kind, figures, level), np.zeros(3), False)


def _decision(chances: Chances, match: MatchState, alive: kernel.Liveness) -> CubeDecision:
    context = CubeContext.of(match)
    no_double, double_take = (
        worth_of(chances, context, (int(cube), int(owner)), alive) for cube, owner in context.states
    )
    return judged(no_double, double_take, match)
