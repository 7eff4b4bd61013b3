"""`sixprime status`: the bots of a running process, as lines or with boards."""

from __future__ import annotations

import datetime as dt
import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

from sixprime.bot.cli.columns import say
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.operator.asking import status_at, status_of
from sixprime.bot.cli.settingsfile import find_settings
from sixprime.bot.client.lobby.waiting import text_of
from sixprime.bot.process.printable import counted, duration, printable
from sixprime.bot.reports.board_text import draw
from sixprime.bot.settings.schema import MetricsSettings
from sixprime.engine.system.errors import ConfigError
from sixprime.protocols.formats.ids import read_match_id, read_position_id

AGAIN_S = 2.0
CLEAR = "\x1b[H\x1b[2J"
WIDTH = 80


def show_status(options: Namespace) -> int:
    """Print a line for each bot; return 1 if one is not healthy."""
    config = options.config or (None if options.address else find_settings())

    def ask_bots() -> Sequence[Mapping[str, Any]]:
        if options.address or config is None:
            return status_at(options.address or str(MetricsSettings().listen))
        with refusing(ConfigError):
            return status_of(config)

    if options.watch:
        return watch(ask_bots)
    status = ask_bots()
    if options.json:
        print(json.dumps(status, indent=2))
    else:
        for bot in status:
            say(printable(line_of(bot)))
    return 0 if all(bot["healthy"] for bot in status) else 1


def line_of(bot: Mapping[str, Any]) -> str:
    """Format one bot as a line."""
    return "; ".join((*_facts(bot), *([] if bot["healthy"] else ["NOT HEALTHY"])))


def _facts(bot: Mapping[str, Any]) -> Iterator[str]:
    """Yield facts of a bot; an older version may leave some out."""
    yield f"{bot['profile']}: {'refused' if bot.get('refused') else bot['state']}"
    yield f"{bot['account']} at {bot['server']}, level {bot['level']}"
    if isinstance(bot["rating"], int | float):
        yield f"rating {bot['rating']:.2f}, experience {bot['experience']}"
    if bot["opponent"] is not None and isinstance(bot["score"], list):
        terms = f"to {bot['length']}" if bot["length"] else "unlimited"
        yield f"{bot['score'][0]}-{bot['score'][1]} ({terms}) against {bot['opponent']}"
    if uptime := bot.get("uptime_s"):
        yield f"up {duration(uptime)}, {bot['won']} won, {bot['lost']} lost"
    if waiting := bot.get("waiting"):
        yield text_of(waiting, dt.datetime.now().astimezone())
    elif (dials := bot.get("dials_in_s")) is not None:
        yield f"dials in {duration(dials)} ({bot['offline_why']})"
    if failures := bot.get("failures"):
        yield f"the engine failed {counted(failures, 'time')}"
    if fault := bot.get("fault"):
        yield f"the engine does not work: {fault}"
    if away := bot.get("archive"):
        yield f"the archive is away: {away}"


# --- with boards


def watch(ask: Callable[[], Sequence[Mapping[str, Any]]]) -> int:
    """Show the bots until Ctrl-C, even while nothing answers; without a terminal, once."""
    text = "\n\n".join(map(shown, ask()))  # if nothing answers at first, that is an error
    while sys.stdout.isatty():
        print(f"{CLEAR}{text}", flush=True)
        time.sleep(AGAIN_S)
        try:
            text = "\n\n".join(map(shown, ask()))
        except UsageError as error:
            text = printable(str(error))
    print(text)
    return 0


def shown(bot: Mapping[str, Any]) -> str:
    """Format one bot: its state, its results and the board."""
    lines = (printable(line) for line in _lines(bot))
    return "\n".join(line.rstrip() if len(line) <= WIDTH else fill(line, WIDTH) for line in lines)


def _lines(bot: Mapping[str, Any]) -> Iterator[str]:
    first, *facts = _facts(bot)
    yield first if bot["healthy"] else f"{first} - NOT HEALTHY"
    yield from facts
    yield f"{counted(bot['saved'], 'match')} saved"
    if bot["dials_in_s"] is not None:
        yield f"offline for {duration(bot['offline_s'])}"
    if bot["trouble"]:
        yield f"last trouble: {bot['trouble']}"
    if bot["match"] is not None:
        yield from _board(bot)


def _board(bot: Mapping[str, Any]) -> Iterator[str]:
    """Draw the board, with us below as X."""
    position, match = read_position_id(bot["position"]), read_match_id(bot["match"])
    yield from draw(position if match.on_roll == 0 else position.flipped()).split("\n")
    names = bot["account"], bot["opponent"]
    acts = f"rolled {match.dice[0]}{match.dice[1]}" if match.dice else "is to act"
    owner = "" if match.cube_owner is None else f", {names[match.cube_owner]}'s"
    yield f" X {names[0]}, O {names[1]}; {names[match.to_act]} {acts}; cube {match.cube}{owner}"
