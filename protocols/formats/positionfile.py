"""Files of positions, one per line, read as matches that begin with a board.

A line is whatever protocols.formats.ids.parse_position takes, an XGID with words around it, or
Snowie's position text. Blank lines and lines that start with `#` are skipped. A player without a
name is called what gnubg draws: seat 0 is O, seat 1 is X.
"""

from __future__ import annotations

import re

from sixprime.engine.position import IllegalPosition, MatchState, Position
from sixprime.protocols.formats.ids import BadId, parse_position, read_board_integers, read_xgid
from sixprime.protocols.formats.reading import MatchReader, Reading, head_of
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
    decode,
    split_lines,
)

NAMES = ("O", "X")
_XGID = re.compile(r"XGID=\S+", re.IGNORECASE)
_SNOWIE_FIELDS = 40
_A_POSITION = re.compile(
    r"^[^\S\n]*+(?:(?i:XGID)=\S|[A-Za-z0-9+/]{14}(?:[:\s][A-Za-z0-9+/]{12})?[^\S\n]*+$|(?:[^;\n]*+;){39})",
    re.MULTILINE,
)


def read(text: str) -> list[Match]:
    """One match without moves for each position; BadMatchFile if a line holds none."""
    lines = split_lines(text)
    matches = []
    for number, line in enumerate(lines, start=1):
        words = line.strip()
        if words and not words.startswith("#"):
            try:
                matches.append(_match(words))
            except (BadId, IllegalPosition, ValueError) as error:
                raise BadMatchFile(number, str(error)) from error
    if not matches:
        raise BadMatchFile(max(len(lines), 1), "no position in it")
    return matches


def _match(line: str) -> Match:
    if line.count(";") >= _SNOWIE_FIELDS - 1:
        return _snowie(line)
    xgid = _XGID.search(line)
    position, state = read_xgid(xgid[0]) if xgid else parse_position(line)
    return match_of(position, state or MatchState())


def match_of(position: Position, state: MatchState, names: tuple[str, str] = NAMES) -> Match:
    """A match that begins with this board, dice rolled or a double on offer included."""
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


def _snowie(line: str) -> Match:
    fields = [field.strip() for field in line.split(";")][:_SNOWIE_FIELDS]
    if len(fields) < _SNOWIE_FIELDS:
        raise BadId(f"{len(fields)} fields of Snowie's {_SNOWIE_FIELDS}")
    seat = _number(fields[4], 0, 1)
    length = _number(fields[0], 0, 64)
    on_roll, other = _number(fields[8], 0, 9999), _number(fields[9], 0, 9999)
    if length and max(on_roll, other) >= length:
        raise BadId(f"a {length} point match is over at this score")
    cube = _number(fields[10], 1, 4096)
    if cube & (cube - 1):
        raise BadId(f"no cube shows {cube}")
    owner = {0: None, 1: seat, -1: 1 - seat}[_number(fields[11], -1, 1)]
    dice = _number(fields[38], 0, 6), _number(fields[39], 0, 6)
    board = [_number(field, -15, 15) for field in fields[12:38]]
    # our order: own bar, points, the other's bar; Snowie swaps the bars
    position = read_board_integers([board[25], *board[1:25], abs(board[0])])
    names = (fields[5] or NAMES[seat], fields[6] or NAMES[1 - seat])
    state = MatchState(
        length=length,
        score=(on_roll, other) if seat == 0 else (other, on_roll),
        on_roll=seat,
        to_act=seat,
        dice=dice if all(dice) else None,
        cube=cube,
        cube_owner=owner,
        crawford=length > 0 and _number(fields[7], 0, 1) == 1,
        jacoby=length == 0 and _number(fields[1], 0, 1) == 1,
    )
    return match_of(position, state, names if seat == 0 else names[::-1])


def _number(text: str, low: int, high: int) -> int:
    if not re.fullmatch(r"-?\d{1,6}", text) or not low <= int(text) <= high:
        raise BadId(f"`{text[:20]}` should be a number from {low} to {high}")
    return int(text)


READER = MatchReader(
    "positions",
    "a file of positions",
    (".pos", ".xgid"),
    lambda data: _A_POSITION.search(head_of(data)) is not None,
    lambda data: Reading(tuple(read(decode(data)))),
)
