"""A month of two bots, one set up by `sixprime init`, and three guests, on a simulated clock.

The server restarts and is away for hours, connections are cut, guests leave and drop their matches,
the bots are killed and started again, once as an upgrade from 0.1: nothing is lost, nothing grows
without bound, and the operator is told what he should know.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import lzma
import random
import sqlite3
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
import structlog
from sqlalchemy import func, select

from sixprime.bot.archive import writer
from sixprime.bot.archive.collection.checking import findings
from sixprime.bot.archive.database import STEPS
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.tables import events, matches, wires
from sixprime.bot.archive.writer import ArchiveThreads, Queued
from sixprime.bot.cli.main import main
from sixprime.bot.client import client, records, service
from sixprime.bot.client.connection import CannotConnect, Streams
from sixprime.bot.client.lobby import desk
from sixprime.bot.client.service import Service
from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.notices import delivery, troublewatch
from sixprime.bot.notices.delivery import OperatorNotice
from sixprime.bot.notices.troublewatch import TroubleWatch
from sixprime.bot.process import logs
from sixprime.bot.recording import tape as tapes
from sixprime.bot.recording.tape import KEPT, Tape
from sixprime.bot.sandbox.network.chaos import CALM
from sixprime.bot.settings.file import load_config
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import Config, Logging, MetricsSettings, Profile
from tests.support.bot.soak import (
    GUESTS,
    NETWORK,
    Block,
    Evening,
    Quick,
    Witness,
    reachable,
    remembered_plays,
)
from tests.support.bot.virtual import PASSWORD, PromptThread, VirtualLoop, at_once
from tests.support.places import DATA

pytestmark = pytest.mark.patient
DAY_S = 86_400.0
EPOCH = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
RAW_DAYS = 1
AWAY_S = 3 * 3_600.0  # the server, once
UPGRADE = 3  # the day
VISITS_S = (20_000.0, 90_000.0)  # between two of a guest
LARGEST_LOG = 100_000  # bytes
PACE = {"least_s": 0.1, "most_s": 0.6}


def now() -> dt.datetime:
    """The time of day on the loop's clock."""
    return EPOCH + dt.timedelta(seconds=asyncio.get_running_loop().time())


class Clock(dt.datetime):
    """What asks for the time gets that of the loop."""

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> dt.datetime:  # type: ignore[override]
        return now().astimezone(tz)


@contextmanager
def virtual_days() -> Iterator[None]:
    """Everything that looks at a calendar sees the loop's, and idle bots look less often."""
    shown = SimpleNamespace(
        datetime=Clock, UTC=dt.UTC, timedelta=dt.timedelta, date=dt.date, time=dt.time
    )
    with ExitStack() as stack:
        for module in (desk, records, writer, delivery):
            stack.enter_context(patch.object(module, "dt", shown))
        stack.enter_context(
            patch("sixprime.bot.process.rotation.time.time", lambda: now().timestamp())
        )
        stack.enter_context(patch.object(client, "LOBBY_RECHECK_S", 20.0))
        stack.enter_context(patch.object(service, "NAMES_RECHECK_S", DAY_S))
        stack.enter_context(patch.object(troublewatch, "LOOK_S", 60.0))
        stack.enter_context(patch.object(troublewatch, "DISK_LOOK_S", DAY_S))
        stack.enter_context(patch.object(tapes, "LARGE", LARGEST_LOG))
        yield


def as_0_1(database: Path) -> None:
    """What this archive would be if 0.1 had written it: its tables are in a file of then."""
    then = database.with_suffix(".then")
    then.write_bytes(lzma.decompress((DATA / "6bea236" / "archive.db.xz").read_bytes()))
    with closing(sqlite3.connect(then, isolation_level=None)) as lite:
        lite.execute("ATTACH ? AS now", (str(database),))
        tables = lite.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            if table != "sixprime_schema":
                columns = ", ".join(each[1] for each in lite.execute(f"PRAGMA table_info({table})"))
                lite.execute(f"DELETE FROM {table}")
                lite.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM now.{table}")
    for each in database.parent.glob(f"{database.name}*"):
        each.unlink()
    then.replace(database)


def version_of(database: Path) -> int:
    """Of an archive's tables."""
    with closing(sqlite3.connect(database)) as lite:
        return int(lite.execute("SELECT version FROM sixprime_schema").fetchone()[0])


