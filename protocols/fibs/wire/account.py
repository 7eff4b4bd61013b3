"""Messages of the server about our own account: toggles, variables, saved matches."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Message, Player

TOGGLES = (
    "allowpip", "autoboard", "autodouble", "automove", "bell", "crawford", "double", "greedy",
    "moreboards", "moves", "notify", "ratings", "ready", "report", "silent", "telnet", "wrap",
)  # fmt: skip
VARIABLES = ("boardstyle", "linelength", "pagelength", "redoubles", "sortwho", "timezone")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownToggles(Message):
    """The toggles in our own line: all but telnet and wrap."""

    allowpip: bool
    autoboard: bool
    autodouble: bool
    automove: bool
    bell: bool
    crawford: bool
    double: bool
    greedy: bool
    moreboards: bool
    moves: bool
    notify: bool
    ratings: bool
    ready: bool
    report: bool
    silent: bool

    def toggles(self) -> dict[str, bool]:
        """The toggles by name."""
        return {name: getattr(self, name) for name in TOGGLES if hasattr(self, name)}


@dataclass(frozen=True, slots=True)
class OwnInfo(KnownToggles):
    """`2 NAME ...`: own settings, rating and experience."""

    name: Player
    away: bool
    experience: int
    rating: float
    redoubles: str
    timezone: str


class TogglesBegin(Message):
    """`The current settings are:`"""


@dataclass(frozen=True, slots=True)
class ToggleIs(Message):
    """`allowpip        YES`, a line of that list."""

    name: str
    on: bool


@dataclass(frozen=True, slots=True)
class Toggled(Message):
    """The answer to `toggle NAME`, in words of its own for each toggle."""

    name: str
    on: bool


class VariablesBegin(Message):
    """`Settings of variables:`"""


@dataclass(frozen=True, slots=True)
class Variable(Message):
    """`boardstyle: 3`, a line of that list."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class VariableSet(Message):
    """`Value of 'boardstyle' set to 3.`"""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class VariableIs(Message):
    """`Value of 'boardstyle' is 3`"""

    name: str
    value: str


class YouAreAway(Message):
    """`You're away. Please type 'back'`"""


class WelcomeBack(Message):
    """`Welcome back.`"""


@dataclass(frozen=True, slots=True)
class AddressIs(Message):
    """`Your email address is 'x@y.z'.`"""

    address: str


class SavedHead(Message):
    """The head of the list of saved matches."""


@dataclass(frozen=True, slots=True)
class SavedMatch(Message):
    """A row of it; `stars`: 0 logged out, 1 logged in, 2 logged in and ready."""

    stars: int
    name: Player
    length: int | None
    mine: int
    theirs: int


class NoSavedMatches(Message):
    """`no saved games.`"""
