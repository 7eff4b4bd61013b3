"""Everything the server can say, one frozen class each.

The docstring of a class shows the line as FIBS writes it; `tables.py` holds the forms that are
understood, and `parse.py` turns lines into these and back. `length` None is an unlimited match.
Refusals are in `refusals.py`, boards in `board.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NewType

Player = NewType("Player", str)
Dice = tuple[int, int]

TOGGLES = (
    "allowpip", "autoboard", "autodouble", "automove", "bell", "crawford", "double", "greedy",
    "moreboards", "moves", "notify", "ratings", "ready", "report", "silent", "telnet", "wrap",
)  # fmt: skip
VARIABLES = ("boardstyle", "linelength", "pagelength", "redoubles", "sortwho", "timezone")


class Message:
    """Anything the server says."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Unknown(Message):
    """A line that nobody understands: logged and counted, never an error."""

    line: str


@dataclass(frozen=True, slots=True)
class LineTooLong(Message):
    """A line beyond every limit was thrown away; this is how it began."""

    beginning: str


# --- connecting and logging in


@dataclass(frozen=True, slots=True)
class LoginPrompt(Message):
    """`login: `, without a line end."""


@dataclass(frozen=True, slots=True)
class PasswordPrompt(Message):
    """A question for a password, without a line end."""

    text: str = "password:"


@dataclass(frozen=True, slots=True)
class BannerLine(Message):
    """Decoration before the login; nothing in it means anything."""

    text: str


@dataclass(frozen=True, slots=True)
class Welcome(Message):
    """`1 NAME LASTLOGIN HOST`: we are logged in; the time is in Unix seconds."""

    name: Player
    last_login: int
    last_host: str


@dataclass(frozen=True, slots=True)
class OwnInfo(Message):
    """`2 NAME ...`: own settings, rating and experience."""

    name: Player
    allowpip: bool
    autoboard: bool
    autodouble: bool
    automove: bool
    away: bool
    bell: bool
    crawford: bool
    double: bool
    experience: int
    greedy: bool
    moreboards: bool
    moves: bool
    notify: bool
    rating: float
    ratings: bool
    ready: bool
    redoubles: str
    report: bool
    silent: bool
    timezone: str

    def toggles(self) -> dict[str, bool]:
        """The toggles that this line knows: all but telnet and wrap."""
        return {name: getattr(self, name) for name in TOGGLES if hasattr(self, name)}


@dataclass(frozen=True, slots=True)
class MotdBegins(Message):
    """`3`"""


@dataclass(frozen=True, slots=True)
class MotdLine(Message):
    """Free text between `3` and `4`; it may look like anything."""

    text: str


@dataclass(frozen=True, slots=True)
class MotdEnds(Message):
    """`4`: from here on commands are understood."""


@dataclass(frozen=True, slots=True)
class LoginFailed(Message):
    """A wrong name or password, in the words of the server."""

    text: str


@dataclass(frozen=True, slots=True)
class AlreadyLoggedIn(Message):
    """`** Warning: You are already logged in.`: the older connection is being closed."""


@dataclass(frozen=True, slots=True)
class KickedByTwin(Message):
    """`** You just logged in a second time from HOST, terminating this session.`"""

    host: str


@dataclass(frozen=True, slots=True)
class TimedOut(Message):
    """`Connection timed out.`: we were idle too long."""


@dataclass(frozen=True, slots=True)
class Farewell(Message):
    """The answer to `bye`."""

    text: str


@dataclass(frozen=True, slots=True)
class Shutdown(Message):
    """The server will restart or shut down soon."""

    text: str


@dataclass(frozen=True, slots=True)
class YouWave(Message):
    """`You wave goodbye.`, the second time `You wave goodbye again and log out.`"""

    again: bool = False


@dataclass(frozen=True, slots=True)
class Waves(Message):
    """`NAME waves goodbye.`"""

    name: Player
    again: bool = False


# --- registration, for people and tests; a bot never registers


@dataclass(frozen=True, slots=True)
class GuestNotice(Message):
    """`Please register before using this server:`"""


