"""The life of our match: the lines that begin it, concern it and end it.

Servers report the matches of others, too. The session yields `MatchBegins` just before the line
that shows it, and `MatchEnds` just after the line that ends it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sixprime.protocols.fibs.wire import matches, messages, talk, users
from sixprime.protocols.fibs.wire.board import BrokenBoard, FibsBoard
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refused


class Beginning(Enum):
    NEW = "a new match"
    RESUMED = "a saved match"
    FOUND = "a match that the server has put us into"


class Ended(Enum):
    WON = "won"
    LOST = "lost"
    SAVED = "saved"


class PutAside(Enum):
    """Reasons for which a match is saved; archives hold the values."""

    WE_LEFT = "YouLeft"
    OPPONENT_LEFT = "OpponentLeft"
    OPPONENT_LOGGED_OUT = "OpponentLoggedOut"
    OPPONENT_DROPPED = "OpponentDropped"
    OPPONENT_TIMED_OUT = "OpponentTimedOut"
    OPPONENT_FAILED = "OpponentFailed"
    OPPONENT_RECONNECTED = "OpponentReconnected"
    OPPONENT_CUT_OFF = "ConnectionClosedBy"
    SAVED = "GameSaved"
    NOT_PLAYING = "NotPlaying"
    ALREADY_OVER = "AlreadyOver"  # the server lists a match as saved that was played to its end
    DISPUTED = "Disputed"  # we accepted a resignation, and the server knows of no match
    ANOTHER_MATCH = "AnotherMatch"
    LINE_LOST = "the connection is lost"

    @property
    def by_opponent(self) -> bool:
        return self in _BY_OPPONENT.values()

    @property
    def is_line_lost(self) -> bool:
        """Return whether a line has ended: nobody has typed `leave`."""
        return self in _LINE_LOST


@dataclass(frozen=True, slots=True)
class MatchBegins(Message):
    """The beginning of our match; only a new one has its `length` here (None: unlimited)."""

    opponent: Player
    how: Beginning
    length: int | None = None


@dataclass(frozen=True, slots=True)
class MatchEnds(Message):
    """The end of our match; `by` is the reason if it was put aside. The score is (ours, theirs).

    A match that was put aside ends a second time if the server sends its result late.
    """

    opponent: Player
    how: Ended
    score: tuple[int, int]
    by: PutAside | None = None


@dataclass(frozen=True, slots=True)
class StaleBoard(Message):
    """A board of our match that is older than the last one, and ignored."""

    board: FibsBoard


_BY_OPPONENT: dict[type[Message], PutAside] = {
    matches.OpponentLeft: PutAside.OPPONENT_LEFT,
    matches.OpponentLoggedOut: PutAside.OPPONENT_LOGGED_OUT,
    matches.OpponentDropped: PutAside.OPPONENT_DROPPED,
    matches.OpponentTimedOut: PutAside.OPPONENT_TIMED_OUT,
    matches.OpponentFailed: PutAside.OPPONENT_FAILED,
    matches.OpponentReconnected: PutAside.OPPONENT_RECONNECTED,
    matches.ConnectionClosedBy: PutAside.OPPONENT_CUT_OFF,
}


_LINE_LOST = frozenset(
    {
        PutAside.OPPONENT_LOGGED_OUT,  # or dropped: line 8 is the same
        PutAside.OPPONENT_DROPPED,
        PutAside.OPPONENT_TIMED_OUT,
        PutAside.OPPONENT_FAILED,
        PutAside.OPPONENT_RECONNECTED,
        PutAside.OPPONENT_CUT_OFF,
        PutAside.LINE_LOST,
    }
)


def beginning(message: Message) -> MatchBegins | None:
    """Return the match that this line shows us playing; None if it shows none."""
    match message:
        case matches.NowPlaying(opponent, length) | matches.JoinedYou(opponent, length):
            return MatchBegins(opponent, Beginning.NEW, length)
        case matches.Resumed(opponent) | matches.ResumedBy(opponent):
            return MatchBegins(opponent, Beginning.RESUMED)
        case matches.GameStarts(opponent):
            return MatchBegins(opponent, Beginning.FOUND)
        case FibsBoard() if message.is_ours:
            return MatchBegins(Player(message.opponent), Beginning.FOUND)
        case _:
            return None


def puts_aside(message: Message, opponent: Player) -> PutAside | None:
    """Return the reason for which this line ends our match for now; None if it does not."""
    match message:
        case matches.YouLeft():
            return PutAside.WE_LEFT
        case matches.GameSaved():
            return PutAside.SAVED
        case matches.GameWithSaved(name) if name == opponent:
            return PutAside.SAVED
        case users.LoggedOut(name) if name == opponent:
            return PutAside.OPPONENT_LOGGED_OUT
        case _ if getattr(message, "opponent", None) == opponent:
            return _BY_OPPONENT.get(type(message))
        case _:
            return None


def is_about(message: Message, opponent: Player) -> bool:
    """Return whether a line is about our own match: it names the opponent, or nobody."""
    match message:
        case FibsBoard():
            return message.is_ours and message.opponent == opponent
        case StaleBoard() | BrokenBoard() | Refused() | matches.PointsFor() | matches.TurnIs():
            return True
        case matches.WaitForJoin():
            return True  # BaldLies names ourselves
        case matches.ScoreIs(_, name, _, other):
            return opponent in (name, other)
        case messages.MatchMessage() | talk.Kibitzed() | talk.Said() | talk.Whispered():
            name = getattr(message, "opponent", getattr(message, "name", opponent))
            return bool(name == opponent)
        case _:
            return False