class MortalThread(PromptThread):
    """Writes until it is killed; then nothing any more."""

    killed = False

    def write(self, queued: Queued) -> None:
        if not self.killed:
            super().write(queued)

    def ask(self, work: Any) -> Future[Any]:
        return Future() if self.killed else super().ask(work)

    def kill(self) -> None:
        self.killed = True
        self._notes.clear()


class Run:
    """One process: a service and what `play` runs beside it, until it is stopped or killed."""

    def __init__(self, month: Month, number: int) -> None:
        self.month, self.number = month, number
        database = month.settings.database
        assert database is not None
        self.archives = ArchiveThreads()
        self.thread = self.archives._threads[database] = MortalThread()
        names = [profile.name for profile in month.config.profiles]
        self.service = Service(
            month.config,
            dict.fromkeys(names, Secret(PASSWORD)),
            recorder=self.archives.recorder_of,
            dial=month.dial,
            thinker=self._thinker,
        )
        for bot in self.service.bots:
            dice = random.Random(f"{month.block.seed} {number} {bot.profile.name}")
            bot.client.turn.dice = bot._backoff._dice = dice
            tape = Tape(month.folder / f"{bot.profile.name}.txt", bot.profile, PASSWORD)
            bot.dial = tape.recording(bot.dial, bot.known)
        notices = month.config.notices
        watch = TroubleWatch(notices, self.service.status, month.told.append, [month.folder])
        beside = (self.service.run(), watch.run(), self.archives.keep_tidy())
        self.tasks = [asyncio.create_task(each) for each in beside]

    def _thinker(self, profile: Profile) -> Thinker:
        dice = random.Random(f"{self.month.block.seed} {self.number} {profile.name} plays")
        return Thinker([Rung("quick", lambda: Quick(dice, 0.2), 5.0)], dice=dice, run=at_once)

    async def end(self, how: Stop | None) -> None:
        """Stop it, or kill it: what it has not written is lost."""
        if how is None:
            self.thread.kill()
        else:
            self.service.request_stop(how)
            await asyncio.wait([self.tasks[0]], timeout=DAY_S)
            assert self.tasks[0].done(), "it does not stop"
        for each in self.tasks:
            each.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for _, recorder in self.archives._recorders:
            recorder.archive.close()


