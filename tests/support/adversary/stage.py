"""The real service against one server, in virtual time, under the eyes of a judge."""

from __future__ import annotations

import asyncio
import random
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from unittest.mock import patch

import structlog

from sixprime.bot.client import service
from sixprime.bot.client.client import Client
from sixprime.bot.client.connection import CannotConnect, Streams
from sixprime.bot.client.service import Service
from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.matchlog.recorder import Recorder
from sixprime.bot.settings.file import read_config
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import Config, MetricsSettings
from tests.support.adversary.judge import Judge, Ledger, Violation
from tests.support.adversary.vocabulary import OPPONENTS, US
from tests.support.bot.soak import Quick, reachable, remembered_plays
from tests.support.bot.virtual import PASSWORD, VirtualLoop, at_once

MANNERS = f"""
server: {{host: h, command_gap_s: 0.05, reconnect: {{first_s: 2, most_s: 300, jitter: 0}}}}
account: {{user: {US}}}
player:
  level: pips
  thinking: {{cheaper_level: pips}}
  pace: {{least_s: 1, most_s: 1}}
  patience: {{ask_after_s: 60, leave_after_s: 180, keep_place_s: 20}}
archive: {{raw_log: false}}
lobby:
  resume_again_after_s: 60
  accept: {{bots: true, matches_per_opponent_and_day: 0}}
  invite: {{after_idle_s: 20, preferred: [{", ".join(OPPONENTS)}], match_length: 1, wait_s: 20}}
"""
LOOK_S = 20.0
NAMES_RECHECK_S = 3_600.0  # there are no files of names to read again
FAILURES = frozenset({"deciding at random", "thinking takes too long"})


class Line(Protocol):
    """A connection as a server sees it."""

    def tell(self, data: bytes) -> None:
        """To the bot."""

    def hang_up(self) -> None:
        """The bot reads the end."""


class Server(Protocol):
    """Who plays against us. It runs in the loop, so it may set timers."""

    def connected(self, line: Line) -> bool:
        """The bot dials; False: nobody answers."""

    def hears(self, command: str) -> None:
        """A line from the bot."""

    def lost(self) -> None:
        """The bot has hung up."""

    @property
    def over(self) -> bool:
        """Has enough been said?"""


@dataclass(slots=True)
class Verdict:
    """What came of a run."""

    exchanges: int = 0  # things the server has said
    seconds: float = 0.0  # virtual
    connections: int = 0
    bots: int = 0
    commands: Counter[str] = field(default_factory=Counter)
    matches: Counter[str] = field(default_factory=Counter)
    logged: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)
    most_an_hour: int = 0
    healthy: bool = True
    objects: list[int] = field(default_factory=list)  # of the bot, now and then


