"""Tables and sentences on standard output, no wider than the terminal; in a file, as they are."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence

from sixprime.bot.reports.columns import aligned


def table(
    heading: Sequence[str], rows: Sequence[Sequence[object]], spare: Sequence[str] = ()
) -> None:
    """Print the rows in aligned columns; a narrow terminal lacks the `spare` ones."""
    for line in aligned([heading, *rows], width(), spare):
        print(line)


def say(text: str) -> None:
    """Print sentences, wrapped to the terminal."""
    print("\n".join(textwrap.fill(line, width()) for line in text.splitlines()))


def figure(value: object) -> object:
    """Format a number for a table."""
    if isinstance(value, float):
        return f"{value:.1f}"
    return "" if value is None else value


def width() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
