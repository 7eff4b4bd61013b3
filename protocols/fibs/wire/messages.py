"""Messages: every line of the server becomes one, and each kind of line that matters has a class.

`@line` names the lines that are understood (`templates.py` explains how to read them), `tables.py`
collects them, and `parse.py` turns lines into messages. The classes stand in files by subject:
`login`, `account`, `users`, `talk`, `matches`, `turns`; refusals in `refusals`, boards in `board`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

Player = NewType("Player", str)
Dice = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Message:
    """Anything the server says; the classes from here to OfPlayer are bases of others."""


@dataclass(frozen=True, slots=True)
class OfUser(Message):
    name: Player


@dataclass(frozen=True, slots=True)
class Words(OfUser):
    text: str = ""


@dataclass(frozen=True, slots=True)
class Text(Message):
    """Words that are kept as they are."""

    text: str


@dataclass(frozen=True, slots=True)
class MatchMessage(Message):
    """A message about a match, ours or anybody's."""


@dataclass(frozen=True, slots=True)
class OfOpponent(MatchMessage):
    """A message about our own match."""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OfPlayer(MatchMessage):
    """A message about our own match, or one that we watch."""

    name: Player


@dataclass(frozen=True, slots=True)
class Known(Message):
    """A line of `tables.KNOWN`: it is understood, and nothing depends on it."""

    line: str


@dataclass(frozen=True, slots=True)
class Unknown(Message):
    """A line that is not understood; it is logged and counted, and never an error."""

    line: str


@dataclass(frozen=True, slots=True)
class LineTooLong(Message):
    """The beginning of a line that was too long and was thrown away."""

    beginning: str
