"""Pairs of bots with wild settings."""

from __future__ import annotations

import random

from sixprime.engine.game import Answer
from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.players import PipCounter

PAIR = """
profiles:
  anna:
    account: {user: anna}
    lobby: {invite: {after_idle_s: 1, preferred: [ben], match_length: 3, leave_alone_s: 60}}
  ben: {account: {user: ben}}
"""


class Wild(PipCounter):
    """Doubles, takes and resigns at random."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice

    def play(self, position: Position, match: MatchState) -> Play:
        assert match.dice is not None
        return self.dice.choice(legal_plays(position, match.dice)).play

    def double(self, position: Position, match: MatchState) -> bool:
        return self.dice.random() < 0.1

    def answer(self, position: Position, match: MatchState) -> Answer:
        return Answer.TAKE if self.dice.random() < 0.7 else Answer.PASS

    def resign(self, position: Position, match: MatchState) -> int:
        return self.dice.choice((1, 2, 3)) if self.dice.random() < 0.01 else 0
