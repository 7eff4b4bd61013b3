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

from sixprime.bot.archive.live import LiveArchive, archive_of
from sixprime.bot.archive.tables import ArchiveError
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


@dataclass(slots=True)
class QueuedEvent:
    archive: LiveArchive
    event: Event
    done: Future[None] | None = None  # None for lines, which nobody waits for

    @classmethod
    def new(cls, archive: LiveArchive, event: Event) -> QueuedEvent:
        """Return an event to queue, with a future if anybody will wait for it."""
        return cls(archive, event, None if isinstance(event, Wire) else _running())

    def fault(self) -> Exception | None:
        """Write the event; return the exception that this raised."""
        return fault_of(partial(self.archive.note, self.event))


class ArchiveThread:
    def __init__(self) -> None:
        self._jobs: SimpleQueue[QueuedEvent | Callable[[], None]] = SimpleQueue()
        self._behind: set[LiveArchive] = set()  # archives with events still to be written
        threading.Thread(target=self._run, name="archive", daemon=True).start()

    def note(self, archive: LiveArchive, event: Event) -> Future[None] | None:
        """Queue an event; the future is done when the event is durable."""
        queued = QueuedEvent.new(archive, event)
        self._jobs.put(queued)
        return queued.done

    def ask(self, work: Callable[[], T]) -> Future[T]:
        """Run this in the thread, after everything noted so far."""
        done: Future[T] = _running()
        self._jobs.put(partial(settle, done, work))
        return done

    def _run(self) -> None:
        while True:
            together: list[QueuedEvent] = []
            try:
                job = self._jobs.get(timeout=AGAIN_S if self._behind else None)
            except Empty:
                self._write_again()
                continue
            try:
                while isinstance(job, QueuedEvent):
                    together.append(job)
                    if len(together) >= MOST_AT_ONCE:
                        break
                    job = self._jobs.get_nowait()
            except Empty:
                pass
            if together:
                write_together(together)
                self._behind |= {each.archive for each in together if each.archive.is_waiting}
            if not isinstance(job, QueuedEvent):
                job()

    def _write_again(self) -> None:
        for archive in self._behind:
            fault_of(archive.write_waiting)  # reported when it failed first
        self._behind = {archive for archive in self._behind if archive.is_waiting}


def _running() -> Future[T]:
    """Return a future that cannot be cancelled: a noted event will be written."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()
    return future


def write_together(queued: list[QueuedEvent]) -> None:
    """Write events in one transaction; an event that fails does not stop the others."""
    faults: list[Exception | None] = []

    def write_all() -> None:
        faults.extend(each.fault() for each in queued)

    if sum(each.done is not None for each in queued) <= 1:  # that is one transaction anyway
        write_all()
    elif fault := fault_of(partial(_in_one_transaction, queued, write_all)):
        for each in queued:  # nothing has been written, the database is away
            each.archive.again(each.event)
        faults = [fault] * len(queued)
    for each, wrong in zip(queued, faults, strict=True):
        if each.done is not None and wrong is None:
            each.done.set_result(None)
        elif each.done is not None:
            each.done.set_exception(wrong)


def _in_one_transaction(queued: list[QueuedEvent], write_all: Callable[[], None]) -> None:
    archives = {id(each.archive): each.archive for each in queued}
    with queued[0].archive.one_transaction(archives.values()):
        write_all()


@dataclass(slots=True)
class ArchiveRecorder:
    """The Recorder of a bot; a thread writes to its archive."""

    archive: LiveArchive
    thread: ArchiveThread
    _pending: deque[Future[Any]] = field(default_factory=deque)
    _events: dict[Future[Any], Event] = field(default_factory=dict)  # events of pending futures
    _next: asyncio.Future[Any] | None = None  # the first pending future, while it is awaited
    _holding: threading.Thread | None = None

    def note(self, event: Event) -> None:
        """Queue the event; see bot.matchlog.recorder."""
        done = self.thread.note(self.archive, event)
        if done is not None:
            self._pending.append(done)
            self._events[done] = event

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
            self._events.pop(self._pending.popleft(), None)
            self._next = None
        if wrong:
            raise BaseExceptionGroup("not noted", wrong)

    def _hold(self) -> None:
        """Keep events that are not durable beside the database, unless that disk hangs, too."""
        unwritten = [event for done, event in self._events.items() if not done.done()]
        if self._holding is None or not self._holding.is_alive():
            hold = partial(self.archive.spare.hold, reversed(unwritten))
            self._holding = threading.Thread(target=hold, name="archive, beside", daemon=True)
            self._holding.start()

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
