"""Stopping `sixprime play` by signals: the match is saved or finished, nobody waits for ever."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sixprime.bot.sandbox.loadtest.clients import PASSWORD
from tests.support.bot.scene import hall
from tests.support.bot.settings import ENTRY, SETTINGS

pytestmark = pytest.mark.patient

WITHIN_S = 300.0


class Running:
    """A bot's process and its log."""

    def __init__(self, folder: Path, port: int, *options: str, **settings: str) -> None:
        text = SETTINGS.replace("PORT", str(port)).replace("FORMAT", "console")
        text = text.replace("FOLDER", str(folder)).replace("PASSWORD", "password_env: THE_PASSWORD")
        for old, new in settings.items():
            text = text.replace(old, new)
        (folder / "bot.yaml").write_text(text)
        self.log = folder / "bot.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", ENTRY, "play", "--config", folder / "bot.yaml", *options],
                stdin=subprocess.DEVNULL,
                stderr=log,
                env={**os.environ, "THE_PASSWORD": PASSWORD},
            )

    async def until(self, words: str) -> None:
        """Until the log says so."""
        async with asyncio.timeout(WITHIN_S):
            while words not in self.log.read_text():
                assert self.process.poll() is None, self.log.read_text()
                await asyncio.sleep(0.02)

    async def end(self) -> int:
        """The exit status."""
        return await asyncio.to_thread(self.process.wait, WITHIN_S)


@contextmanager
def running(folder: Path, port: int, *options: str, **settings: str) -> Iterator[Running]:
    bot = Running(folder, port, *options, **settings)
    try:
        yield bot
    finally:
        if bot.process.poll() is None:
            bot.process.kill()
            bot.process.wait()


def files(folder: Path) -> dict[bool, int]:
    """How many match files there are, by whether they are of unfinished matches."""
    names = [path.name for path in (folder / "matches").glob("*")]
    marked = [name for name in names if ".unfinished." in name]
    return {True: len(marked), False: len(names) - len(marked)}


SHORT = {"match_length: 7": "match_length: 1"}


@pytest.mark.parametrize(
    ("option", "number"),
    [("--finish", signal.SIGINT), ("--finish", signal.SIGTERM), ("--once", None)],
)
def test_the_match_is_played_to_its_end(
    tmp_path: Path, option: str, number: signal.Signals | None
) -> None:
    async def check() -> None:
        async with hall(tmp_path, "anna", house=("simple",)) as server:
            with running(tmp_path, server.port, option, **SHORT) as bot:
                await bot.until("line='move ")
                if number is not None:
                    bot.process.send_signal(number)
                assert await bot.end() == 0
                log = bot.log.read_text()
        assert "how=finish" in log
        assert "match over" in log
        assert log.count("match begins") == 1
        assert "leaving" not in log
        assert files(tmp_path) == {True: 0, False: 3}
        assert not server.server.world.server.matches

    asyncio.run(check())


def test_a_second_signal_leaves_the_match_saved(tmp_path: Path) -> None:
    async def check() -> None:
        async with hall(tmp_path, "anna", house=("simple",)) as server:
            with running(tmp_path, server.port, "--finish") as bot:
                await bot.until("line='move ")
                bot.process.send_signal(signal.SIGINT)
                await bot.until("how=finish")
                bot.process.send_signal(signal.SIGINT)
                assert await bot.end() == 0
                log = bot.log.read_text()
        assert log.index("how=finish") < log.index("how=save") < log.index("match saved")
        assert files(tmp_path) == {True: 3, False: 0}
        assert len(server.server.world.server.matches) == 1

    asyncio.run(check())


def test_whoever_insists_does_not_wait_for_a_server_that_hangs(tmp_path: Path) -> None:
    async def check() -> None:
        async with hall(tmp_path, "anna", house=("simple",)) as server:
            patient = {"command_gap_s: 0": "command_gap_s: 0, stop_within_s: 600"}
            with running(tmp_path, server.port, **patient) as bot:
                await bot.until("line='move ")
                for number in (1, 2):
                    bot.process.send_signal(signal.SIGINT)
                    while bot.log.read_text().count("how=save") < number:
                        time.sleep(0.02)  # noqa: ASYNC251 the server is in this loop: it hangs
                bot.process.send_signal(signal.SIGINT)
                assert bot.process.wait(WITHIN_S) == 130
        assert "Traceback" not in bot.log.read_text()

    asyncio.run(check())


def test_a_bot_whose_server_is_away_stops_at_once(tmp_path: Path) -> None:
    async def check() -> None:
        with running(tmp_path, 1, "--finish") as bot:
            await bot.until("again_in_s")
            bot.process.send_signal(signal.SIGTERM)
            assert await bot.end() == 0

    asyncio.run(check())