@dataclass(frozen=True, slots=True)
class OneNameOnly(Message):
    """`ONE USERNAME PER PERSON ONLY!!!`"""


@dataclass(frozen=True, slots=True)
class NameWillBe(Message):
    """`Your name will be NAME`"""

    name: Player


@dataclass(frozen=True, slots=True)
class NoPasswordMeansAnotherName(Message):
    """`Type in no password and hit Enter/Return if you want to change it now.`"""


@dataclass(frozen=True, slots=True)
class Registered(Message):
    """`You are registered.`"""


@dataclass(frozen=True, slots=True)
class BeginnersHelp(Message):
    """`Type 'help beginner' to get started.`"""


# --- who is here


@dataclass(frozen=True, slots=True)
class User(Message):
    """`5 ...`: one user; `login` in Unix seconds, `idle_s` since the last command."""

    name: Player
    opponent: Player | None
    watching: Player | None
    ready: bool
    away: bool
    rating: float
    experience: int
    idle_s: int
    login: int
    host: str
    client: str
    email: str


@dataclass(frozen=True, slots=True)
class WhoEnds(Message):
    """`6`"""


@dataclass(frozen=True, slots=True)
class LoggedIn(Message):
    """`7 NAME text`"""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class LoggedOut(Message):
    """`8 NAME text`"""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class UserCount(Message):
    """`There are N users logged on.`"""

    count: int


# --- talk; whatever the text says, it is only talk


@dataclass(frozen=True, slots=True)
class MessagesWaiting(Message):
    """`There are messages for you:`"""


@dataclass(frozen=True, slots=True)
class StoredMessage(Message):
    """`9 NAME TIME text`, left while we were away."""

    name: Player
    time: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class MessageDelivered(Message):
    """`10 NAME`"""

    name: Player


@dataclass(frozen=True, slots=True)
class MessageSaved(Message):
    """`11 NAME`"""

    name: Player


@dataclass(frozen=True, slots=True)
class Said(Message):
    """`12 NAME text`: told to us, or said by the opponent."""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class Shouted(Message):
    """`13 NAME text`"""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class Whispered(Message):
    """`14 NAME text`"""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class Kibitzed(Message):
    """`15 NAME text`"""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class YouTold(Message):
    """`16 NAME text`: the echo of our own tell or say."""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class YouShouted(Message):
    """`17 text`"""

    text: str = ""


@dataclass(frozen=True, slots=True)
class YouWhispered(Message):
    """`18 text`"""

    text: str = ""


@dataclass(frozen=True, slots=True)
class YouKibitzed(Message):
    """`19 text`"""

    text: str = ""


@dataclass(frozen=True, slots=True)
class Alerted(Message):
    """`20 NAME text`, on some servers."""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class Heard(Message):
    """`** N users heard you.`"""

    count: int


@dataclass(frozen=True, slots=True)
class ToYourself(Message):
    """`You say to yourself: text`"""

    text: str


@dataclass(frozen=True, slots=True)
class IsAway(Message):
    """`NAME is away: text`"""

    name: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class Gags(Message):
    """`** You gag NAME.` and its three sisters; `what` is gag, ungag, blind or unblind."""

    what: str
    name: Player


# --- settings


@dataclass(frozen=True, slots=True)
class TogglesBegin(Message):
    """`The current settings are:`"""


@dataclass(frozen=True, slots=True)
class Setting(Message):
    """`allowpip        YES`, a line of that list."""

    name: str
    on: bool


@dataclass(frozen=True, slots=True)
class Toggled(Message):
    """The answer to `toggle NAME`, in words of its own for each toggle."""

    name: str
    on: bool


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class YouAreAway(Message):
    """`You're away. Please type 'back'`"""


@dataclass(frozen=True, slots=True)
class WelcomeBack(Message):
    """`Welcome back.`"""


@dataclass(frozen=True, slots=True)
class AwayUsersBegin(Message):
    """`The following users are away:`"""


@dataclass(frozen=True, slots=True)
class NobodyAway(Message):
    """`None of the users is away.`"""


@dataclass(frozen=True, slots=True)
class AddressIs(Message):
    """`Your email address is 'x@y.z'.`"""

    address: str


