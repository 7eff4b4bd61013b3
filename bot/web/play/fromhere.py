"""A match that goes on from any position."""

from __future__ import annotations

import datetime as dt

from sixprime.bot.web.play.boardmatch import ENGINE, YOU, BoardMatch
from sixprime.engine.position import MatchState, Position, Variant
from sixprime.engine.system.errors import InputError
from sixprime.protocols.formats.record import (
    Action,
    Cube,
    CubeStep,
    Game,
    Match,
    Player,
    Rules,
    SetBoard,
    Turn,
)
from sixprime.protocols.formats.replay import replayed


def match_from(level: str, position: Position, state: MatchState, person: int) -> BoardMatch:
    """Return a match that begins with a position, as the player on roll sees it.

    `person` is the person's seat in `state`.
    """
    seat = {person: YOU, 1 - person: ENGINE}
    owner = None if state.cube_owner is None else seat[state.cube_owner]
    board = SetBoard(seat[state.on_roll], position, state.cube, owner)
    actions: list[Action] = [board]
    if state.doubled:
        actions.append(Cube(seat[state.on_roll], CubeStep.DOUBLE))
    if state.dice is not None:
        actions.append(Turn(seat[state.on_roll], state.dice))
    score = (state.score[person], state.score[1 - person])
    game = Game(score, state.crawford, tuple(actions))
    variant = next(v for v in Variant if Position.start(v).checkers == position.checkers)
    rules = Rules(jacoby=state.jacoby, beavers=state.beavers, variant=variant)
    now = dt.datetime.now(dt.UTC)
    players = Player("You"), Player(f"Sixprime {level}", level=level)
    record = Match(players, state.length, (game,), rules, now.date(), place="browser", started=now)
    replayed(record.length, rules, game)  # a BadRecord is an InputError
    match = BoardMatch(level, record)
    if match.game.result is not None or position.is_over():
        raise InputError("The game is over in this position.")
    return match
