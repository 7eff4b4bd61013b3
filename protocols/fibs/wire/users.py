"""Messages of the server about other users: who is here, who plays and watches, old games.

`length` None is an unlimited match.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Message, OfUser, Player, Text, Words


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


class WhoEnds(Message):
    """`6`"""


class LoggedIn(Words):
    """`7 NAME text`"""


class LoggedOut(Words):
    """`8 NAME text`"""


@dataclass(frozen=True, slots=True)
class UserCount(Message):
    """`There are N users logged on.`"""

    count: int


class AwayUsersBegin(Message):
    """`The following users are away:`"""


class NobodyAway(Message):
    """`None of the users is away.`"""


@dataclass(frozen=True, slots=True)
class SavedCount(Message):
    """`NAME has 12 saved games.`"""

    name: Player
    count: int = 0


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


class WatchersHead(Message):
    """`Watching players:`"""


class NobodyWatches(Message):
    """`Watching players: none.`"""


@dataclass(frozen=True, slots=True)
class IsWatching(Message):
    """`A is watching B.`"""

    name: Player
    other: Player


class WhoisHead(OfUser):
    """`Information about NAME:`"""


class WhoisLine(Text):
    """A line of it, indented by two blanks."""


class NoInformation(OfUser):
    """`No information found on user NAME.`"""


@dataclass(frozen=True, slots=True)
class Pipcounts(Message):
    """`Pipcounts: A 167 B 154`"""

    name: Player
    pips: int
    other: Player
    other_pips: int


class YouWatch(OfUser):
    """`You're now watching NAME.`"""


class NotInteresting(OfUser):
    """`NAME is not doing anything interesting.`"""


class YouStopWatching(OfUser):
    """`You stop watching NAME.`"""


class WatchedLeft(OfUser):
    """`NAME logs out. You're not watching anymore.`"""


class WatchesYou(OfUser):
    """`NAME is watching you.`"""


class StopsWatchingYou(OfUser):
    """`NAME stops watching you.`"""


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


class LookGreat(Message):
    """`You look great.`"""


class IsNotPlaying(OfUser):
    """`NAME is not playing.`"""


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
    """`O: (3 1) 8-5 6-5`, or any other action of a seat."""

    seat: str
    text: str
