"""The engine's public interface: the best play, the right cube action.

    from sixprime.engine.search.decide import Engine
    from sixprime.engine.position import Chances, Position

    print(Engine("world-class").move(Position.start(), dice=(3, 1)).best.play)

Point of view: positions, equities and chances are the player's on roll, also while that player's
double waits for an answer. An argument `seat` is the seat that decides.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sixprime.engine.bearoff.hypergammon import missing
from sixprime.engine.game import Answer
from sixprime.engine.kernels import cube as cube_kernel
from sixprime.engine.nets.weights import load_brain, with_databases
from sixprime.engine.people import Person, chosen, play_chances
from sixprime.engine.people.cube import (
    CubeSpot,
    answer_chances,
    answers,
    double_chance,
    doubles,
    resigns,
)
from sixprime.engine.position import (
    Chances,
    Dice,
    IllegalPosition,
    MatchState,
    Phase,
    Position,
)
from sixprime.engine.search import resign
from sixprime.engine.search.cube import CubeContext, CubeDecision, judged
from sixprime.engine.search.equitymodels import REACH
from sixprime.engine.search.levels import Level
from sixprime.engine.search.plies import Candidate, Evaluation, Seen
from sixprime.engine.search.ratingtable import level_of
from sixprime.engine.search.roller import RollingSearch
from sixprime.engine.system.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sixprime.engine.kernels.evaluation import Brain

MONEY = MatchState()  # a centred cube, without Jacoby and beavers
OVER = "the game is over"


class NoDecision(InputError):
    """There is nothing to decide; the text says why."""


@dataclass(frozen=True, slots=True)
class MoveDecision:
    """Every legal play; a dance is one play without steps."""

    candidates: Sequence[Candidate]  # best first
    chances: tuple[float, ...] = ()  # of the candidates at a level like people; else empty
    chosen: int = 0  # the place of the play that this level makes

    @property
    def best(self) -> Candidate:
        return self.candidates[0]

    @property
    def played(self) -> Candidate:
        return self.candidates[self.chosen]


class CubeAdvice(NamedTuple):
    """The verdict on doubling, and the chances it rests on; `person` decides for a level."""

    decision: CubeDecision
    outcomes: Chances
    seen: Seen
    person: Person | None = None  # at a level like people
    spot: CubeSpot | None = None  # as that person sees it

    @property
    def doubles(self) -> bool:
        """The choice of this level to double."""
        if self.person is None or self.spot is None:
            return self.decision.double
        return self.decision.available and doubles(self.spot, self.person)

    def answer(self, turns: int = 1) -> Answer:
        """Return this level's answer to a double (turns 1), a beaver (2) or a raccoon (3)."""
        if self.person is None or self.spot is None:
            return self.decision.answer(turns)
        return answers(self.spot, self.person, turns)

    @property
    def chances(self) -> dict[str, float]:
        """The chances that people double, and of each answer; empty at other levels."""
        if self.person is None or self.spot is None:
            return {}
        double = double_chance(self.spot, self.person) if self.decision.available else 0.0
        answered = answer_chances(self.spot, self.person)
        return {"double": double, **{each.value: share for each, share in answered.items()}}


