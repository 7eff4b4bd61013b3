"""Everything we can say, one frozen class each; `.line()` is the text without line end.

Names, words and texts may come from anywhere, so a line is checked when it is made: one line, one
command, nothing cut off in silence. What would not be that raises IllegalCommand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

from sixprime.engine.position import Play
from sixprime.protocols.fibs.wire.account import TOGGLES, VARIABLES
from sixprime.protocols.fibs.wire.board import move_text
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.templates import NAME

LONGEST_COMMAND = 255  # bytes; what FIBS takes is not known, this is safe
LONGEST_NAME = 40
LONGEST_MATCH = 99

_NAME = re.compile(NAME, re.ASCII)
_WORD = re.compile(r"[!-~]+")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SPELLINGS = ("board", "b")


class IllegalCommand(Exception):
    """We may not say this (now): a mistake of ours, or of whoever chose a name or a text."""


class Command:
    """Anything we say."""

    __slots__ = ()
    WORD: ClassVar[str]

    def line(self) -> str:
        """As it is sent, without line end; IllegalCommand if it would not be one command."""
        return self.WORD


def _name(name: str) -> str:
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise IllegalCommand(f"{name[:LONGEST_NAME]!r} is no user name")
    return name


def _word(what: str, word: str) -> str:
    if not _WORD.fullmatch(word) or len(word) > LONGEST_COMMAND:
        raise IllegalCommand(f"{what} is not one printable word")
    return word


def _text(text: str) -> str:
    if _UNSAFE.search(text):
        raise IllegalCommand("a text with line breaks or control characters")
    if not text.strip():
        raise IllegalCommand("an empty text")
    return text.encode("ascii", "replace").decode("ascii")


def _whole(line: str) -> str:
    if len(line) > LONGEST_COMMAND:
        raise IllegalCommand(f"{len(line)} characters, more than {LONGEST_COMMAND}")
    return line


def _length(length: int) -> int:
    if not 1 <= length <= LONGEST_MATCH:
        raise IllegalCommand(f"no match has {length} points")
    return length


# --- the session


@dataclass(frozen=True, slots=True)
class Login(Command):
    """The CLIP login; `client` is shown to everybody and should say that we are a bot."""

    client: str
    user: str
    password: str = field(repr=False)

    def line(self) -> str:
        client = _word("the client's name", self.client.replace(" ", "_"))
        password = _word("the password", self.password)
        if ":" in password:
            raise IllegalCommand("the password contains ':'")
        return _whole(f"login {client} 1008 {_name(self.user)} {password}")


@dataclass(frozen=True, slots=True)
class Logout(Command):
    """A match that is under way is saved."""

    WORD = "bye"


@dataclass(frozen=True, slots=True)
class ListToggles(Command):
    """Answered by the list of settings."""

    WORD = "toggle"


@dataclass(frozen=True, slots=True)
class Toggle(Command):
    """Flips, always: read the state first."""

    name: str

    def line(self) -> str:
        if self.name not in TOGGLES:
            raise IllegalCommand(f"no toggle {self.name[:LONGEST_NAME]!r}")
        return f"toggle {self.name}"


@dataclass(frozen=True, slots=True)
class ListVariables(Command):
    """Answered by the list of variables."""

    WORD = "set"


@dataclass(frozen=True, slots=True)
class SetVariable(Command):
    """`set boardstyle 3`"""

    name: str
    value: str

    def line(self) -> str:
        if self.name not in VARIABLES:
            raise IllegalCommand(f"no variable {self.name[:LONGEST_NAME]!r}")
        return _whole(f"set {self.name} {_word('the value', self.value)}")


@dataclass(frozen=True, slots=True)
class Away(Command):
    """Others are told this text."""

    text: str

    def line(self) -> str:
        return _whole(f"away {_text(self.text)}")


@dataclass(frozen=True, slots=True)
class Back(Command):
    """No longer away."""

    WORD = "back"


@dataclass(frozen=True, slots=True)
class AskTime(Command):
    """A cheap known command: keeps the connection and shows that it lives."""

    WORD = "time"


@dataclass(frozen=True, slots=True)
class AskVersion(Command):
    """Another cheap one."""

    WORD = "version"


# --- the lobby


@dataclass(frozen=True, slots=True)
class AskWho(Command):
    """`rawwho`: `5` lines of everybody or one user, then `6`."""

    name: Player | None = None

    def line(self) -> str:
        return "rawwho" if self.name is None else f"rawwho {_name(self.name)}"


@dataclass(frozen=True, slots=True)
class AskWhois(Command):
    """Everything the server knows about a user."""

    name: Player

    def line(self) -> str:
        return f"whois {_name(self.name)}"


@dataclass(frozen=True, slots=True)
class ShowSaved(Command):
    """Our saved matches."""

    WORD = "show saved"


@dataclass(frozen=True, slots=True)
class ShowSavedCount(Command):
    """How many matches a user left unfinished."""

    name: Player

    def line(self) -> str:
        return f"show savedcount {_name(self.name)}"


@dataclass(frozen=True, slots=True)
class ShowGames(Command):
    """The matches that are being played."""

    WORD = "show games"


@dataclass(frozen=True, slots=True)
class Invite(Command):
    """To a new match; None is an unlimited one."""

    opponent: Player
    length: int | None

    def line(self) -> str:
        terms = "unlimited" if self.length is None else _length(self.length)
        return f"invite {_name(self.opponent)} {terms}"


@dataclass(frozen=True, slots=True)
class InviteToResume(Command):
    """To the saved match."""

    opponent: Player

    def line(self) -> str:
        return f"invite {_name(self.opponent)}"


@dataclass(frozen=True, slots=True)
class Join(Command):
    """Accepts an invitation."""

    opponent: Player

    def line(self) -> str:
        return f"join {_name(self.opponent)}"


# --- the match


@dataclass(frozen=True, slots=True)
class JoinNext(Command):
    """On to the next game of the match."""

    WORD = "join"


@dataclass(frozen=True, slots=True)
class Leave(Command):
    """The match is saved."""

    WORD = "leave"


@dataclass(frozen=True, slots=True)
class Roll(Command):
    """Our dice, please."""

    WORD = "roll"


@dataclass(frozen=True, slots=True)
class Move(Command):
    """A whole play; `direction` is the board's, see `board.py`."""

    play: Play
    direction: int

    def line(self) -> str:
        if not 1 <= len(self.play) <= 4:
            raise IllegalCommand(f"a move of {len(self.play)} steps")
        return f"move {move_text(self.play, self.direction)}"


