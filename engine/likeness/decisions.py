"""The decisions that people made, plays and cubes alike, and how likely a person makes each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.analysis.values import (
    Answered,
    GameAnalysis,
    MatchAnalysis,
    TurnAnalysis,
)
from sixprime.engine.game import Answer
from sixprime.engine.likeness.plays import HumanPlay, plays_of
from sixprime.engine.people.choosing import Person, play_chances
from sixprime.engine.people.cube import CubeSpot, answer_chances, double_chance
from sixprime.engine.position import MAX_CHECKERS
from sixprime.engine.search.decide import Engine

PLAY, DOUBLE, ANSWER = "play", "double", "answer"
CUBE_KINDS = ("missed double", "wrong double", "wrong take", "wrong pass")
_AS_BAD = 1e-9  # EMG; a smaller loss is none

Floats = NDArray[np.float64]


class HumanDecision(NamedTuple):
    """A decision, and what each choice loses; `kind` names the error that is possible."""

    what: str
    kind: str  # a phase, or one of CUBE_KINDS
    player: str
    pr: float  # the player's
    losses: Floats  # EMG
    made: int
    spot: HumanPlay | CubeSpot

    def chances(self, play: Person, cube: Person) -> Floats:
        """Return the chance of each choice, for these people at plays and with the cube."""
        if isinstance(self.spot, HumanPlay):
            seen = self.spot
            return play_chances(seen.position, seen.match, seen.dice, seen.candidates, play)
        if self.what == DOUBLE:
            doubles = double_chance(self.spot, cube)
            return np.array([1 - doubles, doubles])
        passes = answer_chances(self.spot, cube)[Answer.PASS]
        return np.array([1 - passes, passes])


class _Judged(NamedTuple):
    equities: tuple[float, float, float]
    beavers: int = 0  # a beaver counts as a take


def decisions_of(
    analysis: MatchAnalysis, engine: Engine, prs: Mapping[str, float]
) -> Iterator[HumanDecision]:
    """Yield the decisions of a match that leave a choice; first the plays, then the cubes."""
    for seen in plays_of(analysis, engine, prs):
        equities = np.array([candidate.equity for candidate in seen.candidates])
        losses = _settled(equities.max() - equities)
        yield HumanDecision(PLAY, seen.phase, seen.player, seen.pr, losses, seen.made, seen)
    for game in analysis.games:
        for turn in game.turns:
            if turn.cube_analysis is not None and turn.position.checkers == MAX_CHECKERS:
                yield from _cubes(analysis, game, turn, prs)


def _cubes(
    analysis: MatchAnalysis, game: GameAnalysis, turn: TurnAnalysis, prs: Mapping[str, float]
) -> Iterator[HumanDecision]:
    cube = turn.cube_analysis
    assert cube is not None
    no_double, take, passed = cube.equities
    spot = CubeSpot(
        turn.position, analysis.state(game, turn), _Judged(cube.equities), cube.outcomes
    )

    def decision(
        what: str, seat: int, kind: str, worths: tuple[float, float], made: int
    ) -> HumanDecision:
        losses = _settled(max(worths) - np.array(worths))
        player = analysis.players[seat]
        return HumanDecision(what, kind, player, prs[player], losses, made, spot)

    doubled = min(take, passed)
    is_right = take >= no_double and passed >= no_double
    missed, wrong, taken, dropped = CUBE_KINDS
    yield decision(
        DOUBLE, turn.seat, missed if is_right else wrong, (no_double, doubled), int(cube.doubled)
    )
    if cube.answer is not None:
        kind = taken if take > passed else dropped
        worths = -take, -passed
        made = int(cube.answer is Answered.PASS)
        yield decision(ANSWER, 1 - turn.seat, kind, worths, made)


def _settled(losses: Floats) -> Floats:
    return np.where(losses < _AS_BAD, 0.0, losses)
