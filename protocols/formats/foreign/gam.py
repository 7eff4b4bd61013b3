"""Games of money sessions without a head (.gam), as JellyFish and GammonEmpire wrote them.

Two names precede the columns of a .mat; the score follows from the games.
"""

from __future__ import annotations

import re

from sixprime.protocols.formats.foreign.sheet import Sheet, all_done
from sixprime.protocols.formats.matlines import cells_in
from sixprime.protocols.formats.reading import Reading, text_reader
from sixprime.protocols.formats.record import BadMatchFile, match_between, split_lines

_GAP = re.compile(r"\s{2,99}|\t")
_NUMBERED = re.compile(r"\s*\d{1,4}\)")
_ENDS = re.compile(r"\s*(?:wins?|resigns?)\b", re.IGNORECASE)

Loss = tuple[int, int, int | None]  # line, seat and points of the player who gave up


def read_gam(text: str) -> Reading:
    """Return the session of each pair of players; BadMatchFile if there is none."""
    sheets: dict[tuple[str, str], Sheet] = {}
    sheet: Sheet | None = None
    lost: Loss | None = None
    lines = [line.expandtabs(8).rstrip() for line in split_lines(text)]
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        if _NUMBERED.match(line) or (sheet and _ENDS.match(line)):
            if sheet is None:
                raise BadMatchFile(number, "a game before the names of its players")
            lost = _cells(sheet, number, line) or lost
        elif (names := _names(line)) and _goes_on(lines, number):
            if sheet is not None:
                _settle(sheet, lost)
            lost = None
            sheet = sheets.setdefault(names, Sheet(match_between(names)))
            sheet.begin_game(number)
        elif sheet is not None:
            sheet.not_understood(number, line)
    if sheet is None:
        raise BadMatchFile(len(lines), "no line with the names of two players")
    _settle(sheet, lost)
    return all_done(sheets.values())


def _goes_on(lines: list[str], at: int) -> bool:
    """Return whether the next line with a text belongs to a game."""
    following = next((lines[i] for i in range(at, len(lines)) if lines[i]), "")
    return bool(_NUMBERED.match(following) or _ENDS.match(following))


def _names(line: str) -> tuple[str, str] | None:
    """Return two names separated by the widest gap, at least a blank."""
    names = [name.strip() for name in _GAP.split(line.strip()) if name.strip()]
    if len(names) == 1:
        names = names[0].split(" ", 1)
    return (names[0], names[1]) if len(names) == 2 else None


def _cells(sheet: Sheet, number: int, line: str) -> Loss | None:
    """Read a line of a game; return the player who gives up in it."""
    cells, unread, _ = cells_in(line)
    if unread:
        sheet.not_understood(number, unread)
    for cell in cells:
        if cell.dice is not None:
            sheet.roll(number, cell.seat, cell.dice, cell.said)
        elif cell.step is not None:
            sheet.cube(number, cell.seat, cell.step)
        elif cell.wins:
            sheet.won(number, cell.seat, cell.points)
        else:
            return number, cell.seat, cell.points
    return None


def _settle(sheet: Sheet, lost: Loss | None) -> None:
    """End a game without a line for the winner: the player who gave up has lost."""
    if lost is not None and sheet.reading:
        sheet.won(lost[0], 1 - lost[1], lost[2])


def _looks_like(head: str) -> bool:
    lines = [line for line in split_lines(head) if line.strip()][:2]
    if len(lines) < 2 or ":" in lines[0] or not _names(lines[0]):
        return False
    return re.match(r"\s*1\)", lines[1]) is not None and bool(cells_in(lines[1])[0])


READER = text_reader("gam", "a game of JellyFish or GammonEmpire", (".gam",), _looks_like, read_gam)
