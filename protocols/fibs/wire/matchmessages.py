"""What the server says about matches: invitations, turns, cube, resignations, results.

`You...` classes are about ourselves; a class with a `name` is about the player of that name, who
is our opponent or, if we only watch, one of the two players. `length` None is an unlimited match.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Dice, Message, Player

# --- invitations


@dataclass(frozen=True, slots=True)
class Invited(Message):
    """`NAME wants to play a 5 point match with you.`"""

    opponent: Player
    length: int | None


@dataclass(frozen=True, slots=True)
class InvitedToResume(Message):
    """`NAME wants to resume a saved match with you.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class SavedMatchWarning(Message):
    """`WARNING: Don't accept if you want to continue the saved 3 point match!`"""

    text: str = "Don't accept if you want to continue the saved match!"


@dataclass(frozen=True, slots=True)
class TypeJoin(Message):
    """`Type 'join NAME' to accept.`: the invitation is complete."""

    opponent: Player


@dataclass(frozen=True, slots=True)
class YouInvited(Message):
    """`** You invited NAME to a 5 point match.`"""

    opponent: Player
    length: int | None


@dataclass(frozen=True, slots=True)
class YouInvitedToResume(Message):
    """`** You invited NAME to resume a saved match.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class NowPlaying(Message):
    """`** You are now playing a 5 point match with NAME`: we joined."""

    opponent: Player
    length: int | None


@dataclass(frozen=True, slots=True)
class JoinedYou(Message):
    """`** Player NAME has joined you for a 5 point match.`"""

    opponent: Player
    length: int | None


@dataclass(frozen=True, slots=True)
class Resumed(Message):
    """`You are now playing with NAME. Your running match was loaded.`: we joined."""

    opponent: Player


@dataclass(frozen=True, slots=True)
class ResumedBy(Message):
    """`NAME has joined you. Your running match was loaded.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class TurnIs(Message):
    """`turn: NAME.`, after a resume."""

    name: Player


@dataclass(frozen=True, slots=True)
class MatchLengthIs(Message):
    """`match length: 5`, after a resume."""

    length: int | None


@dataclass(frozen=True, slots=True)
class PointsFor(Message):
    """`points for NAME: 1`, after a resume; the board is the better witness."""

    name: Player
    points: int


# --- the game begins


@dataclass(frozen=True, slots=True)
class GameStarts(Message):
    """`Starting a new game with NAME.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OpeningRoll(Message):
    """`You rolled 6, NAME rolled 2`; equal dice are rolled again."""

    mine: int
    opponent: Player
    theirs: int


@dataclass(frozen=True, slots=True)
class WatchedOpening(Message):
    """`A rolls 6, B rolls 2.`"""

    name: Player
    die: int
    other: Player
    other_die: int


@dataclass(frozen=True, slots=True)
class CubeAtOpening(Message):
    """`The number on the doubling cube is now 2`: both have autodouble on."""

    cube: int


@dataclass(frozen=True, slots=True)
class YouMoveFirst(Message):
    """`It's your turn to move.`: the opening dice are ours to play."""


@dataclass(frozen=True, slots=True)
class MovesFirst(Message):
    """`NAME makes the first move.`"""

    name: Player


# --- turns


@dataclass(frozen=True, slots=True)
class YourTurn(Message):
    """`It's your turn. Please roll or double.`"""


@dataclass(frozen=True, slots=True)
class YouRoll(Message):
    """`You roll 3 and 1.`"""

    dice: Dice


@dataclass(frozen=True, slots=True)
class Rolls(Message):
    """`NAME rolls 3 and 1.`"""

    name: Player
    dice: Dice


@dataclass(frozen=True, slots=True)
class PleaseMove(Message):
    """`Please move 2 pieces.`"""

    pieces: int


@dataclass(frozen=True, slots=True)
class YouCannotMove(Message):
    """`You can't move.`"""


@dataclass(frozen=True, slots=True)
class CannotMove(Message):
    """`NAME can't move.`"""

    name: Player


@dataclass(frozen=True, slots=True)
class Moves(Message):
    """`NAME moves 8-5 6-5 .`; empty steps are a dance."""

    name: Player
    steps: str = ""


@dataclass(frozen=True, slots=True)
class OnlyMove(Message):
    """`The only possible move is 25-24 .`: the server plays it for us."""

    steps: str


@dataclass(frozen=True, slots=True)
class BearingOff(Message):
    """`Bearing off: ...`: the server plays it for us."""

    steps: str


@dataclass(frozen=True, slots=True)
class Done(Message):
    """`Done.`: a move without a board."""


# --- the cube


