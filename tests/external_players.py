"""Deciders for gnubg's socket that need no nets."""

from __future__ import annotations

import random

from engine.cube import Answer
from engine.position import Dice, MatchState, Play, Position
from engine.rules import legal_plays
from protocols.external import Evaluate, Numbers


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
