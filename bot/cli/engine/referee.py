"""`sixprime referee`: gnubg plays matches against us and says how they went."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from sixprime.bot.cli.declaring import file, flag, option

if TYPE_CHECKING:
    from sixprime.bot.interfaces.referee import RefereedMatch

EPILOG = """\
example:
  sixprime referee --matches 20 --length 5 --level world-class --peer-plies 2 > report.json
"""
MOST_PLIES = 4


def arguments(parser: argparse.ArgumentParser) -> None:
    from sixprime.bot.cli.leveloptions import level_arguments

    parser.epilog = EPILOG
    parser.add_argument("--matches", metavar="N", type=int, default=2, help="how many (default: 2)")
    parser.add_argument("--length", metavar="N", type=int, default=5, help="points (default: 5)")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="seed of gnubg's dice")
    level_arguments(parser, "world-class")
    option(parser, "--peer-plies", "N", "how deep gnubg looks (default: 2)", int, 2)
    option(parser, "--peer-noise", "X", "noise in gnubg's evaluations", float, 0.0)
    flag(parser, "--never-resign", "play lost games to their end")
    file(parser, "--keep", "keep gnubg's records there, as SGF", metavar="DIR")


def run(options: argparse.Namespace) -> int:
    """Play, progress on stderr, the report as one JSON object on stdout; 1 if a match failed."""
    import asyncio
    import json

    from sixprime.bot.cli.leveloptions import engine_of
    from sixprime.bot.cli.main import UsageError, refusing
    from sixprime.bot.interfaces.external import ExternalEngine
    from sixprime.bot.interfaces.referee import (
        MAX_LENGTH,
        Opponent,
        RefereeError,
        find_gnubg,
        play,
        report,
    )
    from sixprime.bot.process.logs import configure
    from sixprime.bot.settings.schema import Logging

    configure(Logging(level="warning"))  # not every connection is worth a log line
    for name, value, most in (
        ("--matches", options.matches, 1_000_000),
        ("--length", options.length, MAX_LENGTH),
        ("--seed", options.seed, 2**31),
    ):
        if not 1 <= value <= most:
            raise UsageError(f"{name} {value}: 1 to {most} are possible")
    if not 0 <= options.peer_plies <= MOST_PLIES or not 0 <= options.peer_noise <= 1:
        raise UsageError("gnubg looks 0 to 4 plies deep, with a noise of 0 to 1")
    opponent = Opponent(options.peer_plies, options.peer_noise)
    if options.keep is not None:
        with refusing(OSError, at=f"--keep {options.keep}"):
            options.keep.mkdir(parents=True, exist_ok=True)
    with refusing(RefereeError):
        find_gnubg()
        player = ExternalEngine(engine_of(options))

        async def matches() -> list[RefereedMatch]:
            played = []
            async for match in play(
                player,
                opponent,
                matches=options.matches,
                length=options.length,
                seed=options.seed,
                resigns=not options.never_resign,
                folder=options.keep,
            ):
                played.append(match)
                _report(len(played), options.matches, match)
            return played

        found = report(asyncio.run(matches()))
    settings = {"level": options.level, "opponent": str(opponent), "length": options.length}
    print(json.dumps({**settings, "seed": options.seed, **found.described()}, indent=2))
    return 0 if found.finished == found.matches else 1


def _report(number: int, of: int, match: RefereedMatch) -> None:
    if match.record is None or not match.finished:
        words = "unfinished"
    else:
        score = match.record.score
        words = f"{'won' if match.won else 'lost'} {score[match.seat]}-{score[1 - match.seat]}"
        if match.luck_adjusted is not None:
            words += f", without luck {match.luck_adjusted:.0%}"
    print(f"match {number} of {of}: seat {match.seat}, {words}", file=sys.stderr)
    for remark in match.remarks:
        print(f"  gnubg: {remark}", file=sys.stderr)
