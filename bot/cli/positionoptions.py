"""The options that name a position, its match and a roll, shared by several commands."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from sixprime.bot.cli.filereading import data_of
from sixprime.bot.cli.main import UsageError, refusing
from sixprime.bot.process.printable import counted
from sixprime.engine.position import (
    Dice,
    IllegalPosition,
    MatchState,
    Position,
    Variant,
    parse_dice,
    variant_named,
)

_FILE_NAME = re.compile(r"\S+\.[A-Za-z]\w{0,7}")  # hardly a position, if there is no such file
VARIANTS = tuple(variant.called for variant in Variant)


def position_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("position", metavar="POSITION")
    parser.add_argument("--match", metavar="ID", help="Match ID, instead of that in POSITION")
    parser.add_argument("--dice", metavar="31", help="the roll, instead of that in the match")
    variant_argument(parser)


def variant_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--variant",
        choices=VARIANTS,
        metavar="V",
        help=f"the game played, which no ID tells: {', '.join(VARIANTS)}",
    )


def asked(options: argparse.Namespace) -> tuple[Position, MatchState, Dice | None]:
    """Position, match and roll; UsageError if one is malformed."""
    from sixprime.protocols.formats import pasted
    from sixprime.protocols.formats.ids import BadId, read_match_id

    there = options.position
    with refusing(BadId):
        is_file = there == "-" or _FILE_NAME.fullmatch(there) or _is_file(Path(there))
        position, match = _in_file(there) if is_file else pasted.read_position(there)
        if options.match is not None:
            match = read_match_id(options.match)
    named = getattr(options, "variant", None)
    if named is not None:
        with refusing(IllegalPosition):
            position = position.of_variant(variant_named(named))
    match = match or MatchState()
    return position, match, _dice(options.dice) or match.dice


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long for a name, or no name at all
        return False


def _in_file(path: str) -> tuple[Position, MatchState | None]:
    """The position in a file or standard input, or where its match ends."""
    from sixprime.protocols import readers
    from sixprime.protocols.formats import pasted, positionfile
    from sixprime.protocols.formats.ids import BadId
    from sixprime.protocols.formats.record import BadMatchFile, BadRecord, decode
    from sixprime.protocols.formats.replay import board_at_end
    from sixprime.protocols.formats.xg import textexport

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


def _dice(text: str | None) -> Dice | None:
    if text is None:
        return None
    try:
        return parse_dice(text)
    except ValueError as error:
        raise UsageError(f"--dice {text}: {error}") from None
