"""All commands we send, one frozen class each; `.line()` returns the text without line end.

Names, words and texts may come from anywhere, so a line is checked when it is made: it must be one
line and one command, and nothing is cut off silently. Anything else raises IllegalCommand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

from sixprime.engine.position import Play
from sixprime.engine.system.errors import SixprimeError
from sixprime.protocols.fibs.wire import LONGEST_COMMAND, LONGEST_MATCH, LONGEST_NAME
from sixprime.protocols.fibs.wire.account import TOGGLES, VARIABLES
from sixprime.protocols.fibs.wire.board import move_text
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.templates import NAME

_NAME = re.compile(NAME, re.ASCII)
_WORD = re.compile(r"[!-~]+")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class IllegalCommand(SixprimeError):
    """A command we may not send now: a mistake of this program, or of a given name or text."""


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
    """A word, and the arguments that subclasses add."""

    WORD: ClassVar[str]

    def __init_subclass__(cls, word: str | None = None) -> None:
        if word is not None:  # not a base of others
            cls.WORD = word

    def line(self) -> str:
        """Return the text without line end; IllegalCommand if it would not be one command."""
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


class Logout(Command, word="bye"):
    """The end of the session; the server saves a match in progress."""


class ListToggles(Command, word="toggle"):
    """A request for the list of toggles."""


@dataclass(frozen=True, slots=True)
class Toggle(Command):
    """The flip of a toggle, whose state must be read first."""

    name: str

    def line(self) -> str:
        if self.name not in TOGGLES:
            raise IllegalCommand(f"no toggle {self.name[:LONGEST_NAME]!r}")
        return f"toggle {self.name}"


@dataclass(frozen=True, slots=True)
class SetVariable(Command):
    """`set boardstyle 3`"""

    name: str
    value: str

    def line(self) -> str:
        if self.name not in VARIABLES:
            raise IllegalCommand(f"no variable {self.name[:LONGEST_NAME]!r}")
        return _whole(f"set {self.name} {_word('the value', self.value)}")


class Away(Speech, word="away"):
    """The mark that we are away; others see its text."""


class Back(Command, word="back"): ...


class AskTime(Command, word="time"):
    """A cheap command that keeps the connection alive and shows that it is."""


class AskVersion(Command, word="version"): ...


# --- the lobby


@dataclass(frozen=True, slots=True)
class AskWho(AboutUser, word="rawwho"):
    """`5` lines of everybody or one user, then `6`; a few servers know only `who`."""

    spelling: str = "rawwho"

    def line(self) -> str:
        word = _spelled(self.spelling, self.WORD, "who")
        return word if self.name is None else f"{word} {_name(self.name)}"


class AskWhois(ToUser, word="whois"): ...


class ShowSaved(Command, word="show saved"): ...


@dataclass(frozen=True, slots=True)
class Invite(Command):
    """An invitation to a new match; length None is an unlimited one."""

    name: Player
    length: int | None

    def line(self) -> str:
        terms = "unlimited" if self.length is None else _length(self.length)
        return f"invite {_name(self.name)} {terms}"


class InviteToResume(ToUser, word="invite"):
    """An invitation to resume the saved match."""


class Join(ToUser, word="join"):
    """The acceptance of an invitation."""


# --- the match


class JoinNext(Command, word="join"):
    """The consent to the next game of the match."""


class Leave(Command, word="leave"):
    """The end of our presence in a match, which the server saves."""


class Roll(Command, word="roll"): ...


@dataclass(frozen=True, slots=True)
class Move(Command):
    """A whole play; `direction` is the board's, see `board.py`."""

    play: Play
    direction: int

    def line(self) -> str:
        if not 1 <= len(self.play) <= 4:
            raise IllegalCommand(f"a move of {len(self.play)} steps")
        return f"move {move_text(self.play, self.direction)}"


class Double(Command, word="double"): ...


class Accept(Command, word="accept"):
    """A take, or the acceptance of a resignation."""


class Reject(Command, word="reject"):
    """A drop, or the rejection of a resignation."""


@dataclass(frozen=True, slots=True)
class Resign(Command):
    """An offer of 1, 2 or 3 times the cube."""

    games: int

    def line(self) -> str:
        if self.games not in (1, 2, 3):
            raise IllegalCommand(f"nobody resigns {self.games} games")
        return f"resign {' ngb'[self.games]}"


@dataclass(frozen=True, slots=True)
class AskBoard(Command):
    """A request for the board; a few servers know only one of the two spellings."""

    spelling: str = "board"

    def line(self) -> str:
        return _spelled(self.spelling, "board", "b")


class AskOldMoves(AboutUser, word="oldmoves"):
    """A request for the moves of the last game."""


# --- watching


class Watch(ToUser, word="watch"): ...


class Unwatch(Command, word="unwatch"): ...


# --- talk


@dataclass(frozen=True, slots=True)
class Tell(Command, word="tell"):
    """A text to one user."""

    name: Player
    text: str

    def line(self) -> str:
        return _whole(f"tell {_name(self.name)} {_text(self.text)}")


class Kibitz(Speech, word="kibitz"):
    """A text to the opponent and the watchers."""
