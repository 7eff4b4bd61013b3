"""A database that is deleted, replaced or damaged under a running bot costs no match."""

from __future__ import annotations

import asyncio
import datetime as dt
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest
import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

import sixprime.bot.archive.writer
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import ArchiveAway
from sixprime.bot.archive.live import LiveArchive, write_together
from sixprime.bot.archive.matchrecord import record_of
from sixprime.bot.archive.sparefile import SpareFile
from sixprime.bot.archive.writer import ArchiveRecorder, ArchiveThread
from sixprime.bot.client.metrics import BotMetrics
from sixprime.bot.client.records import Records
from sixprime.bot.matchlog.events import Event
from sixprime.bot.settings.schema import AccountSettings, ArchiveSettings, Profile, ServerSettings
from tests.support.archive.told import MORNING, WHO, bones, fibs_match, settings_in, told

EVENTS: list[Event] = [
    replace(event, at=MORNING + dt.timedelta(milliseconds=i))
    for i, event in enumerate(told(fibs_match(5)))
]
HALF = len(EVENTS) // 2


def database_of(settings: ArchiveSettings) -> Path:
    return Path(str(settings.database).removeprefix("sqlite:///"))


def opened(settings: ArchiveSettings) -> LiveArchive:
    archive = LiveArchive(settings)
    archive.restore_spare(WHO.server, WHO.account)
    return archive


def noted(archive: LiveArchive, events: list[Event]) -> bool:
    """Note them; was the database away for one?"""
    away = False
    for event in events:
        try:
            archive.note(event)
        except ArchiveAway:
            away = True
    return away


def check_whole(settings: ArchiveSettings) -> None:
    """The archive holds the one match, every event once, and no file of what waits is left."""
    with closing(Archive(settings)) as archive:
        (row,) = [row for row in archive.rows() if row.state != "imported"]
        assert list(archive.events(row.id)) == EVENTS
        assert bones(archive.match(row.id)) == bones(record_of(WHO, EVENTS))
    assert not list(database_of(settings).parent.glob("*.waiting"))


def delete(database: Path) -> None:
    for path in database.parent.iterdir():
        path.unlink()


def delete_folder(database: Path) -> None:
    shutil.rmtree(database.parent)


def move(database: Path) -> None:
    database.rename(database.with_name("moved.db"))


def replace_it(database: Path) -> None:
    """By an empty archive."""
    other = database.with_name("other.db")
    Archive(ArchiveSettings(database=f"sqlite:///{other}")).close()
    other.replace(database)


@pytest.mark.parametrize("lose", [delete, delete_folder, move, replace_it])
@pytest.mark.parametrize("after", [1, HALF, len(EVENTS) - 1])
def test_a_file_that_is_gone_is_made_anew_with_the_match_from_its_beginning(
    lose: Callable[[Path], None], after: int, tmp_path: Path
) -> None:
    settings = settings_in(tmp_path)
    archive = opened(settings)
    noted(archive, EVENTS[:after])
    lose(database_of(settings))
    with structlog.testing.capture_logs() as logs:
        assert not noted(archive, EVENTS[after:])
    assert [each["log_level"] for each in logs] == ["error"]
    archive.finish(WHO)
    archive.close()
    check_whole(settings)
    assert settings.folder is not None
    assert len(list(settings.folder.iterdir())) == 3


