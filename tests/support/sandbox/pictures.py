"""Reading the pictures that the sandbox draws for people, as a player does."""

from __future__ import annotations

import re

from sixprime.engine.position import Position

_ROW = re.compile(r"  \|(.{18})\|(.{3})\|(.{19})\|")
_SEAT = re.compile(r"You are ([OX])(?:   ([OX]) rolled (\d) (\d))?")
_OFF = re.compile(r"OFF: O-(\d+) X-(\d+)")


class Picture:
    """A board of style 2: the reader's own home is at the bottom right."""

    def __init__(self, lines: list[str]) -> None:
        text = "\n".join(lines)
        edges = [i for i, line in enumerate(lines) if line.startswith("  +")]
        last = edges[-1]
        rows = [_ROW.match(line) for line in lines[last - 11 : last]]
        self._rows = [row.groups() for row in rows if row]
        assert len(self._rows) == 11, text
        seat = _SEAT.search(text)
        off = _OFF.search(text, text.rindex("  +"))
        assert seat is not None
        assert off is not None
        self.mark = seat[1]
        self.rolled = (int(seat[3]), int(seat[4])) if seat[2] == self.mark else None
        self.off = {"O": int(off[1]), "X": int(off[2])}
        self.numbers = re.findall(r"\d+", lines[last].split("   ")[0])

    @property
    def ascends(self) -> bool:
        """Does the reader move from low numbers to high ones?"""
        return bool(self.numbers[-1] == "24")

    def position(self) -> Position:
        """The checkers as the reader sees them."""
        other = "X" if self.mark == "O" else "O"
        return Position(self._side(self.mark), tuple(self._turned(other)))

    def _side(self, mark: str) -> tuple[int, ...]:
        return (*(self._count(place, mark) for place in range(1, 25)), self._bar(mark))

    def _turned(self, mark: str) -> list[int]:
        side = self._side(mark)
        return [*side[23::-1], side[24]]

    def _count(self, place: int, mark: str) -> int:
        """Place 1 is bottom right, 13 top left."""
        upper = place > 12
        column = (place - 13) if upper else (12 - place)
        half, offset, start = (0, column, 1) if column < 6 else (2, column - 6, 2)
        cells = [row[half][start + 3 * offset] for row in self._rows]
        stack = cells[:5] if upper else cells[:5:-1]
        return _counted(stack, mark)

    def _bar(self, mark: str) -> int:
        cells = [row[1][1] for row in self._rows]
        return _counted(cells[:5], mark) or _counted(cells[:5:-1], mark)


def _counted(stack: list[str], mark: str) -> int:
    if stack[0] != mark:
        return 0
    if stack[-1] not in (" ", mark):
        return int(stack[-1], 16)
    return sum(cell == mark for cell in stack)
