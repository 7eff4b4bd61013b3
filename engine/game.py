"""The result of a play, a double or a resignation: the next board, the next state, the points.

These functions refuse nothing, because no two callers refuse the same things: FIBS allows a dead
cube to be turned, a match file follows its own program, `MatchState.may_double` the letter of the
rules. Each caller makes its own checks and reports them in its own words. The player on roll always
sees the board, also while the other player must answer a double; after the last play the winner
counts as on roll.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from sixprime.engine.position import MatchState, Phase, Play, Position


@dataclass(frozen=True, slots=True)
class CheckerPlay:
    """The play of a roll; () is a dance."""

    play: Play


@dataclass(frozen=True, slots=True)
class ResignOffer:
    """An offer to lose 1 (single), 2 (gammon) or 3 (backgammon) times the cube."""

    games: int


class BeforeRoll(Enum):
    """The choice of the player on roll who has not rolled yet."""

    ROLL = "roll"
    DOUBLE = "double"


class Answer(Enum):
    """The answers to a double. BEAVER to a beaver is a raccoon."""

    PASS = "pass"
    TAKE = "take"
    BEAVER = "beaver"


class ResignAnswer(Enum):
    """The answers to an offer to resign."""

    ACCEPT = "accept"
    DECLINE = "decline"


Action = CheckerPlay | ResignOffer | BeforeRoll | Answer | ResignAnswer


class GameWon(NamedTuple):
    """The winner of a game and the points, cube included, even if the match needs fewer."""

    winner: int
    points: int


def played(position: Position, state: MatchState, play: Play) -> tuple[Position, MatchState]:
    """Move for the player on roll (() is a dance) and pass the turn, or end the game."""
    after = position.after(play)
    if after.is_over():
        return after, state.with_(dice=None, phase=Phase.OVER)
    other = 1 - state.on_roll
    return after.flipped(), state.with_(dice=None, on_roll=other, to_act=other)


def doubled(state: MatchState) -> MatchState:
    """Offer the cube at twice its value, for the player on roll."""
    return state.with_(doubled=True, to_act=1 - state.on_roll)


def beavered(state: MatchState) -> MatchState:
    """Take the double and turn the cube again at once; a beaver of a beaver is a raccoon."""
    return state.with_(cube=2 * state.cube, cube_owner=1 - state.on_roll, to_act=1 - state.to_act)


def taken(state: MatchState) -> MatchState:
    """Accept the double; the player who was doubled first owns the cube."""
    return state.with_(
        cube=2 * state.cube, cube_owner=1 - state.on_roll, doubled=False, to_act=state.on_roll
    )


def dropped(state: MatchState) -> MatchState:
    """Decline the double and lose the game at the cube's old value."""
    return state.with_(doubled=False, phase=Phase.DROPPED)


def resigned(state: MatchState, seat: int, games: int) -> MatchState:
    """Offer, for a seat, to lose 1 (single), 2 (gammon) or 3 (backgammon) times the cube."""
    return state.with_(resigned=games, to_act=1 - seat)


def resignation_accepted(state: MatchState) -> MatchState:
    """End the game at the number of games offered."""
    return state.with_(phase=Phase.RESIGNED)


def resignation_withdrawn(state: MatchState) -> MatchState:
    """Drop the offer, declined or forgotten: the game goes on."""
    waits = 1 - state.on_roll if state.doubled else state.on_roll
    return state.with_(resigned=0, to_act=waits)


def won(position: Position, state: MatchState) -> GameWon | None:
    """Return the winner and the points; None while the game goes on."""
    match state.phase:
        case Phase.OVER:
            games = position.result()
            if state.jacoby and state.cube_owner is None:
                games = 1  # nobody has doubled
            return GameWon(state.on_roll, games * state.cube)
        case Phase.DROPPED:
            return GameWon(1 - state.to_act, state.cube)
        case Phase.RESIGNED:
            return GameWon(state.to_act, state.resigned * state.cube)
    return None


def score_after(score: tuple[int, int], game: GameWon) -> tuple[int, int]:
    mine, theirs = score
    return (mine, theirs + game.points) if game.winner else (mine + game.points, theirs)


def is_crawford(length: int, score: tuple[int, int], *, played_before: bool) -> bool:
    """Return whether the next game has no cube: the first in which just one player is 1 away."""
    return length > 1 and score.count(length - 1) == 1 and not played_before
