"""PartyGammon's files (.gam): lines `KEY=VALUE`, with the turns of a game between `#`."""

from __future__ import annotations

import re
from collections import defaultdict

from sixprime.engine.position import parse_dice
from sixprime.protocols.formats.foreign.sheet import Sheet
from sixprime.protocols.formats.matlines import cells_in
from sixprime.protocols.formats.reading import Reading, one_by_one, text_reader
from sixprime.protocols.formats.record import BadMatchFile, match_between, number_in, split_lines

_FILE = re.compile(r"^[ \t]*+BOARDID=", re.MULTILINE | re.IGNORECASE)
_LINE = re.compile(r"\s*+(?:GAME_(\d{1,6})_)?([A-Z_0-9]++)\s*+=\s*+(.*+)$", re.IGNORECASE)
_TURN = re.compile(r"\s*+([12])\s++(?:(?:\S++\s++){2}([1-6][1-6])(?:\s++(.*+))?|([A-Za-z]++).*+)$")
_BEGINS = re.compile(
    r"^[ \t]*+(?:BOARDID=.*+\n[ \t]*+CREATOR=|GAME_\d++_(?:GAMEPLAY|PLAYER_1)=)", re.M | re.I
)

Fields = dict[str, tuple[int, str]]  # line and value by key, without the number of the game


def read_partygammon(text: str, begin: int = 1) -> Reading:
    """Return the match in a file; BadMatchFile if there is none."""
    lines = split_lines(text)
    games: dict[int, Fields] = defaultdict(dict)  # 0: fields of the match
    for number, line in enumerate(lines, start=begin):
        if found := _LINE.match(line):
            games[int(found[1] or 0)][found[2].upper()] = number, found[3].rstrip()
    match = games.pop(0, {})
    played = [game for _, game in sorted(games.items()) if game.get("GAMEPLAY", (0, ""))[1]]
    if not played:
        raise BadMatchFile(begin + len(lines) - 1, "no game in it")
    first, second = (played[-1].get(f"PLAYER_{each}", (0, ""))[1] for each in (1, 2))
    at, said = match.get("MATCHLENGTH", (0, "0"))
    length = number_in(said)
    if length is None:
        raise BadMatchFile(at, f"`{said[:40]}` is not a match length")
    sheet = Sheet(match_between((first, second), length, place="PartyGammon"))
    score = (0, 0)
    for game in played:
        score = _game(sheet, game, score)
    return sheet.done()


def _number(sheet: Sheet, fields: Fields, key: str) -> int | None:
    line, value = fields.get(key, (0, ""))
    number = number_in(value)
    if value and number is None:
        sheet.remarks.add(line, f"{key} is not a number: `{value[:40]}`")
    return number


def _game(sheet: Sheet, game: Fields, score: tuple[int, int]) -> tuple[int, int]:
    """Read one game; return the score after it."""
    line, turns = game["GAMEPLAY"]
    sheet.begin_game(line, score)
    for turn in filter(str.strip, turns.split("#")):
        _turn(sheet, line, turn)
    first, second = (_number(sheet, game, key) for key in ("SCORE1", "SCORE2"))
    if first is None or second is None:
        return score
    gains = first - score[0], second - score[1]
    if (gains[0] > 0) != (gains[1] > 0):
        sheet.won(line, int(gains[1] > 0), max(gains))
    elif any(gains):
        sheet.remarks.add(line, f"no game leads from {score[0]}-{score[1]} to {first}-{second}")
    return first, second


def _turn(sheet: Sheet, line: int, text: str) -> None:
    turn = _TURN.match(text)
    if not turn:
        sheet.not_understood(line, text)
        return
    seat = int(turn[1] == "2")
    if turn[2]:
        sheet.roll(line, seat, parse_dice(turn[2]), turn[3] or "")
        return
    cells, _, _ = cells_in(turn[4])
    if cells and cells[0].step is not None:
        sheet.cube(line, seat, cells[0].step)
    elif not cells:
        sheet.not_understood(line, text)


READER = text_reader(
    "party", "a file of PartyGammon", (".gam",), _BEGINS.search, one_by_one(read_partygammon, _FILE)
)
