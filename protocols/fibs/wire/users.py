"""What the server says about other users: who is here, who plays and watches, old games.

`length` None is an unlimited match.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Message, Player


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


@dataclass(frozen=True, slots=True)
class AwayUsersBegin(Message):
    """`The following users are away:`"""


@dataclass(frozen=True, slots=True)
class NobodyAway(Message):
    """`None of the users is away.`"""


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
class Pipcounts(Message):
    """`Pipcounts: A 167 B 154`"""

    name: Player
    pips: int
    other: Player
    other_pips: int


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
