"""`sixprime status`: the bots of running processes, as an operator wants to see them."""

from __future__ import annotations

import datetime as dt
import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

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
WIDTH, LABEL = 80, 11
BLOCKS, CURVE = "▁▂▃▄▅▆▇█", 40  # of a rating curve

Status = Sequence[Mapping[str, Any]]


def show_status(options: Namespace) -> int:
    """Print an overview of each bot; return 1 if one is not healthy."""
    config = options.config or (None if options.address else find_settings())

    def ask_bots() -> Status:
        if options.address or config is None:
            return status_at(options.address or str(MetricsSettings().listen))
        with refusing(ConfigError):
            return status_of(config)

    if options.watch:
        return watch(ask_bots)
    status = ask_bots()
    print(json.dumps(status, indent=2) if options.json else overview_of(status))
    return 0 if all(bot["healthy"] for bot in status) else 1


def line_of(bot: Mapping[str, Any]) -> str:
    """Format one bot as a line."""
    return "; ".join((*_facts(bot), *([] if bot["healthy"] else ["NOT HEALTHY"])))


def _facts(bot: Mapping[str, Any]) -> Iterator[str]:
    """Yield facts of a bot; an older version may leave some out."""
    yield f"{bot['profile']}: {'refused' if bot.get('refused') else bot['state']}"
    yield f"{bot['account']} at {bot['server']}, level {bot['level']}"
    if rating := _rating(bot):
        yield f"rating {rating}"
    if match := _match(bot):
        yield match
    if uptime := bot.get("uptime_s"):
        yield f"up {duration(uptime)}, {bot['won']} won, {bot['lost']} lost"
    if waiting := bot.get("waiting"):
        yield text_of(waiting, dt.datetime.now().astimezone())
    elif (dials := bot.get("dials_in_s")) is not None:
        yield f"dials in {duration(dials)} ({bot['offline_why']})"
    yield from _faults(bot)


def _faults(bot: Mapping[str, Any]) -> Iterator[str]:
    if failures := bot.get("failures"):
        yield f"the engine failed {counted(failures, 'time')}"
    if fault := bot.get("fault"):
        yield f"the engine does not work: {fault}"
    if away := bot.get("archive"):
        yield f"the archive is away: {away}"


# --- an operator's overview


def overview_of(status: Status, *, boards: bool = False) -> str:
    """Format the bots, and then their processes."""
    parts = ["\n".join(_block(bot, boards=boards)) for bot in status]
    processes: list[Mapping[str, Any]] = []
    for bot in status:
        process = bot.get("process")
        if process is not None and process not in processes:
            processes.append(process)
    parts += ["\n".join(_process(each)) for each in processes]
    return "\n\n".join(parts)


def _rows(*rows: tuple[str, str]) -> Iterator[str]:
    """Yield labelled lines, wrapped; rows without a text are left out."""
    for label, text in rows:
        if text:
            first = f"  {label:<{LABEL}}"
            yield fill(
                printable(text), WIDTH, initial_indent=first, subsequent_indent=" " * (LABEL + 2)
            )


def _block(bot: Mapping[str, Any], *, boards: bool = False) -> Iterator[str]:
    """Yield the lines about one bot; a process of an older version may leave out some."""
    state = "refused" if bot.get("refused") else bot["state"]
    yield printable(f"{bot['profile']}: {state}{'' if bot['healthy'] else ' - NOT HEALTHY'}")
    up = f", up {duration(bot['uptime_s'])}" if bot.get("uptime_s") else ""
    yield from _rows(
        ("account", f"{bot['account']} at {bot['server']}, level {bot['level']}{up}"),
        ("rating", _rating(bot)),
        ("ratings", _ratings(bot)),
        ("match", _match(bot)),
        ("24 hours", _day(bot)),
    )
    for match in (bot.get("day") or {}).get("matches", ()):
        if match["result"] != "playing":
            yield from _rows(("", _played(match)))
    waiting = bot.get("waiting")
    now = dt.datetime.now().astimezone()
    yield from _rows(
        ("unfinished", _unfinished(bot)),
        ("now", "; ".join(_now(bot, now))),
        ("next", _next(waiting) if waiting else ""),
        ("trouble", str(bot.get("trouble") or "")),
        *(("log", _logged(kind)) for kind in bot.get("logged", ())),
        *(("to do", text) for text in bot.get("to_do", ())),
    )
    if boards and bot["match"] is not None:
        yield from _board(bot)


def _rating(bot: Mapping[str, Any]) -> str:
    if not isinstance(bot["rating"], int | float):
        return ""
    rating = f"{bot['rating']:.2f}"  # a server of tables has no experience
    return rating if bot["experience"] is None else f"{rating}, experience {bot['experience']}"


