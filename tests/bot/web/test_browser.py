"""The pages in Debian's Chromium: whole matches by mouse, by touch and by keyboard alone."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.web.play.boardmatch import Asks, BoardMatch
from sixprime.bot.web.play.matchstore import MatchStore
from sixprime.bot.web.play.tutor import Tutor
from sixprime.engine.position import Position
from sixprime.protocols.formats.record import (
    Cube,
    CubeStep,
    Game,
    Match,
    Player,
    Rules,
    SetBoard,
    Turn,
)
from tests.chromium import PROGRAM, needs_chromium

pytestmark = [needs_chromium, pytest.mark.patient]

MOST_ACTIONS = 1_000


class Served:
    """`sixprime web` in a process of its own."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.folder = folder
        self._more = more
        self.port = "0"
        self._process: subprocess.Popen[str] | None = None

    @property
    def store(self) -> MatchStore:
        return MatchStore(self.folder / "matches")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        words = ("web", "--listen", f"127.0.0.1:{self.port}", "--matches", str(self.store.folder))
        archive = ("--archive", f"sqlite:///{self.folder / 'archive.db'}")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sixprime", *words, *archive, *self._more],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        while not (found := re.search(r":(\d+)/$", self._process.stdout.readline().strip())):
            assert self._process.poll() is None
        self.port = found[1]

    def kill(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("web"))
    made.start()
    yield made
    made.kill()


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
        self.page.wait_for_selector("svg.board")

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


@contextmanager
def browsing(served: Served, **options: Any) -> Iterator[Person]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        page = browser.new_context(**options).new_page()
        page.set_default_timeout(200_000)  # the machine may be busy
        yield Person(page, served)
        browser.close()
    asyncio.set_event_loop(None)


def ends_of(source: Any) -> list[str]:
    return str(source.get_attribute("data-ends")).split(",")


def test_a_match_is_played_by_clicking(served: Served) -> None:
    with browsing(served, viewport={"width": 1000, "height": 900}) as person:

        def move() -> None:
            source = person.page.query_selector(".source")
            if len(ends_of(source)) == 1:
                person.acts(source.click)
                return
            source.click()
            person.acts(lambda: person.page.click(".target.open >> nth=0"))

        person.begin()
        person.play_out(move)
        assert "the match" in person.page.inner_text("#says")
        person.page.click("text=Archive >> nth=0")
        assert "Sixprime simple" in person.page.inner_text("table")
        assert person.complaints == []


def test_a_match_is_played_by_dragging_on_a_phone(served: Served) -> None:
    with browsing(served, viewport={"width": 360, "height": 740}, has_touch=True) as person:
        page = person.page

        def middle(selector: str) -> tuple[float, float]:
            box = page.query_selector(selector).bounding_box()
            return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

        wire = page.context.new_cdp_session(page)

        def touch(kind: str, *points: dict[str, float]) -> None:
            wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

        def move() -> None:
            page.query_selector(".board").scroll_into_view_if_needed()  # a target, too, is touched
            end = ends_of(page.query_selector(".source"))[-1]
            (x, y), (to_x, to_y) = middle(".source"), middle(f".target[data-end='{end}']")
            touch("touchStart", {"x": x, "y": y})
            for part in (0.1, 0.4, 1.0):
                touch("touchMove", {"x": x + part * (to_x - x), "y": y + part * (to_y - y)})
            person.acts(lambda: touch("touchEnd"))

        person.begin()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        person.play_out(move)
        assert person.complaints == []


def test_a_match_is_played_by_keyboard_alone(served: Served) -> None:
    with browsing(served) as person:
        keyboard = person.page.keyboard

        def press(selector: str) -> None:
            """Tab until the element has the focus, then press Enter."""
            for _ in range(80):
                if person.page.evaluate("s => document.activeElement.matches(s)", selector):
                    person.acts(lambda: keyboard.press("Enter"))
                    return
                keyboard.press("Tab")
            pytest.fail(f"the keyboard does not reach {selector}")

        person.begin()
        for _ in range(MOST_ACTIONS):
            if person.asks == "NOTHING":
                break
            has_main = person.page.query_selector(".deeds button.main")
            press(".deeds button.main" if has_main else ".source")
        assert person.asks == "NOTHING"
        assert person.complaints == []


def planted() -> BoardMatch:
    """An opening 3-1 with the tutor watching."""
    game = Game(actions=(SetBoard(0, Position.start()), Turn(0, (3, 1))))
    record = Match((Player("me"), Player("Sixprime simple")), 1, (game,))
    return BoardMatch("simple", record, tutor=Tutor())


def test_the_tutor_warns_of_a_blunder_and_the_play_is_taken_back(served: Served) -> None:
    match = planted()
    assert match.asks is Asks.PLAY
    match.step(24, 21)
    match.step(6, 5)
    key = served.store.add(match)
    with browsing(served) as person:
        person.page.goto(f"{served.url}/play/{key}")
        person.acts(lambda: person.page.click("button[data-deed=confirm]"))
        assert "8/5 6/5" in person.page.inner_text(".warning")
        assert "very bad" in person.page.inner_text(".warning")
        person.acts(lambda: person.page.click("button[data-deed=rethink]"))
        assert served.store.load(key).begun == ()
        assert person.complaints == []


