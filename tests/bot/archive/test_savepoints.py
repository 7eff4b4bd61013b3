"""A database that fails at any statement of a group of events: all are kept, in order."""

from __future__ import annotations

import asyncio
import datetime as dt
import shutil
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection
from sqlalchemy.engine import Engine
from sqlalchemy.event import listen, remove
from sqlalchemy.exc import OperationalError

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.matchrecord import record_of
from sixprime.bot.archive.writer import ArchiveRecorder, ArchiveThread
from sixprime.bot.matchlog.events import Event
from sixprime.bot.settings.schema import ArchiveSettings
from tests.support.archive.told import MORNING, WHO, bones, fibs_match, settings_in, told

EVENTS: list[Event] = [
    replace(event, at=MORNING + dt.timedelta(milliseconds=i))
    for i, event in enumerate(told(fibs_match(5)))
]
GROUP = 2
pytestmark = pytest.mark.patient


class Failing:
    """Makes the statement of this number fail, and all after it."""

    def __init__(self, statement: int, way: str) -> None:
        self.statement = statement
        self.way = way
        self.seen = 0
        self.has_failed = False

    def __call__(self, connection: Connection, *_: Any) -> None:
        self.seen += 1
        if self.seen < self.statement:
            return
        self.has_failed = True
        if self.way == "the connection":
            connection.invalidate()
        raise OperationalError("anything", {}, Exception("the server closed the connection"))


@contextmanager
def failing(statement: int, way: str) -> Iterator[Failing]:
    fails = Failing(statement, way)
    listen(Engine, "before_cursor_execute", fails)
    listen(Engine, "commit", fails)
    try:
        yield fails
    finally:
        remove(Engine, "before_cursor_execute", fails)
        remove(Engine, "commit", fails)


def note_together(recorder: ArchiveRecorder, events: list[Event]) -> None:
    free = threading.Event()
    recorder.thread.ask(free.wait)
    for event in events:
        recorder.note(event)
    free.set()
    with suppress(ExceptionGroup):
        asyncio.run(recorder.kept())


def go_on(settings: ArchiveSettings, archive: LiveArchive, events: list[Event]) -> None:
    """Note the rest; the archive holds the one match, every event once and in order."""
    for event in events:
        archive.note(event)
    archive.close()
    with closing(Archive(settings)) as there:
        (row,) = there.rows()
        assert list(there.events(row.id)) == EVENTS
        assert bones(there.match(row.id)) == bones(record_of(WHO, EVENTS))
    folder = Path(str(settings.database).removeprefix("sqlite:///")).parent
    assert [path.name for path in folder.iterdir()] == ["sixprime.db"]


def opened(settings: ArchiveSettings) -> LiveArchive:
    archive = LiveArchive(settings)
    archive.restore_spare(WHO.server, WHO.account)
    return archive


@pytest.mark.parametrize(("way", "step"), [("the statements", 1), ("the connection", 4)])
def test_whatever_statement_of_a_group_fails_no_event_is_lost_or_out_of_order(
    way: str, step: int, tmp_path: Path
) -> None:
    statement, has_failed = 0, True
    while has_failed:
        statement += step
        settings = settings_in(tmp_path / f"{statement}")
        archive, start = opened(settings), GROUP
        recorder = ArchiveRecorder(archive, ArchiveThread())
        note_together(recorder, EVENTS[:GROUP])
        for _ in range(2):
            with failing(statement, way) as fails:
                note_together(recorder, EVENTS[start : start + GROUP])
            start, has_failed = start + GROUP, fails.has_failed
        killed = settings_in(tmp_path / f"killed {statement}")
        shutil.copytree(tmp_path / f"{statement}", tmp_path / f"killed {statement}")
        go_on(killed, opened(killed), EVENTS[start:])
        go_on(settings, archive, EVENTS[start:])
    assert statement > 3 * GROUP
