"""Messages of the server in a game: rolls, moves, the cube, resignations and results.

`You...` classes are about ourselves; a class with a `name` is about the player of that name, who
is our opponent or, if we only watch, one of the two players.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.wire.messages import Dice, MatchMessage, OfOpponent, OfPlayer, Player
from sixprime.protocols.fibs.wire.templates import line


@dataclass(frozen=True, slots=True)
class OpponentPoints(OfOpponent):
    """A message about the opponent and points, the cube included."""

    points: int


@line("You rolled {mine:die}, {opponent} rolled {theirs:die}[~.]")
class OpeningRoll(MatchMessage):
    """Equal dice are rolled again."""

    mine: int
    opponent: Player
    theirs: int


@line("It's your turn to move[.]")
class YouMoveFirst(MatchMessage):
    """The opening dice are ours to play."""


@line(
    "It's your turn. Please roll or double[.]",
    "It's your turn to roll or double[.]",
    "It's your turn Please roll or double[.]",
    "It's your turn[.]",
)
class YourTurn(MatchMessage): ...


@line("You roll {dice}[.]")
class YouRoll(MatchMessage):
    dice: Dice


@line("{name} rolls {dice}[.]")
class PlayerRolls(OfPlayer):
    dice: Dice


@line("Please move {pieces:pieces}[.]")
class PleaseMove(MatchMessage):
    pieces: int


@line("You can't move[.]")
class YouCannotMove(MatchMessage): ...


@line("{name} can't move[.]")
class CannotMove(OfPlayer): ...


@line("{name} moves {steps:steps}.")
class Moves(OfPlayer):
    """Empty steps are a dance."""

    steps: str = ""


@line("The only possible move is {steps:quoted}[ .]")
class OnlyMove(MatchMessage):
    """The server plays it for us."""

    steps: str


@line("Bearing off: {steps:text}")
class BearingOff(MatchMessage):
    """The server plays it for us."""

    steps: str


@line("Done.")
class Done(MatchMessage):
    """A move without a board."""


@line("You double. Please wait for {opponent} to accept or reject[.]")
class YouDouble(OfOpponent): ...


@line("{opponent} doubles. Type 'accept' or 'reject'[.]")
class OpponentDoubles(OfOpponent): ...


@line(
    "You redouble to {cube:int}. Please wait for {opponent} to accept or reject[.]",
    "You redouble. Please wait for {opponent} to accept or reject[.]",
)
class YouRedouble(OfOpponent):
    """An instant redouble; None: the line does not say."""

    cube: int | None = None


@line(
    "{opponent} redoubles to {cube:int}. Type 'accept' or 'reject'[.]",
    "{opponent} redoubles. Type 'accept' or 'reject'[.]",
    "{opponent} beavers. Type 'accept' or 'reject'[.]",
    "{opponent} beavers to {cube:int}. Type 'accept' or 'reject'[.]",
    "{opponent} raccoons. Type 'accept' or 'reject'[.]",
    "{opponent} raccoons to {cube:int}. Type 'accept' or 'reject'[.]",
)
class OpponentRedoubles(OfOpponent):
    cube: int | None = None


@line("{name} redoubles to {cube}[.]")
class Redoubles(OfPlayer):
    """An instant redouble, as watchers see it."""

    cube: int


@line(
    "You accept the double. The cube shows {cube}[.]",
    "You accept the double.The cube shows {cube}[.]",
)
class YouAcceptDouble(MatchMessage):
    cube: int


@line(
    "{name} accepts the double[.]",
    "{name} accepts the double. The cube shows {cube:int}[.]",
    "{name} accepts the double.The cube shows {cube:int}[.]",
)
class AcceptsDouble(OfPlayer):
    """None: the line does not say."""

    cube: int | None = None


@line("You give up. {opponent} wins {points:points?}[.]")
class YouGiveUp(OpponentPoints): ...


@line("{opponent} gives up. You win {points:points?}[.]")
class GivesUp(OpponentPoints): ...


@line(
    "You want to resign. {opponent} will win {points:points?}[.]",
    "You want to resign. {opponent} will win {points:points?} .",
)
class YouResign(OpponentPoints): ...


@line(
    "{opponent} wants to resign. You will win {points:points?}[.] Type 'accept' or 'reject'[.]",
    "{opponent} wants to resign. You will win {points:points?} . Type 'accept' or 'reject'[.]",
)
class OpponentResigns(OpponentPoints): ...


@line("You accept and win {points:points}[.]")
class YouAcceptResignation(MatchMessage):
    points: int


@line("{name} accepts and wins {points:points}[.]")
class AcceptsResignation(OfPlayer):
    points: int


@line("You reject. The game continues[.]")
class YouRejectResignation(MatchMessage): ...


@line("{name} rejects. The game continues[.]")
class RejectsResignation(OfPlayer): ...


@line(
    "You win the game and get {points:points}.[ Congratulations!]",
    "You win the game and get {points:points}. {_:rest}",
)
class YouWinGame(MatchMessage):
    points: int


@line("{opponent} wins the game and gets {points:points}. Sorry.[~{_:rest}]")
class OpponentWinsGame(OpponentPoints): ...


@line("{name} wins the game and gets {points:points}.")
class WatchedWinsGame(OfPlayer):
    """Some servers say it to the loser, too."""

    points: int
