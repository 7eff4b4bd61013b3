"""Figures as JSON: the delays while a watcher keeps the pages busy.

`python -m tests.support.web.starving [SECONDS]`. A bot plays on a sandbox behind a relay that takes
the time from the server's last line to the bot's next command; an owner asks for hints. Then, for
this many seconds each, nothing else happens, a watcher looks at 60 positions at the same time, and
a watcher sends 1,500 requests and hangs up. Whatever else the machine does disturbs it.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from sixprime.bot.process.footprint import cpu_s
from sixprime.bot.sandbox.loadtest.clients import PASSWORD, Walker, start_server
from sixprime.bot.sandbox.store import make_accounts
from sixprime.engine.position import Position
from sixprime.engine.rules import legal_plays
from sixprime.protocols.formats.ids import position_id

SECONDS = 20.0
PARALLEL = 60
HANGING_UP, AT_A_TIME, AFTER_S = 1_500, 200, 0.2
SETTINGS = """
server: {host: 127.0.0.1, port: PORT, command_gap_s: 0}
player: {level: LEVEL, pace: {least_s: 0, most_s: 0}}
lobby: {accept: {bots: true, matches_per_opponent_and_day: 0, match_lengths: [7]}}
chat: {greeting: "", farewell: ""}
logging: {level: info}
metrics: {listen: null}
control: {socket: null}
archive: {database: "sqlite:///FOLDER/archive.db", folder: null}
account: {user: anna, password_env: THE_PASSWORD}
web: {listen: "127.0.0.1:0", password_file: FOLDER/act, watch_password_file: FOLDER/watch}
"""


class Relay:
    """Passes everything on, and takes the time of each answer of the bot."""

    def __init__(self, port: int) -> None:
        self.delays: list[float] = []
        self._port = port

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_server = await asyncio.open_connection("127.0.0.1", self._port)
        asked_at: float | None = None

        async def from_server() -> None:
            nonlocal asked_at
            while data := await to_server[0].read(65_536):
                asked_at = time.monotonic()
                writer.write(data)
            writer.close()

        passing = asyncio.create_task(from_server())
        while data := await reader.read(65_536):
            if asked_at is not None and data.startswith((b"move", b"roll", b"double", b"m ")):
                self.delays.append(time.monotonic() - asked_at)
            asked_at = None
            to_server[1].write(data)
        passing.cancel()
        to_server[1].close()


class Browser:
    def __init__(self, host: str, cookie: str = "") -> None:
        self.host, self.cookie = host, cookie
        self.answers: dict[int, int] = {}  # by status

    async def ask(self, line: str, body: str = "", *, hang_up: float | None = None) -> str:
        """Return the answer; without one after `hang_up` seconds, hang up."""
        reader, writer = await asyncio.open_connection("127.0.0.1", int(self.host.split(":")[1]))
        head = f"{line} HTTP/1.1\r\nHost: {self.host}\r\nConnection: close\r\n"
        head += f"Cookie: {self.cookie}\r\nOrigin: http://{self.host}\r\n"
        if line.startswith("POST"):
            head += "Content-Type: application/x-www-form-urlencoded\r\n"
            head += f"Content-Length: {len(body)}\r\n"
        try:
            writer.write((head + "\r\n" + body).encode())
            async with asyncio.timeout(hang_up):
                text = (await reader.read()).decode(errors="replace")
        except TimeoutError:
            return ""
        except ConnectionError:
            text = ""
        finally:
            writer.close()
        status = int(text.split(" ", 2)[1]) if text else 0
        self.answers[status] = self.answers.get(status, 0) + 1
        return text

    async def log_in(self, password: str) -> None:
        text = await self.ask("POST /login", f"password={password}")
        self.cookie = re.findall(r"set-cookie: ([^;]+);", text)[0]


def positions(count: int) -> list[str]:
    """IDs of positions after ten random plays."""
    dice, found = random.Random(1), list[str]()
    while len(found) < count:
        position = Position.start()
        for _ in range(10):
            roll = (dice.randint(1, 6), dice.randint(1, 6))
            position = dice.choice(legal_plays(position, roll)).result.flipped()
        found.append(quote(position_id(position)))
    return found


async def attack(host: str, cookie: str, kind: str, seconds: float) -> dict[str, Any]:
    """Look at positions until the time is over, or hang up on all of them."""
    os.nice(19)  # it would be on another machine
    watcher, asked = Browser(host, cookie), positions(PARALLEL)
    until, began = time.monotonic() + seconds, time.monotonic()

    async def look(number: int) -> None:
        while time.monotonic() < until:
            await watcher.ask(f"GET /position?id={asked[number]}&dice={1 + number % 6}3")

    async def leave(number: int) -> None:
        for i in range(number, HANGING_UP, AT_A_TIME):
            place = asked[i % PARALLEL]
            try:
                await watcher.ask(f"GET /position?id={place}&length={i % 60}", hang_up=AFTER_S)
            except OSError:
                watcher.answers[-1] = watcher.answers.get(-1, 0) + 1

    sys.stdout.write("begun\n")
    sys.stdout.flush()
    if kind == "parallel":
        await asyncio.gather(*(look(number) for number in range(PARALLEL)))
    else:
        await asyncio.gather(*(leave(number) for number in range(AT_A_TIME)))
    return {"answers": watcher.answers, "seconds": round(time.monotonic() - began, 1)}


async def measure(seconds: float, level: str) -> dict[str, Any]:
    with TemporaryDirectory(prefix="sixprime-") as place:
        folder = Path(place)
        make_accounts(folder / "sandbox.db", ["anna", "ben"], PASSWORD)
        (folder / "sandbox.yaml").write_text(
            "limits: {command_burst: 100000, commands_per_s: 10000}\nseed: 20\n"
        )
        (folder / "act").write_text("may-act-here\n")
        (folder / "watch").write_text("may-watch-here\n")
        for name in ("act", "watch"):
            (folder / name).chmod(0o600)
        sandbox, port = await start_server(folder / "sandbox.db", folder / "sandbox.yaml")
        relay = Relay(port)
        listener = await asyncio.start_server(relay.accept, "127.0.0.1", 0)
        text = SETTINGS.replace("PORT", str(listener.sockets[0].getsockname()[1]))
        text = text.replace("FOLDER", place).replace("LEVEL", level)
        (folder / "bot.yaml").write_text(text)
        log = (folder / "bot.log").open("w")
        bot = subprocess.Popen(  # noqa: ASYNC220 - it starts at once
            [sys.executable, "-m", "sixprime", "play", "--config", str(folder / "bot.yaml")],
            env={**os.environ, "THE_PASSWORD": PASSWORD},
            stderr=log,
            stdout=log,
        )
        ben = Walker("ben", seed=1, pause_s=0.0, invites="anna")
        ben.length = 7
        playing = asyncio.create_task(ben.run("127.0.0.1", port))
        try:
            return await _phases(folder, relay, bot.pid, seconds)
        finally:
            bot.terminate()
            bot.wait()
            sandbox.terminate()
            await sandbox.wait()
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)


async def _phases(folder: Path, relay: Relay, bot: int, seconds: float) -> dict[str, Any]:
    async with asyncio.timeout(300):
        while len(relay.delays) < 30:  # noqa: ASYNC110 - it plays
            await asyncio.sleep(0.1)
    host = re.findall(r"address=http://([^/\s]+)", (folder / "bot.log").read_text())[0]
    owner, watcher = Browser(host), Browser(host)
    await owner.log_in("may-act-here")
    await watcher.log_in("may-watch-here")
    token = re.findall(r'name="token" value="([^"]+)"', await owner.ask("GET /play"))[0]
    begun = await owner.ask(
        "POST /play", f"token={token}&level=simple&length=5&variant=standard&name=x"
    )
    table = re.findall(r"location: (\S+)", begun)[0]
    found: dict[str, Any] = {"load": os.getloadavg()[0]}
    for kind in ("quiet", "parallel", "hanging up"):
        relay.delays.clear()
        owner.answers.clear()
        before, hints, told = cpu_s(bot), list[float](), "{}"
        attacker = None
        if kind != "quiet":
            words = ("attack", host, watcher.cookie, kind, str(seconds))
            attacker = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "tests.support.web.starving", *words,
                stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            assert attacker.stdout is not None
            await attacker.stdout.readline()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            at = time.monotonic()
            await owner.ask(f"GET {table}?hint=1")
            hints.append(time.monotonic() - at)
            await asyncio.sleep(0.2)
        if attacker is not None:
            told = (await attacker.communicate())[0].decode()
        found[kind] = {
            "decision_ms": _spread(relay.delays),
            "hint_ms": _spread(hints),
            "owner_answers": dict(owner.answers),
            "cpu_s": round(cpu_s(bot) - before, 1),
            "attack": json.loads(told),
        }
        await asyncio.sleep(5.0)
    return found


def _spread(seconds: list[float]) -> dict[str, int]:
    ordered = [1_000 * each for each in sorted(seconds)] or [0.0]
    return {
        "count": len(seconds),
        "median": round(median(ordered)),
        "p95": round(ordered[int(0.95 * len(ordered))]),
        "most": round(ordered[-1]),
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["attack"]:
        _, _, its_host, its_cookie, what, lasts = sys.argv
        done = asyncio.run(attack(its_host, its_cookie, what, float(lasts)))
    else:
        of_level = sys.argv[2] if len(sys.argv) > 2 else "world-class"
        done = asyncio.run(measure(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS, of_level))
    sys.stdout.write(json.dumps(done, indent=1) + "\n")
