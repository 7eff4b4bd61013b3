"""TrueMoneyGames' files (.tmg): one numbered event a line, the second player's numbers negative.

As in gnubg the first player takes seat 1. Stakes and settlements are not kept.
"""

from __future__ import annotations

import re

from sixprime.engine.position import Variant, parse_dice
from sixprime.protocols.formats.foreign.sheet import Sheet
from sixprime.protocols.formats.reading import Reading, one_by_one, text_reader
from sixprime.protocols.formats.record import (
    BadMatchFile,
    CubeStep,
    Match,
    Rules,
    day_in,
    match_between,
    number_in,
    split_lines,
)

PLACE = "TrueMoneyGames"
_FILE = re.compile(r"^[ \t]*+MatchID:", re.MULTILINE)
_GAME = re.compile(r"\s*+Game (\d{1,6}):\s*+(\d{1,6})-(\d{1,6})")
_OPTION = re.compile(r"\s*+(\w++):\s*+(.*+)$")
_NAME = re.compile(r"\d++\s++(\S++)")
_EVENT = re.compile(r"\s*+(-?)\d{1,6}\s++(\d{1,3})(?:\s++(.*+))?$")
_CUBE = {5: CubeStep.DOUBLE, 7: CubeStep.TAKE, 8: CubeStep.BEAVER, 10: CubeStep.DROP}
_ROLL, _AUTOMATIC, _MOVE, _WON = 1, 2, 4, (14, 15, 16)
_NO_PLAY = (17, 19, 22)  # out of time, which a win follows; a settlement


def read_truemoneygames(text: str, first: int = 1) -> Reading:
    """Return the match in a file; BadMatchFile if there is none."""
    lines = split_lines(text)
    options: dict[str, str] = {}
    sheet: Sheet | None = None
    for number, line in enumerate(lines, start=first):
        if game := _GAME.match(line):
            sheet = sheet or Sheet(_match(options))
            sheet.begin_game(number, (int(game[3]), int(game[2])))
        elif sheet is not None and (event := _EVENT.match(line)):
            seat, kind, words = int(not event[1]), int(event[2]), (event[3] or "").rstrip()
            _event(sheet, number, seat, kind, words)
        elif option := _OPTION.match(line):  # later lines switch beavers or automatic doubles
            options.setdefault(option[1], option[2].rstrip())
        elif line.strip() and sheet is not None:
            sheet.not_understood(number, line)
    if sheet is None:
        raise BadMatchFile(first + len(lines) - 1, "no line `Game 1: 0-0`")
    return sheet.done()


def _match(options: dict[str, str]) -> Match:
    def number(name: str, default: int) -> int:
        said = number_in(options.get(name, ""))
        return default if said is None else said

    names = [_NAME.match(options.get(f"Player{seat}", "")) for seat in (2, 1)]
    first, second = (found[1] if found else "" for found in names)
    length = number("Length", 0)
    day = day_in(options.get("Startdate", "").partition(" ")[0])
    rules = Rules(
        crawford=number("Crawford", 1) == 1,
        jacoby=length == 0 and number("Jacoby", 1) == 1,
        cube=number("Cube", 1) == 1,
        variant=Variant.NACKGAMMON if number("Variant", 1) == 2 else Variant.STANDARD,
    )
    comment = f"TMG MatchID: {options['MatchID']}" if "MatchID" in options else ""
    return match_between(
        (first, second), length, rules=rules, date=day, place=PLACE, comment=comment
    )


def _event(sheet: Sheet, number: int, seat: int, kind: int, words: str) -> None:
    if kind == _ROLL:
        sheet.unplayed()
        if found := re.match(r"[1-6][1-6]", words):
            sheet.rolled = number, seat, parse_dice(found[0])
    elif kind == _MOVE:
        sheet.moved(number, seat, " ".join(word for word in words.split() if word != "0/0"))
    elif kind in _CUBE:
        sheet.cube(number, seat, _CUBE[kind])
    elif kind in _WON:
        found = re.match(r"\d{1,6}", words)
        sheet.won(number, seat, int(found[0]) if found else None)
    elif kind == _AUTOMATIC:
        sheet.automatic_double(number)
    elif kind not in _NO_PLAY:
        sheet.remarks.add(number, f"event {kind} is not known", "left out")


def _looks_like(text: str) -> bool:
    return bool(
        re.search(r"^\s*Player1:", text, re.MULTILINE)
        and re.search(r"^\s*Game \d+: *\d+-\d+", text, re.MULTILINE)
    )


READER = text_reader(
    "tmg",
    "a file of TrueMoneyGames",
    (".tmg",),
    _looks_like,
    one_by_one(read_truemoneygames, _FILE),
)
