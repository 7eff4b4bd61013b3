"""Messages of the server about our own account: toggles, variables, saved matches."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.templates import line

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
        return {name: getattr(self, name) for name in TOGGLES if hasattr(self, name)}


@line(
    "2 {name} {allowpip} {autoboard} {autodouble} {automove} {away} {bell} {crawford} {double}"
    " {experience} {greedy} {moreboards} {moves} {notify} {rating} {ratings} {ready}"
    " {redoubles:word} {report} {silent} {timezone:word}[~ {_:rest}]"
)
class OwnInfo(KnownToggles):
    """Own settings, rating and experience."""

    name: Player
    away: bool
    experience: int
    rating: float
    redoubles: str
    timezone: str


@line("The current settings are:")
class TogglesBegin(Message):
    pass


@line("{name:toggle15} {on:yes}")
class ToggleIs(Message):
    """A line of the list of toggles."""

    name: str
    on: bool


@dataclass(frozen=True, slots=True)
class Toggled(Message):
    """The answer to `toggle NAME`, in words of its own for each toggle."""

    name: str
    on: bool


@line("Settings of variables:")
class VariablesBegin(Message):
    pass


@dataclass(frozen=True, slots=True)
class Variable(Message):
    """`boardstyle: 3`, a line of that list."""

    name: str
    value: str


@line("Value of '{name:variable}' set to {value:value}[.]")
class VariableSet(Message):
    name: str
    value: str


@line("Value of '{name:variable}' is {value:value}[~.]")
class VariableIs(Message):
    name: str
    value: str


@line("You're away. Please type 'back'[~.]")
class YouAreAway(Message):
    pass


@line("Welcome back[.]")
class WelcomeBack(Message):
    pass


@line("Your email address is '{address:quoted}'[.]")
class AddressIs(Message):
    address: str


@line(
    "  opponent          matchlength   score (your points first)",
    "[~ ]opponent matchlength score[~ {_:rest}]",
)
class SavedHead(Message):
    """The head of the list of saved matches."""


@line("{stars:stars}{name:user15}{length:length>10}{mine:int>17} - {theirs:int>2}")
class SavedMatch(Message):
    """A row of it; `stars`: 0 logged out, 1 logged in, 2 logged in and ready."""

    stars: int
    name: Player
    length: int | None
    mine: int
    theirs: int


@line("no saved games[.]")
class NoSavedMatches(Message):
    pass
