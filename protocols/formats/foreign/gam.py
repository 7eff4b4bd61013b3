"""Games of money sessions without a head (.gam), as JellyFish and GammonEmpire wrote them.

Two names, then the columns of a .mat; the score is not written but follows from the games.
"""

from __future__ import annotations

import re
from itertools import zip_longest

from sixprime.protocols.formats.foreign.sheet import Sheet
from sixprime.protocols.formats.reading import MatchReader, Reading, head_of
from sixprime.protocols.formats.record import (
    BadMatchFile,
    CubeStep,
    Match,
    Player,
    decode,
    split_lines,
)

_NAMES = re.compile(r"\s*(\S+(?: \S+)*?)(?:\s{2,}|\t| )\s*(\S+(?: \S+)*)\s*$")
_NUMBERED = re.compile(r"\s*\d{1,4}\)")
_CELL = re.compile(
    r"(?P<dice>[1-6][1-6])\s*:|(?P<cube>double|beaver|raccoon|take|drop|pass)\w*(?:\s*=>?\s*\d+)?"
    r"|(?P<end>win|resign)\w*(?:\s+(?P<points>\d{1,6}))?(?:\s+points?)?",
    re.IGNORECASE,
)
_MIDDLE = 20  # a cell that stands alone and starts before this column is the left one
CUBE_WORDS = {
    "double": CubeStep.DOUBLE,
    "beaver": CubeStep.BEAVER,
    "raccoon": CubeStep.BEAVER,
    "take": CubeStep.TAKE,
    "drop": CubeStep.DROP,
    "pass": CubeStep.DROP,
}


def read(text: str) -> Reading:
    """The session in it; BadMatchFile if there is none."""
    sheet: Sheet | None = None
    lines = split_lines(text)
    for number, line in enumerate(lines, start=1):
        line = line.expandtabs(8).rstrip()
        if not line:
            continue
        if _NUMBERED.match(line) or (sheet and re.match(r"\s*(wins?|resign)\b", line, re.I)):
            if sheet is None:
                raise BadMatchFile(number, "a game before the names of its players")
            _cells(sheet, number, line)
        elif names := _NAMES.match(line):
            if sheet is None:
                sheet = Sheet(Match((Player(names[1]), Player(names[2])), 0))
            sheet.begin(number)
        elif sheet is not None:
            sheet.remark(number, f"`{line.strip()[:40]}` is not understood")
    if sheet is None:
        raise BadMatchFile(max(len(lines), 1), "no line with the names of two players")
    return sheet.done()


def _cells(sheet: Sheet, number: int, line: str) -> None:
    """At most a cell of each player and who wins."""
    numbered = _NUMBERED.match(line)
    cells = list(_CELL.finditer(line, numbered.end() if numbered else 0))
    alone = [cell for cell in cells if not cell["end"]]
    for cell, following in zip_longest(cells, cells[1:]):
        seat = int(cell.start() >= _MIDDLE)
        if len(alone) > 1 and not cell["end"]:
            seat = int(cell is not alone[0])
        rest = line[cell.end() : following.start() if following else len(line)]
        if cell["dice"]:
            sheet.roll(number, seat, (int(cell["dice"][0]), int(cell["dice"][1])), rest)
        elif cell["cube"]:
            sheet.cube(number, seat, CUBE_WORDS[cell["cube"].lower()])
        elif cell["end"].lower() == "win":
            sheet.won(number, seat, int(cell["points"]) if cell["points"] else None)


def _looks_like(data: bytes) -> bool:
    lines = [line for line in split_lines(head_of(data)) if line.strip()][:2]
    if len(lines) < 2 or ":" in lines[0] or not _NAMES.match(lines[0]):
        return False
    numbered = re.match(r"\s*1\)", lines[1])
    return bool(numbered and _CELL.search(lines[1], numbered.end()))


READER = MatchReader(
    "gam",
    "a game of JellyFish or GammonEmpire",
    (".gam",),
    _looks_like,
    lambda data: read(decode(data)),
)
