"""Messages of the server in a game: rolls, moves, the cube, resignations, and how the game ends.

`You...` classes are about ourselves; a class with a `name` is about the player of that name, who
is our opponent or, if we only watch, one of the two players.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Dice, MatchMessage, OfOpponent, OfPlayer, Player


@dataclass(frozen=True, slots=True)
class OpeningRoll(MatchMessage):
    """`You rolled 6, NAME rolled 2`; equal dice are rolled again."""

    mine: int
    opponent: Player
    theirs: int


@dataclass(frozen=True, slots=True)
class WatchedOpening(MatchMessage):
    """`A rolls 6, B rolls 2.`"""

    name: Player
    die: int
    other: Player
    other_die: int


@dataclass(frozen=True, slots=True)
class CubeAtOpening(MatchMessage):
    """`The number on the doubling cube is now 2`: both have autodouble on."""

    cube: int


class YouMoveFirst(MatchMessage):
    """`It's your turn to move.`: the opening dice are ours to play."""


class MovesFirst(OfPlayer):
    """`NAME makes the first move.`"""


class YourTurn(MatchMessage):
    """`It's your turn. Please roll or double.`"""


@dataclass(frozen=True, slots=True)
class YouRoll(MatchMessage):
    """`You roll 3 and 1.`"""

    dice: Dice


@dataclass(frozen=True, slots=True)
class PlayerRolls(MatchMessage):
    """`NAME rolls 3 and 1.`"""

    name: Player
    dice: Dice


@dataclass(frozen=True, slots=True)
class PleaseMove(MatchMessage):
    """`Please move 2 pieces.`"""

    pieces: int


class YouCannotMove(MatchMessage):
    """`You can't move.`"""


class CannotMove(OfPlayer):
    """`NAME can't move.`"""


@dataclass(frozen=True, slots=True)
class Moves(MatchMessage):
    """`NAME moves 8-5 6-5 .`; empty steps are a dance."""

    name: Player
    steps: str = ""


@dataclass(frozen=True, slots=True)
class OnlyMove(MatchMessage):
    """`The only possible move is 25-24 .`: the server plays it for us."""

    steps: str


@dataclass(frozen=True, slots=True)
class BearingOff(MatchMessage):
    """`Bearing off: ...`: the server plays it for us."""

    steps: str


class Done(MatchMessage):
    """`Done.`: a move without a board."""


class YouDouble(OfOpponent):
    """`You double. Please wait for NAME to accept or reject.`"""


class OpponentDoubles(OfOpponent):
    """`NAME doubles. Type 'accept' or 'reject'.`"""


class WatchedDoubles(OfPlayer):
    """`NAME doubles.`"""


@dataclass(frozen=True, slots=True)
class Redoubles(MatchMessage):
    """`NAME redoubles to 4.`: an instant redouble."""

    name: Player
    cube: int


@dataclass(frozen=True, slots=True)
class YouAcceptDouble(MatchMessage):
    """`You accept the double. The cube shows 2.`"""

    cube: int


@dataclass(frozen=True, slots=True)
class AcceptsDouble(MatchMessage):
    """`NAME accepts the double. The cube shows 2.`; None: the line does not say."""

    name: Player
    cube: int | None = None


@dataclass(frozen=True, slots=True)
class YouGiveUp(MatchMessage):
    """`You give up. NAME wins 1 point.`"""

    opponent: Player
    points: int


@dataclass(frozen=True, slots=True)
class GivesUp(MatchMessage):
    """`NAME gives up. You win 1 point.`"""

    opponent: Player
    points: int


@dataclass(frozen=True, slots=True)
class WatchedGivesUp(MatchMessage):
    """`A gives up. B wins 1 point.`"""

    name: Player
    winner: Player
    points: int


@dataclass(frozen=True, slots=True)
class YouResign(MatchMessage):
    """`You want to resign. NAME will win 2 points.`"""

    opponent: Player
    points: int


@dataclass(frozen=True, slots=True)
class OpponentResigns(MatchMessage):
    """`NAME wants to resign. You will win 2 points. Type 'accept' or 'reject'.`"""

    opponent: Player
    points: int


@dataclass(frozen=True, slots=True)
class WatchedResigns(MatchMessage):
    """`A wants to resign. B will win 2 points.`"""

    name: Player
    winner: Player
    points: int


@dataclass(frozen=True, slots=True)
class YouAcceptResignation(MatchMessage):
    """`You accept and win 2 points.`"""

    points: int


@dataclass(frozen=True, slots=True)
class AcceptsResignation(MatchMessage):
    """`NAME accepts and wins 2 points.`"""

    name: Player
    points: int


class YouRejectResignation(MatchMessage):
    """`You reject. The game continues.`"""


class RejectsResignation(OfPlayer):
    """`NAME rejects. The game continues.`"""


@dataclass(frozen=True, slots=True)
class YouWinGame(MatchMessage):
    """`You win the game and get 1 point. Congratulations!`"""

    points: int


@dataclass(frozen=True, slots=True)
class OpponentWinsGame(MatchMessage):
    """`NAME wins the game and gets 4 points. Sorry.`"""

    opponent: Player
    points: int


@dataclass(frozen=True, slots=True)
class WatchedWinsGame(MatchMessage):
    """`NAME wins the game and gets 4 points.`; some servers say it to the loser, too."""

    name: Player
    points: int
