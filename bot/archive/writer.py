"""One thread that writes to one database, for all bots of the process that keep matches there.

Waiting for a disk takes longer than everything else that a bot does in a turn, and other bots need
not wait with it. A note is taken at once; whatever has come together meanwhile is written in one
transaction; `kept` is awaited before a command is chosen that may depend on what was noted. All
that is asked of these archives is answered by the same thread, in order.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from sixprime.bot.archive.archive import Archive, archive_of
from sixprime.bot.archive.events import Event, Keeper, NullKeeper, Recalled, Who, Wire
from sixprime.bot.settings.schema import Profile
from sixprime.protocols.formats.record import Match

T = TypeVar("T")
MOST_AT_ONCE = 500  # notes in one transaction


@dataclass(slots=True)
class Note:
    """An event on its way to an archive."""

    archive: Archive
    event: Event
    done: Future[None] | None = None  # not of lines, which nobody waits for


@dataclass(slots=True)
class Errand:
    """Anything else that is to be done between notes."""

    work: Callable[[], None]


class Pen:
    """The thread; see the module's docstring."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Note | Errand] = SimpleQueue()
        threading.Thread(target=self._run, name="archive", daemon=True).start()

    def note(self, archive: Archive, event: Event) -> Future[None] | None:
        """Write this soon; what comes back is done when it is durable."""
        note = Note(archive, event, None if isinstance(event, Wire) else _running())
        self._jobs.put(note)
        return note.done

    def ask(self, work: Callable[[], T]) -> Future[T]:
        """Do this after all that was noted."""
        done: Future[T] = _running()

        def errand() -> None:
            try:
                done.set_result(work())
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever asked
                done.set_exception(error)

        self._jobs.put(Errand(errand))
        return done

    def _run(self) -> None:
        while True:
            notes: list[Note] = []
            job: Note | Errand = self._jobs.get()
            try:
                while isinstance(job, Note):
                    notes.append(job)
                    if len(notes) >= MOST_AT_ONCE:
                        break
                    job = self._jobs.get_nowait()
            except Empty:
                pass
            if notes:
                _write(notes)
            if isinstance(job, Errand):
                job.work()


def _running() -> Future[T]:
    """A future that cannot be cancelled: what is noted will be written."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()
    return future


def _write(notes: list[Note]) -> None:
    """All of them in one transaction, each as if it were alone."""
    if sum(each.done is not None for each in notes) <= 1:  # that is one transaction anyway
        _tell(notes, [_noted(each) for each in notes])
        return
    told: list[BaseException | None]
    archives = {id(each.archive): each.archive for each in notes}
    try:
        with notes[0].archive.together(archives.values()):
            told = [_noted(each) for each in notes]
    except Exception as error:  # noqa: BLE001 - nothing has been written, the database is away
        for each in notes:
            each.archive.again(each.event)
        told = [error] * len(notes)
    _tell(notes, told)


def _tell(notes: list[Note], told: list[BaseException | None]) -> None:
    for each, wrong in zip(notes, told, strict=True):
        if each.done is not None and wrong is None:
            each.done.set_result(None)
        elif each.done is not None:
            each.done.set_exception(wrong)


def _noted(note: Note) -> BaseException | None:
    try:
        note.archive.note(note.event)
    except Exception as error:  # noqa: BLE001 - told to whoever waits for it
        return error
    return None


@dataclass(slots=True)
class Written:
    """A Keeper whose archive is written by a pen."""

    archive: Archive
    pen: Pen
    _pending: deque[Future[Any]] = field(default_factory=deque)
    _next: asyncio.Future[Any] | None = None  # the first of them, while it is awaited

    def note(self, event: Event) -> None:
        """Have it written; see sixprime.bot.archive.events.Keeper."""
        done = self.pen.note(self.archive, event)
        if done is not None:
            self._pending.append(done)

    async def kept(self) -> None:
        """Until all is durable; raises what went wrong with it. Whoever gives up may come again."""
        wrong = []
        while self._pending:
            self._next = self._next or asyncio.wrap_future(self._pending[0])
            try:
                await asyncio.shield(self._next)
            except Exception as error:  # noqa: BLE001 - told together below
                wrong.append(error)
            self._pending.popleft()
            self._next = None
        if wrong:
            raise ExceptionGroup("not noted", wrong)

    def finish(self, who: Who) -> None:
        """Have the files written."""
        self._pending.append(self.pen.ask(partial(self.archive.finish, who)))

    async def record(self, account: str, opponent: str) -> tuple[int, int]:
        """Won, lost."""
        return await self._answer(partial(self.archive.record, account, opponent))

    async def recent(self, server: str, account: str, within_s: float) -> list[tuple[str, float]]:
        """The matches of the last day, say."""
        return await self._answer(partial(self.archive.recent, server, account, within_s))

    async def missed(self, server: str, account: str, alive: Collection[str]) -> Who | None:
        """The latest match, if something of it was missed."""
        return await self._answer(partial(self.archive.missed, server, account, alive))

    async def recall(self, recalled: Recalled) -> Match | None:
        """Note what the server tells of a game."""
        return await self._answer(partial(self.archive.recall, recalled))

    async def _answer(self, question: Callable[[], T]) -> T:
        answer = self.pen.ask(question)
        try:
            return await asyncio.wrap_future(answer)
        except asyncio.CancelledError:
            self._pending.append(answer)  # nothing else is done before
            raise


class Pens:
    """One pen for each database."""

    def __init__(self) -> None:
        self._pens: dict[str, Pen] = {}

    def keeper_of(self, profile: Profile) -> Keeper:
        """The archive of a profile's settings, its files caught up with; ArchiveError."""
        archive = archive_of(profile)
        if archive is None:
            return NullKeeper()
        assert profile.archive.database is not None
        if profile.archive.database not in self._pens:
            self._pens[profile.archive.database] = Pen()
        return Written(archive, self._pens[profile.archive.database])
