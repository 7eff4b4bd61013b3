"""What the server says about matches: invitations, beginnings, scores, results, interruptions.

A class with an `opponent` is about our own match; one with a `name` may be about anybody's.
`length` None is an unlimited match.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import MatchMessage, Player


@dataclass(frozen=True, slots=True)
class Invited(MatchMessage):
    """`NAME wants to play a 5 point match with you.`"""

    opponent: Player
    length: int | None


@dataclass(frozen=True, slots=True)
class InvitedToResume(MatchMessage):
    """`NAME wants to resume a saved match with you.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class SavedMatchWarning(MatchMessage):
    """`WARNING: Don't accept if you want to continue the saved 3 point match!`"""

    text: str = "Don't accept if you want to continue the saved match!"


@dataclass(frozen=True, slots=True)
class TypeJoin(MatchMessage):
    """`Type 'join NAME' to accept.`: the invitation is complete."""

    opponent: Player


@dataclass(frozen=True, slots=True)
class YouInvited(MatchMessage):
    """`** You invited NAME to a 5 point match.`"""

    opponent: Player
    length: int | None


@dataclass(frozen=True, slots=True)
class YouInvitedToResume(MatchMessage):
    """`** You invited NAME to resume a saved match.`"""

    opponent: Player


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


@dataclass(frozen=True, slots=True)
class Resumed(MatchMessage):
    """`You are now playing with NAME. Your running match was loaded.`: we joined."""

    opponent: Player


@dataclass(frozen=True, slots=True)
class ResumedBy(MatchMessage):
    """`NAME has joined you. Your running match was loaded.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class TurnIs(MatchMessage):
    """`turn: NAME.`, after a resume."""

    name: Player


@dataclass(frozen=True, slots=True)
class MatchLengthIs(MatchMessage):
    """`match length: 5`, after a resume."""

    length: int | None


@dataclass(frozen=True, slots=True)
class PointsFor(MatchMessage):
    """`points for NAME: 1`, after a resume; the board is the better witness."""

    name: Player
    points: int


@dataclass(frozen=True, slots=True)
class GameStarts(MatchMessage):
    """`Starting a new game with NAME.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class JoinOrLeave(MatchMessage):
    """`Type 'join' if you want to play the next game, type 'leave' if you don't.`"""


@dataclass(frozen=True, slots=True)
class WaitForJoin(MatchMessage):
    """`** Please wait for NAME to join too.`"""

    opponent: Player


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
    """A line of the rating calculation, or the sum of it: not to be calculated with."""

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


@dataclass(frozen=True, slots=True)
class YouLeft(MatchMessage):
    """`** You terminated the game. The game was saved.`"""


@dataclass(frozen=True, slots=True)
class OpponentLeft(MatchMessage):
    """`** Player NAME has left the game. The game was saved.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OpponentLoggedOut(MatchMessage):
    """`NAME logs out. The game was saved.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OpponentDropped(MatchMessage):
    """`NAME drops connection. The game was saved.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OpponentTimedOut(MatchMessage):
    """`Connection with NAME timed out. The game was saved.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OpponentFailed(MatchMessage):
    """`Network error with NAME. The game was saved.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OpponentReconnected(MatchMessage):
    """`Closed old connection with user NAME. The game was saved.`"""

    opponent: Player


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
