"""Somebody with a browser at `sixprime web`, which runs in a process of its own."""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest

from sixprime.bot.web.play.boardmatch import BoardMatch
from sixprime.bot.web.play.matchstore import MatchStore
from sixprime.bot.web.play.tutor import Tutor
from sixprime.engine.position import Position
from sixprime.engine.rules import legal_plays
from sixprime.protocols.formats.record import Game, Match, Player, SetBoard, Turn
from tests.support.web.chromium import PROGRAM

MOST_ACTIONS = 1_000


class Served:
    """`sixprime web` in a process of its own."""

    def __init__(self, folder: Path, *more: str, environment: Mapping[str, str] = {}) -> None:
        self.folder = folder
        self._more = more
        self._environment = environment  # changes to ours
        self.port = "0"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def store(self) -> MatchStore:
        return MatchStore(self.folder / "matches")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        words = ("web", "--listen", f"127.0.0.1:{self.port}", "--matches", str(self.store.folder))
        archive = ("--database", f"sqlite:///{self.folder / 'archive.db'}")
        log = self.folder / "web.log"  # a pipe that nobody reads would fill up
        with log.open("w") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "sixprime", *words, *archive, *self._more],
                stdout=out,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **self._environment},
                start_new_session=True,  # or its work of low priority waits for all other tests
            )
        while not (found := re.search(r":(\d+)/$", log.read_text(), re.MULTILINE)):
            assert self._process.poll() is None
            time.sleep(0.05)
        self.port = found[1]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.kill()

    def kill(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Person:
    """Somebody with a browser; `complaints` are what its console said."""

    def __init__(self, page: Any, served: Served) -> None:
        self.page, self.served = page, served
        self.complaints: list[str] = []
        page.on("console", lambda said: self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def begin(self, **choices: str) -> None:
        self.page.goto(f"{self.served.url}/play")
        for name, value in ({"level": "simple", "length": "1"} | choices).items():
            self.page.select_option(f"select[name={name}]", value)
        self.page.click("text=Start")
        self.page.wait_for_selector("#table[data-shown]")  # the board is there before its script

    @property
    def asks(self) -> str:
        return str(self.page.get_attribute(".boardbox", "data-asks"))

    def acts(self, action: Callable[[], object]) -> None:
        """Do this, and wait until the table shows what came of it."""
        before = self.page.get_attribute("#table", "data-shown")
        action()
        self.page.wait_for_function(
            "was => document.getElementById('table').dataset.shown !== was", arg=before
        )

    def play_out(self, move: Callable[[], None]) -> None:
        for _ in range(MOST_ACTIONS):
            if self.asks == "NOTHING":
                return
            if self.page.query_selector(".deeds button.main"):
                self.acts(lambda: self.page.click(".deeds button.main"))
            else:
                move()
        pytest.fail("the match does not end")


class _Chromium:
    """One browser for all tests of a module, as a start of it takes longer than most of them."""

    def __init__(self) -> None:
        self._playwright: Any = None
        self._browser: Any = None

    def browser(self) -> Any:
        from playwright.sync_api import sync_playwright

        if self._browser is None:
            self._playwright = sync_playwright().start()
            self._browser = self._playwright.chromium.launch(
                executable_path=PROGRAM, args=["--no-sandbox"]
            )
        return self._browser

    def close(self) -> None:
        if self._browser is not None:
            self._browser.close()
            self._playwright.stop()
            self._browser = None
            asyncio.set_event_loop(None)


CHROMIUM = _Chromium()


@contextmanager
def browsing(served: Served, **options: Any) -> Iterator[Person]:
    still = {"reduced_motion": "reduce"}  # what slides is for eyes; test_moving.py looks at it
    context = CHROMIUM.browser().new_context(**(still | options))
    page = context.new_page()
    page.set_default_timeout(200_000)  # the machine may be busy
    try:
        yield Person(page, served)
    finally:
        context.close()


def planted() -> BoardMatch:
    """An opening 3-1 with the tutor watching."""
    game = Game(actions=(SetBoard(0, Position.start()), Turn(0, (3, 1))))
    record = Match((Player("me"), Player("Sixprime simple")), 1, (game,))
    return BoardMatch("simple", record, tutor=Tutor())


def played_on(seed: int, turns: int) -> Position:
    """A position of a game that was played at random."""
    dice = random.Random(seed)
    position = Position.start()
    for _ in range(turns):
        roll = dice.randint(1, 6), dice.randint(1, 6)
        after = dice.choice(legal_plays(position, roll)).result
        if after.is_over():
            break
        position = after.flipped()
    return position
