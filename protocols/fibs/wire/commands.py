"""Everything we can say, one frozen class each; `.line()` is the text without line end.

Names, words and texts may come from anywhere, so a line is checked when it is made: it must be one
line and one command, and nothing is cut off silently. Anything else raises IllegalCommand.
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

LONGEST_COMMAND = 255  # bytes; the limit of FIBS is unknown, this is safe
LONGEST_NAME = 40
LONGEST_MATCH = 99

_NAME = re.compile(NAME, re.ASCII)
_WORD = re.compile(r"[!-~]+")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class IllegalCommand(Exception):
    """We may not send this (now): a mistake of ours, or in a name or text that we were given."""


def _name(name: str) -> str:
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise IllegalCommand(f"{name[:LONGEST_NAME]!r} is not a user name")
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


def _spelled(spelling: str, *known: str) -> str:
    if spelling not in known:
        raise IllegalCommand(f"no spelling of `{known[0]}`: {spelling[:9]!r}")
    return spelling


def _length(length: int) -> int:
    if not 1 <= length <= LONGEST_MATCH:
        raise IllegalCommand(f"no match has {length} points")
    return length


@dataclass(frozen=True, slots=True)
class Command:
    """Anything we send: a word, and the arguments that subclasses add."""

    WORD: ClassVar[str]

    def line(self) -> str:
        """The text sent, without line end; IllegalCommand if it would not be one command."""
        return self.WORD


@dataclass(frozen=True, slots=True)
class ToUser(Command):
    """The word and a name."""

    name: Player

    def line(self) -> str:
        return f"{self.WORD} {_name(self.name)}"


@dataclass(frozen=True, slots=True)
class AboutUser(Command):
    """The word and perhaps a name."""

    name: Player | None = None

    def line(self) -> str:
        return self.WORD if self.name is None else f"{self.WORD} {_name(self.name)}"


@dataclass(frozen=True, slots=True)
class Speech(Command):
    """The word and a text."""

    text: str

    def line(self) -> str:
        return _whole(f"{self.WORD} {_text(self.text)}")


@dataclass(frozen=True, slots=True)
class SpeechTo(Command):
    """The word, a name and a text."""

    name: Player
    text: str

    def line(self) -> str:
        return _whole(f"{self.WORD} {_name(self.name)} {_text(self.text)}")


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


class Logout(Command):
    """Logs out; a match in progress is saved."""

    WORD = "bye"


class ListToggles(Command):
    """Answered by the list of settings."""

    WORD = "toggle"


@dataclass(frozen=True, slots=True)
class Toggle(Command):
    """Flips a setting: read its state first."""

    name: str

    def line(self) -> str:
        if self.name not in TOGGLES:
            raise IllegalCommand(f"no toggle {self.name[:LONGEST_NAME]!r}")
        return f"toggle {self.name}"


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


class Away(Speech):
    """Marks us as away; others see this text."""

    WORD = "away"


class Back(Command):
    """No longer away."""

    WORD = "back"


class AskTime(Command):
    """A cheap command that keeps the connection alive and shows that it is."""

    WORD = "time"


class AskVersion(Command):
    """Another cheap command."""

    WORD = "version"


# --- the lobby


@dataclass(frozen=True, slots=True)
class AskWho(AboutUser):
    """`5` lines of everybody or one user, then `6`; a few servers know only `who`."""

    WORD = "rawwho"
    spelling: str = WORD

    def line(self) -> str:
        word = _spelled(self.spelling, self.WORD, "who")
        return word if self.name is None else f"{word} {_name(self.name)}"


class AskWhois(ToUser):
    """Everything the server knows about a user."""

    WORD = "whois"


class ShowSaved(Command):
    """Our saved matches."""

    WORD = "show saved"


class ShowSavedCount(ToUser):
    """How many matches a user left unfinished."""

    WORD = "show savedcount"


class ShowGames(Command):
    """The matches that are being played."""

    WORD = "show games"


@dataclass(frozen=True, slots=True)
class Invite(Command):
    """Invites to a new match; None is an unlimited one."""

    name: Player
    length: int | None

    def line(self) -> str:
        terms = "unlimited" if self.length is None else _length(self.length)
        return f"invite {_name(self.name)} {terms}"


class InviteToResume(ToUser):
    """Invites to resume the saved match."""

    WORD = "invite"


class Join(ToUser):
    """Accepts an invitation."""

    WORD = "join"


# --- the match


class JoinNext(Command):
    """Goes on to the next game of the match."""

    WORD = "join"


class Leave(Command):
    """Leaves the match, which is saved."""

    WORD = "leave"


class Roll(Command):
    """Rolls our dice."""

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


class Double(Command):
    """Offers the cube."""

    WORD = "double"


class Accept(Command):
    """Takes the cube, or what a resignation offers."""

    WORD = "accept"


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
    """Asks for the board; a few servers know only one of the two spellings."""

    spelling: str = "board"

    def line(self) -> str:
        return _spelled(self.spelling, "board", "b")


class AskPips(Command):
    """Both pip counts, if the opponent allows."""

    WORD = "pip"


class AskOldMoves(AboutUser):
    """The moves of the last game."""

    WORD = "oldmoves"


class AskOldBoard(AboutUser):
    """The last board of the last game."""

    WORD = "oldboard"


# --- watching


class Watch(ToUser):
    """Watches a user's match; never used while we play."""

    WORD = "watch"


class Unwatch(Command):
    """Stops watching."""

    WORD = "unwatch"


class Look(ToUser):
    """Asks for one board of somebody else's match."""

    WORD = "look"


# --- talk


class Tell(SpeechTo):
    """Speaks to one user."""

    WORD = "tell"


class LeaveMessage(SpeechTo):
    """Leaves a message for a user who is not logged in."""

    WORD = "message"


class Say(Speech):
    """Speaks to the opponent."""

    WORD = "say"


class Kibitz(Speech):
    """Speaks to the opponent and the watchers."""

    WORD = "kibitz"


class Whisper(Speech):
    """Speaks to the watchers."""

    WORD = "whisper"


class Shout(Speech):
    """Speaks to everybody, which our bot never does."""

    WORD = "shout"
