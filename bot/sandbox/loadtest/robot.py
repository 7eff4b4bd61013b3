"""Random answers to the questions of FIBS, for the clients of the load test and the simulator."""

from __future__ import annotations

import random

from sixprime.engine.rules import legal_plays
from sixprime.protocols.fibs.questions import (
    AnswerDouble,
    AnswerResignation,
    ChoosePlay,
    JoinNextGame,
    Question,
    RollOrDouble,
)
from sixprime.protocols.fibs.wire import commands as c

RESIGNS = 0.01
DOUBLES = 0.06
ACCEPTS = 0.6


def random_answer(question: Question, dice: random.Random) -> c.Command | None:
    """Return a legal answer; None if the turn passes by itself."""
    chance = dice.random()
    match question:
        case RollOrDouble():
            if chance < RESIGNS:
                return c.Resign(dice.choice((1, 1, 2, 3)))
            return c.Double() if question.may_double and chance < RESIGNS + DOUBLES else c.Roll()
        case ChoosePlay(board, rolled):
            play = dice.choice(legal_plays(board.position(), rolled)).play
            return c.Move(play, board.direction) if play else None
        case AnswerDouble() | AnswerResignation():
            return c.Accept() if chance < ACCEPTS else c.Reject()
        case JoinNextGame():
            return c.JoinNext()
