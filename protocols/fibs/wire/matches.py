"""Messages of the server about matches: invitations, beginnings, scores, results, interruptions.

A class with an `opponent` is about our own match; one with a `name` may be about anybody's.
`length` None is an unlimited match.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import MatchMessage, OfOpponent, OfPlayer, Player


@dataclass(frozen=True, slots=True)
class Invited(MatchMessage):
    """`NAME wants to play a 5 point match with you.`"""

    opponent: Player
    length: int | None


class InvitedToResume(OfOpponent):
    """`NAME wants to resume a saved match with you.`"""


@dataclass(frozen=True, slots=True)
class SavedMatchWarning(MatchMessage):
    """`WARNING: Don't accept if you want to continue the saved 3 point match!`"""

    text: str = "Don't accept if you want to continue the saved match!"


class TypeJoin(OfOpponent):
    """`Type 'join NAME' to accept.`: the invitation is complete."""


@dataclass(frozen=True, slots=True)
class YouInvited(MatchMessage):
    """`** You invited NAME to a 5 point match.`"""

    opponent: Player
    length: int | None


class YouInvitedToResume(OfOpponent):
    """`** You invited NAME to resume a saved match.`"""


@dataclass(frozen=True, slots=True)
class NowPlaying(MatchMessage):
    """`** You are now playing a 5 point match with NAME`: we joined."""

    opponent: Player
    length: int | None


@dataclass(frozen=True, slots=True)
class JoinedYou(MatchMessage):
    """`** Player NAME has joined you for a 5 point match.`"""

    opponent: Player
    length: int | None


class Resumed(OfOpponent):
    """`You are now playing with NAME. Your running match was loaded.`: we joined."""


class ResumedBy(OfOpponent):
    """`NAME has joined you. Your running match was loaded.`"""


class TurnIs(OfPlayer):
    """`turn: NAME.`, after a resume."""


@dataclass(frozen=True, slots=True)
class MatchLengthIs(MatchMessage):
    """`match length: 5`, after a resume."""

    length: int | None


@dataclass(frozen=True, slots=True)
class PointsFor(MatchMessage):
    """`points for NAME: 1`, after a resume; the board is the better witness."""

    name: Player
    points: int


class GameStarts(OfOpponent):
    """`Starting a new game with NAME.`"""


class JoinOrLeave(MatchMessage):
    """`Type 'join' if you want to play the next game, type 'leave' if you don't.`"""


class WaitForJoin(OfOpponent):
    """`** Please wait for NAME to join too.`"""


@dataclass(frozen=True, slots=True)
class ScoreIs(MatchMessage):
    """`score in 5 point match: A-2 B-1`; the order of the two means nothing."""

    length: int | None
    name: Player
    points: int
    other: Player
    other_points: int


@dataclass(frozen=True, slots=True)
class RatingLine(MatchMessage):
    """A line of the rating calculation, or its sum: shown to people, never calculated with."""

    text: str


@dataclass(frozen=True, slots=True)
class YouWinMatch(MatchMessage):
    """`You win the 3 point match 4-0 .`"""

    length: int
    mine: int
    theirs: int


@dataclass(frozen=True, slots=True)
class WinsMatch(MatchMessage):
    """`NAME wins the 3 point match 4-0 .`; the winner's score comes first."""

    name: Player
    length: int
    score: int
    loser_score: int


@dataclass(frozen=True, slots=True)
class ReportStarts(MatchMessage):
    """`A and B start a 5 point match.`"""

    name: Player
    other: Player
    length: int | None


@dataclass(frozen=True, slots=True)
class ReportResumes(MatchMessage):
    """`A and B are resuming their 5-point match.`"""

    name: Player
    other: Player
    length: int | None


@dataclass(frozen=True, slots=True)
class ReportLeft(MatchMessage):
    """`A has left the game with B.`"""

    name: Player
    other: Player


@dataclass(frozen=True, slots=True)
class ReportWins(MatchMessage):
    """`A wins a 9 point match against B  11-6 .`"""

    name: Player
    length: int
    other: Player
    score: int
    other_score: int


class YouLeft(MatchMessage):
    """`** You terminated the game. The game was saved.`"""


class OpponentLeft(OfOpponent):
    """`** Player NAME has left the game. The game was saved.`"""


class OpponentLoggedOut(OfOpponent):
    """`NAME logs out. The game was saved.`"""


class OpponentDropped(OfOpponent):
    """`NAME drops connection. The game was saved.`"""


class OpponentTimedOut(OfOpponent):
    """`Connection with NAME timed out. The game was saved.`"""


class OpponentFailed(OfOpponent):
    """`Network error with NAME. The game was saved.`"""


class OpponentReconnected(OfOpponent):
    """`Closed old connection with user NAME. The game was saved.`"""


@dataclass(frozen=True, slots=True)
class ConnectionClosedBy(MatchMessage):
    """`admin closes connection with NAME, ...`"""

    admin: Player
    opponent: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class GameSaved(MatchMessage):
    """Any other line that ends in `The game was saved.`"""

    text: str
