"""A no, a rest and a finished match outlive a restart; a broken file is begun anew."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from sixprime.bot.client.lobby.acquaintances import FOR_EVER, Acquaintances
from sixprime.bot.client.lobby.rests import Why
from sixprime.bot.recording.opponents import NAME, OpponentFile
from sixprime.bot.recording.virtualtime import VirtualLoop
from sixprime.bot.settings.blanking import Blank

ANNA, BEN = "anna@fibs.com:4321", "ben@fibs.com:4321"
MONDAY = 1_790_000_000.0


def run(scene: Callable[[], None]) -> None:
    async def started() -> None:
        await asyncio.sleep(5.0)
        scene()

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(started())


def opened(file: Path, known: Acquaintances, at: float, account: str = ANNA) -> OpponentFile:
    opponents = OpponentFile(file, {account: known}, Blank(["secret99"]), lambda: at)
    opponents.restore()
    return opponents


def test_who_said_no_rests_or_is_done_with_is_known_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "state" / NAME

    def before() -> None:
        known = Acquaintances()
        opponents = opened(file, known, MONDAY)
        opponents.save()
        assert not file.exists()  # nothing to be kept
        now = asyncio.get_running_loop().time()
        known.entry("marvin").alone_until = now + 3_600.0
        known.entry("trillian").rests.begin(Why.ORDER, now)
        known.entry("ford").dead_until = FOR_EVER
        known.entry("zaphod").alone_until = now - 1.0
        known.entry("secret99").rests.begin(Why.ORDER, now)
        opponents.save()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert "zaphod" not in file.read_text()
        assert "secret99" not in file.read_text()

    def after() -> None:
        known, other = Acquaintances(), Acquaintances()
        opened(file, known, MONDAY + 1_800.0)
        opened(file, other, MONDAY, BEN)
        now = asyncio.get_running_loop().time()
        assert known.peek("marvin").alone_until == pytest.approx(now + 1_800.0, abs=60.0)
        assert known.resting(now) == ["trillian"]
        assert known.peek("ford").dead_until == FOR_EVER
        assert other.lasting(now) == {}

    run(before)
    run(after)


def test_two_processes_keep_their_own_accounts(tmp_path: Path) -> None:
    def scene() -> None:
        one, two = Acquaintances(), Acquaintances()
        files = (opened(tmp_path / NAME, one, MONDAY), opened(tmp_path / NAME, two, MONDAY, BEN))
        one.entry("marvin").dead_until = two.entry("ford").dead_until = FOR_EVER
        for each in files:
            each.save()
        again = Acquaintances()
        opened(tmp_path / NAME, again, MONDAY)
        assert list(again.lasting(5.0)) == ["marvin"]

    run(scene)


def test_what_happens_while_playing_is_saved_at_the_end(tmp_path: Path) -> None:
    async def scene() -> None:
        known = Acquaintances()
        opponents = OpponentFile(tmp_path / NAME, {ANNA: known}, Blank())
        keeping = asyncio.create_task(opponents.keep())
        await asyncio.sleep(1.0)
        known.entry("marvin").dead_until = FOR_EVER
        keeping.cancel()
        await asyncio.wait([keeping])

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(scene())
    assert "marvin" in (tmp_path / NAME).read_text()


@pytest.mark.parametrize("text", ["", "{", '{"a": 1}', '{"a": {"b": {"alone": "x"}}}', "\x00"])
def test_a_broken_file_is_a_warning(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)

    def scene() -> None:
        known = Acquaintances()
        with capture_logs() as logs:
            opponents = opened(tmp_path / NAME, known, MONDAY)
        assert [each["event"] for each in logs] == ["starting without what was known of opponents"]
        known.entry("marvin").dead_until = FOR_EVER
        opponents.save()
        assert "marvin" in (tmp_path / NAME).read_text()

    run(scene)
