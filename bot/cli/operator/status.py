"""`sixprime status`: the bots of a running process, as lines or with boards."""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.client import HTTPException
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from sixprime.bot.cli.columns import say
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.settingsfile import find_settings
from sixprime.bot.process.printable import counted, printable
from sixprime.bot.reports.board_text import draw
from sixprime.bot.settings.file import load_config
from sixprime.bot.settings.schema import MetricsSettings
from sixprime.engine.system.errors import ConfigError
from sixprime.protocols.formats.ids import read_match_id, read_position_id

WITHIN_S = 5.0
AGAIN_S = 2.0
CLEAR = "\x1b[H\x1b[2J"
WIDTH = 80


def show_status(options: Namespace) -> int:
    """Print a line for each bot; return 1 if one is not healthy."""
    with refusing(ConfigError):
        path = options.config or (None if options.address else find_settings())
        metrics = load_config(path).metrics if path else MetricsSettings()
    address = options.address or metrics.listen
    if address is None:
        raise UsageError("metrics.listen is null, so nothing answers; give --address")
    if options.watch:
        return watch(lambda: _asked(address))
    status = _asked(address)
    if options.json:
        print(json.dumps(status, indent=2))
    else:
        for bot in status:
            say(line_of(bot))
    return 0 if all(bot["healthy"] for bot in status) else 1


def _asked(address: str) -> list[dict[str, Any]]:
    """Ask the process for its bots; UsageError if none answers."""
    try:
        with urlopen(f"http://{address}/status", timeout=WITHIN_S) as answer:
            status = json.load(answer)
    except (OSError, URLError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        reason = getattr(reason, "strerror", None) or reason
        raise UsageError(f"nothing answers at {address}: {reason}") from error
    if not isinstance(status, list) or not all(
        isinstance(each, dict) and "profile" in each for each in status
    ):
        raise UsageError(f"the server at {address} is not sixprime")
    return status


def line_of(bot: Mapping[str, Any]) -> str:
    rating = bot["rating"]
    words = [
        f"{bot['profile']}: {bot['state']}",
        f"{bot['account']} at {bot['server']}, level {bot['level']}",
    ]
    if isinstance(rating, int | float):
        words.append(f"rating {rating:.2f}, experience {bot['experience']}")
    score = bot["score"]
    if bot["opponent"] is not None and isinstance(score, list):
        terms = f"to {bot['length']}" if bot["length"] else "unlimited"
        words.append(f"{score[0]}-{score[1]} ({terms}) against {bot['opponent']}")
    if uptime := bot.get("uptime_s"):  # older versions leave it out
        words.append(f"up {duration(uptime)}, {bot['won']} won, {bot['lost']} lost")
    if (dials := bot.get("dials_in_s")) is not None:
        words.append(f"dials in {duration(dials)} ({bot['offline_why']})")
    if failures := bot.get("failures"):
        words.append(f"the engine failed {counted(failures, 'time')}")
    if fault := bot.get("fault"):
        words.append(f"the engine does not work: {fault}")
    if away := bot.get("archive"):
        words.append(f"the archive is away: {away}")
    if not bot["healthy"]:
        words.append("NOT HEALTHY")
    return "; ".join(words)


def duration(seconds: float) -> str:
    """Format a time, such as 3 d 4 h."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{rest} s"


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
            text = str(error)
    print(text)
    return 0


def shown(bot: Mapping[str, Any]) -> str:
    """Format one bot: its state, its results and the board."""
    return "\n".join(printable(line)[:WIDTH].rstrip() for line in _lines(bot))


def _lines(bot: Mapping[str, Any]) -> Iterator[str]:
    yield f"{bot['profile']}: {bot['state']}{'' if bot['healthy'] else ' - NOT HEALTHY'}"
    yield f"{bot['account']} at {bot['server']}, level {bot['level']}"
    rated = bot["rating"] is not None
    rating = f"; rating {bot['rating']:.2f}, experience {bot['experience']}" if rated else ""
    fares = f"{bot['won']} won, {bot['lost']} lost, {bot['saved']} saved"
    yield f"up {duration(bot['uptime_s'])}: {fares}{rating}"
    if bot["dials_in_s"] is not None:
        yield f"offline for {duration(bot['offline_s'])}: {bot['offline_why']}"
        yield f"dials again in {duration(bot['dials_in_s'])}"
    troubles = {
        "fault": "the engine does not work",
        "archive": "the archive is away",
        "trouble": "last trouble",
    }
    yield from (f"{what}: {bot[name]}" for name, what in troubles.items() if bot[name])
    if bot["opponent"] is not None:
        terms = f"to {bot['length']}" if bot["length"] else "unlimited"
        yield f"{bot['score'][0]}-{bot['score'][1]} ({terms}) against {bot['opponent']}"
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
