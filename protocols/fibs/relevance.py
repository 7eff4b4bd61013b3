"""Which lines are about our own match: others play too, and their matches are reported."""

from __future__ import annotations

from sixprime.protocols.fibs.wire import matches, messages, talk, users
from sixprime.protocols.fibs.wire.board import BrokenBoard, FibsBoard
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refused

_ASIDE = (
    matches.OpponentLeft,
    matches.OpponentLoggedOut,
    matches.OpponentDropped,
    matches.OpponentTimedOut,
    matches.OpponentFailed,
    matches.OpponentReconnected,
    matches.ConnectionClosedBy,
)


def match_of(message: Message) -> Player | None:
    """The opponent, if this line shows that we are in a match."""
    match message:
        case (
            matches.NowPlaying(opponent)
            | matches.JoinedYou(opponent)
            | matches.Resumed(opponent)
            | matches.ResumedBy(opponent)
            | matches.GameStarts(opponent)
        ):
            return opponent
        case FibsBoard() if message.is_ours:
            return Player(message.opponent)
        case _:
            return None


def puts_aside(message: Message, opponent: Player) -> bool:
    """Does this line end our match for now?"""
    match message:
        case matches.YouLeft() | matches.GameSaved():
            return True
        case users.LoggedOut(name):
            return name == opponent
        case _:
            return isinstance(message, _ASIDE) and message.opponent == opponent


def is_about(message: Message, opponent: Player) -> bool:
    """Is this line about our own match? Lines without a name are; others name the opponent."""
    match message:
        case FibsBoard():
            return message.is_ours
        case BrokenBoard() | matches.PointsFor() | matches.TurnIs():
            return True
        case matches.ScoreIs(_, name, _, other):
            return opponent in (name, other)
        case talk.Kibitzed(name) | talk.Said(name) | talk.Whispered(name):
            return name == opponent
        case messages.MatchMessage():
            name = getattr(message, "opponent", getattr(message, "name", opponent))
            return bool(name == opponent)
        case _:
            return isinstance(message, Refused)
