"""`sixprime status`: what the bots of a running process are doing."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sixprime.bot.cli.declaring import flag
from sixprime.bot.cli.settingsfile import add_config, found
from sixprime.bot.process.printable import counted, printable

EPILOG = """\
example:
  sixprime status
  sixprime status --watch
  sixprime status --address 127.0.0.1:9321 --json
"""
WITHIN_S = 5.0
AGAIN_S = 2.0
CLEAR = "\x1b[H\x1b[2J"
WIDTH = 80


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    add_config(parser)
    parser.add_argument("--address", metavar="HOST:PORT", help="of the process (127.0.0.1:9321)")
    shown = parser.add_mutually_exclusive_group()
    flag(shown, "--json", "for programs")
    flag(shown, "--watch", "with boards, until Ctrl-C")


def run(options: argparse.Namespace) -> int:
    """Ask, and print a line for each bot; exit code 1 if one is not healthy."""
    import json

    from sixprime.bot.cli.columns import say
    from sixprime.bot.cli.main import UsageError, refusing
    from sixprime.bot.settings.file import load_config
    from sixprime.bot.settings.schema import MetricsSettings
    from sixprime.engine.system.errors import ConfigError

    with refusing(ConfigError):
        path = options.config or (None if options.address else found())
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
        for each in status:
            say(line_of(each))
    return 0 if all(each["healthy"] for each in status) else 1


def _asked(address: str) -> list[dict[str, Any]]:
    """What the process says of its bots; UsageError if none answers."""
    import json
    from http.client import HTTPException
    from urllib.error import URLError
    from urllib.request import urlopen

    from sixprime.bot.cli.main import UsageError

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
        raise UsageError(f"what answers at {address} is not sixprime")
    return status


def line_of(each: Mapping[str, Any]) -> str:
    rating = each["rating"]
    words = [
        f"{each['profile']}: {each['state']}",
        f"{each['account']} at {each['server']}, level {each['level']}",
    ]
    if isinstance(rating, int | float):
        words.append(f"rating {rating:.2f}, experience {each['experience']}")
    score = each["score"]
    if each["opponent"] is not None and isinstance(score, list):
        terms = f"to {each['length']}" if each["length"] else "unlimited"
        words.append(f"{score[0]}-{score[1]} ({terms}) against {each['opponent']}")
    if uptime := each.get("uptime_s"):  # older versions leave it out
        words.append(f"up {duration(uptime)}, {each['won']} won, {each['lost']} lost")
    if (dials := each.get("dials_in_s")) is not None:
        words.append(f"dials in {duration(dials)} ({each['offline_why']})")
    if failures := each.get("failures"):
        words.append(f"the engine failed {counted(failures, 'time')}")
    if fault := each.get("fault"):
        words.append(f"the engine does not work: {fault}")
    if away := each.get("archive"):
        words.append(f"the archive is away: {away}")
    if not each["healthy"]:
        words.append("NOT HEALTHY")
    return "; ".join(words)


def duration(seconds: float) -> str:
    """In words, such as 3 d 4 h."""
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
    """Show them until Ctrl-C, even while nothing answers; without a terminal, once."""
    import sys
    import time

    from sixprime.bot.cli.main import UsageError

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
    """One bot: what it is doing, how it fares, and the board."""
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
    """The board, with us below as X."""
    from sixprime.bot.reports.board_text import draw
    from sixprime.protocols.formats.ids import read_match_id, read_position_id

    position, match = read_position_id(bot["position"]), read_match_id(bot["match"])
    yield from draw(position if match.on_roll == 0 else position.flipped()).split("\n")
    names = bot["account"], bot["opponent"]
    acts = f"rolled {match.dice[0]}{match.dice[1]}" if match.dice else "is to act"
    owner = "" if match.cube_owner is None else f", {names[match.cube_owner]}'s"
    yield f" X {names[0]}, O {names[1]}; {names[match.to_act]} {acts}; cube {match.cube}{owner}"
