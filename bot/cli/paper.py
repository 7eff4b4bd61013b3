"""Tables on standard output: as wide as the terminal, or unlimited in a file or a pipe."""

from __future__ import annotations

import sys

from rich.console import Console

WIDE = 190  # columns


class Paper(Console):
    """The rich console for tables."""

    def __init__(self) -> None:
        super().__init__(highlight=False, width=None if sys.stdout.isatty() else WIDE)

    def on_broken_pipe(self) -> None:
        """`sixprime ... | head`: leave it to `main`."""
        raise BrokenPipeError
