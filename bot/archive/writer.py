"""One thread per database writes for all bots of the process that use it.

Waiting for a disk takes longer than anything else in a bot's turn, and need not hold up other bots.
Events are queued at once and written together, in one transaction; the client awaits `kept` before
it chooses a command that may depend on them. The same thread answers questions to the archives, in
order.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import structlog
from sqlalchemy.exc import SQLAlchemyError

from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.archive.live import LiveArchive, archive_of, write_together
from sixprime.bot.archive.waiting import Noted, running
from sixprime.bot.matchlog.events import Event, GameRecovered, Who, Wire
from sixprime.bot.matchlog.recorder import NullRecorder, Recorder, Standing
from sixprime.bot.settings.schema import Profile
from sixprime.engine.system.faults import fault_of, settle
from sixprime.protocols.formats.record import Match

log = structlog.get_logger("archive")

T = TypeVar("T")
AGAIN_S = 20.0  # between tries of a database that was away
TIDY_S = 6 * 3_600.0
CLOSING_S = 5.0
MOST_AT_ONCE = 500  # events in one transaction


Queued = tuple[LiveArchive, Noted | Wire]


class ArchiveThread:
    def __init__(self) -> None:
        self._jobs: SimpleQueue[Queued | Callable[[], None]] = SimpleQueue()
        self._behind: set[LiveArchive] = set()  # archives with events still to be written
        threading.Thread(target=self._run, name="archive", daemon=True).start()

    def write(self, queued: Queued) -> None:
        """Write an event of `LiveArchive.waiting`, or a line of the raw log, after all others."""
        self._jobs.put(queued)

    def ask(self, work: Callable[[], T]) -> Future[T]:
        """Run this in the thread, after everything noted so far."""
        done: Future[T] = running()
        self._jobs.put(partial(settle, done, work))
        return done

    def _run(self) -> None:
        while True:
            together: list[Queued] = []
            try:
                job = self._jobs.get(timeout=AGAIN_S if self._behind else None)
            except Empty:
                self._write_again()
                continue
            try:
                while isinstance(job, tuple):
                    together.append(job)
                    if len(together) >= MOST_AT_ONCE:
                        break
                    job = self._jobs.get_nowait()
            except Empty:
                pass
            if together:
                write_together(together)
                self._behind |= {archive for archive, _ in together if archive.is_waiting}
            if not isinstance(job, tuple):
                job()

    def _write_again(self) -> None:
        for archive in self._behind:
            fault_of(archive.write_waiting)  # reported when it failed first
        self._behind = {archive for archive in self._behind if archive.is_waiting}


@dataclass(slots=True)
class ArchiveRecorder:
    """The Recorder of a bot; a thread writes to its archive."""

    archive: LiveArchive
    thread: ArchiveThread
    _pending: deque[Future[Any]] = field(default_factory=deque)
    _next: asyncio.Future[Any] | None = None  # the first pending future, while it is awaited
    _holding: Future[None] | None = None  # the writing of the waiting file in another thread

    def note(self, event: Event) -> None:
        """Queue the event; see bot.matchlog.recorder."""
        if isinstance(event, Wire):
            self.thread.write((self.archive, event))
            return
        noted = self.archive.waiting.put(event)
        self._pending.append(noted.done)
        self.thread.write((self.archive, noted))

    async def kept(self) -> None:
        """Wait until all is durable; raise all failures. It may be called again after a timeout.

        Events that are not durable by then are kept beside the database.
        """
        wrong: list[BaseException] = []
        while self._pending:
            self._next = self._next or asyncio.wrap_future(self._pending[0])
            try:
                await asyncio.wait([self._next])
            except asyncio.CancelledError:
                self._hold()
                raise
            if fault := self._next.exception():
                wrong.append(fault)
            self._pending.popleft()
            self._next = None
        if wrong:
            raise BaseExceptionGroup("not noted", wrong)

    def _hold(self) -> Future[None]:
        """Keep events that are not durable beside the database, unless that disk hangs, too."""
        if self._holding is None or self._holding.done():
            self._holding = running()
            work = partial(settle, self._holding, self.archive.waiting.hold)
            threading.Thread(target=work, name="archive, beside", daemon=True).start()
        return self._holding

    async def held(self) -> str | None:
        """Wait until all that waits is in the file; return why it is not."""
        waiting = self.archive.waiting
        for _ in range(2):  # the first may have begun before the last event
            if not waiting.is_held:
                await asyncio.wrap_future(self._hold())
        return None if waiting.is_held else waiting.file.fault

    @property
    def is_waiting(self) -> bool:
        return self.archive.is_waiting

    def finish(self, who: Who) -> None:
        self._pending.append(self.thread.ask(partial(self.archive.finish, who)))

    async def results(self, account: str, opponent: str) -> tuple[int, int]:
        return await self._answer(partial(self.archive.results, account, opponent))

    async def recent(self, server: str, account: str, within_s: float) -> list[tuple[str, float]]:
        return await self._answer(partial(self.archive.recent, server, account, within_s))

    async def standings(self, server: str) -> dict[str, Standing]:
        return await self._answer(partial(self.archive.standings, server))

    async def missed(self, server: str, account: str, alive: Collection[str]) -> Who | None:
        return await self._answer(partial(self.archive.missed, server, account, alive))

    async def recover(self, recovered: GameRecovered) -> Match | None:
        return await self._answer(partial(self.archive.recover, recovered))

    async def forget_raw(self, profile: Profile) -> None:
        """Delete raw logs that are too old; others write in between."""
        if not profile.archive.raw_log_days:
            return
        before = dt.datetime.now(dt.UTC) - dt.timedelta(days=profile.archive.raw_log_days)
        mine = profile.server.host, profile.account.user, before
        while await self._answer(partial(self.archive.forget_raw, *mine)):
            pass

    async def _answer(self, question: Callable[[], T]) -> T:
        answer = self.thread.ask(question)
        try:
            return await asyncio.wrap_future(answer)
        except asyncio.CancelledError:
            self._pending.append(answer)  # the next command waits for it
            raise


def close_all(recorders: Iterable[ArchiveRecorder]) -> None:
    """Leave each SQLite archive as one file, unless its thread hangs."""
    wait([each.thread.ask(each.archive.close) for each in recorders], CLOSING_S)


class ArchiveThreads:
    """One thread for each database."""

    def __init__(self) -> None:
        self._threads: dict[str, ArchiveThread] = {}
        self._recorders: list[tuple[Profile, ArchiveRecorder]] = []

    def recorder_of(self, profile: Profile) -> Recorder:
        """Return the recorder of a profile, its files caught up with; ArchiveError."""
        archive = archive_of(profile)
        if archive is None:
            return NullRecorder()
        assert profile.archive.database is not None
        if profile.archive.database not in self._threads:
            self._threads[profile.archive.database] = ArchiveThread()
        recorder = ArchiveRecorder(archive, self._threads[profile.archive.database])
        self._recorders.append((profile, recorder))
        return recorder

    def close(self) -> None:
        close_all(recorder for _, recorder in self._recorders)

    async def keep_tidy(self) -> None:
        """Now and then delete raw logs older than the settings allow."""
        while True:
            for profile, recorder in self._recorders:
                try:
                    await recorder.forget_raw(profile)
                except (ArchiveError, SQLAlchemyError, OSError) as error:  # it is tried again
                    log.warning("old raw logs stay", profile=profile.name, why=str(error))
            await asyncio.sleep(TIDY_S)
