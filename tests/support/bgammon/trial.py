"""Four bots on a real server of bgammon.org's kind, with kills and cut lines; then all is compared.

    python -m tests.support.bgammon.trial --database postgresql://postgres@127.0.0.1:11337/bgammon

The server runs on loopback, built from its own source, and is never in CI. Each of two processes
plays two bots: one opens tables, the other sits down. Faults: a killed process (SIGKILL), and cut
lines, which a proxy cuts. The archives are compared with the games that the server has kept. It
prints one JSON object; `--seconds` is how long it plays.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, text

from sixprime.bot.archive.archive import Archive
from sixprime.bot.sandbox.network.chaos import CALM
from sixprime.bot.sandbox.network.proxy import ChaosProxy
from sixprime.bot.settings.archiveplace import ArchivePlace
from sixprime.protocols.formats.foreign.bgammon import read_bgammon
from sixprime.protocols.formats.record import Match
from tests.support.bot.processes import Process, story_of

PROXY = 17_337
SIDES = {"one": ("bot_ra", "rc"), "two": ("bot_rb", "rd")}
SETTINGS = """\
server: {{kind: bgammon, host: 127.0.0.1, port: {port}, command_gap_s: 0.0, stop_within_s: 3,
  reconnect: {{first_s: 1, most_s: 5}}}}
player: {{level: {level}, pace: {{least_s: 0.0, most_s: 0.0}}, resign: when-certain}}
lobby:
  accept: {{bots: true, matches_per_opponent_and_day: 0, match_lengths: [1, 3, 5]}}
metrics: {{listen: null}}
archive: {{database: "sqlite:///{folder}/{side}.db", folder: null}}
logging: {{level: debug}}
profiles:
  {opener}: {{account: {{user: {opener}, password_env: BOUT_PASSWORD}},
    lobby: {{invite: {{match_length: {length}}}, rematches: true}}}}
  {sitter}: {{account: {{user: {sitter}, password_env: BOUT_PASSWORD}},
    lobby: {{invite: {{match_length: {length}, after_idle_s: 2, whom: anyone}}}}}}
"""


def served(database: str, since: int) -> list[Match]:
    """The games that the server has kept since then, each as a match of one game."""
    engine = create_engine(re.sub(r"^postgres(ql)?:", "postgresql+psycopg:", database))
    with engine.connect() as connection:
        rows = connection.execute(
            text("select replay from bgammon.game where started >= :since order by ended, id"),
            {"since": since},
        )
        return [match for (replay,) in rows for match in read_bgammon(replay).matches]


def archived(folder: Path) -> Counter[tuple[Any, ...]]:
    """The finished games of the archives: players, story and points; each bot has its own."""
    games: Counter[tuple[Any, ...]] = Counter()
    for side in SIDES:
        with closing(Archive(ArchivePlace(f"sqlite:///{folder}/{side}.db", folder=None))) as there:
            for row in there.rows():
                games.update(key for key in keys_of(there.match(row.id)))
    return games


def keys_of(match: Match) -> list[tuple[Any, ...]]:
    """Each finished game as the archive and a replay both tell it."""
    names = tuple(sorted(player.name.lower() for player in match.players))
    return [
        (names, json.dumps(story_of(match, game)).lower(), game.result.points)
        for game in match.games
        if game.result is not None
    ]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=1337)
    parser.add_argument("--database", required=True)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--kill-every", type=float, default=0.0, help="seconds; 0: never")
    parser.add_argument("--cut-every", type=float, default=0.0, help="seconds; 0: never")
    parser.add_argument("--level", default="beginner")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(words)
    folder = Path(tempfile.mkdtemp(prefix="trial"))
    since, dice = int(time.time()), random.Random(options.seed)
    stop = asyncio.Event()
    rates = replace(CALM, restart_s=options.cut_every)
    proxy = ChaosProxy(options.seed, "127.0.0.1", options.port, rates)
    loop = asyncio.new_event_loop()
    running = proxy.run("127.0.0.1", PROXY, stop)
    thread = threading.Thread(target=loop.run_until_complete, args=(running,), daemon=True)
    thread.start()
    sides = []
    for number, (side, (opener, sitter)) in enumerate(SIDES.items()):
        file = folder / f"{side}.yaml"
        known = {"opener": opener, "sitter": sitter, "side": side, "folder": folder}
        length = (1, 3)[number]
        file.write_text(SETTINGS.format(port=PROXY, level=options.level, length=length, **known))
        sides.append(Process(side, ["play", "--config", str(file)], folder))
        sides[-1].start()
    until, kills = time.monotonic() + options.seconds, 0
    kill_at = time.monotonic() + (options.kill_every or float("inf"))
    while time.monotonic() < until:
        time.sleep(0.5)
        if time.monotonic() >= kill_at:
            victim = dice.choice(sides)
            victim.kill()
            kills += 1
            time.sleep(dice.uniform(0, 5))
            victim.start()
            kill_at = time.monotonic() + dice.expovariate(1 / options.kill_every)
    for each in sides:
        each.stop()
    loop.call_soon_threadsafe(stop.set)
    thread.join(10)
    logs = "".join(each.log.read_text() for each in sides)
    ours, theirs = archived(folder), served(options.database, since)
    names = {name for side in SIDES.values() for name in side}
    told_of = (key for match in theirs for key in keys_of(match) if names >= set(key[0]))
    kept: Counter[tuple[Any, ...]] = Counter(told_of)
    lacking = [key for key in kept if ours[key] < 2 * kept[key]]
    added = [key for key in ours if ours[key] > 2 * kept[key]]
    told = {
        "folder": str(folder),
        "matches": logs.count("match over") // 2,
        "games_of_the_server": sum(kept.values()),
        "games_equal_in_both_archives": sum(kept.values()) - len(lacking),
        "lacking": [list(key) for key in lacking][:5],
        "not_of_the_server": [list(key) for key in added][:5],
        "kills": kills,
        "connections": logs.count("connecting "),
        "refused": Counter(re.findall(r"refused +.*why=(\w+)", logs)),
        "not_said": Counter(re.findall(r"not said +.*why=['\"](\w+ [^'\"]*)", logs)),
        "errors": re.findall(r"\[(?:error|critical).*", logs)[:5],
        "troubles": logs.count("nothing happens, leaving"),
    }
    sys.stdout.write(json.dumps(told, indent=1) + "\n")
    return 1 if lacking or added or told["errors"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