class Engine:
    """Nets, databases and scratch for one level, and one decision at a time.

    A level is a preset's name, `pr N`, a rating such as 1650 or a `Level`. `weights` is a file,
    `brain` one already loaded; otherwise the weights that ship are used. The same seed gives the
    same decisions, with any number of threads; it matters for random noise and random people.
    """

    def __init__(
        self,
        level: Level | str | float = "expert",
        *,
        threads: int | None = None,
        weights: Path | str | None = None,
        brain: Brain | None = None,
        seed: int = 1,
    ) -> None:
        if threads is not None and threads < 1:
            raise ValueError(f"threads {threads}: at least 1 is needed")
        if brain is None:
            brain = load_brain(None if weights is None else Path(weights))
        self.level = level_of(level)
        self._draws = random.Random(seed)  # of people who choose anew each time
        self._match = MONEY, _playable(MONEY, self.level.met)  # the last one
        self.search = RollingSearch(
            with_databases(brain, self.level.bearoff),
            self.level.cores if threads is None else threads,
            seed,
        )

    def __repr__(self) -> str:
        return f"Engine({self.level.name!r})"

    def at_plies(self, plies: int, plays: int) -> Engine:
        """Return an engine that looks so far ahead at the best plays; ValueError for people."""
        level, search = self.level.at_plies(plies, plays), self.search
        return Engine(level, threads=search.threads, brain=search.brain)

    def move(
        self,
        position: Position,
        match: MatchState = MONEY,
        dice: Dice | None = None,
        *,
        cubeful: bool = True,
    ) -> MoveDecision:
        """Rank the legal plays of a roll, best first; without `dice`, of the dice in `match`."""
        match = self._within_tables(position, match)
        dice = dice or match.dice
        if dice is None:
            raise NoDecision("nobody has rolled")
        if len(dice) != 2 or not all(die in range(1, 7) for die in dice):
            raise NoDecision(f"dice show 1 to 6, not {' and '.join(map(str, dice))}")
        evaluation = _cubeful(self.level.checker, cubeful)
        found = self._plays(position, match, dice, evaluation)
        person = self.level.person
        if person is None:
            return MoveDecision(found)
        person = self._somebody(person, evaluation)
        chances = play_chances(position, match, dice, found, person)
        place = chosen(chances, position, dice, found, person.seed)
        return MoveDecision(found, tuple(chances.tolist()), place)

    def cube(
        self, position: Position, match: MatchState = MONEY, *, cubeful: bool = True
    ) -> CubeAdvice:
        """Judge, before the roll, whether the player on roll doubles and the opponent takes."""
        match = self._within_tables(position, match)
        evaluation = self.level.cube if cubeful else _cubeful(self.level.cube, cubeful)
        seen = self._see(position, match, evaluation)
        decision = judged(seen.no_double, seen.double_take, match)
        person = self.level.cube_person
        if person is None:
            return CubeAdvice(decision, seen.outcomes, seen)
        person = self._somebody(person, evaluation)
        spot = CubeSpot(position, match, decision, seen.outcomes)
        return CubeAdvice(decision, seen.outcomes, seen, person, spot)

    def answer(self, position: Position, match: MatchState, turns: int = 1) -> Answer:
        """Return the answer to a double (turns 1), a beaver (2) or a raccoon (3)."""
        return self.cube(position, match).answer(turns)

    def resignation(
        self, position: Position, match: MatchState, seat: int, *, certain: bool = False
    ) -> int:
        """Return the games that `seat` offers to lose; 0: play on.

        Such an offer gives up no equity, but a level like people may give up early unless it has
        to be `certain`.
        """
        match = self._within_tables(position, match)
        seen = self._see(position, match, self._sober)
        person = self.level.cube_person
        if person is not None:
            person = self._somebody(person, self.level.cube)
        if person is None or certain:
            return resign.resignation(seen.outcomes, match, seat)
        return resigns(position, match, seen.outcomes, seat, person)

    def accepts_resignation(
        self, position: Position, match: MatchState, seat: int, games: int
    ) -> bool:
        """Return whether `seat` should accept the opponent's resignation of this many games."""
        match = self._within_tables(position, match)
        worth = self._playing_on(position, match)
        if seat != match.on_roll:
            worth = float(cube_kernel.turned(worth, CubeContext.of(match).rules))
        return resign.accepts_over(worth, match, seat, games)

    def _somebody(self, person: Person, evaluation: Evaluation) -> Person:
        """Return the person who decides now: somebody else each time at a random level."""
        if evaluation.deterministic:
            return person
        return replace(person, seed=self._draws.getrandbits(64))

    def _within_tables(self, position: Position, match: MatchState) -> MatchState:
        if not isinstance(position, Position):
            raise TypeError(f"position {position!r}: a Position is needed; sixprime.hint reads IDs")
        if not (any(position.mine) and any(position.theirs)) or position.is_hypergammon():
            check(position, match)  # the kernels check others
        if match is not self._match[0]:
            self._match = match, _playable(match, self.level.met)
        return self._match[1]

    def _plays(
        self, position: Position, match: MatchState, dice: Dice, evaluation: Evaluation
    ) -> Sequence[Candidate]:
        try:
            return self.search.plays(position, match, dice, evaluation, self.level.seconds)
        except IllegalPosition as error:
            raise NoDecision(str(error)) from error

    def _see(self, position: Position, match: MatchState, evaluation: Evaluation) -> Seen:
        try:
            return self.search.see(position, match, evaluation, self.level.seconds)
        except IllegalPosition as error:
            raise NoDecision(str(error)) from error

    @property
    def _sober(self) -> Evaluation:
        """The level's cube evaluation without rollouts and noise, which gives equity away."""
        return replace(self.level.cube, noise=0.0, rollout=None)

    def _playing_on(self, position: Position, match: MatchState) -> float:
        """Return the worth for the player on roll if nobody resigns."""
        if match.dice is not None:
            evaluation = replace(self.level.checker, noise=0.0, rollout=None)
            best = self._plays(position, match, match.dice, evaluation)[0]
            return match.cube * best.equity if best.mwc is None else best.mwc
        seen = self._see(position, match, self._sober)
        context = CubeContext.of(match)
        if not context.available() or match.doubled:
            return seen.no_double
        passed = cube_kernel.pass_worth(0, context.cube, context.rules, context.chances)
        return float(cube_kernel.best(seen.no_double, seen.double_take, passed))


def within_tables(position: Position, match: MatchState) -> MatchState:
    """Check a match, and shorten one that is longer than the match equity tables."""
    check(position, match)
    return match.shortened(REACH)


def check(position: Position, match: MatchState) -> None:
    """Raise NoDecision for a finished game, an impossible position or a missing database."""
    try:
        position.checked()
    except IllegalPosition as error:
        raise NoDecision(str(error)) from error
    if position.is_over():
        raise NoDecision(OVER)
    _playable(match, None)
    if lacking := missing(position.checkers):
        raise NoDecision(lacking)


def _playable(match: MatchState, met: str | None) -> MatchState:
    """Check a match, and shorten it, perhaps with another table; NoDecision if it is over."""
    try:
        match.checked()
    except IllegalPosition as error:
        raise NoDecision(str(error)) from error
    if match.phase > Phase.PLAYING:
        raise NoDecision(OVER)
    if match.length > 0 and max(match.score) >= match.length:
        raise NoDecision("the match is over")
    return (match if met is None else match.with_(met=met)).shortened(REACH)


def _cubeful(evaluation: Evaluation, cubeful: bool) -> Evaluation:
    return evaluation if cubeful or not evaluation.cubeful else replace(evaluation, cubeful=False)
