"""The first start: pages at once, and asked work first, beside processes that compile."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from sixprime.bot.web.frame.firststart import FirstStart, NotReady
from sixprime.bot.web.play.opponents import preparations
from sixprime.engine.compiling.place import kernels_folder
from sixprime.engine.compiling.preparations import ON_DEMAND, PREPARATIONS, RULES
from sixprime.engine.position import Variant
from sixprime.engine.system.errors import Unavailable
from tests.support.web.chromium import needs_chromium
from tests.support.web.person import Served, browsing

ALL = [*PREPARATIONS, *ON_DEMAND]


class Workshop:
    """Preparations that end when a test says so."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.given_up: list[str] = []
        self._ends: dict[str, asyncio.Future[None]] = {}

    async def prepare(self, key: str) -> None:
        self.begun.append(key)
        end = self._ends[key] = asyncio.get_running_loop().create_future()
        try:
            await end
        except asyncio.CancelledError:
            self.given_up.append(key)
            raise

    async def end(self, key: str, error: Exception | None = None) -> None:
        end = self._ends[key]
        end.set_exception(error) if error else end.set_result(None)
        await settled()

    async def end_all(self) -> None:
        await settled()
        while going := [key for key, end in self._ends.items() if not end.done()]:
            await self.end(going[0])


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def asked(method: str = "GET", **headers: str) -> Request:
    lines = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": method, "headers": lines})


def started(
    test: Callable[[FirstStart, Workshop], Coroutine[Any, Any, None]], width: int = 2
) -> None:
    async def run() -> None:
        workshop = Workshop()
        first = FirstStart(ALL, workshop.prepare, width)
        first.begin()
        await settled()
        await test(first, workshop)
        await first.stop()
        assert first.shown() is None

    asyncio.run(run())


def test_a_page_that_needs_the_engine_says_so_and_its_work_is_done_first() -> None:
    async def test(first: FirstStart, workshop: Workshop) -> None:
        assert workshop.begun == ALL[:2]
        with pytest.raises(NotReady) as told:
            await first.need(asked(), ["rules", "people"])
        assert told.value.keys == ["rules", "people"]
        await settled()
        assert workshop.begun[2:] == ["people"]
        assert workshop.given_up == [ALL[1]]
        await workshop.end("rules")
        await workshop.end("people")
        await first.need(asked(), ["rules", "people"])
        assert workshop.begun[3:] == ALL[1:3]

    started(test)


@pytest.mark.parametrize("request_", [asked("POST"), asked(x_fragment="1")])
def test_a_deed_waits_until_the_work_that_it_needs_is_done(request_: Request) -> None:
    async def test(first: FirstStart, workshop: Workshop) -> None:
        waiting = asyncio.create_task(first.need(request_, ["search"]))
        await settled()
        assert workshop.begun[-1] == "search"
        await workshop.end("rules")
        assert not waiting.done()
        await workshop.end("search")
        assert waiting.done()

    started(test)


def test_each_preparation_is_done_once_and_a_database_only_if_asked_for() -> None:
    async def test(first: FirstStart, workshop: Workshop) -> None:
        await workshop.end_all()
        assert sorted(workshop.begun) == sorted(PREPARATIONS)
        assert first.shown() is None
        with pytest.raises(NotReady):
            await first.need(asked(), ["hypergammon-2"])
        told = first.shown(["hypergammon-2"])
        assert told is not None
        assert "hypergammon database" in told["what"]
        assert told["waits"] is True
        await workshop.end_all()
        assert workshop.begun[len(PREPARATIONS) :] == ["hypergammon-2"]

    started(test)


def test_a_preparation_that_fails_stops_nothing() -> None:
    async def test(first: FirstStart, workshop: Workshop) -> None:
        await workshop.end("rules", Unavailable("no memory"))
        await first.need(asked(), ["rules"])
        assert workshop.begun == ALL[:3]

    started(test)


