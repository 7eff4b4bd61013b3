"""Matches and positions in files of any known format."""

from __future__ import annotations

import sys

from sixprime.bot.cli.files import data_of
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.process.printable import counted, printable
from sixprime.engine.position import MatchState, Position
from sixprime.protocols import readers
from sixprime.protocols.formats import pasted, positionfile
from sixprime.protocols.formats.ids import BadId
from sixprime.protocols.formats.reading import read_with
from sixprime.protocols.formats.record import BadMatchFile, BadRecord, Match, decode
from sixprime.protocols.formats.replay import board_at_end
from sixprime.protocols.formats.xg import textexport


def matches_in(name: str, command: str, *, strict: bool, form: str | None = None) -> list[Match]:
    """Read the matches of a file, of standard input for `-` or of a position.

    `form` names the format; None means that it is guessed. Raises OSError or BadMatchFile.
    """
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


def matches_or_refusal(
    name: str, command: str, *, strict: bool, form: str | None = None
) -> list[Match]:
    """Read the matches of a file; UsageError."""
    with refusing(OSError, BadMatchFile, at=name):
        return matches_in(name, command, strict=strict, form=form)


def position_in(path: str) -> tuple[Position, MatchState | None]:
    """Read the position in a file or standard input, or the last one of its match."""
    with refusing(OSError, BadId, BadMatchFile, BadRecord, at=path):
        data = data_of(path)
        reader = readers.reader_of(path, data)
        texts = (positionfile.READER, textexport.READER, *([None] if path == "-" else []))
        if reader in texts:
            return pasted.read_position(positionfile.without_remarks(decode(data)))
        matches = readers.read_match_file(path, data, reader).matches
        if len(matches) != 1:
            raise UsageError(
                f"{path}: {counted(len(matches), 'position')} in it, and one is needed"
            )
        return board_at_end(matches[0])
