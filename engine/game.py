"""The result of a play, a double or a resignation: the next board, the next state, the points.

Nothing is refused here, because no two callers refuse the same things: FIBS allows a dead cube to
be turned, a match file holds whatever its program allowed, `MatchState.may_double` follows the
letter of the rules. Each caller checks what it must and reports it in its own words. The board is
always as the player on roll sees it, also while the other player must answer a double; after the
last play the winner counts as on roll.
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
    """Who won a game and how many points, cube included, even if the match needs fewer."""

    winner: int
    points: int


def played(position: Position, state: MatchState, play: Play) -> tuple[Position, MatchState]:
    """The player on roll moves (() is a dance); then the other is on roll, or the game is over."""
    after = position.after(play)
    if after.is_over():
        return after, state.with_(dice=None, phase=Phase.OVER)
    other = 1 - state.on_roll
    return after.flipped(), state.with_(dice=None, on_roll=other, to_act=other)


def doubled(state: MatchState) -> MatchState:
    """The player on roll offers the cube at twice its value."""
    return state.with_(doubled=True, to_act=1 - state.on_roll)


def beavered(state: MatchState) -> MatchState:
    """The double is taken and turned again at once; a beaver of a beaver is a raccoon."""
    return state.with_(cube=2 * state.cube, cube_owner=1 - state.on_roll, to_act=1 - state.to_act)


def taken(state: MatchState) -> MatchState:
    """The double is accepted; the player who was doubled first owns the cube."""
    return state.with_(
        cube=2 * state.cube, cube_owner=1 - state.on_roll, doubled=False, to_act=state.on_roll
    )


def dropped(state: MatchState) -> MatchState:
    """The double is declined and the game lost at the cube's old value."""
    return state.with_(doubled=False, phase=Phase.DROPPED)


def resigned(state: MatchState, seat: int, games: int) -> MatchState:
    """A seat offers to lose 1 (single), 2 (gammon) or 3 (backgammon) times the cube."""
    return state.with_(resigned=games, to_act=1 - seat)


def resignation_accepted(state: MatchState) -> MatchState:
    """The game is over, at the number of games offered."""
    return state.with_(phase=Phase.RESIGNED)


def resignation_withdrawn(state: MatchState) -> MatchState:
    """The offer is declined, or forgotten: the game goes on where it was."""
    waits = 1 - state.on_roll if state.doubled else state.on_roll
    return state.with_(resigned=0, to_act=waits)


def won(position: Position, state: MatchState) -> GameWon | None:
    """The winner and the points; None while the game goes on."""
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
    """Is the next game the one without a cube, the first in which just one player is 1 away?"""
    return length > 1 and score.count(length - 1) == 1 and not played_before
