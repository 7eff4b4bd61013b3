"""Tables and sentences on standard output, no wider than the terminal; in a file, as they are."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence

from sixprime.bot.process.printable import printable

_FIGURE = re.compile(r"[-+±]?[\d.,]*%?")  # or nothing
_GAP = "  "


def table(
    heading: Sequence[str], rows: Sequence[Sequence[object]], spare: Sequence[str] = ()
) -> None:
    """Print the rows in aligned columns.

    Where they are too wide, the `spare` columns are left out, the first first; if that is not
    enough, what goes beyond the edge comes below, beside the first column again.
    """
    lines = [[printable(str(cell)).replace("\n", "?") for cell in row] for row in (heading, *rows)]
    columns = [_aligned(column) for column in zip(*lines, strict=True)]
    width = room()
    missed = []
    for name in spare:
        if _width(columns) > width:
            del columns[next(i for i, each in enumerate(columns) if each[0].strip() == name)]
            missed.append(name)
    for number, part in enumerate(_parts(columns, width)):
        if number:
            print()
        for line in zip(*part, strict=True):
            print(_GAP.join(line).rstrip())
    if missed:
        say(f"A wider terminal shows {' and '.join(missed)}, too.")


def say(text: str) -> None:
    """Print sentences, broken where the terminal ends."""
    print("\n".join(textwrap.fill(line, room()) for line in text.splitlines()))


def figure(value: object) -> object:
    """A number for a table."""
    if isinstance(value, float):
        return f"{value:.1f}"
    return "" if value is None else value


def room() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize


def _aligned(column: Sequence[str]) -> list[str]:
    """Cells of one width, figures at the right."""
    width = max(map(len, column))
    right = all(_FIGURE.fullmatch(cell) for cell in column[1:])
    return [cell.rjust(width) if right else cell.ljust(width) for cell in column]


def _width(columns: Sequence[Sequence[str]]) -> int:
    return sum(len(column[0]) + len(_GAP) for column in columns) - len(_GAP)


def _parts(columns: list[list[str]], width: int) -> Iterator[list[list[str]]]:
    """As many columns at a time as there is room for, at least one besides the first."""
    part = columns[:1]
    for column in columns[1:]:
        if len(part) > 1 and _width([*part, column]) > width:
            yield part
            part = columns[:1]
        part.append(column)
    yield part