def _ratings(bot: Mapping[str, Any]) -> str:
    """Return the way of the rating over the last matches."""
    ratings = bot.get("ratings", ())[-CURVE:]
    if len(ratings) < 2:
        return ""
    way = f"{min(ratings):.0f} to {max(ratings):.0f} in {counted(len(ratings), 'match')}"
    return f"{_curve(ratings)} {way}".strip()


def _curve(ratings: Sequence[float]) -> str:
    """Return the last ratings as blocks, if standard output can show them."""
    try:
        BLOCKS.encode(sys.stdout.encoding or "ascii")
    except (UnicodeError, LookupError):
        return ""
    low, high = min(ratings), max(ratings)
    step = (high - low) / (len(BLOCKS) - 1) or 1.0
    return "".join(BLOCKS[round((each - low) / step)] for each in ratings)


def _match(bot: Mapping[str, Any]) -> str:
    if bot["opponent"] is None or not isinstance(bot["score"], list):
        return ""
    terms = f"to {bot['length']}" if bot["length"] else "unlimited"
    return f"{bot['score'][0]}-{bot['score'][1]} ({terms}) against {bot['opponent']}"


def _day(bot: Mapping[str, Any]) -> str:
    if (day := bot.get("day")) is None:
        return f"{bot['won']} won, {bot['lost']} lost, {bot['saved']} saved since the start"
    gain = "" if day["gain"] is None else f", rating {day['gain']:+.1f}"
    points = "-".join(map(str, day["points"]))
    told = f", {day['won']} won, {day['lost']} lost, points {points}{gain}" if day["count"] else ""
    return f"{counted(day['count'], 'match')}{told}"


def _played(match: Mapping[str, Any]) -> str:
    started = dt.datetime.fromisoformat(match["started"]).astimezone()
    terms = f"to {match['length']}" if match["length"] else "money"
    gain = "" if match["gain"] is None else f", rating {match['gain']:+.1f}"
    score = "-".join(map(str, match["score"]))
    return f"{started:%H:%M} {match['result']} {score} ({terms}) against {match['opponent']}{gain}"


def _unfinished(bot: Mapping[str, Any]) -> str:
    names = bot.get("unfinished") or ()
    return f"{counted(len(names), 'match')}, with {', '.join(names)}" if names else ""


def _now(bot: Mapping[str, Any], now: dt.datetime) -> Iterator[str]:
    if waiting := bot.get("waiting"):
        yield text_of(waiting, now)
    elif (dials := bot.get("dials_in_s")) is not None:
        yield f"dials in {duration(dials)} ({bot['offline_why']})"
    if bot.get("dials_in_s") is not None:
        yield f"offline for {duration(bot['offline_s'])}"
    yield from _faults(bot)


def _next(waiting: Mapping[str, Any]) -> str:
    if "next" not in waiting:
        return ""
    until_s = waiting["until_s"]
    return f"{waiting['next']}{'' if until_s is None else f' in {duration(until_s)}'}"


def _logged(kind: Mapping[str, Any]) -> str:
    last = dt.datetime.fromtimestamp(kind["last"]).astimezone()
    return f"{kind['count']} x {kind['event']} ({kind['level']}, last {last:%H:%M})"


def _process(process: Mapping[str, Any]) -> Iterator[str]:
    yield f"Sixprime {process['version']}"
    yield from _rows(
        *(("with", part) for part in process["build"].split("; ")),
        *(
            ("disk", f"{place['free_mib']} MiB free at {place['folder']}")
            for place in process["disk"]
        ),
        *(("log", _logged(kind)) for kind in process["logged"]),
    )


# --- with boards


def watch(ask: Callable[[], Status]) -> int:
    """Show the bots until Ctrl-C, even while nothing answers; without a terminal, once."""
    text = overview_of(ask(), boards=True)  # if nothing answers at first, that is an error
    while sys.stdout.isatty():
        print(f"{CLEAR}{text}", flush=True)
        time.sleep(AGAIN_S)
        try:
            text = overview_of(ask(), boards=True)
        except UsageError as error:
            text = printable(str(error))
    print(text)
    return 0


def _board(bot: Mapping[str, Any]) -> Iterator[str]:
    """Draw the board, with us below as X."""
    position, match = read_position_id(bot["position"]), read_match_id(bot["match"])
    yield from draw(position if match.on_roll == 0 else position.flipped()).split("\n")
    names = bot["account"], bot["opponent"]
    acts = f"rolled {match.dice[0]}{match.dice[1]}" if match.dice else "is to act"
    owner = "" if match.cube_owner is None else f", {names[match.cube_owner]}'s"
    yield f" X {names[0]}, O {names[1]}; {names[match.to_act]} {acts}; cube {match.cube}{owner}"
