"""The position, match and roll that options name."""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path

from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.engine.position import (
    Dice,
    IllegalPosition,
    MatchState,
    Position,
    parse_dice,
    variant_named,
)
from sixprime.protocols.formats import pasted
from sixprime.protocols.formats.ids import BadId, read_match_id

_FILE_NAME = re.compile(r"\S+\.[A-Za-z]\w{0,7}")  # hardly a position, if there is no such file


def position_of(options: Namespace) -> tuple[Position, MatchState, Dice | None]:
    """Read position, match and roll; UsageError if one is malformed."""
    text = options.position
    with refusing(BadId):
        if text == "-" or _FILE_NAME.fullmatch(text) or _is_file(Path(text)):
            from sixprime.bot.cli.matchfiles import position_in  # imports every format

            position, match = position_in(text)
        else:
            position, match = pasted.read_position(text)
        if options.match is not None:
            match = read_match_id(options.match)
    if options.variant is not None:
        with refusing(IllegalPosition):
            position = position.of_variant(variant_named(options.variant))
    match = match or MatchState()
    return position, match, _dice(getattr(options, "dice", None)) or match.dice


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long for a name, or no name at all
        return False


def _dice(text: str | None) -> Dice | None:
    if text is None:
        return None
    try:
        return parse_dice(text)
    except ValueError as error:
        raise UsageError(f"--dice {text}: {error}") from None
