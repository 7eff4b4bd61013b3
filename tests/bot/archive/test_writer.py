"""Notes are written behind the loop's back, in order, and are durable when `kept` says so."""

from __future__ import annotations

import asyncio
import datetime as dt
import sqlite3
import threading
from collections.abc import Coroutine, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection
from sqlalchemy.event import listen
from sqlalchemy.exc import DBAPIError, InternalError, OperationalError, ProgrammingError

import sixprime.bot.archive.waiting
from sixprime.bot.archive.database import ArchiveAway
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.writer import ArchiveRecorder, ArchiveThreads
from sixprime.bot.matchlog.events import (
    Event,
    GameStarted,
    MatchSaved,
    MatchStarted,
    PlayerRating,
    Rated,
    Who,
)
from sixprime.bot.settings.schema import AccountSettings, ArchiveSettings, Profile, ServerSettings

AT = dt.datetime.now(dt.UTC)


def who(opponent: str, account: str = "anna") -> Who:
    return Who("fibs.com", account, opponent)


def began(opponent: str, account: str = "anna") -> MatchStarted:
    return MatchStarted(
        who(opponent, account), AT, 5, False, (0, 0), PlayerRating(), PlayerRating(), "x"
    )


@pytest.fixture
def threads() -> Iterator[ArchiveThreads]:
    with closing(ArchiveThreads()) as threads:
        yield threads


@pytest.fixture
def written(tmp_path: Path, threads: ArchiveThreads) -> ArchiveRecorder:
    return recorder(tmp_path, threads)


def recorder(folder: Path, threads: ArchiveThreads, name: str = "anna") -> ArchiveRecorder:
    settings = ArchiveSettings(database=f"sqlite:///{folder / 'a.db'}", folder=folder / "matches")
    profile = Profile(
        name=name,
        server=ServerSettings(host="fibs.com"),
        account=AccountSettings(user=name),
        archive=settings,
    )
    found = threads.recorder_of(profile)
    assert isinstance(found, ArchiveRecorder)
    return found


def kinds(folder: Path) -> list[tuple[int, str]]:
    """What another process would find on the disk."""
    with closing(sqlite3.connect(folder / "a.db")) as database:
        return list(database.execute("SELECT match_id, kind FROM events ORDER BY id"))


def test_what_was_noted_is_durable_after_kept(tmp_path: Path, written: ArchiveRecorder) -> None:
    for event in (began("ben"), GameStarted(who("ben"), AT, (0, 0), False)):
        written.note(event)
    asyncio.run(written.kept())
    assert kinds(tmp_path) == [(1, "MatchBegan"), (1, "GameBegan")]


def test_an_archive_that_is_closed_is_one_file(
    tmp_path: Path, threads: ArchiveThreads, written: ArchiveRecorder
) -> None:
    written.note(began("ben"))
    threads.close()
    assert [each.name for each in tmp_path.glob("a.db*")] == ["a.db"]
    (tmp_path / "a.db").rename(tmp_path / "b.db")
    with closing(sqlite3.connect(tmp_path / "b.db")) as copied:
        assert copied.execute("SELECT kind FROM events").fetchall() == [("MatchBegan",)]


def test_bots_of_one_database_share_a_transaction_and_keep_their_order(
    tmp_path: Path, threads: ArchiveThreads
) -> None:
    anna, ben = (recorder(tmp_path, threads, name) for name in ("anna", "ben"))
    assert anna.thread is ben.thread
    for number in range(40):
        anna.note(began("x") if number == 0 else GameStarted(who("x"), AT, (0, 0), False))
        ben.note(began("y", "ben") if number == 0 else MatchSaved(who("y", "ben"), AT, "left"))

    async def both() -> None:
        await anna.kept()
        await ben.kept()

    asyncio.run(both())
    found = kinds(tmp_path)
    assert len(found) == 80
    for match in (1, 2):
        assert next(kind for number, kind in found if number == match) == "MatchBegan"


