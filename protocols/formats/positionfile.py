"""Files of positions, read as matches that begin with a board.

protocols.formats.pasted finds the positions, also in text that gnubg shows or exports. Lines that
start with `#` are skipped. A player without a name is called O (seat 0) or X (seat 1), as gnubg
draws them.
"""

from __future__ import annotations

import re

from sixprime.engine.position import MatchState, Position
from sixprime.protocols.formats import pasted
from sixprime.protocols.formats.ids import BadId
from sixprime.protocols.formats.pasted import NAMES
from sixprime.protocols.formats.reading import Reading, text_reader
from sixprime.protocols.formats.record import (
    Action,
    BadMatchFile,
    Cube,
    CubeStep,
    Game,
    Match,
    Player,
    Rules,
    SetBoard,
    Turn,
    on_line,
)

_REMARK = re.compile(r"^[^\S\n]*+#.*", re.MULTILINE)
OF_A_GAME = re.compile(r"^Move number .*^Move number ", re.MULTILINE | re.DOTALL)


def read_positions(text: str) -> list[Match]:
    """Return a match without moves for each position; BadMatchFile if none or one is broken."""
    matches = []
    try:
        found = pasted.positions_in(without_remarks(text))
    except BadId as error:
        raise BadMatchFile(error.line, str(error)) from error
    for each in found:
        with on_line(each.line):
            matches.append(match_of(each.position, each.match or MatchState(), each.names))
    return matches


def without_remarks(text: str) -> str:
    return _REMARK.sub("", text)


def exchanged(state: MatchState) -> MatchState:
    """Return the same match with the seats exchanged."""
    owner = None if state.cube_owner is None else 1 - state.cube_owner
    return state.with_(
        on_roll=1 - state.on_roll,
        to_act=1 - state.to_act,
        score=state.score[::-1],
        cube_owner=owner,
    )


def match_of(position: Position, state: MatchState, names: tuple[str, str] = NAMES) -> Match:
    """Return a match that begins with this board, with its dice or its double on offer."""
    actions: list[Action] = [
        SetBoard(state.on_roll, position.checked(), state.cube, state.cube_owner)
    ]
    if state.doubled:
        actions.append(Cube(state.on_roll, CubeStep.DOUBLE))
    elif state.dice is not None:
        actions.append(Turn(state.on_roll, state.dice))
    return Match(
        players=(Player(names[0]), Player(names[1])),
        length=state.length,
        games=(Game(state.score, state.crawford, tuple(actions)),),
        rules=Rules(jacoby=state.jacoby, beavers=state.beavers),
    )


def _looks_like(head: str) -> bool:
    """Return whether there are positions, and not a whole game with a board at each move."""
    return pasted.looks_like(head) and not OF_A_GAME.search(head)


READER = text_reader(
    "positions", "a file of positions", (".pos", ".xgid"), _looks_like,
    lambda text: Reading(tuple(read_positions(text))),
)  # fmt: skip
