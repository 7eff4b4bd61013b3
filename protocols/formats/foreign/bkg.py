"""Sessions of BKG, Hans Berliner's program (.bkg).

Black's points have our numbers; White's are numbered from the other side, with the bar at 0.
"""

from __future__ import annotations

import re

from sixprime.engine.position import BAR, parse_dice
from sixprime.protocols.formats.foreign.sheet import Sheet
from sixprime.protocols.formats.reading import Reading, text_reader
from sixprime.protocols.formats.record import BadMatchFile, CubeStep, match_between, split_lines

_SIDES = ("Black", "White")
_LINE = re.compile(
    r"(Black|White) ++(?:\(?([1-6][ ,:/-][1-6])\)?(.*+)|(wins)\b(.*+)|(Doubles)\b(.*+))$"
)


def read_bkg(text: str) -> Reading:
    """Return the session in a file; BadMatchFile if there is none."""
    sheet = Sheet(match_between(_SIDES))
    lines = split_lines(text)
    over = True
    for number, line in enumerate(lines, start=1):
        found = _LINE.match(line.strip())
        if not found:
            if line.startswith(_SIDES):
                sheet.not_understood(number, line)
            continue
        seat = _SIDES.index(found[1])
        if over:
            sheet.begin_game(number)
            over = False
        if found[4]:
            _won(sheet, number, seat, found[5].lower())
            over = True
        elif found[6]:
            sheet.cube(number, seat, CubeStep.DOUBLE)
            taken = "accept" in found[7].lower()
            sheet.cube(number, 1 - seat, CubeStep.TAKE if taken else CubeStep.DROP)
        else:
            _roll(sheet, number, seat, found)
    if not sheet.draft.games:
        raise BadMatchFile(len(lines), "no turn of Black or White")
    return sheet.done()


def _won(sheet: Sheet, number: int, seat: int, words: str) -> None:
    if not sheet.reading:
        sheet.won(number, seat, None)
        return
    games = 3 if "backgammon" in words else 2 if "gammon" in words else 1
    sheet.won(number, seat, games * sheet.game.replay.state.cube)


def _roll(sheet: Sheet, number: int, seat: int, found: re.Match[str]) -> None:
    points = [int(point) for point in re.findall(r"\d{1,3}", found[3])][:8]
    if seat:
        points = [BAR - point for point in points]
    moves = " ".join(f"{a}/{b}" for a, b in zip(points[::2], points[1::2], strict=False))
    sheet.roll(number, seat, parse_dice(found[2]), moves)


def _looks_like(head: str) -> bool:
    first = next((line for line in split_lines(head) if line.strip()), "")
    return _LINE.match(first.strip()) is not None


READER = text_reader("bkg", "a session of BKG", (".bkg",), _looks_like, read_bkg)