def test_a_copy_that_is_put_back_is_told_only_what_it_lacks(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    archive, database = opened(settings), database_of(settings)
    noted(archive, EVENTS[:HALF])
    with closing(sqlite3.connect(database)) as lite:
        lite.execute(f"VACUUM INTO '{tmp_path / 'copy.db'}'")
    noted(archive, EVENTS[HALF:-2])
    (tmp_path / "copy.db").replace(database)
    noted(archive, EVENTS[-2:])
    archive.close()
    check_whole(settings)


def overwrite(database: Path) -> None:
    """With what is no database, its size and its other files as they were."""
    with closing(sqlite3.connect(database)) as lite:
        lite.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.write_bytes(b"no database at all\n" * (database.stat().st_size // 10))


@pytest.mark.parametrize("after", [1, HALF])
def test_what_happens_while_a_file_is_damaged_is_written_when_it_is_back(
    after: int, tmp_path: Path
) -> None:
    settings = settings_in(tmp_path)
    archive, database = opened(settings), database_of(settings)
    noted(archive, EVENTS[:after])
    overwrite(database)
    assert noted(archive, EVENTS[after:-1])
    (spare,) = database.parent.glob("*.waiting")
    assert spare.stat().st_mode & 0o777 == 0o600
    assert waiting(settings) == len(EVENTS) - after - 1
    with pytest.raises(ArchiveAway):
        archive.finish(WHO)
    for path in database.parent.glob(f"{database.name}*"):
        if path != spare:
            path.unlink()
    assert not noted(archive, EVENTS[-1:])
    archive.finish(WHO)
    archive.close()
    check_whole(settings)


def test_a_match_that_ended_while_the_database_was_away_has_its_files_after_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, match = settings_in(tmp_path), fibs_match(5)
    archive = opened(settings)
    for event in told(match):
        archive.note(event)

    def away(_: LiveArchive) -> NoReturn:
        raise ArchiveAway("a lock")

    with monkeypatch.context() as patched:
        patched.setattr(LiveArchive, "writing", away)
        with pytest.raises(ArchiveAway):
            archive.finish(WHO)
    for event in told(match):
        archive.note(replace(event, at=event.at + dt.timedelta(days=1)))
    archive.finish(WHO)
    rows = archive.rows()
    assert len(rows) == 2
    assert all(row.noted == row.filed for row in rows)
    archive.close()


def test_what_waits_survives_the_end_of_the_program(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    archive, database = opened(settings), database_of(settings)
    noted(archive, EVENTS[:HALF])
    archive.close()
    kept = database.read_bytes()
    overwrite(database)
    assert noted(archive, EVENTS[HALF:])
    (spare,) = database.parent.glob("*.waiting")
    with spare.open("a") as file:
        file.write('["Acted", "half a li')
    held = spare.read_bytes()
    for path in database.parent.iterdir():
        path.unlink()
    database.write_bytes(kept)
    for _ in range(2):  # the second time it is all there already
        spare.write_bytes(held)
        opened(settings).close()
    check_whole(settings)


@pytest.mark.parametrize("at_once", [False, True])
def test_what_a_lost_commit_has_written_is_not_written_again(
    at_once: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that ends between writing and saying so."""
    settings, writing = settings_in(tmp_path), LiveArchive.writing
    archive, thread = opened(settings), ArchiveThread()
    recorder, lost = ArchiveRecorder(archive, thread), iter(range(10))

    @contextmanager
    def lose(self: LiveArchive) -> Iterator[Connection]:
        with writing(self) as connection:
            yield connection
        if next(lost) % 2 == 0:
            raise OperationalError("COMMIT", {}, Exception("server closed the connection"))

    def note(events: list[Event]) -> None:
        free = threading.Event()
        thread.ask(free.wait)
        for event in events:
            recorder.note(event)
        free.set()
        with suppress(ExceptionGroup):
            asyncio.run(recorder.kept())

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(LiveArchive, "writing", lose)
        step = 3 if at_once else 1
        for start in range(0, 3 * step, step):
            note(EVENTS[start : start + step])
    note(EVENTS[3 * step :])
    archive.close()
    check_whole(settings)


def waiting(settings: ArchiveSettings) -> int:
    """How many events wait in files."""
    return sum(
        len(path.read_bytes().partition(b"\0")[0].splitlines())
        for path in database_of(settings).parent.glob("*.waiting")
    )


async def given_up(recorder: ArchiveRecorder) -> None:
    """Wait for an archive that hangs, until what it has not taken is in a file."""
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await recorder.kept()
    assert recorder._holding is not None
    recorder._holding.result()


def test_what_a_database_that_hangs_has_not_taken_survives_the_end_of_the_program(
    tmp_path: Path,
) -> None:
    settings = settings_in(tmp_path)
    archive = opened(settings)
    recorder, answers = ArchiveRecorder(archive, ArchiveThread()), threading.Event()

    async def hangs() -> None:
        for event in EVENTS[:10]:
            recorder.note(event)
        await recorder.kept()
        recorder.thread.ask(answers.wait)
        for number, event in enumerate(EVENTS[10:HALF]):
            recorder.note(event)
            if number % 5 == 0:
                await given_up(recorder)
        await given_up(recorder)
        assert waiting(settings) == HALF - 10
        shutil.copytree(database_of(settings).parent, tmp_path / "killed" / "kept")
        answers.set()
        await recorder.kept()

    asyncio.run(hangs())
    archive.close()
    assert waiting(settings) == 0
    killed = settings_in(tmp_path / "killed")
    archive = opened(killed)
    assert not noted(archive, EVENTS[HALF:])
    archive.close()
    check_whole(killed)


def test_the_file_stays_until_the_database_has_taken_the_last_event_in_it(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    archive = opened(settings)
    queued = [archive.waiting.put(event) for event in EVENTS[:3]]
    archive.waiting.hold()
    for each, left in zip(queued, (3, 3, 0), strict=True):
        write_together([(archive, each)])
        assert waiting(settings) == left
    archive.close()


def test_a_database_that_takes_nothing_for_several_starts_gets_each_event_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OperationalError("INSERT", {}, Exception("the disk is full"))

    settings = settings_in(tmp_path)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(LiveArchive, "_write", full)
        for start in range(3):
            archive = opened(settings)
            assert noted(archive, EVENTS[start : start + 1])
            archive.close()
    archive = opened(settings)
    assert not noted(archive, EVENTS[3:])
    archive.close()
    check_whole(settings)


def test_events_of_an_earlier_match_are_not_taken_for_news(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    archive = opened(settings)
    archive.waiting.file.hold(EVENTS[::-1])
    shutil.copytree(database_of(settings).parent, tmp_path / "kept before")
    noted(archive, [*EVENTS, replace(EVENTS[0], at=MORNING + dt.timedelta(hours=2))])
    archive.close()
    (spare,) = (tmp_path / "kept before").glob("*.waiting")
    shutil.copy(spare, database_of(settings).parent)  # a kill before it was removed
    opened(settings).close()
    with closing(Archive(settings)) as archive_again:
        assert [row.noted for row in archive_again.rows()] == [len(EVENTS), 1]


def test_a_line_that_a_full_disk_has_cut_costs_none_after_it(tmp_path: Path) -> None:
    spare = SpareFile(tmp_path / "a.waiting")
    spare.hold(EVENTS[:1])
    with (tmp_path / "a.waiting").open("a") as file:
        file.write('["MatchBegan", "fi')
    spare.hold(EVENTS[2:0:-1])
    assert SpareFile(tmp_path / "a.waiting").restore() == EVENTS[:3]


def test_a_database_that_goes_away_while_files_are_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise OperationalError("BEGIN", {}, Exception("too many clients\nalready"))

    archive = opened(settings_in(tmp_path))
    recorder = ArchiveRecorder(archive, ArchiveThread())
    profile = Profile(
        name="anna", server=ServerSettings(host=WHO.server), account=AccountSettings(user="anna")
    )
    records = Records(profile, "", recorder, BotMetrics(), structlog.get_logger("test"))
    monkeypatch.setattr(LiveArchive, "_finish", gone)
    records.finish(WHO)
    with structlog.testing.capture_logs() as logs:
        asyncio.run(records.kept())
    ((said, why),) = [(each["event"], each["why"]) for each in logs]
    assert (said, why) == ("the archive is away, what happens is kept for it", "too many clients")
    archive.close()


def test_health_and_the_log_say_once_that_the_archive_is_away(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    archive, database = opened(settings), database_of(settings)
    profile = Profile(
        name="anna", server=ServerSettings(host=WHO.server), account=AccountSettings(user="anna")
    )
    recorder = ArchiveRecorder(archive, ArchiveThread())
    log = structlog.get_logger("test")
    records = Records(profile, "", recorder, BotMetrics(), log, lambda: MORNING)

    def note(*events: Event) -> None:
        async def scene() -> None:
            records.note(events)
            await records.kept()

        asyncio.run(scene())

    note(EVENTS[0])
    assert records.away is None
    overwrite(database)
    away: list[str | None] = []
    with structlog.testing.capture_logs() as logs:
        note(EVENTS[1])
        note(*EVENTS[2:5])
        away.append(records.away)
        delete(database)
        note(*EVENTS[5:])
    said = [each["event"] for each in logs if each["log_level"] == "error"]
    assert said[0] == "the archive is away, what happens is kept for it"
    assert said.count(said[0]) == 1
    assert None not in away
    assert records.away is None
    archive.close()
    check_whole(settings)


def test_a_database_that_is_back_is_written_without_another_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sixprime.bot.archive.writer, "AGAIN_S", 0.01)
    settings = settings_in(tmp_path)
    archive = opened(settings)
    recorder = ArchiveRecorder(archive, ArchiveThread())
    overwrite(database_of(settings))
    for event in EVENTS:
        recorder.note(event)
    with pytest.raises(ExceptionGroup):
        asyncio.run(recorder.kept())
    delete(database_of(settings))
    tried = 0
    while recorder.is_waiting and tried < 10_000:
        threading.Event().wait(0.01)
        tried += 1
    archive.close()
    check_whole(settings)
