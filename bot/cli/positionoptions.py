"""The options that name a position, its match and a roll, shared by several commands."""

from __future__ import annotations

import argparse

from sixprime.bot.cli.main import UsageError, refusing
from sixprime.engine.dice import read_dice
from sixprime.engine.position import Dice, MatchState, Position


def position_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("position", metavar="POSITION")
    parser.add_argument("--match", metavar="ID", help="Match ID; it overrules that of POSITION")
    parser.add_argument("--dice", metavar="31", help="the roll; it overrules that of the match")


def asked(options: argparse.Namespace) -> tuple[Position, MatchState, Dice | None]:
    """Position, match and roll; UsageError if one is malformed."""
    from sixprime.protocols.formats.ids import BadId, parse_position, read_match_id

    with refusing(BadId):
        position, match = parse_position(options.position)
        if options.match is not None:
            match = read_match_id(options.match)
    match = match or MatchState()
    return position, match, _dice(options.dice) or match.dice


def _dice(text: str | None) -> Dice | None:
    if text is None:
        return None
    try:
        return read_dice(text)
    except ValueError as error:
        raise UsageError(f"--dice {text}: {error}") from None