def test_dice_come_by_hand_against_a_requested_rating(served: Served) -> None:
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play")
        page.fill("input[name=rating]", "1500")
        page.check("input[name=by_hand]")
        page.click("text=Start")
        page.wait_for_selector("form.dice")
        assert "Sixprime 1500" in page.inner_text(".bench")

        def tap(die: str, pips: int) -> None:  # `check` may tap twice: in the form drawn anew, too
            page.click(f"label:has(input[name={die}][value='{pips}'])")

        def enter(first: int, second: int) -> None:
            tap("first", first)
            person.acts(lambda: tap("second", second))

        enter(2, 2)
        assert "roll again" in page.inner_text("[role=alert]")
        enter(3, 1)
        page.fill("input[name=text]", "8/5 6/5")
        person.acts(lambda: page.press("input[name=text]", "Enter"))
        person.acts(lambda: page.click("button[data-deed=confirm]"))
        enter(6, 6)  # the engine's
        assert "6-6" in page.inner_text(".engine")
        assert person.asks == "ROLL"
        assert person.complaints == []


def test_a_double_is_beavered(served: Served) -> None:
    side = Position.start().mine
    board = SetBoard(1, Position(side, side))
    game = Game(actions=(board, Cube(1, CubeStep.DOUBLE)))
    record = Match((Player("me"), Player("it")), 0, (game,), Rules(beavers=3))
    key = served.store.add(BoardMatch("simple", record))
    with browsing(served) as person:
        person.page.goto(f"{served.url}/play/{key}")
        person.acts(lambda: person.page.click("button[data-deed=beaver]"))
        assert "takes" in person.page.inner_text(".engine")
        assert "takes" in person.page.text_content("#heard")
        assert person.complaints == []
    state = served.store.load(key).replay().state
    assert (state.cube, state.cube_owner) == (4, 0)


def test_a_match_is_analysed_when_it_is_over(served: Served) -> None:
    game = Game(actions=(SetBoard(0, Position((2, *(0,) * 24), (2, *(0,) * 24))), Turn(0, (2, 1))))
    players = Player("me"), Player("Sixprime simple")
    key = served.store.add(BoardMatch("simple", Match(players, 1, (game,)), begun=()))
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play/{key}")
        for _ in range(2):
            person.acts(lambda: page.click(".source"))
        person.acts(lambda: page.click("button[data-deed=confirm]"))
        assert "You win the match" in page.inner_text("#says")
        page.click("text=Analyse the match")
        page.wait_for_selector("text=analysed at world-class")
        assert person.complaints == []


def test_a_reload_and_a_killed_server_lose_nothing_in_mid_turn(tmp_path: Path) -> None:
    served = Served(tmp_path)
    served.start()
    key = served.store.add(planted())
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play/{key}")
        person.acts(lambda: page.press(".source[data-start='8']", "Enter"))
        before = page.inner_text("#says")
        page.reload()
        assert page.inner_text("#says") == before
        served.kill()
        served.start()
        page.reload()
        assert page.inner_text("#says") == before
        person.acts(lambda: page.press(".source[data-start='6']", "Enter"))
        assert served.store.load(key).may_confirm
    served.kill()


def test_a_lost_network_and_a_server_killed_while_the_engine_thinks_lose_nothing(
    served: Served,
) -> None:
    match = planted()
    key = served.store.add(match)
    with browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play/{key}")
        page.context.set_offline(True)
        page.press(".source[data-start='8']", "Enter")
        assert "Nothing is lost" in page.inner_text("#lost")
        page.context.set_offline(False)
        page.wait_for_selector("#lost", state="detached")
        person.acts(lambda: page.press(".source[data-start='8']", "Enter"))
        assert [step.start for step in served.store.load(key).begun] == [8]
        match.write("8/5 6/5")
        match.confirm()
        assert match.asks is Asks.ENGINE  # as a server leaves it that is killed now
        served.store.save(key, match)
        page.reload()
        assert person.asks in ("ROLL", "PLAY", "ANSWER")


def test_without_a_script_a_play_is_written(served: Served) -> None:
    key = served.store.add(planted())
    with browsing(served, java_script_enabled=False) as person:
        page = person.page
        page.goto(f"{served.url}/play/{key}")
        page.fill("input[name=text]", "8/5 6/5")
        page.click("form[action$=write] button")
        page.click("button[data-deed=confirm]")
        assert person.asks in ("ROLL", "PLAY", "ANSWER")
        page.goto(f"{served.url}/position")
        assert not page.is_visible("#roll-out")
        page.fill("input[name=dice]", "31")
        page.click("#look")
        assert "8/5 6/5" in page.inner_text("section[aria-label=Plays]")
