"""The facts of an operator: matches of the day, warnings and errors, the next actions."""

from __future__ import annotations

import asyncio
import datetime as dt
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.tables import matches
from sixprime.bot.client.service import Service
from sixprime.bot.control import overview
from sixprime.bot.control.overview import Overview
from sixprime.bot.control.recent import PlayedMatch, recent
from sixprime.bot.process.logs import DAY_H, HOUR_S, MOST_KINDS, LogTail
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import AccountSettings, ArchiveSettings, Config, Profile
from tests.support.archive.rows import Row

NOW = dt.datetime(2026, 11, 29, 0, 30, tzinfo=dt.UTC)
HOST = "fibs.com"
OURS = Row(1, server=HOST, started=NOW - dt.timedelta(hours=25), our_rating_after=1600.0)


def played(hours: float, **more: Any) -> Row:
    return replace(OURS, started=NOW - dt.timedelta(hours=hours), **more)


ROWS = [
    OURS,
    played(23.5, id=2, our_score=5, their_score=2, length=5, our_rating_after=1604.5),
    played(20, id=3, account="zoe"),
    played(20, id=4, server="elsewhere"),
    played(2, id=5, our_score=1, their_score=3, winner=1, length=3, our_rating_after=1601.25),
    played(0.1, id=6, our_score=0, their_score=1, winner=None, our_rating_after=None),
]
BEFORE = {2: 1600.0, 5: 1604.5, 6: 1601.25}


def bot_at(folder: Path) -> Profile:
    place = ArchiveSettings(database=f"sqlite:///{folder / 'archive.db'}", folder=None)
    return Profile(name="anna", account=AccountSettings(user="anna"), archive=place)


def filled(folder: Path) -> Profile:
    """A bot whose archive has these rows."""
    profile = bot_at(folder)
    with closing(Archive(profile.archive)) as archive, archive.writing() as connection:
        for row in ROWS:
            more: dict[str, Any] = {"state": "over" if row.winner is not None else "playing"}
            more |= {"our_rating_before": BEFORE.get(row.id)}
            connection.execute(insert(matches), asdict(row) | more)
    return profile


def test_a_day_is_24_hours_of_one_account_whatever_the_date(tmp_path: Path) -> None:
    profile = filled(tmp_path)
    with closing(Archive(profile.archive)) as archive:
        lately = recent(archive, profile, NOW)
    assert [match.id for match in lately.listed] == [6, 5, 2]
    assert (lately.count, lately.won, lately.lost) == (3, 1, 1)
    assert lately.points == (5 + 1 + 0, 2 + 3 + 1)
    assert lately.gain == 1.25  # from 1600 to 1601.25
    assert lately.ratings == (1600.0, 1604.5, 1601.25)
    assert lately.listed[1:] == (
        PlayedMatch(5, "2026-11-28T22:30Z", "ben", 3, (1, 3), "lost", -3.25),
        PlayedMatch(2, "2026-11-28T01:00Z", "ben", 5, (5, 2), "won", 4.5),
    )
    assert lately.listed[0].result == "playing"


def test_a_moved_archive_is_opened_where_it_is_now(tmp_path: Path) -> None:
    profile = filled(tmp_path)

    def away() -> None:
        for file in tmp_path.glob("archive.db*"):
            shutil.move(file, tmp_path / f"old{file.suffix}")

    def another() -> None:
        Archive(profile.archive).close()

    async def check() -> None:
        service = Service(Config(profiles=(profile,)), {"anna": Secret("")})
        facts = Overview(service)
        (bot,) = service.bots
        (status,) = service.status()
        assert status["day"] is None  # not asked yet
        counts = []
        moves: list[Callable[[], object]] = [str, away, another]
        for move in moves:
            move()
            facts._asked["anna"].asked_at = float("-inf")
            await facts.ask_archive(bot)
            (status,) = service.status()
            counts.append(status["day"] and len(status["ratings"]))
        assert counts == [3, None, 0]

    asyncio.run(check())


# --- the log


def said(tail: LogTail, event: str, level: str = "error", profile: str = "anna") -> None:
    tail(None, "", {"event": event, "level": level, "timestamp": "2" * 20, "profile": profile})


def test_warnings_and_errors_are_counted_for_a_day() -> None:
    now = 1_000_000.0
    tail = LogTail(lambda: now)
    said(tail, "offline", "warning")
    now += HOUR_S
    for event, level in (("offline", "warning"), ("offline", "warning"), ("match begins", "info")):
        said(tail, event, level)
    said(tail, "the archive failed")
    said(tail, "the archive failed", profile="ben")

    def counts() -> list[tuple[str, str, int]]:
        return [(kind.level, kind.event, kind.count) for kind in tail.troubles_of("anna")]

    assert counts() == [("error", "the archive failed", 1), ("warning", "offline", 3)]
    assert tail.troubles_of("anna")[1].last == now
    said(tail, "the archive failed")
    assert counts()[0] == ("error", "the archive failed", 2)
    now += (DAY_H - 1) * HOUR_S
    assert counts() == [("error", "the archive failed", 2), ("warning", "offline", 2)]
    now += HOUR_S
    assert counts() == []


def test_kinds_without_end_take_no_memory_without_end() -> None:
    tail = LogTail(lambda: 0.0)
    for number in range(10 * MOST_KINDS):
        said(tail, f"a library says {number}")
    kinds = tail.troubles_of("anna")
    assert len(kinds) == MOST_KINDS + 1
    assert sum(kind.count for kind in kinds) == 10 * MOST_KINDS


# --- the operator's next action


def service() -> Service:
    profile = Profile(name="anna", account=AccountSettings(user="anna"))
    return Service(Config(profiles=(profile,)), {"anna": Secret("")})


def calm(**more: Any) -> dict[str, Any]:
    return service().bots[0].status(0.0) | more


TO_DO = [
    ({}, []),
    ({"refused": True, "account": "anna_bot"}, ["log in as anna_bot by telnet"]),
    ({"offline_s": 10**6}, ["answers telnet"]),
    ({"offline_s": 10**6, "stopping": True}, []),
    ({"fault": "no memory"}, ["install Sixprime again"]),
    ({"archive": "database is locked"}, ["make the archive answer: database is locked"]),
    ({"unknown_lines": 50}, ["not understood"]),
    ({"waiting": {"reason": "paused"}}, ["control resume"]),
]


@pytest.mark.parametrize(("more", "wanted"), TO_DO)
def test_each_trouble_has_an_action(more: dict[str, Any], wanted: list[str]) -> None:
    facts = Overview(service())
    told = facts.facts(calm(**more))["to_do"]
    assert len(told) == len(wanted)
    assert all(part in text for part, text in zip(wanted, told, strict=True))


def test_a_full_disk_and_another_version_have_actions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def check() -> list[str]:
        facts = Overview(service(), [tmp_path / "not" / "yet"])
        monkeypatch.setattr(overview, "free_mib", lambda _: 7)
        monkeypatch.setattr(overview, "installed", lambda: "99.0")
        looking = asyncio.create_task(facts._look_at_disk())
        async with asyncio.timeout(60):
            while not facts.facts(calm())["to_do"][1:]:  # noqa: ASYNC110 - nobody tells us
                await asyncio.sleep(0.001)
        looking.cancel()
        return list(facts.facts(calm())["to_do"])

    disk, version = asyncio.run(check())
    assert disk == f"make room at {tmp_path / 'not' / 'yet'}, where 7 MiB are free"
    assert version.startswith("restart it: 99.0 is installed, ")