def test_an_event_that_cannot_be_noted_harms_no_other(
    tmp_path: Path, written: ArchiveRecorder
) -> None:
    written.note(began("ben"))
    written.note(GameStarted(who("nobody"), AT, (0, 0), False))
    written.note(MatchSaved(who("ben"), AT, "left"))
    with pytest.raises(ExceptionGroup):
        asyncio.run(written.kept())
    assert [kind for _, kind in kinds(tmp_path)] == ["MatchBegan", "MatchSaved"]


@contextmanager
def full_disk(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Meanwhile what is noted together is taken, and then not committed."""
    writing = LiveArchive.writing

    @contextmanager
    def broken(archive: LiveArchive) -> Iterator[Connection]:
        with writing(archive) as connection:
            yield connection
            raise OperationalError("COMMIT", {}, Exception("the disk is full"))

    with patch.context() as meanwhile:
        meanwhile.setattr(LiveArchive, "writing", broken)
        yield


@pytest.mark.parametrize(
    "fault",
    [
        OperationalError("COMMIT", {}, Exception("the disk is full")),
        InternalError("INSERT", {}, Exception("the disk is full")),  # PostgreSQL: read-only
        ProgrammingError("INSERT", {}, Exception("the disk is full")),  # no table, no permission
    ],
)
def test_whatever_is_wrong_with_a_database_at_the_end_of_a_transaction_it_is_away(
    fault: DBAPIError, tmp_path: Path, written: ArchiveRecorder
) -> None:
    def full(_: Any) -> None:
        raise fault

    listen(written.archive._engine, "commit", full)
    with pytest.raises(ExceptionGroup) as caught:
        note_together(
            (written, began("ben")), (written, GameStarted(who("ben"), AT, (0, 0), False))
        )
    assert caught.group_contains(ArchiveAway, match=r"^the disk is full$")
    written.note(MatchSaved(who("ben"), AT, "left"))
    asyncio.run(written.kept())
    found = [kind for _, kind in kinds(tmp_path)]
    assert found == ["MatchBegan", "GameBegan", "MatchSaved"]


def note_together(*notes: tuple[ArchiveRecorder, Event]) -> None:
    """In one transaction, and until it is done."""
    thread_is_free = threading.Event()
    notes[0][0].thread.ask(thread_is_free.wait)
    for written, event in notes:
        written.note(event)
    thread_is_free.set()

    async def kept() -> None:
        for written, _ in notes:
            await written.kept()

    asyncio.run(kept())


def test_what_a_lost_database_did_not_take_is_written_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: ArchiveRecorder
) -> None:
    with full_disk(monkeypatch), pytest.raises(ExceptionGroup):
        note_together(
            (written, began("ben")), (written, GameStarted(who("ben"), AT, (0, 0), False))
        )
    assert kinds(tmp_path) == []
    written.note(MatchSaved(who("ben"), AT, "left"))
    asyncio.run(written.kept())
    found = [kind for _, kind in kinds(tmp_path)]
    assert found == ["MatchBegan", "GameBegan", "MatchSaved"]


def test_a_database_that_is_lost_for_longer_takes_everything_in_order_when_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: ArchiveThreads
) -> None:
    """A batch begins with what waits from the ones before, and that is not committed either."""
    anna, ben = (recorder(tmp_path, threads, name) for name in ("anna", "ben"))
    game = GameStarted(who("x"), AT, (0, 0), False)
    other_game = GameStarted(who("y", "ben"), AT, (0, 0), False)
    with full_disk(monkeypatch):
        for batch in (
            ((anna, began("x")), (ben, began("y", "ben"))),
            ((anna, game), (anna, GameStarted(who("nobody"), AT, (0, 0), False))),
            ((anna, MatchSaved(who("x"), AT, "left")), (ben, other_game)),
        ):
            with pytest.raises(ExceptionGroup):
                note_together(*batch)
    assert kinds(tmp_path) == []
    with pytest.raises(ExceptionGroup):  # what can never be written is told now
        note_together(
            (anna, Rated(who("x"), AT, PlayerRating(), PlayerRating())), (ben, other_game)
        )
    anna.finish(who("x"))
    asyncio.run(anna.kept())
    found = kinds(tmp_path)
    assert [kind for number, kind in found if number == 1] == [
        "MatchBegan", "GameBegan", "MatchSaved", "Rated",
    ]  # fmt: skip
    assert [kind for number, kind in found if number == 2] == [
        "MatchBegan", "GameBegan", "GameBegan",
    ]  # fmt: skip


def test_questions_are_answered_after_all_that_was_noted(written: ArchiveRecorder) -> None:
    written.note(began("ben"))
    ((opponent, ago_s),) = asyncio.run(written.recent("fibs.com", "anna", 3_600.0))
    assert opponent == "ben"
    assert 0 <= ago_s < 3_600
    assert asyncio.run(written.recent("fibs.com", "ben", 3_600.0)) == []
    assert asyncio.run(written.results("anna", "ben")) == (0, 0)


def test_whoever_asks_waits_for_a_database_that_is_busy_and_nobody_else(
    written: ArchiveRecorder,
) -> None:
    thread_is_free = threading.Event()

    async def scene() -> None:
        written.thread.ask(thread_is_free.wait)
        question = asyncio.create_task(written.results("anna", "ben"))
        for _ in range(10):
            await asyncio.sleep(0.001)  # others have their turn
        assert not question.done()
        thread_is_free.set()
        assert await question == (0, 0)

    asyncio.run(scene())


def test_whoever_gives_up_waiting_finds_all_of_it_later(
    tmp_path: Path, written: ArchiveRecorder
) -> None:
    """A database may hang: what was noted, and what went wrong with it, is not forgotten."""
    thread_is_free = threading.Event()

    async def given_up(waits: Coroutine[Any, Any, object]) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await waits

    async def scene() -> None:
        written.thread.ask(thread_is_free.wait)
        await given_up(written.results("anna", "ben"))
        await given_up(written.kept())  # nothing was noted, but nothing is answered either
        written.note(GameStarted(who("nobody"), AT, (0, 0), False))
        written.note(began("ben"))
        for _ in range(3):
            await given_up(written.kept())
        thread_is_free.set()
        with pytest.raises(ExceptionGroup) as wrong:
            await written.kept()
        assert len(wrong.value.exceptions) == 1
        await written.kept()

    asyncio.run(scene())
    assert kinds(tmp_path) == [(1, "MatchBegan")]


def test_so_many_wait_and_no_more_and_all_of_these_are_written_in_the_end(
    monkeypatch: pytest.MonkeyPatch, written: ArchiveRecorder
) -> None:
    monkeypatch.setattr(sixprime.bot.archive.waiting, "MOST_WAITING", 5)
    writing = LiveArchive.writing

    def away(*_: Any) -> Any:
        raise OperationalError("BEGIN", {}, Exception("the disk is full"))

    monkeypatch.setattr(LiveArchive, "writing", away)
    for i in range(9):  # one by one, and two at a time
        thread_is_free = threading.Event()
        written.thread.ask(thread_is_free.wait)
        for j in range(1 + i % 2):
            written.note(began(f"o{i}{j}"))
        thread_is_free.set()
        with pytest.raises(ExceptionGroup):
            asyncio.run(written.kept())
    assert len(written.archive.waiting) == 5
    monkeypatch.setattr(LiveArchive, "writing", writing)
    written.note(began("last"))
    asyncio.run(written.kept())
    recent = asyncio.run(written.recent("fibs.com", "anna", 3_600.0))
    opponents = {opponent for opponent, _ in recent}
    assert opponents == {"o00", "o10", "o11", "o20", "o30", "last"}
