"""Deciders for gnubg's socket that need no nets."""

from __future__ import annotations

import random

from sixprime.engine.position import Dice, MatchState, Play, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.cube import Answer
from sixprime.protocols.engines.external import Evaluate, Numbers


class RandomDecider:
    """Legal and lively: every kind of answer comes often."""

    def __init__(self, seed: int = 1, resigns: float = 0.01) -> None:
        self.answers: list[object] = []
        self._draw = random.Random(seed)
        self._resigns = resigns

    def choose_play(self, position: Position, match: MatchState, dice: Dice) -> Play:
        """Any."""
        return self._draw.choice(legal_plays(position, dice)).play

    def wants_double(self, position: Position, match: MatchState) -> bool:
        """Now and then."""
        return self._draw.random() < 0.15

    def answers_double(self, position: Position, match: MatchState) -> Answer:
        """Two takes for a pass."""
        return self._draw.choice([Answer.PASS, Answer.TAKE, Answer.BEAVER])

    def resigns(self, position: Position, match: MatchState) -> int:
        """Rarely, and then anything."""
        return self._draw.randint(1, 3) if self._draw.random() < self._resigns else 0

    def accepts_resignation(self, position: Position, match: MatchState, games: int) -> bool:
        """Only a gammon."""
        return games > 1

    def evaluates(self, request: Evaluate) -> Numbers:
        """Even."""
        return (0.5, 0.1, 0.0, 0.1, 0.0, 0.0)


class TidyDecider(RandomDecider):
    """Makes points and wins some games; doubles, takes, passes and resigns by pips."""

    def choose_play(self, position: Position, match: MatchState, dice: Dice) -> Play:
        """The tidiest."""
        return max(legal_plays(position, dice), key=lambda each: _worth(each.result)).play

    def wants_double(self, position: Position, match: MatchState) -> bool:
        """A tenth ahead."""
        mine, theirs = position.pips()
        return mine * 1.1 < theirs

    def answers_double(self, position: Position, match: MatchState) -> Answer:
        """A seventh behind is enough to pass."""
        theirs, mine = position.pips()
        return Answer.TAKE if mine < theirs * 1.14 + 2 else Answer.PASS

    def resigns(self, position: Position, match: MatchState) -> int:
        """A hopeless race: first a single game, even where gnubg will insist on more."""
        mine, theirs = position.pips()
        hopeless = position.is_race() and theirs < 30 and mine > theirs + 30
        return 0 if not hopeless else 1 if sum(position.mine) < position.checkers else 2


def _worth(result: Position) -> float:
    mine, theirs = result.pips()
    blots = sum(i + 4 for i in range(24) if result.mine[i] == 1 and any(result.theirs[23 - i :]))
    return theirs - mine - 0.7 * blots + sum(3.0 for i in range(8) if result.mine[i] >= 2)
