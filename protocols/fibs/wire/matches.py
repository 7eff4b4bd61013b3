"""Messages of the server about matches: invitations, beginnings, scores, results, interruptions.

A class with an `opponent` is about our own match; one with a `name` may be about anybody's.
`length` None is an unlimited match.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sixprime.protocols.fibs.wire.messages import MatchMessage, OfOpponent, OfPlayer, Player
from sixprime.protocols.fibs.wire.templates import line


@line("{opponent} wants to play {length:match} with you[.]")
class Invited(OfOpponent):
    length: int | None


@line("{opponent} wants to resume a saved match with you[.]")
class InvitedToResume(OfOpponent): ...


@line("[~** ]WARNING: {text}")
class SavedMatchWarning(MatchMessage):
    text: str = "Don't accept if you want to continue the saved match!"


@line("Type 'join {opponent}' to accept[.]")
class TypeJoin(OfOpponent):
    """The invitation is complete."""


@line("** You are now playing {length:match} with {opponent}[~.]")
class NowPlaying(OfOpponent):
    """We joined."""

    length: int | None


@line(
    "** Player {opponent} has joined you for {length:match}[.]",
    "[~** ][~Player ]{opponent} has joined you for {length:match}[.]",
)
class JoinedYou(OfOpponent):
    length: int | None


@line("You are now playing with {opponent}. Your running match was loaded[.]")
class Resumed(OfOpponent):
    """We joined."""


@line("{opponent} has joined you. Your running match was loaded[.]")
class ResumedBy(OfOpponent): ...


@line("turn: {name}[.]")
class TurnIs(OfPlayer):
    """After a resume."""


@line("{length:length}[~.]")
class MatchLengthIs(MatchMessage):
    """After a resume."""

    length: int | None


@line("points for[~ user] {name}: {points}")
class PointsFor(OfPlayer):
    """After a resume; the board is the better witness."""

    points: int


@line("Starting a new game with {opponent}[.]")
class GameStarts(OfOpponent): ...


@line("Type 'join' if you want to play the next game, type 'leave' if you don't[.]")
class JoinOrLeave(MatchMessage): ...


@line("** Please wait for {opponent} to join too[.]")
class WaitForJoin(OfOpponent): ...


@line("score in {length:matchof}: {name}-{points} {other}-{other_points}")
class ScoreIs(MatchMessage):
    """The order of the two means nothing."""

    length: int | None
    name: Player
    points: int
    other: Player
    other_points: int


@line(
    "You win the {length} point match {mine}-{theirs} .",
    "You win the {length} point match {mine}-{theirs}[.]",
)
class YouWinMatch(MatchMessage):
    length: int
    mine: int
    theirs: int


@line(
    "{name} wins the {length} point match {score}-{loser_score} .",
    "{name} wins the {length} point match {score}-{loser_score}[.]",
)
class WinsMatch(OfPlayer):
    """The winner's score comes first."""

    length: int
    score: int
    loser_score: int


@line("** You terminated the game. The game was saved[.]")
class YouLeft(MatchMessage): ...


@line(
    "** Player {opponent} has left the game. The game was saved[.]",
    "** Player {opponent} terminated the game. The game was saved[.]",
)
class OpponentLeft(OfOpponent): ...


@line("{opponent} logs out. The game was saved[.]")
class OpponentLoggedOut(OfOpponent): ...


@line("{opponent} drops connection. The game was saved[.]")
class OpponentDropped(OfOpponent): ...


@line("Connection with {opponent} timed out. The game was saved[.]")
class OpponentTimedOut(OfOpponent): ...


@line("Network error with {opponent}. The game was saved[.]")
class OpponentFailed(OfOpponent): ...


@line("Closed old connection with user {opponent}. The game was saved[.]")
class OpponentReconnected(OfOpponent): ...


@line("{admin} closes connection with {opponent}[{text:text}]")
class ConnectionClosedBy(MatchMessage):
    admin: Player
    opponent: Player
    text: str = ""


@line("Your game with {opponent} was saved[.]")
class GameWithSaved(OfOpponent): ...


@dataclass(frozen=True, slots=True)
class GameSaved(MatchMessage):
    """Any other line that ends in `The game was saved.`"""

    PATTERN: ClassVar[str] = r".* The game was saved\.?"
    text: str
