"""What every line of the server becomes: a Message, one frozen class for each kind of line.

The docstring of a class shows the line as FIBS writes it; `tables.py` holds the forms that are
understood, and `parse.py` turns lines into messages. The classes stand in files by subject:
`login`, `account`, `users`, `talk`, `matches`, `turns`; refusals in `refusals`, boards in `board`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

Player = NewType("Player", str)
Dice = tuple[int, int]


class Message:
    """Anything the server says."""

    __slots__ = ()


class MatchMessage(Message):
    """Anything it says about matches, ours or those of others."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Unknown(Message):
    """A line that nobody understands: logged and counted, never an error."""

    line: str


@dataclass(frozen=True, slots=True)
class LineTooLong(Message):
    """A line beyond every limit was thrown away; this is how it began."""

    beginning: str