@dataclass(frozen=True, slots=True)
class YouDouble(Message):
    """`You double. Please wait for NAME to accept or reject.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OpponentDoubles(Message):
    """`NAME doubles. Type 'accept' or 'reject'.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class WatchedDoubles(Message):
    """`NAME doubles.`"""

    name: Player


@dataclass(frozen=True, slots=True)
class Redoubles(Message):
    """`NAME redoubles to 4.`: an instant redouble."""

    name: Player
    cube: int


@dataclass(frozen=True, slots=True)
class YouAcceptDouble(Message):
    """`You accept the double. The cube shows 2.`"""

    cube: int


@dataclass(frozen=True, slots=True)
class AcceptsDouble(Message):
    """`NAME accepts the double. The cube shows 2.`; None: the line did not tell."""

    name: Player
    cube: int | None = None


@dataclass(frozen=True, slots=True)
class YouGiveUp(Message):
    """`You give up. NAME wins 1 point.`"""

    opponent: Player
    points: int


@dataclass(frozen=True, slots=True)
class GivesUp(Message):
    """`NAME gives up. You win 1 point.`"""

    opponent: Player
    points: int


@dataclass(frozen=True, slots=True)
class WatchedGivesUp(Message):
    """`A gives up. B wins 1 point.`"""

    name: Player
    winner: Player
    points: int


# --- resignations; points count the cube


@dataclass(frozen=True, slots=True)
class YouResign(Message):
    """`You want to resign. NAME will win 2 points.`"""

    opponent: Player
    points: int


@dataclass(frozen=True, slots=True)
class OpponentResigns(Message):
    """`NAME wants to resign. You will win 2 points. Type 'accept' or 'reject'.`"""

    opponent: Player
    points: int


@dataclass(frozen=True, slots=True)
class WatchedResigns(Message):
    """`A wants to resign. B will win 2 points.`"""

    name: Player
    winner: Player
    points: int


@dataclass(frozen=True, slots=True)
class YouAcceptResignation(Message):
    """`You accept and win 2 points.`"""

    points: int


@dataclass(frozen=True, slots=True)
class AcceptsResignation(Message):
    """`NAME accepts and wins 2 points.`"""

    name: Player
    points: int


@dataclass(frozen=True, slots=True)
class YouRejectResignation(Message):
    """`You reject. The game continues.`"""


@dataclass(frozen=True, slots=True)
class RejectsResignation(Message):
    """`NAME rejects. The game continues.`"""

    name: Player


# --- results


@dataclass(frozen=True, slots=True)
class YouWinGame(Message):
    """`You win the game and get 1 point. Congratulations!`"""

    points: int


@dataclass(frozen=True, slots=True)
class OpponentWinsGame(Message):
    """`NAME wins the game and gets 4 points. Sorry.`"""

    opponent: Player
    points: int


@dataclass(frozen=True, slots=True)
class WatchedWinsGame(Message):
    """`NAME wins the game and gets 4 points.`; some servers say it to the loser, too."""

    name: Player
    points: int


@dataclass(frozen=True, slots=True)
class Score(Message):
    """`score in 5 point match: A-2 B-1`; the order of the two means nothing."""

    length: int | None
    name: Player
    points: int
    other: Player
    other_points: int


@dataclass(frozen=True, slots=True)
class JoinOrLeave(Message):
    """`Type 'join' if you want to play the next game, type 'leave' if you don't.`"""


@dataclass(frozen=True, slots=True)
class WaitForJoin(Message):
    """`** Please wait for NAME to join too.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class RatingLine(Message):
    """A line of the rating calculation, or the sum of it: not to be calculated with."""

    text: str


@dataclass(frozen=True, slots=True)
class YouWinMatch(Message):
    """`You win the 3 point match 4-0 .`"""

    length: int
    mine: int
    theirs: int


@dataclass(frozen=True, slots=True)
class WinsMatch(Message):
    """`NAME wins the 3 point match 4-0 .`; the winner's score comes first."""

    name: Player
    length: int
    score: int
    loser_score: int


# --- matches of others


@dataclass(frozen=True, slots=True)
class ReportStarts(Message):
    """`A and B start a 5 point match.`"""

    name: Player
    other: Player
    length: int | None


@dataclass(frozen=True, slots=True)
class ReportResumes(Message):
    """`A and B are resuming their 5-point match.`"""

    name: Player
    other: Player
    length: int | None


@dataclass(frozen=True, slots=True)
class ReportLeft(Message):
    """`A has left the game with B.`"""

    name: Player
    other: Player


@dataclass(frozen=True, slots=True)
class ReportWins(Message):
    """`A wins a 9 point match against B  11-6 .`"""

    name: Player
    length: int
    other: Player
    score: int
    other_score: int


# --- a match is put aside


@dataclass(frozen=True, slots=True)
class YouLeft(Message):
    """`** You terminated the game. The game was saved.`"""


@dataclass(frozen=True, slots=True)
class OpponentLeft(Message):
    """`** Player NAME has left the game. The game was saved.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OpponentLoggedOut(Message):
    """`NAME logs out. The game was saved.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OpponentDropped(Message):
    """`NAME drops connection. The game was saved.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OpponentTimedOut(Message):
    """`Connection with NAME timed out. The game was saved.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OpponentFailed(Message):
    """`Network error with NAME. The game was saved.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class OpponentReconnected(Message):
    """`Closed old connection with user NAME. The game was saved.`"""

    opponent: Player


@dataclass(frozen=True, slots=True)
class ConnectionClosedBy(Message):
    """`admin closes connection with NAME, ...`"""

    admin: Player
    opponent: Player
    text: str = ""


@dataclass(frozen=True, slots=True)
class GameSaved(Message):
    """Any other line that ends in `The game was saved.`"""

    text: str
