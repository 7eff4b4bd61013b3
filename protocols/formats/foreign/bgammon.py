"""bgammon.org's replays (.match): `i` begins a game, then a roll or a double a line.

Points are numbered from player 1's side. The server writes the score before a game, except where a
resignation or a refused double ends it: then it writes the score after it. Both cost as much as the
board shows: a gammon without a checker off, and a backgammon with one in the winner's home. A match
that is abandoned has the line of a resignation, and the score before the game.
"""

from __future__ import annotations

import datetime as dt
import re

from sixprime.engine.position import parse_dice
from sixprime.protocols.bgammon.orientation import lost_games
from sixprime.protocols.formats.foreign.sheet import Sheet
from sixprime.protocols.formats.reading import Reading, one_by_one, text_reader
from sixprime.protocols.formats.record import (
    BadMatchFile,
    Break,
    CubeStep,
    Interruption,
    match_between,
    split_lines,
)

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
MOST_POINTS = 127  # then the server's score stays


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
    score, winner = (int(found[5]), int(found[6])), int(found[7]) - 1
    passed = any(double[2] == "0" for double in map(_DOUBLE.match, events) if double)
    left = any(map(_LEFT.match, events))
    games, cube = _price(events, 1 - winner) if winner >= 0 and (left or passed) else (0, 1)
    price = games * cube
    before = _score_before(sheet, score, winner, price)
    abandoned = left and before == score
    sheet.begin_game(first, before)
    last = _read_events(sheet, first, events, passes=games == 1)
    if not sheet.reading or winner < 0:
        return
    if abandoned:
        with sheet.remarks.instead("left out"):
            sheet.game.add_action(last, Interruption(1 - winner, Break.LEFT))
    else:
        sheet.won(last, winner, price or None)


def _read_events(sheet: Sheet, first: int, events: list[str], *, passes: bool) -> int:
    """Add the events, and return the line of the last one.

    A double is only passed if that costs the cube; else its answer is a resignation, which follows.
    """
    last = first
    for last, line in enumerate(events, start=first + 1):
        if roll := _ROLL.match(line):
            sheet.roll(last, int(roll[1]) - 1, parse_dice(roll[2]), roll[3].strip() or _DANCE)
        elif double := _DOUBLE.match(line):
            seat, taken = int(double[1]) - 1, double[2] == "1"
            sheet.cube(last, seat, CubeStep.DOUBLE)
            if taken or passes:
                sheet.cube(last, 1 - seat, CubeStep.TAKE if taken else CubeStep.DROP)
        elif line.strip() and not _LEFT.match(line):
            sheet.not_understood(last, line)
    return last


def _price(events: list[str], loser: int) -> tuple[int, int]:
    """Return the games that this seat loses by giving up after these events, and the cube."""
    sheet = Sheet(match_between(("x", "y"), 0), fibs=True)
    sheet.begin_game(0, (0, 0))
    _read_events(sheet, 0, events, passes=False)
    replay = sheet.game.replay
    state = replay.state
    return lost_games(replay.position, int(loser != state.on_roll)), state.cube


def _score_before(sheet: Sheet, score: tuple[int, int], winner: int, price: int) -> tuple[int, int]:
    """Return the score before a game whose first line has this one, perhaps with its result."""
    if not price:
        return score
    without = [*score]
    without[winner] -= price
    before = sheet.draft.games[-1].done().score_after if sheet.draft.games else None
    if before == score or without[winner] < 0:
        return score if before is None or score[winner] < MOST_POINTS else before
    return (without[0], without[1])


READER = text_reader(
    "bgammon", "a match of bgammon.org", (".match",), _FILE.search, one_by_one(read_bgammon, _INDEX)
)
