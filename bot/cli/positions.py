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
from sixprime.protocols.formats.ids import BEAVERS, BadId, read_match_id

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
    match = _by_rules(match or MatchState(), options)
    return position, match, _dice(getattr(options, "dice", None)) or match.dice


def _by_rules(match: MatchState, options: Namespace) -> MatchState:
    """Return the match with the rules of money play that the options choose."""
    for rule, allowed in (("jacoby", True), ("beavers", BEAVERS)):
        chosen, refused = getattr(options, rule), getattr(options, f"no_{rule}")
        if chosen and match.length:
            raise UsageError(f"--{rule}: a rule of money play, and this is a match")
        if chosen or refused:
            match = match.with_(**{rule: allowed if chosen else 0})
    return match


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
