"""The games of a rollout as match records, which other programs can show."""

from __future__ import annotations

from sixprime.engine.kernels.cube import CENTRED, MINE
from sixprime.engine.position import Dice, MatchState, Play, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.trials import Alternative, RolledTurn
from sixprime.protocols.formats.record import (
    Action,
    Cube,
    CubeStep,
    Ending,
    Game,
    GameResult,
    Match,
    Player,
    Rules,
    SetBoard,
    Turn,
)

NAMES = "decides", "opponent"


def rolled_game(
    match: MatchState, alternative: Alternative, turns: list[RolledTurn], event: str
) -> Match:
    """The game of one trial; without an end if the trial was truncated."""
    root = match.on_roll
    position, cube = alternative.position, alternative.cube
    first = root if alternative.side == 0 else 1 - root
    owners = {MINE: first, CENTRED: None}
    owner = owners.get(alternative.owner, 1 - first)
    actions: list[Action] = [SetBoard(first, position, cube, owner)]
    result = None
    for turn in turns:
        seat = root if turn.side == 0 else 1 - root
        if turn.doubled:
            answer = CubeStep.DROP if turn.passed else CubeStep.TAKE
            actions += [Cube(seat, CubeStep.DOUBLE), Cube(1 - seat, answer)]
            if turn.passed:
                result = GameResult(seat, cube, Ending.DROPPED)
                break
            cube *= 2
        if turn.dice is None:
            break
        actions.append(Turn(seat, turn.dice, _play(position, turn.dice, turn.result)))
        position = turn.result
        if position.is_over():
            points = cube * abs(position.result())
            result = GameResult(seat, points, Ending.BORNE_OFF)
            break
    names = NAMES if root == 0 else NAMES[::-1]
    game = Game(match.score, match.crawford, tuple(actions), result)
    return Match(
        (Player(names[0]), Player(names[1])),
        match.length,
        (game,),
        Rules(jacoby=match.jacoby, beavers=match.beavers),
        event=event,
    )


def _play(before: Position, dice: Dice, after: Position) -> Play:
    result = after.flipped()
    return next(each.play for each in legal_plays(before, dice) if each.result == result)
