"""The server's board, and its way to and from the engine.

This is the only file that knows how the server turns the board. It shows every player the table as
player 1: positive counts are ours, place 1 to 24 are our own points, 0 and 26 are our checkers off
and on our bar, 25 and 27 the opponent's. The opponent's own point is 25 minus the place.

In a MatchState made here seat 0 is we, seat 1 the opponent.
"""

from __future__ import annotations

from sixprime.engine.position import (
    BAR,
    OFF,
    POINTS,
    IllegalPosition,
    MatchState,
    Phase,
    Play,
    Position,
    Step,
)
from sixprime.engine.system.errors import InputError
from sixprime.protocols.bgammon.events import Pair, TableShown
from sixprime.protocols.fibs.wire.board import FibsBoard, board_of
from sixprime.protocols.fibs.wire.messages import Dice

US, THEM = 0, 1
OUR_OFF, THEIR_OFF, OUR_BAR, THEIR_BAR = 0, 25, 26, 27
MOST_CUBE = 64
CRAWFORD = 1  # of TableShown.crawford


def view_of(shown: TableShown) -> Position:
    """Return the checkers as we see them; InputError if no game can have them."""
    places = shown.places
    mine = (*(max(places[point], 0) for point in range(1, POINTS + 1)), places[OUR_BAR])
    theirs = (*(max(-places[BAR - point], 0) for point in range(1, POINTS + 1)), -places[THEIR_BAR])
    off = places[OUR_OFF], -places[THEIR_OFF]
    view = Position(mine, theirs)
    if view.off() != off:
        raise IllegalPosition(f"{off} checkers are off, {view.off()} are missing")
    return view if view.is_over() else view.checked()


def state_of(shown: TableShown) -> MatchState:
    """Return the state of a game whose opening roll is made."""
    on_roll = THEM if shown.turn == 2 else US
    rolled = shown.dice if all(shown.dice) and not shown.is_doubled else None
    return MatchState(
        length=shown.length,
        score=(shown.ours.points, shown.theirs.points),
        on_roll=on_roll,
        to_act=1 - on_roll if shown.is_doubled else on_roll,
        dice=rolled,
        cube=shown.cube,
        cube_owner=shown.cube_owner - 1 if shown.cube_owner else None,
        doubled=shown.is_doubled,
        crawford=shown.crawford == CRAWFORD,
        max_cube=MOST_CUBE,
        phase=Phase.OVER if shown.winner else Phase.PLAYING,
    )


def board_shown(view: Position, state: MatchState, opponent: str) -> FibsBoard:
    """Return the board that a bot gets of this situation, by our own numbers of the points."""
    position = view if state.on_roll == US else view.flipped()
    return board_of(position, state, opponent=opponent)


def may_double(shown: TableShown) -> bool:
    """Return whether the server would let us double before our roll."""
    is_ours = shown.turn == 1 and not any(shown.dice) and not shown.is_doubled
    no_cube = shown.length == 1 or shown.crawford == CRAWFORD or shown.cube >= MOST_CUBE
    return is_ours and not no_cube and shown.cube_owner != 2


def step_of(pair: Pair, seat: int) -> Step:
    """Return a step of the server in its mover's own numbers; InputError if it goes the wrong way.

    Undone steps go the wrong way, too.
    """
    bar, off = (OUR_BAR, OUR_OFF) if seat == US else (THEIR_BAR, THEIR_OFF)
    ends = []
    for place in pair:
        if place in (bar, off):
            ends.append(BAR if place == bar else OFF)
        elif 1 <= place <= POINTS:
            ends.append(place if seat == US else BAR - place)
    if len(ends) != 2 or ends[0] <= ends[1]:
        raise InputError(f"{pair} is no step of seat {seat}")
    return Step(*ends)


def pair_of(step: Step) -> Pair:
    """Return our step as the server numbers it."""
    return OUR_BAR if step.start == BAR else step.start, step.end


def steps_of(pairs: tuple[Pair, ...], seat: int) -> Play:
    return tuple(step_of(pair, seat) for pair in pairs)


def step_text(step: Step) -> str:
    """Return our step as a command has it, such as `bar/20` or `6/off`."""
    start = "bar" if step.start == BAR else str(step.start)
    return f"{start}/{'off' if step.end == OFF else step.end}"


def lost_games(view: Position, loser: int) -> int:
    """Return how many games a player loses who gives up now.

    The server counts what stands on the board: without a checker off it is a gammon, and with one
    on the bar or in the winner's home a backgammon.
    """
    side = view.mine if loser == US else view.theirs
    if any(side[POINTS - 6 :]):  # on the bar, or in the winner's home
        return 3
    return 1 if view.off()[loser] else 2


def as_roll(dice: Dice) -> Dice | None:
    """Return dice that are rolled; None before that."""
    return dice if all(dice) else None