@dataclass(frozen=True, slots=True)
class ServerTime(Message):
    """The answer to `time`, and a line of the banner."""

    text: str


@dataclass(frozen=True, slots=True)
class MaxLogins(Message):
    """`max_logins is N (maximum: N)`"""

    now: int
    maximum: int


# --- what `show` and `whois` tell


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class NoSavedMatches(Message):
    """`no saved games.`"""


@dataclass(frozen=True, slots=True)
class SavedCount(Message):
    """`NAME has 12 saved games.`"""

    name: Player
    count: int = 0


@dataclass(frozen=True, slots=True)
class GamesHead(Message):
    """`List of games:`"""


@dataclass(frozen=True, slots=True)
class GameRow(Message):
    """A row of it: `marvin          -        trillian (5 point match 2-2)`"""

    name: Player
    other: Player
    length: int | None
    score: int
    other_score: int


@dataclass(frozen=True, slots=True)
class WatchersHead(Message):
    """`Watching players:`"""


@dataclass(frozen=True, slots=True)
class NobodyWatches(Message):
    """`Watching players: none.`"""


@dataclass(frozen=True, slots=True)
class IsWatching(Message):
    """`A is watching B.`"""

    name: Player
    other: Player


@dataclass(frozen=True, slots=True)
class WhoisHead(Message):
    """`Information about NAME:`"""

    name: Player


@dataclass(frozen=True, slots=True)
class WhoisLine(Message):
    """A line of it, indented by two blanks."""

    text: str


@dataclass(frozen=True, slots=True)
class NoInformation(Message):
    """`No information found on user NAME.`"""

    name: Player


@dataclass(frozen=True, slots=True)
class FinallyHere(Message):
    """`** FINALLY!!! NAME logs in`: whom we waited for."""

    name: Player


@dataclass(frozen=True, slots=True)
class WaitedForYou(Message):
    """`NAME is waiting for you to log in.`"""

    name: Player


@dataclass(frozen=True, slots=True)
class Pipcounts(Message):
    """`Pipcounts: A 167 B 154`"""

    name: Player
    pips: int
    other: Player
    other_pips: int


# --- watching


@dataclass(frozen=True, slots=True)
class YouWatch(Message):
    """`You're now watching NAME.`"""

    name: Player


@dataclass(frozen=True, slots=True)
class NotInteresting(Message):
    """`NAME is not doing anything interesting.`"""

    name: Player


@dataclass(frozen=True, slots=True)
class YouStopWatching(Message):
    """`You stop watching NAME.`"""

    name: Player


@dataclass(frozen=True, slots=True)
class WatchedLeft(Message):
    """`NAME logs out. You're not watching anymore.`"""

    name: Player


@dataclass(frozen=True, slots=True)
class WatchesYou(Message):
    """`NAME is watching you.`"""

    name: Player


@dataclass(frozen=True, slots=True)
class StopsWatchingYou(Message):
    """`NAME stops watching you.`"""

    name: Player


@dataclass(frozen=True, slots=True)
class StartsWatching(Message):
    """`A starts watching B.`"""

    name: Player
    other: Player


@dataclass(frozen=True, slots=True)
class StopsWatching(Message):
    """`A stops watching B.`"""

    name: Player
    other: Player


@dataclass(frozen=True, slots=True)
class LookGreat(Message):
    """`You look great.`"""


@dataclass(frozen=True, slots=True)
class IsNotPlaying(Message):
    """`NAME is not playing.`"""

    name: Player


@dataclass(frozen=True, slots=True)
class Notice(Message):
    """`** ...`: something the tables do not know; an error line changes no game."""

    text: str


# --- old games


@dataclass(frozen=True, slots=True)
class OldScore(Message):
    """`Score is 2-1 in a 5 point match.`"""

    score: int
    other_score: int
    length: int | None


@dataclass(frozen=True, slots=True)
class OldSeats(Message):
    """`marvin is X - sixbot is O.`"""

    x: Player
    o: Player


@dataclass(frozen=True, slots=True)
class OldMove(Message):
    """`O: (3 1) 8-5 6-5` and everything else that a seat did."""

    seat: str
    text: str
