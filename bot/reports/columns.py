"""Tables as text: aligned columns, figures at the right, no wider than asked."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator, Sequence

from sixprime.bot.process.printable import printable

_FIGURE = re.compile(r"[-+±]?[\d.,]*%?")  # or nothing
_GAP = "  "


def aligned(
    rows: Sequence[Sequence[object]], width: int = sys.maxsize, spare: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the lines of a table whose first row is its heading.

    A table that is too wide loses its `spare` columns, in this order. If that is not enough, the
    columns beyond the edge follow below, beside the first column again.
    """
    lines = [[printable(str(cell)).replace("\n", "?") for cell in row] for row in rows]
    columns = [_padded(column) for column in zip(*lines, strict=True)]
    missed = []
    for name in spare:
        there = [i for i, column in enumerate(columns) if column[0].strip() == name]
        if there and _width(columns) > width:
            del columns[there[0]]
            missed.append(name)
    for number, part in enumerate(_parts(columns, width)):
        if number:
            yield ""
        for line in zip(*part, strict=True):
            yield _GAP.join(line).rstrip()
    if missed:
        yield from textwrap.wrap(f"A wider terminal also shows {' and '.join(missed)}.", width)


def _padded(column: Sequence[str]) -> list[str]:
    """Pad the cells to one width, figures to the right."""
    width = max(map(len, column))
    right = all(_FIGURE.fullmatch(cell) for cell in column[1:])
    return [cell.rjust(width) if right else cell.ljust(width) for cell in column]


def _width(columns: Sequence[Sequence[str]]) -> int:
    return sum(len(column[0]) + len(_GAP) for column in columns) - len(_GAP)


def _parts(columns: list[list[str]], width: int) -> Iterator[list[list[str]]]:
    """Split the columns into tables that fit, each with the first column."""
    part = columns[:1]
    for column in columns[1:]:
        if len(part) > 1 and _width([*part, column]) > width:
            yield part
            part = columns[:1]
        part.append(column)
    yield part
