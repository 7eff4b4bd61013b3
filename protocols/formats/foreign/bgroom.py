"""BackGammonRoom's files (.bgf): `1.X:(3 1)8/5 6/5`, a game up to the next empty line.

A double is taken if the game goes on, and dropped if not. The file does not say who resigned, so
such a game stays unfinished.
"""

from __future__ import annotations

import re

from sixprime.engine.position import parse_dice
from sixprime.protocols.formats.foreign.sheet import Sheet
from sixprime.protocols.formats.reading import Reading, one_by_one, text_reader
from sixprime.protocols.formats.record import BadMatchFile, CubeStep, match_between, split_lines

_BEGINS = re.compile(r"\s*BGF version\b", re.IGNORECASE)
_FILE = re.compile(r"^[ \t]*+BGF version\b", re.MULTILINE | re.IGNORECASE)
_GAME = re.compile(r"Game (\d{1,6}) - (.{1,99}?) \(([X0O])\) vs\. (.{1,99}?)(?: \([X0O]\))?\s*+$")
_TURN = re.compile(
    r"\s*+(\d{1,6})\.\s*+([X0O]):\s*+(?:(\([1-6] [1-6]\))\s*+(.*+)|(Double\w*+)\s*+)$"
)
_AROUND = re.compile(r"Single|.*Win the Match")


def read_bgroom(text: str, first: int = 1) -> Reading:
    """Return the session in a file; BadMatchFile if there is none."""
    sheet: Sheet | None = None
    lines = split_lines(text)
    open_game = False  # are we inside a game?
    for number, line in enumerate(lines, start=first):
        if game := _GAME.match(line):
            names = (game[2], game[4]) if game[3] == "X" else (game[4], game[2])
            if sheet is None:
                sheet = Sheet(match_between(names, place="BackGammonRoom"))
            elif open_game:
                _end(sheet, number)
            sheet.begin_game(number)
            open_game = True
        elif sheet is None or not open_game or _AROUND.match(line):
            continue
        elif not line.strip():
            if sheet.game.actions:
                _end(sheet, number)
                open_game = False
        elif turn := _TURN.match(line):
            _turn(sheet, number, turn)
        else:
            sheet.not_understood(number, line)
    if sheet is None:
        raise BadMatchFile(first + len(lines) - 1, "no line `Game 1 - NAME (X) vs. NAME (0)`")
    return sheet.done()


def _turn(sheet: Sheet, number: int, turn: re.Match[str]) -> None:
    if not sheet.reading:
        return
    seat = int(turn[2] != "X")
    state = sheet.game.replay.state
    if state.doubled:
        sheet.cube(number, state.to_act, CubeStep.TAKE)
    if turn[5]:
        sheet.cube(number, seat, CubeStep.DOUBLE)
    else:
        sheet.roll(number, seat, parse_dice(turn[3]), turn[4])


def _end(sheet: Sheet, number: int) -> None:
    if not sheet.reading:
        return
    state = sheet.game.replay.state
    if state.doubled:
        sheet.cube(number, state.to_act, CubeStep.DROP)
    else:
        sheet.remarks.add(number, "the game ends here, and the file does not say who won it")


READER = text_reader(
    "bgroom", "a file of BackGammonRoom", (".bgf",), _BEGINS.match, one_by_one(read_bgroom, _FILE)
)
