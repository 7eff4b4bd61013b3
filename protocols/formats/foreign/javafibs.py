"""JavaFIBS's matches (.match): a numbered event a line, as FIBS sends it: `1:ben:24-22 13-10`.

The user is called `You`, except in the scores after a game. Refused resignations are not kept.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sixprime.engine.position import parse_dice
from sixprime.protocols.formats.foreign.sheet import Sheet
from sixprime.protocols.formats.reading import Reading, one_by_one, text_reader
from sixprime.protocols.formats.record import (
    BadMatchFile,
    CubeStep,
    Player,
    match_between,
    number_in,
    split_lines,
)

_FILE = re.compile(r"^[ \t]*+JavaFIBS internal match\b", re.MULTILINE)
_EVENT = re.compile(r"\s*+(\d{1,2}):([^:]*+):(.*+)$")
_SCORES = re.compile(r"\s*+14:([^:-]++)-(\d{1,6}):([^:-]++)-(\d{1,6})\s*+$")
_MOVES = re.compile(r"(?>(?:\s*+(?:bar|\d{1,2})-(?:off|\d{1,2})(?!\S)){0,9})", re.IGNORECASE)
_ROLLS, _MOVE, _DANCE, _PLAYERS, _WON, _LENGTH = (0, 11), 1, 15, 6, 7, 8
_CUBE = {2: CubeStep.DOUBLE, 4: CubeStep.TAKE, 5: CubeStep.DROP}
_AROUND = (3, 9, 12, 13)  # an offer to resign, which a win follows, or 12: it is refused
_UNLIMITED = 9999


def read_javafibs(text: str, first: int = 1) -> Reading:
    """Return the match in a file; BadMatchFile if there is none."""
    lines = split_lines(text)
    length, reader = 0, None
    for number, line in enumerate(lines, start=first):
        event = _EVENT.match(line)
        if event and int(event[1]) == _LENGTH:
            length = (number_in(event[3]) or 0) % _UNLIMITED
        elif event and int(event[1]) == _PLAYERS:
            reader = reader or _Reader((event[2].strip(), event[3].strip()), length)
            reader.begin_game(number)
        elif line.strip() and reader is not None and not reader.read_event(number, line, event):
            reader.sheet.not_understood(number, line)
    if reader is None:
        raise BadMatchFile(first + len(lines) - 1, "no line `6:NAME:NAME`")
    return reader.sheet.done()


class _Reader:
    def __init__(self, names: tuple[str, str], length: int) -> None:
        self.names = names
        self.sheet = Sheet(match_between(names, length), fibs=True)
        self.score: tuple[int, int] | None = None  # after the last game

    def begin_game(self, number: int) -> None:
        self.sheet.begin_game(number, self.score)
        self.score = None

    def read_event(self, number: int, line: str, event: re.Match[str] | None) -> bool:
        """Read a line of a game; return False if it is not understood."""
        if scores := _SCORES.match(line):
            return self._scored(scores)
        if event is None or event[2].strip() not in self.names:
            return False
        kind, seat, rest = int(event[1]), self.names.index(event[2].strip()), event[3]
        if kind in _ROLLS and re.fullmatch(r"\s*[1-6] [1-6]\s*", rest):
            self.sheet.unplayed()
            self.sheet.rolled = number, seat, parse_dice(rest)
        elif kind == _MOVE and (moves := _MOVES.match(rest)):  # its sentence may follow
            self.sheet.moved(number, seat, moves[0])
        elif kind == _DANCE:
            self.sheet.moved(number, seat, "can't move")
        elif kind in _CUBE:
            self.sheet.cube(number, seat, _CUBE[kind])
        elif kind == _WON:
            self.sheet.won(number, seat, number_in(rest) or None)
        else:
            return kind in _AROUND
        return True

    def _scored(self, found: re.Match[str]) -> bool:
        """Read `14:anna-1:ben-0`, which names the user, too."""
        one, two = (found[1].strip(), int(found[2])), (found[3].strip(), int(found[4]))
        if one[0] == self.names[1] or two[0] == self.names[0]:
            one, two = two, one
        if one[0] != self.names[0] and two[0] != self.names[1]:
            return False
        draft, self.score = self.sheet.draft, (one[1], two[1])
        draft.match = replace(draft.match, players=(Player(one[0]), Player(two[0])))
        return True


READER = text_reader(
    "javafibs", "a match of JavaFIBS", (".match",), _FILE.search, one_by_one(read_javafibs, _FILE)
)
