"""Reads a match file for a command, and sums up its remarks in one line."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.bot.cli.declaring import flag
from sixprime.bot.cli.main import UsageError
from sixprime.bot.process.printable import printable
from sixprime.engine.system.wholefiles import read_to_end, read_whole

if TYPE_CHECKING:
    from sixprime.protocols.formats.record import Match


def strict_argument(parser: argparse.ArgumentParser) -> None:
    flag(parser, "--strict", "refuse a file with anything illegal or missing")


def data_of(name: str) -> bytes:
    return read_to_end(sys.stdin.buffer) if name == "-" else read_whole(Path(name))


def matches_in(name: str, command: str, *, strict: bool, form: str | None = None) -> list[Match]:
    """The matches of a file, of standard input for `-` or of a position; OSError, BadMatchFile.

    `form` names the format; None: guess it.
    """
    from sixprime.protocols import readers
    from sixprime.protocols.formats import pasted
    from sixprime.protocols.formats.reading import read_with

    known = {reader.name: reader for reader in readers.READERS}
    if form is not None and form not in known:
        raise UsageError(f"--from {form}: no such format, there are {', '.join(known)}")
    try:
        data = data_of(name)
    except (OSError, ValueError):  # no such file, or a text too long for its name
        if not pasted.looks_like(name):
            raise
        data = name.encode()
    reading = readers.read_match_file(name, data, known[form] if form else None)
    if strict:
        return reading.strictly()
    if reading.remarks:
        line = f"{name}: {read_with(reading.remarks)}"
        print(f"sixprime {command}: {printable(line)}", file=sys.stderr)
    return list(reading.matches)
