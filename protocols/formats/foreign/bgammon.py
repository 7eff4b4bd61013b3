"""bgammon.org's replays (.match): `i` begins a game, then a roll or a double a line.

Points are numbered from player 1's side. The server writes the score before a game, except where a
resignation or a refused double ends it: then it writes the score after it. A resignation is worth a
gammon until its player has borne off a checker.
"""

from __future__ import annotations

import datetime as dt
import re

from sixprime.engine.position import parse_dice
from sixprime.protocols.formats.foreign.sheet import Sheet
from sixprime.protocols.formats.reading import Reading, one_by_one, text_reader
from sixprime.protocols.formats.record import BadMatchFile, CubeStep, match_between, split_lines

_INDEX = re.compile(r"^bgammon-replay [^\n]*+\n(?:bgammon-replay [^\n]*+\n)*", re.MULTILINE)
_GAME = re.compile(
    r"^i (\d{1,12}) (\S{1,80}) (\S{1,80}) (\d{1,5}) (\d{1,5}) (\d{1,5}) ([012]) \d{1,5} (\d)\s*$",
    re.MULTILINE,
)
_FILE = re.compile(rf"\A(?:bgammon-replay \d|{_GAME.pattern})", re.MULTILINE)
_ROLL = re.compile(r"([12]) r ([1-6]-[1-6])((?: .*)?)$")
_DOUBLE = re.compile(r"([12]) d \d{1,5} ([01])\s*$")
_LEFT = re.compile(r"([12]) t\s*$")
_BACKGAMMON = 0  # the others are acey-deucey and tabula
_DANCE = "can't move"


def read_bgammon(text: str, first: int = 1) -> Reading:
    """Return the match in a file; BadMatchFile if there is none."""
    lines = split_lines(text)
    begun = [(place, found) for place, line in enumerate(lines) if (found := _GAME.match(line))]
    if not begun:
        raise BadMatchFile(first, "no line `i TIME NAME NAME ...`, which begins a game")
    seconds, one, other, length = begun[0][1].groups()[:4]
    started = dt.datetime.fromtimestamp(int(seconds), dt.UTC) if len(seconds) < 11 else None
    match = match_between((one, other), int(length), started=started, place="bgammon.org")
    sheet = Sheet(match, fibs=True)
    ends = [place for place, _ in begun[1:]] + [len(lines)]
    for (place, found), end in zip(begun, ends, strict=True):
        _read_game(sheet, first + place, found, lines[place + 1 : end])
    return sheet.done()


def _read_game(sheet: Sheet, first: int, found: re.Match[str], events: list[str]) -> None:
    if int(found[8]) != _BACKGAMMON:
        sheet.remarks.add(first, "a game of acey-deucey or tabula", "left out")
        return
    scores, winner = [int(found[5]), int(found[6])], int(found[7]) - 1
    doubles = [double[2] for double in map(_DOUBLE.match, events) if double]
    left = any(map(_LEFT.match, events))
    bore_off = any(line.startswith(f"{2 - winner} r") and "/off" in line for line in events)
    points = (1 if bore_off else 2) << doubles.count("1")  # by the server's count
    if winner >= 0 and (left or "0" in doubles):
        scores[winner] = max(scores[winner] - points, 0)
    sheet.begin_game(first, (scores[0], scores[1]))
    last = first
    for last, line in enumerate(events, start=first + 1):
        if roll := _ROLL.match(line):
            sheet.roll(last, int(roll[1]) - 1, parse_dice(roll[2]), roll[3].strip() or _DANCE)
        elif double := _DOUBLE.match(line):
            seat = int(double[1]) - 1
            sheet.cube(last, seat, CubeStep.DOUBLE)
            sheet.cube(last, 1 - seat, CubeStep.TAKE if double[2] == "1" else CubeStep.DROP)
        elif line.strip() and not _LEFT.match(line):
            sheet.not_understood(last, line)
    if winner >= 0 and sheet.reading:
        sheet.won(last, winner, points if left else None)


READER = text_reader(
    "bgammon", "a match of bgammon.org", (".match",), _FILE.search, one_by_one(read_bgammon, _INDEX)
)
