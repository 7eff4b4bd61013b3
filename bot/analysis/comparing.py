"""Two analyses of one match side by side, and rollouts that decide between them.

`theirs` is the analysis in a file, by XG or gnubg; `ours` is made here. A
play counts if there was a choice, and a cube decision if the cube could be turned. They agree on a
play if the boards after their best plays are the same, and on a cube if both would do the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sixprime.engine.analysis.values import (
    CubeAnalysis,
    MatchAnalysis,
    MoveAnalysis,
    RankedPlay,
    TurnAnalysis,
    What,
)
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.position import Dice, MatchState, Play, Position
from sixprime.engine.search.rollout import RolloutSettings, of_cube, of_plays

DECIDED = 2.0  # standard errors at which a rollout is decisive


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice of one analysis, judged by both."""

    name: str  # a cube action; empty for a play
    play: Play | None
    equity: float  # by the same analysis
    cost: float | None  # by the other analysis, at most 0; None if it does not list the play


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision in both analyses."""

    game: int
    turn: int
    seat: int
    what: What
    position: Position
    state: MatchState  # with the cube as it stood
    dice: Dice | None
    theirs: Choice
    ours: Choice

    @property
    def agreed(self) -> bool:
        if self.theirs.play is None or self.ours.play is None:
            return self.theirs.name == self.ours.name
        return self.position.after(self.theirs.play) == self.position.after(self.ours.play)

    @property
    def size(self) -> float:
        """The higher cost of the two choices, each by the other analysis."""
        costs = [each.cost for each in (self.theirs, self.ours) if each.cost is not None]
        return -min(costs, default=0.0)


@dataclass(frozen=True, slots=True)
class Ruling:
    """The result of a rollout of both choices."""

    better: float  # EMG of theirs above ours
    error: float  # standard error
    trials: int

    @property
    def winner(self) -> str:
        """`theirs`, `ours`, or empty if the difference is within the error."""
        if abs(self.better) < DECIDED * self.error or self.better == 0:
            return ""
        return "theirs" if self.better > 0 else "ours"


def compared(theirs: MatchAnalysis, ours: MatchAnalysis) -> list[Decision]:
    """Return every decision in both analyses, in the order of the match."""
    return [
        decision
        for number, (one, other) in enumerate(zip(theirs.games, ours.games, strict=True))
        for index, (recorded, found) in enumerate(zip(one.turns, other.turns, strict=True))
        for decision in _of_turn(number, index, recorded, found, ours)
    ]


def _of_turn(
    game: int, index: int, recorded: TurnAnalysis, found: TurnAnalysis, ours: MatchAnalysis
) -> Iterator[Decision]:
    def decision(what: What, theirs: Choice, mine: Choice) -> Decision:
        rolled = what is What.PLAY
        state = ours.state(ours.games[game], found, rolled=rolled)
        dice = found.dice if rolled else None
        return Decision(game, index, found.seat, what, found.position, state, dice, theirs, mine)

    if recorded.cube_analysis is not None and found.cube_analysis is not None:
        yield decision(What.DOUBLE, *_cubes(recorded.cube_analysis, found.cube_analysis))
    if recorded.move is not None and found.move is not None and found.move.legal > 1:
        plays = _plays(found.position, recorded.move, found.move)
        if plays is not None:
            yield decision(What.PLAY, *plays)


def _plays(
    position: Position, recorded: MoveAnalysis, found: MoveAnalysis
) -> tuple[Choice, Choice] | None:
    theirs, ours = recorded.best, found.best
    if theirs is None or ours is None or len(recorded.candidates) < 2:
        return None
    return (
        Choice("", theirs.play, theirs.equity, _cost(position, theirs, found.candidates)),
        Choice("", ours.play, ours.equity, _cost(position, ours, recorded.candidates)),
    )


def _cost(position: Position, play: RankedPlay, others: Sequence[RankedPlay]) -> float | None:
    """Return the cost of a play in the list of another analysis, which is best first."""
    result = position.after(play.play)
    for each in others:
        if position.after(each.play) == result:
            return min(each.equity - others[0].equity, 0.0)
    return None


def _cubes(recorded: CubeAnalysis, found: CubeAnalysis) -> tuple[Choice, Choice]:
    theirs, ours = cube_action(recorded.equities), cube_action(found.equities)
    return (
        Choice(theirs, None, _optimal(recorded.equities), _cube_cost(theirs, found.equities)),
        Choice(ours, None, _optimal(found.equities), _cube_cost(ours, recorded.equities)),
    )


def cube_action(equities: Sequence[float]) -> str:
    """Return the right cube action for equities of no double, double/take and double/pass."""
    no_double, double_take, double_pass = equities
    if min(double_take, double_pass) >= no_double:
        return "double, take" if double_take <= double_pass else "double, pass"
    return "too good" if no_double > double_pass and double_take > double_pass else "no double"


def _optimal(equities: Sequence[float]) -> float:
    no_double, double_take, double_pass = equities
    return max(no_double, min(double_take, double_pass))


def _cube_cost(action: str, equities: Sequence[float]) -> float:
    """Return the cost of an action by these equities, a wrong answer included."""
    no_double, double_take, double_pass = equities
    if not action.startswith("double"):
        return min(no_double - _optimal(equities), 0.0)
    doubled = min(double_take, double_pass) - _optimal(equities)
    answered = double_take if action == "double, take" else double_pass
    return min(doubled, 0.0) - abs(answered - min(double_take, double_pass))


# -- rollouts


def roll_out(
    decision: Decision,
    settings: RolloutSettings,
    brain: Brain,
    *,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Ruling:
    """Roll out both choices with the same dice."""
    theirs, ours = decision.theirs, decision.ours
    if theirs.play is not None and ours.play is not None:
        rollout = of_plays(decision.position, decision.state, (theirs.play, ours.play), settings)
        first, second = rollout.run(brain, threads=threads, progress=progress)
        error = (first.error**2 + second.error**2) ** 0.5
        return Ruling(first.equity - second.equity, error, min(first.trials, second.trials))
    rollout = of_cube(decision.position, decision.state, settings)
    first, second = rollout.run(brain, threads=threads, progress=progress)
    equities = first.equity, second.equity, 1.0
    better = _cube_cost(theirs.name, equities) - _cube_cost(ours.name, equities)
    return Ruling(better, (first.error**2 + second.error**2) ** 0.5, first.trials)
