"""Which lines are about our own match: others play too, and their matches are reported."""

from __future__ import annotations

from sixprime.protocols.fibs.wire import matchmessages as m
from sixprime.protocols.fibs.wire import messages as s
from sixprime.protocols.fibs.wire.board import BrokenBoard, FibsBoard
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refused

_ASIDE = (
    m.OpponentLeft,
    m.OpponentLoggedOut,
    m.OpponentDropped,
    m.OpponentTimedOut,
    m.OpponentFailed,
    m.OpponentReconnected,
    m.ConnectionClosedBy,
)


def match_of(message: Message) -> Player | None:
    """The opponent, if this line shows that we are in a match."""
    match message:
        case (
            m.NowPlaying(opponent)
            | m.JoinedYou(opponent)
            | m.Resumed(opponent)
            | m.ResumedBy(opponent)
            | m.GameStarts(opponent)
        ):
            return opponent
        case FibsBoard() if message.is_ours:
            return Player(message.opponent)
        case _:
            return None


def puts_aside(message: Message, opponent: Player) -> bool:
    """Does this line end our match for now?"""
    match message:
        case m.YouLeft() | m.GameSaved():
            return True
        case s.LoggedOut(name):
            return name == opponent
        case _:
            return isinstance(message, _ASIDE) and message.opponent == opponent


def is_about(message: Message, opponent: Player) -> bool:
    """Is this line about our own match? Lines without a name are; others name the opponent."""
    match message:
        case FibsBoard():
            return message.is_ours
        case BrokenBoard() | m.PointsFor() | m.TurnIs():
            return True
        case m.Score(_, name, _, other):
            return opponent in (name, other)
        case s.Kibitzed(name) | s.Said(name) | s.Whispered(name):
            return name == opponent
        case _ if type(message).__module__ != m.__name__:
            return isinstance(message, Refused)
        case _:
            name = getattr(message, "opponent", getattr(message, "name", opponent))
            return bool(name == opponent)