class _Streams:
    """One connection: reader, writer, and the server's line."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._reader = asyncio.StreamReader(limit=2**24)
        self._ended = False
        self._rest = b""

    async def read(self, size: int) -> bytes:
        data = await self._reader.read(size)
        self._stage.reads(data)
        return data

    def write(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\r\n")
        for each in lines:
            self._stage.said(each.decode("ascii"), self._ended)

    async def drain(self) -> None:
        await asyncio.sleep(0)

    def close(self) -> None:
        if not self._ended:
            self.hang_up()
            self._stage.server.lost()

    def tell(self, data: bytes) -> None:
        if data and not self._ended:
            self._stage.told(data)
            self._reader.feed_data(data)

    def hang_up(self) -> None:
        if not self._ended:
            self._ended = True
            self._stage.told(None)
            self._reader.feed_eof()


Told = tuple[float, bytes | None]  # seconds after dialling; None: the server hangs up


class Stage:
    """One run."""

    def __init__(
        self,
        make: Callable[[], Server],
        manners: str = MANNERS,
        *,
        measure_every: int = 0,  # so many exchanges
    ) -> None:
        self.judge = Judge()
        self.verdict = Verdict()
        self.tape: list[list[Told]] = []  # of each connection
        self.heard: list[tuple[float, str]] = []  # the commands
        self.server: Server
        self._make = make
        self._manners = manners
        self._measure_every = measure_every
        self._measured = 0
        self._dialled_at = 0.0

    def play(self, most_s: float = float("inf")) -> Verdict:
        """Until the server has said enough."""
        before = structlog.get_config()
        structlog.configure(processors=[self._logged], cache_logger_on_first_use=False)
        try:
            with (
                remembered_plays(),
                patch.object(service, "NAMES_RECHECK_S", NAMES_RECHECK_S),
                asyncio.Runner(loop_factory=VirtualLoop) as run,
            ):
                run.run(self._play(most_s))
        finally:
            structlog.configure(**before)
        verdict = self.verdict
        verdict.commands = self.judge.commands
        verdict.broken, verdict.violations = self.judge.broken, self.judge.violations
        return verdict

    def _logged(self, _: Any, how: str, entry: MutableMapping[str, Any]) -> Mapping[str, Any]:
        event, error = entry["event"], entry.get("exc_info")
        self.verdict.logged[event] += 1
        if error or event in FAILURES:
            trace = traceback.format_exception(error) if isinstance(error, BaseException) else []
            now = asyncio.get_running_loop().time()
            self.judge.breaks("exception", now, f"{event}: {''.join(trace)[-600:]}")
        raise structlog.DropEvent

    async def _play(self, most_s: float) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._failed)
        self.server = self._make()
        while not self.server.over and loop.time() < most_s:
            self.judge.new_bot(loop.time())
            self.verdict.bots += 1
            await self._one_bot(most_s)
        self.verdict.seconds = loop.time()

    async def _one_bot(self, most_s: float) -> None:
        loop = asyncio.get_running_loop()
        ledger = Ledger(self.judge, loop.time)
        bots = Service(
            _config(self._manners),
            {US: Secret(PASSWORD)},
            recorder=lambda profile: self._recorder(ledger),
            dial=self._dial,
            thinker=lambda profile: Thinker(
                [Rung("p", lambda: Quick(random.Random(1), 0.02), 5.0)], run=at_once
            ),
        )
        bots.bots[0].client.turn.dice = random.Random(1)
        task = asyncio.create_task(bots.run())
        client = bots.bots[0].client
        while not (task.done() or self.server.over or loop.time() >= most_s):
            await asyncio.sleep(LOOK_S)
            self.judge.looks(client.session, loop.time())
            self._measure(client)
        self.verdict.healthy = bots.status()[0]["healthy"]
        bots.request_stop(Stop.SAVE)
        await task
        self.verdict.matches += ledger.told
        speech = self.judge.speech
        self.verdict.most_an_hour = max(self.verdict.most_an_hour, speech.most_an_hour)

    def _measure(self, client: Client) -> None:
        every = self._measure_every
        if every and self.verdict.exchanges >= self._measured + every:
            self._measured = self.verdict.exchanges
            parts = (client.desk, client.chatter, client.records, client.leaving, client.turn)
            people = None if client.session is None else client.session.people
            self.verdict.objects.append(sum(reachable(part) for part in (*parts, people)))

    def _recorder(self, ledger: Ledger) -> Recorder:
        return ledger

    async def _dial(self, host: str, port: int, within_s: float) -> Streams:
        await asyncio.sleep(0.05)
        line = _Streams(self)
        self._dialled_at = asyncio.get_running_loop().time()
        self.tape.append([])
        self.judge.speech.connects()
        self.verdict.connections += 1
        if not self.server.connected(line):
            raise CannotConnect("nobody answers")
        return Streams(line, line)

    def told(self, data: bytes | None) -> None:
        now = asyncio.get_running_loop().time()
        self.tape[-1].append((now - self._dialled_at, data))
        if data is not None:
            self.verdict.exchanges += 1

    def reads(self, data: bytes) -> None:
        """The bot takes in what it was told, perhaps a part of a flood."""
        self.judge.speech.hears(data, asyncio.get_running_loop().time())

    def said(self, command: str, ended: bool) -> None:
        now = asyncio.get_running_loop().time()
        self.heard.append((now, command))
        self.judge.said(command, now)
        if not ended:
            self.server.hears(command)

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.judge.breaks("exception", loop.time(), repr(context))


def _config(manners: str) -> Config:
    config = read_config(manners, Path("adversary.yaml"))
    return config.model_copy(update={"metrics": MetricsSettings(listen=None)})
