"""The moves of a game as a list of two columns: the person's and the engine's."""

from __future__ import annotations

from dataclasses import dataclass, field

from sixprime.engine.position import BAR, OFF, Play
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.record import (
    Action,
    Cube,
    CubeStep,
    Game,
    Match,
    Resignation,
    ResignStep,
    Turn,
)
from sixprime.protocols.formats.replay import Replay

_CUBE = {
    CubeStep.DOUBLE: "doubles to {}",
    CubeStep.TAKE: "takes",
    CubeStep.DROP: "passes",
    CubeStep.BEAVER: "beavers to {}",
}
_RESIGNATION = {
    ResignStep.OFFERED: "resigns",
    ResignStep.ACCEPTED: "accepts",
    ResignStep.REJECTED: "refuses",
}


@dataclass(slots=True)
class MoveRow:
    """One turn of each seat; a cube action stands before the roll of its turn."""

    cells: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))


def move_rows(match: Match, game: Game) -> list[MoveRow]:
    """Return the moves of a game, in the numbers of the seat that made each."""
    replay = Replay(match.length, match.rules, game)
    rows: list[MoveRow] = []
    last = 1
    for action in game.actions:
        seat, words = getattr(action, "seat", 0), _words(action, replay)
        replay.apply(action)
        if not words:
            continue
        if not rows or seat < last:
            rows.append(MoveRow())
        rows[-1].cells[seat].append(words)
        last = seat
    return rows


def _words(action: Action, replay: Replay) -> str:
    match action:
        case Turn(_, dice, tuple(play)):
            rolled = "".join(map(str, sorted(dice, reverse=True)))
            return f"{rolled}: {format_play(replay.position, play) or 'cannot move'}"
        case Cube(_, step):
            return _CUBE[step].format(2 * replay.state.cube)
        case Resignation(_, step):
            return _RESIGNATION[step]
        case _:
            return ""


def from_other_side(play: Play) -> str:
    """Return a play in the numbers of the opponent, whose board one looks at."""
    return " ".join(f"{_other(start)}/{_other(end)}" for start, end in play)


def _other(place: int) -> str:
    return {BAR: "bar", OFF: "off"}.get(place, str(BAR - place))
