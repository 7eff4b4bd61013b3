"""Players for gnubg's socket that need no nets."""

from __future__ import annotations

import random

from sixprime.engine.game import Answer
from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.players import PipCounter
from sixprime.protocols.engines.external import Evaluate, Numbers


class LivelyPlayer:
    """Legal and lively: every kind of answer comes often."""

    def __init__(self, seed: int = 1, resigns: float = 0.01) -> None:
        self.answers: list[object] = []
        self._draw = random.Random(seed)
        self._resigns = resigns

    def play(self, position: Position, match: MatchState) -> Play:
        """Any."""
        assert match.dice is not None
        return self._draw.choice(legal_plays(position, match.dice)).play

    def double(self, position: Position, match: MatchState) -> bool:
        """Now and then."""
        return self._draw.random() < 0.15

    def answer(self, position: Position, match: MatchState) -> Answer:
        """Two takes for a pass."""
        return self._draw.choice([Answer.PASS, Answer.TAKE, Answer.BEAVER])

    def resign(self, position: Position, match: MatchState) -> int:
        """Rarely, and then anything."""
        return self._draw.randint(1, 3) if self._draw.random() < self._resigns else 0

    def accept(self, position: Position, match: MatchState) -> bool:
        """Only a gammon."""
        return match.resigned > 1

    def evaluates(self, request: Evaluate) -> Numbers:
        """Even."""
        return (0.5, 0.1, 0.0, 0.1, 0.0, 0.0)


class TidyPlayer(PipCounter, LivelyPlayer):
    """Makes points and wins some games; resigns by pips, too."""

    def resign(self, position: Position, match: MatchState) -> int:
        """A hopeless race: first a single game, even where gnubg will insist on more."""
        mine, theirs = position.pips()
        hopeless = position.is_race() and theirs < 30 and mine > theirs + 30
        return 0 if not hopeless else 1 if sum(position.mine) < position.checkers else 2

    def accept(self, position: Position, match: MatchState) -> bool:
        """Only a gammon."""
        return match.resigned > 1
