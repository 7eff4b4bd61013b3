"""Files that the user names: read and written whole."""

from __future__ import annotations

import sys
from pathlib import Path

from sixprime.bot.cli.line.errors import refusing
from sixprime.engine.system.wholefiles import read_to_end, read_whole, write_whole


def data_of(name: str) -> bytes:
    """Read a file, or standard input for `-`."""
    return read_to_end(sys.stdin.buffer) if name == "-" else read_whole(Path(name))


def write_out(path: Path, text: str | bytes) -> None:
    """Write a file, whole or not at all; UsageError."""
    with refusing(OSError, at=path):
        write_whole(path, text)