def test_the_state_counts_and_tells_a_shorter_time_as_work_gets_done() -> None:
    async def test(first: FirstStart, workshop: Workshop) -> None:
        counts = []
        while (told := first.shown()) is not None:
            counts.append((told["done"], told["total"]))
            assert f"{told['done']} of {told['total']}, about " in told["says"]
            await workshop.end(workshop.begun[-1])
        total = len(PREPARATIONS)
        assert counts == [(done, total) for done in range(total)]

    started(test, width=1)


@pytest.mark.parametrize(
    ("level", "length", "variant", "needs", "needs_not"),
    [
        ("simple", 5, Variant.STANDARD, {"rules"}, {"bearoff", "search"}),
        ("pr 8", 1, Variant.STANDARD, {"rules", "people", "ranking"}, {"search"}),
        ("pr 8", 5, Variant.STANDARD, {"people", "search"}, {"rollouts"}),
        ("pr 8", 1, Variant.HYPERGAMMON_2, {"hypergammon-2"}, {"hypergammon-1"}),
        ("expert", 1, Variant.HYPERGAMMON, {"search"}, set(ON_DEMAND)),
        ("1650", 1, Variant.STANDARD, {"search"}, {"rollouts"}),
        ("roller", 1, Variant.STANDARD, {"rollouts"}, {"analysis"}),
    ],
)
def test_an_opponent_needs_its_own_kernels(
    level: str, length: int, variant: Variant, needs: set[str], needs_not: set[str]
) -> None:
    keys = set(preparations(level, length, variant))
    assert needs <= keys <= set(ALL)
    assert not keys & needs_not
    assert set(RULES) <= keys


# --- in the browser


@pytest.fixture
def forgetful(tmp_path: Path) -> dict[str, str]:
    """An environment with all kernels, of which nothing says that they are there."""
    kernels = kernels_folder()
    folder = tmp_path / "cache" / kernels.name
    folder.mkdir(parents=True)
    for each in kernels.iterdir():
        if not each.name.startswith("ready-"):
            os.link(each, folder / each.name)
    return {"NUMBA_CACHE_DIR": str(folder.parent), "SIXPRIME_CACHE": str(tmp_path / "databases")}


@needs_chromium
@pytest.mark.patient
@pytest.mark.parametrize("with_script", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_first_start_shows_pages_at_once_and_goes_on_by_itself(
    tmp_path: Path, forgetful: dict[str, str], with_script: bool
) -> None:
    with (
        Served(tmp_path, environment=forgetful) as served,
        browsing(served, java_script_enabled=with_script) as person,
    ):
        page = person.page
        page.goto(f"{served.url}/play")
        told = page.inner_text("#first")
        assert re.search(rf"First start: .+; \d+ of {len(PREPARATIONS)}, about .+ left", told)
        page.click("text=Archive")
        assert page.inner_text("h1") == "Archive"  # nothing there needs a kernel
        page.goto(f"{served.url}/play")
        page.select_option("select[name=level]", "pr 7")
        page.select_option("select[name=length]", "1")
        page.click("form.begin button.main")
        waiting, board = page.locator("text=In a moment"), page.locator("svg.board")
        waiting.or_(board).first.wait_for()  # a quick machine has compiled by now
        board.wait_for()
        assert page.url.startswith(f"{served.url}/play/")
        if with_script:
            page.wait_for_selector("#first", state="detached")
        assert person.complaints == []


@needs_chromium
@pytest.mark.patient
def test_a_first_move_of_hypergammon_says_what_it_makes(
    tmp_path: Path, forgetful: dict[str, str]
) -> None:
    kernels = Path(forgetful["NUMBA_CACHE_DIR"]) / kernels_folder().name
    for key in PREPARATIONS:
        (kernels / f"ready-{key}").touch()
    with Served(tmp_path, environment=forgetful) as served, browsing(served) as person:
        page = person.page
        page.goto(f"{served.url}/play")
        assert page.query_selector("#first") is None
        page.click("text=More choices")
        page.select_option("select[name=variant]", "hypergammon-1")
        page.click("text=Start")
        page.wait_for_selector("text=In a moment")
        assert "building the hypergammon database, checkers: 1" in page.inner_text("#first")
        page.wait_for_selector("svg.board")
