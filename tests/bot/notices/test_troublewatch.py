"""The operator is told what is wrong once, when it begins, and once when it is over."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.client.lobby.waiting import Waiting
from sixprime.bot.notices import troublewatch
from sixprime.bot.notices.delivery import OperatorNotice
from sixprime.bot.notices.troublewatch import Noticing, Trouble, TroubleWatch
from sixprime.bot.settings.notices import NoticeSettings

FINE: dict[str, Any] = {
    "profile": "anna",
    "refused": False,
    "offline_s": 0,
    "offline_why": "",
    "stopping": False,
    "troubles": 0,
    "trouble": "",
    "fault": None,
    "archive": None,
    "unknown_lines": 0,
}
HOUR_S = 3_600.0
RESTS = Waiting("rest", "rests with anna", -60.0, 60.0, "forgive anna").shown(0.0)


def bot(**changes: object) -> list[dict[str, Any]]:
    return [{**FINE, **changes}]


@pytest.mark.parametrize(
    ("changes", "topic", "text"),
    [
        ({"refused": True}, "refused", "refuses the login"),
        ({"offline_s": 1_860, "offline_why": "no route"}, "offline", "for 31 minutes: no route"),
        ({"waiting": RESTS | {"since_s": 1_900}}, "waiting", "the bot rests with anna until "),
        (
            {"offline_s": 1_860, "offline_why": "lost", "waiting": RESTS},
            "offline",
            "lost; the bot rests with anna until ",
        ),
        ({"refused": True, "waiting": RESTS}, "refused", "login; the bot rests"),
        ({"troubles": 1, "trouble": "nothing happens (against ben)"}, "stuck", "nothing happens"),
        ({"fault": "no net"}, "engine", "no net"),
        ({"archive": "connection refused"}, "archive", "connection refused"),
        ({"archive": "database or disk is full"}, "disk", "is full"),
        ({"unknown_lines": 99}, "upgrade", "is there an upgrade?"),
    ],
)
def test_each_trouble_is_told_once(changes: dict[str, object], topic: str, text: str) -> None:
    looks = Noticing(NoticeSettings())
    assert looks.look(bot(), 0.0) == []
    (told,) = looks.look(bot(**changes), 10.0)
    assert (told.topic, told.profile, told.over) == (topic, "anna", False)
    assert text in told.text
    assert all(looks.look(bot(**changes), 20.0 + each) == [] for each in range(100))
    only = Noticing(NoticeSettings(about=()))
    assert only.look(bot(**changes), 10.0) == []


def test_a_short_wait_and_one_that_the_operator_wants_are_no_trouble() -> None:
    looks = Noticing(NoticeSettings())
    assert not looks.look(bot(waiting=RESTS), 0.0)
    paused = Waiting("paused", "begins no match", -9_999.0, ends_with="resume").shown(0.0)
    assert not looks.look(bot(waiting=paused), 10.0)


def test_its_end_is_told_and_what_comes_and_goes_is_told_once() -> None:
    looks, now = Noticing(NoticeSettings()), 0.0
    told: list[OperatorNotice] = []
    for number in range(60):  # a line that is cut every few minutes
        now += 300.0
        told += looks.look(bot(offline_s=1_900 * (number % 2)), now)
    assert [each.over for each in told] == [False, True]
    assert told[1].text == "online again"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"offline_s": 1_900}, {"offline_s": 1_910, "stopping": True}),
        ({"offline_s": 1_900}, {"offline_s": 1_910, "refused": True}),
        ({"archive": "away"}, {"archive": "disk full"}),
        ({"archive": "disk full"}, {"archive": "away"}),
    ],
)
def test_no_end_is_told_because_something_else_is_wrong(
    before: dict[str, object], after: dict[str, object]
) -> None:
    looks = Noticing(NoticeSettings())
    assert looks.look(bot(**before), 0.0)
    assert not any(each.over for each in looks.look(bot(**after), 10.0))
    assert looks.look(bot(), 20.0)[0].over


def test_what_lasts_is_told_again_after_the_time_set() -> None:
    looks = Noticing(NoticeSettings(again_after_s=100.0))
    told = [bool(looks.look(bot(archive="away"), float(now))) for now in range(0, 301, 50)]
    assert told == [True, False, True, False, True, False, True]


@given(
    st.lists(
        st.tuples(st.integers(1, 900), st.integers(0, 40), st.booleans(), st.booleans()),
        max_size=80,
    )
)
def test_no_hour_has_more_notices_than_the_settings_want(
    steps: list[tuple[int, int, bool, bool]],
) -> None:
    looks, now, count = Noticing(NoticeSettings(most_an_hour=3, again_after_s=1.0)), 0.0, 0
    told: list[float] = []
    for pause, troubles, is_away, is_refused in steps:
        now += pause
        count += troubles
        status = [
            *bot(troubles=count, archive="away" if is_away else None),
            *bot(profile="ben", refused=is_refused, offline_s=9_999),
        ]
        found = looks.look(status, now)
        told += [now for each in found if "left out" not in each.text]
    for start in told:
        assert sum(start <= each < start + HOUR_S for each in told) <= 3


def test_text_from_the_wire_steers_no_terminal() -> None:
    (told,) = Noticing(NoticeSettings()).look(bot(troubles=1, trouble="\x1b[2J\nben"), 0.0)
    assert told.text == "left a match: ?[2J ben"


def test_a_process_looks_at_its_disk_and_its_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[OperatorNotice] = []
    settings = NoticeSettings(disk_mib=2**40)
    both = asyncio.Event()

    def tell(notice: OperatorNotice) -> None:
        told.append(notice)
        if len(told) == 2:
            both.set()

    watch = TroubleWatch(settings, bot, tell, [tmp_path / "not" / "made"])
    monkeypatch.setattr(troublewatch, "installed", lambda: "99.0")
    monkeypatch.setattr(troublewatch, "LOOK_S", 0.01)

    async def run() -> None:
        running = asyncio.create_task(watch.run())
        async with asyncio.timeout(60):
            await both.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(run())
    assert [each.topic for each in told] == ["disk", "upgrade"]
    assert "MiB are left on the disk" in told[0].text
    assert "99.0 is installed" in told[1].text


def test_a_fault_of_ours_stops_no_bot() -> None:
    def broken() -> list[dict[str, Any]]:
        raise KeyError("state")

    async def look() -> None:
        TroubleWatch(NoticeSettings(), broken, lambda _: None, []).look()

    asyncio.run(look())


def test_troubles_of_the_process_are_told_like_those_of_a_bot() -> None:
    looks = Noticing(NoticeSettings())
    full = Trouble("disk", "", "1 MiB left")
    assert [each.line for each in looks.look(bot(), 0.0, [full])] == ["1 MiB left"]
    assert [each.over for each in looks.look(bot(), 9.0)] == [True]