class Month(Evening):
    """The month; judged as an evening is."""

    def __init__(self, block: Block, folder: Path, days: int) -> None:
        self.folder, self.days = folder, days
        self.database = folder / "archive.db"
        self.versions: list[int] = []  # of the archive's tables, before and after the upgrade
        super().__init__(block, folder, NETWORK, files=True, evidence=None)
        self.told: list[OperatorNotice] = []
        self.away = False
        self.grown: list[tuple[int, int, int]] = []  # objects, bytes of raw logs, bytes of files

    def _config(self) -> Config:
        path = self.folder / "sixprime.yaml"
        words = ("--server", "127.0.0.1", "--account", "anna", "--level", "beginner")
        assert main(["init", str(path), *words, "--whom", "everybody"]) == 0
        config = load_config(path)
        (anna,) = config.profiles
        assert anna.archive.raw_log_days  # a new archive does not grow for ever
        archive = self.settings.model_copy(update={"raw_log_days": RAW_DAYS})
        anna = anna.model_copy(
            update={
                "archive": archive,
                "server": anna.server.model_copy(update={"command_gap_s": 0.05}),
                "player": anna.player.model_copy(
                    update={"pace": anna.player.pace.model_copy(update=PACE)}
                ),
                "lobby": anna.lobby.model_copy(
                    update={
                        "invite": anna.lobby.invite.model_copy(
                            update={"after_idle_s": 18_000.0, "leave_alone_s": 3_600.0}
                        )
                    }
                ),
            }
        )
        invites = anna.lobby.invite.model_copy(update={"after_idle_s": 0.0})
        ben = anna.model_copy(
            update={
                "name": "ben",
                "account": anna.account.model_copy(update={"user": "ben"}),
                "lobby": anna.lobby.model_copy(update={"invite": invites}),
            }
        )
        return config.model_copy(
            update={"profiles": (anna, ben), "metrics": MetricsSettings(listen=None)}
        )

    async def dial(self, host: str, port: int, within_s: float) -> Streams:
        if self.away:
            raise CannotConnect("no route to host")
        return await self.server.dial(host, port, within_s)

    async def run(self) -> None:
        """Days pass; each third one ends a process, in turn by a kill and by a signal."""
        names = tuple(profile.name for profile in self.config.profiles)
        self.server = server = Witness(self.block.seed, NETWORK)
        for name in names:
            server.open_account(name)
        guests = [server.invite_guest(name, names) for name in GUESTS]
        for guest in guests:
            guest.looks_s = VISITS_S
        server.at(server.now + 30.0, server.tick)
        server.restart_every(DAY_S / 2)
        run = Run(self, 0)
        for day in range(1, self.days + 1):
            await asyncio.sleep(DAY_S - AWAY_S)
            if day == 2:
                self.away = True
                server.restart()
            await asyncio.sleep(AWAY_S)
            self.away = False
            if day % 3 == 0:
                self._measure(run)
                await run.end((None, Stop.SAVE)[day // 3 % 2])
                if day == UPGRADE:
                    as_0_1(self.database)
                    self.versions.append(version_of(self.database))
                run = Run(self, day)
        server.rates = CALM
        for guest in guests:
            guest.looks_s, guest.going, guest.rudeness, guest._wake_at = (10, 90), True, 0.0, 0.0
            guest.pump()
        self.service = run.service
        for bot in self.service.bots:
            self._invites_no_more(bot.client.desk)
        await self._drain(run.tasks[0])  # type: ignore[arg-type]
        self._measure(run)
        await run.end(Stop.FINISH)
        self.versions.append(version_of(self.database))
        self.archives = {name: LiveArchive(self.settings) for name in names}
        self._count()

    def _measure(self, run: Run) -> None:
        archive = LiveArchive(self.settings)
        with archive.reading() as connection:
            raw = [len(each) for each in connection.execute(wires.select()).scalars("lines")]
            ended = select(func.max(events.c.at)).join(matches).where(matches.c.raw_bytes > 0)
            last_heard = list(connection.execute(ended.group_by(matches.c.id)).scalars())
        assert min(last_heard, default=now()) > now() - dt.timedelta(days=RAW_DAYS + 1)
        archive.close()
        rotated = [*self.folder.glob("bot.log*"), *self.folder.glob("*.txt*")]
        size = sum(each.stat().st_size for each in rotated)
        self.grown.append((reachable(run.service), sum(raw), size))


def play_month(folder: Path, days: int, seed: int) -> Month:
    """So many days, judged."""
    before = structlog.get_config()
    settings = Logging(file=folder / "bot.log", level="debug", rotate_mib=0, keep=4)
    logs.configure(settings, [PASSWORD])
    logger = structlog.get_config()["logger_factory"]._file
    logger._most = LARGEST_LOG
    try:
        with virtual_days(), remembered_plays(), asyncio.Runner(loop_factory=VirtualLoop) as runner:
            month = Month(Block(seed, "network", 0, 0.2), folder, days)
            runner.run(month.run())
    finally:
        logger.close()
        structlog.configure(**before)
    return month


@pytest.mark.parametrize("days", [pytest.param(days, marks=pytest.mark.slow) for days in (3, 31)])
def test_nothing_is_lost_and_nothing_grows_in_a_month(days: int, tmp_path: Path) -> None:
    month = play_month(tmp_path, days, seed=7)
    block = month.block
    assert block.faults == []
    assert block.finished >= 2 * days
    assert block.restarts >= days
    assert {name for pair in month.server.served for name in pair} == {"anna", "ben", *GUESTS}
    assert month.versions == [2, max(STEPS)]
    archive = LiveArchive(month.settings)
    seen_by_both = "is the same match as"
    assert [each for each in findings(archive) if seen_by_both not in each.what] == []
    archive.close()
    topics = [(each.topic, each.over) for each in month.told]
    assert topics.count(("offline", False)) == topics.count(("offline", True)) == 2  # of two bots
    assert len(month.told) < 8
    for pattern, most in (("bot.log*", 5), ("anna.txt*", KEPT + 1), ("ben.txt*", KEPT + 1)):
        assert len(list(tmp_path.glob(pattern))) <= most
    assert sum(each.stat().st_size for each in tmp_path.glob("bot.log*")) <= 5 * LARGEST_LOG
    assert not list(tmp_path.glob("*.waiting"))
    if days > 20:
        first, last = month.grown[1], month.grown[-1]
        assert all(late < 1.5 * early + 5_000 for early, late in zip(first, last, strict=True))
