"""Bots of the real service at the tables of the fake server, in virtual time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sixprime.bot.client.connection import CannotConnect, Streams
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.settings.file import read_config
from sixprime.bot.settings.schema import Config, MetricsSettings
from sixprime.engine.search.players import BackgammonPlayer
from tests.support.bgammon.fakeserver import FakeServer, Guest
from tests.support.bot.scene import Crew
from tests.support.bot.soak import Quick, remembered_plays
from tests.support.bot.virtual import PASSWORD, VirtualLoop, at_once

NAMES = ("bot_six", "bot_ten", "hilde", "karl")
ACCOUNTS = dict.fromkeys(NAMES, PASSWORD)
PING_S = 30.0
SETTINGS = """\
server: {kind: bgammon, host: tables, port: 1337}
player: {level: pips, thinking: {cheaper_level: pips}, pace: {least_s: 1, most_s: 1}}
lobby: {accept: {bots: true, matches_per_opponent_and_day: 0}}
"""


class _Line:
    """A connection to the fake server: reads what it was told, writes at once."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self.guest: Guest | None = hall.server.connects()
        self.reader = asyncio.StreamReader(limit=2**24)
        self.reader.feed_data(b"hello Welcome\n")

    async def read(self, n: int) -> bytes:
        return await self.reader.read(n)

    def write(self, data: bytes) -> None:
        if self.guest is None:
            return
        for line in data.decode().splitlines():
            self._hall.heard.append((self.guest.name, line))
            self._hall.server.hears(self.guest, line)
        self._hall.deliver()

    async def drain(self) -> None: ...

    def close(self) -> None:
        self.cut()

    def cut(self) -> None:
        """Lose the line; the server notes it at once."""
        if self.guest is not None:
            guest, self.guest = self.guest, None
            self._hall.lines.remove(self)
            self._hall.server.hangs_up(guest)
            self.reader.feed_eof()
            self._hall.deliver()


class Hall:
    """The fake server and its lines."""

    def __init__(self, seed: int = 1) -> None:
        self.server = FakeServer(seed, ACCOUNTS)
        self.lines: list[_Line] = []
        self.heard: list[tuple[str, str]] = []
        self.is_down = False

    async def dial(self, host: str, port: int, within_s: float) -> Streams:
        if self.is_down:
            raise CannotConnect("the server is down")
        line = _Line(self)
        self.lines.append(line)
        return Streams(line, line)

    def deliver(self) -> None:
        """Pass on what the server has said, and hang up where it does."""
        for line in list(self.lines):
            if line.guest is not None:
                if data := line.guest.take():
                    line.reader.feed_data(data)
                if not line.guest.open:
                    line.cut()

    def line_of(self, name: str) -> _Line:
        return next(line for line in self.lines if line.guest and line.guest.name == name)

    async def pings(self) -> None:
        while True:
            await asyncio.sleep(PING_S)
            self.server.ping()
            self.deliver()


def settings(**profiles: str) -> Config:
    """Profiles by account; each value is the profile's lobby in YAML, or more after `}, `."""
    text = SETTINGS + "profiles:\n"
    for user, lobby in profiles.items():
        text += f"  {user}: {{account: {{user: {user}}}, lobby: {lobby}}}\n"
    config = read_config(text, Path("tables.yaml"))
    return config.model_copy(update={"metrics": MetricsSettings(listen=None)})


def quick(seed: int = 1) -> Callable[[object], Thinker]:
    """A player who gives up and doubles by chance."""

    def make() -> BackgammonPlayer:
        return Quick(random.Random(seed), 0.02)

    return lambda _: Thinker([Rung("p", make, 5.0)], run=at_once)


@contextmanager
def virtual_time() -> Iterator[asyncio.Runner]:
    with remembered_plays(), asyncio.Runner(loop_factory=VirtualLoop) as runner:
        yield runner


def crew_of(hall: Hall, config: Config) -> Crew:
    return Crew(config, PASSWORD, dial=hall.dial, thinker=quick())
