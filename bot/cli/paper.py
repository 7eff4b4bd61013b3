"""Where tables are printed: a terminal as wide as it is, a file or a pipe as wide as they need."""

from __future__ import annotations

import sys

from rich.console import Console

WIDE = 190  # columns, where nobody's screen is too narrow


class Paper(Console):
    """Standard output."""

    def __init__(self) -> None:
        super().__init__(highlight=False, width=None if sys.stdout.isatty() else WIDE)

    def on_broken_pipe(self) -> None:
        """`sixprime ... | head`, which `sixprime.bot.cli.main` knows."""
        raise BrokenPipeError
