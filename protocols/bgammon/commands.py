"""Commands as lines of the server. Some are its own, the others a bot gives on any server.

Names, passwords and texts may come from anywhere, so a line is checked when it is made: it is one
line and one command, or IllegalCommand. The server splits it at blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sixprime.engine.position import Step
from sixprime.protocols.bgammon.orientation import step_text
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand, Login
from sixprime.protocols.fibs.wire.messages import Player

LONGEST_LINE = 1_000  # bytes; the server reads 64 KiB
LONGEST_NAME = 24  # 18, and `Guest_`
MOST_POINTS = 127
BOT = "bot_"  # beginnings of such names, in any case

_NAME = re.compile(r"[A-Za-z0-9_]+", re.ASCII)
_WORD = re.compile(r"[!-~]+")
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")


def checked_name(name: str) -> str:
    """Return a user's name; IllegalCommand if no user can be called so."""
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise IllegalCommand(f"{name[:LONGEST_NAME]!r} is not a user name")
    return name


def _word(what: str, word: str) -> str:
    """Return one word; the server reads an underscore as a blank."""
    word = word.replace(" ", "_")
    if not _WORD.fullmatch(word):
        raise IllegalCommand(f"{what} is not one printable word")
    return word


def _text(text: str) -> str:
    if _UNSAFE.search(text):
        raise IllegalCommand("a text with line breaks or control characters")
    if not text.strip():
        raise IllegalCommand("an empty text")
    return text


@dataclass(frozen=True, slots=True)
class CreateTable(Command):
    """A table of standard backgammon, where the server seats us at once."""

    points: int
    title: str = ""
    password: str = field(default="", repr=False)

    def line(self) -> str:
        if not 1 <= self.points <= MOST_POINTS:
            raise IllegalCommand(f"no match has {self.points} points")
        kind = f"private {_word('the password', self.password)}" if self.password else "public"
        title = f" {_text(self.title)}" if self.title else ""
        return f"create {kind} {self.points} 0{title}"


@dataclass(frozen=True, slots=True)
class JoinTable(Command):
    """A seat at a table, by its number or by a player who sits there.

    A program whose name begins with BOT_ may only sit with its like. The server of November 2025
    stops for ever when such a program asks for another seat, so it names the player.
    """

    table: int | Player
    password: str = field(default="", repr=False)

    def line(self) -> str:
        table = self.table
        if isinstance(table, int):
            if not 0 < table < 2**31:
                raise IllegalCommand(f"no table has the number {table}")
        elif checked_name(table).isdigit():
            raise IllegalCommand(f"{table!r} is the number of a table")
        secret = f" {_word('the password', self.password)}" if self.password else ""
        return f"join {table}{secret}"


class ListTables(Command, word="list"):
    """A request for the open tables; the server answers it in a match, too."""


class OfferRematch(Command, word="rematch"):
    """The offer, or its acceptance, of another match of the same length at the same table."""


class Confirm(Command, word="ok"):
    """The end of our turn, whose steps are made."""


class RollForStart(Command, word="roll"):
    """Our die of the opening roll."""


class TakeBack(Command, word="reset"):
    """All steps of our turn are taken back."""


class ShowTable(Command, word="board"): ...


@dataclass(frozen=True, slots=True)
class MakeStep(Command):
    """One step of our play."""

    step: Step

    def line(self) -> str:
        return f"move {step_text(self.step)}"


@dataclass(frozen=True, slots=True)
class Pong(Command):
    """A sign of life; the words of the ping are theirs, so they are not repeated."""

    def line(self) -> str:
        return "pong here"


@dataclass(frozen=True, slots=True)
class AskHistory(Command):
    """A request for a player's ratings. In a match it gives up our seat: never there."""

    name: Player

    def line(self) -> str:
        return f"history {checked_name(self.name)}"


@dataclass(frozen=True, slots=True)
class SetAutoplay(Command):
    """With this setting the server plays the only legal play for us."""

    wanted: bool

    def line(self) -> str:
        return f"set autoplay {int(self.wanted)}"


def login_line(login: Login) -> str:
    """Return the line of a login; without a password we are a guest."""
    client = _word("the client's name", login.client).replace("/", "-")
    secret = f" {_word('the password', login.password)}" if login.password else ""
    return f"loginjson {client}/en {checked_name(login.user)}{secret}"


def _say(command: c.Tell | c.Kibitz) -> str:
    return f"say {_text(command.text)}"


def _first_step(command: c.Move) -> str:
    if not 1 <= len(command.play) <= 4:
        raise IllegalCommand(f"a move of {len(command.play)} steps")
    return MakeStep(command.play[0]).line()


# The commands of any server in this one's words.
_WORDED: dict[type[Command], Callable[[Any], str]] = {
    Login: login_line,
    c.Logout: lambda _: "disconnect",
    c.Roll: lambda _: "roll",
    c.Double: lambda _: "double",
    c.Accept: lambda _: "ok",
    c.Reject: lambda _: "resign",
    c.Resign: lambda _: "resign",
    c.Move: _first_step,
    c.Leave: lambda _: "leave",
    c.Tell: _say,
    c.Kibitz: _say,
}
KINDS: frozenset[type[Command]] = frozenset(
    {
        CreateTable,
        JoinTable,
        ListTables,
        OfferRematch,
        Confirm,
        RollForStart,
        TakeBack,
        ShowTable,
        MakeStep,
        Pong,
        AskHistory,
        SetAutoplay,
    }
)


def line_of(command: Command) -> str:
    """Return the line without its end; IllegalCommand if the server has no such command."""
    kind = type(command)
    if kind not in KINDS and kind not in _WORDED:
        raise IllegalCommand(f"this server has no {kind.__name__}")
    line = _WORDED[kind](command) if kind in _WORDED else command.line()
    if len(line.encode()) > LONGEST_LINE:
        raise IllegalCommand(f"a line of more than {LONGEST_LINE} bytes")
    return line


def is_bot(name: str) -> bool:
    """Return whether the server takes the user of this name for a program."""
    return name.lower().startswith(BOT)
