"""Tables on standard output."""

from __future__ import annotations

from collections.abc import Sequence

from sixprime.bot.printable import printable


def table(heading: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print the rows in aligned columns, and an empty line."""
    lines = [[printable(str(cell)).replace("\n", "?") for cell in row] for row in (heading, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heading))]
    for line in lines:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
    print()


def figure(value: object) -> object:
    """A number for a table."""
    if isinstance(value, float):
        return f"{value:.1f}"
    return "" if value is None else value
