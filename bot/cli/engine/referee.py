"""`sixprime referee`: matches between gnubg and the engine, and a report of them."""

from __future__ import annotations

import asyncio
import json
import sys
from argparse import Namespace

from sixprime.bot.cli.levels import engine_of
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.interfaces.external import ExternalEngine
from sixprime.bot.interfaces.referee import (
    MAX_LENGTH,
    Opponent,
    RefereedMatch,
    find_gnubg,
    refereed_matches,
    report,
)
from sixprime.bot.process.logs import configure
from sixprime.bot.settings.schema import Logging
from sixprime.engine.system.errors import Unavailable

MOST_PLIES = 4


def play_matches(options: Namespace) -> int:
    """Play, and print the report as one JSON object; 1 if a match failed."""
    configure(Logging(level="warning"))  # not every connection is worth a log line
    for name, value, most in (
        ("--matches", options.matches, 1_000_000),
        ("--length", options.length, MAX_LENGTH),
        ("--seed", options.seed, 2**31),
    ):
        if not 1 <= value <= most:
            raise UsageError(f"{name} {value}: 1 to {most} are possible")
    if not 0 <= options.peer_plies <= MOST_PLIES or not 0 <= options.peer_noise <= 1:
        raise UsageError("gnubg looks 0 to 4 plies ahead, with a noise of 0 to 1")
    opponent = Opponent(options.peer_plies, options.peer_noise)
    if options.log is not None:
        with refusing(OSError, at=f"--log {options.log}"):
            options.log.mkdir(parents=True, exist_ok=True)
    with refusing(Unavailable):
        find_gnubg()
        player = ExternalEngine(engine_of(options))

        async def matches() -> list[RefereedMatch]:
            played = []
            async for match in refereed_matches(
                player,
                opponent,
                matches=options.matches,
                length=options.length,
                seed=options.seed,
                resigns=not options.never_resign,
                folder=options.log,
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