@dataclass(frozen=True, slots=True)
class Double(Command):
    """Offers the cube."""

    WORD = "double"


@dataclass(frozen=True, slots=True)
class Accept(Command):
    """Takes the cube, or what a resignation offers."""

    WORD = "accept"


@dataclass(frozen=True, slots=True)
class Reject(Command):
    """Drops the cube, or declines what a resignation offers."""

    WORD = "reject"


@dataclass(frozen=True, slots=True)
class Resign(Command):
    """Offers 1, 2 or 3 times the cube."""

    games: int

    def line(self) -> str:
        if self.games not in (1, 2, 3):
            raise IllegalCommand(f"nobody resigns {self.games} games")
        return f"resign {' ngb'[self.games]}"


@dataclass(frozen=True, slots=True)
class AskBoard(Command):
    """A few servers know only one of the two spellings."""

    spelling: str = "board"

    def line(self) -> str:
        if self.spelling not in _SPELLINGS:
            raise IllegalCommand(f"no spelling of `board`: {self.spelling[:9]!r}")
        return self.spelling


@dataclass(frozen=True, slots=True)
class AskPips(Command):
    """Both pip counts, if the opponent allows."""

    WORD = "pip"


@dataclass(frozen=True, slots=True)
class AskOldMoves(Command):
    """The moves of the last game."""

    name: Player | None = None

    def line(self) -> str:
        return "oldmoves" if self.name is None else f"oldmoves {_name(self.name)}"


@dataclass(frozen=True, slots=True)
class AskOldBoard(Command):
    """The last board of the last game."""

    name: Player | None = None

    def line(self) -> str:
        return "oldboard" if self.name is None else f"oldboard {_name(self.name)}"


# --- watching


@dataclass(frozen=True, slots=True)
class Watch(Command):
    """Never while we play."""

    name: Player

    def line(self) -> str:
        return f"watch {_name(self.name)}"


@dataclass(frozen=True, slots=True)
class Unwatch(Command):
    """No more of it."""

    WORD = "unwatch"


@dataclass(frozen=True, slots=True)
class Look(Command):
    """One board of a match of others."""

    name: Player

    def line(self) -> str:
        return f"look {_name(self.name)}"


# --- talk


@dataclass(frozen=True, slots=True)
class Tell(Command):
    """To one user."""

    name: Player
    text: str

    def line(self) -> str:
        return _whole(f"tell {_name(self.name)} {_text(self.text)}")


@dataclass(frozen=True, slots=True)
class LeaveMessage(Command):
    """For a user who is not here."""

    name: Player
    text: str

    def line(self) -> str:
        return _whole(f"message {_name(self.name)} {_text(self.text)}")


@dataclass(frozen=True, slots=True)
class Say(Command):
    """To the opponent."""

    text: str

    def line(self) -> str:
        return _whole(f"say {_text(self.text)}")


@dataclass(frozen=True, slots=True)
class Kibitz(Command):
    """To the opponent and the watchers."""

    text: str

    def line(self) -> str:
        return _whole(f"kibitz {_text(self.text)}")


@dataclass(frozen=True, slots=True)
class Whisper(Command):
    """To the watchers."""

    text: str

    def line(self) -> str:
        return _whole(f"whisper {_text(self.text)}")


@dataclass(frozen=True, slots=True)
class Shout(Command):
    """To everybody: a bot never does."""

    text: str

    def line(self) -> str:
        return _whole(f"shout {_text(self.text)}")
