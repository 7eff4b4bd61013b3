"""Messages of the server about our own account: toggles, variables, saved matches."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.templates import line

# the answers when a toggle becomes YES, and NO; after the bar other servers differ
_TOGGLES = """\
allowpip
    You allow |the use the server's 'pip' command.
    You don't allow |the use of the server's 'pip' command.
autoboard
    The board will |be refreshed after every move.
    The board won't |be refreshed after every move.
autodouble
    You agree |that doublets during opening double the cube.
    You don't agree |that doublets during opening double the cube.
automove
    Forced moves will |be done automatically.
    Forced moves won't |be done automatically.
bell
    Your terminal will ring |the bell if someone talks to you or invites you
    Your terminal won't ring |the bell if someone talks to you or invites you
crawford
    You insist |on playing with the Crawford rule.
    You would like to play without |using the Crawford rule.
double
    You will be asked |if you want to double.
    You won't be asked |if you want to double.
greedy
    Will use |automatic greedy bearoffs.
    Won't use |automatic greedy bearoffs.
moreboards
    Will send |rawboards after rolling.
    Won't send |rawboards after rolling.
moves
    You want a list |of moves after this game.
    You won't see a list |of moves after this game.
notify
    You'll be notified |when new users log in.
    You won't be notified |when new users log in.
ratings
    You'll see how |the rating changes are calculated.
    You won't see how |the rating changes are calculated.
ready
    You're now ready |to invite or join someone.
    You're now refusing |to play with someone.
report
    You will be informed |about starting and ending matches.
    You won't be informed |about starting and ending matches.
silent
    You won't hear |what other players shout.
    You will hear |what other players shout.
telnet
    You use telnet |and don't need extra 'newlines'.
    You use a client program |and will receive extra 'newlines'.
wrap
    The server will wrap |long lines.
    Your terminal knows |how to wrap long lines.
"""


def _toggle_texts() -> dict[str, tuple[str, str]]:
    lines = iter(_TOGGLES.splitlines())
    groups = zip(lines, lines, lines, strict=True)
    return {name: (yes.strip(), no.strip()) for name, yes, no in groups}


TOGGLE_TEXTS = _toggle_texts()
TOGGLES = tuple(TOGGLE_TEXTS)
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
class TogglesBegin(Message): ...


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
class YouAreAway(Message): ...


@line("Welcome back[.]")
class WelcomeBack(Message): ...


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
class NoSavedMatches(Message): ...
