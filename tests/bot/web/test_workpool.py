"""Work of the pages: by turns, in bounds, and only while somebody waits for it."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.requests import ClientDisconnect, Request

from sixprime.bot.client.service import Service
from sixprime.bot.client.turn import Asked
from sixprime.bot.control.steering import Steering
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import AccountSettings, Config, Profile
from sixprime.bot.web.app import Site, application
from sixprime.bot.web.bots.livebots import LiveBots
from sixprime.bot.web.frame import workpool
from sixprime.bot.web.frame.guard import Busy, Passwords, Visitor
from sixprime.bot.web.frame.workpool import MOST_OF_SESSION, WorkPool
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.play.coach import Coach
from sixprime.bot.web.play.matchstore import MatchStore
from sixprime.engine.search.decide import NoDecision
from sixprime.protocols.fibs.questions import JoinNextGame
from tests.support.web.visit import HOST

LOOKS = 60


class Browser:
    """A session with requests to a pool, which hang up together."""

    def __init__(self, pool: WorkPool, done: list[str], *, may_act: bool = False) -> None:
        self.visitor = Visitor(may_act)
        self.gone = asyncio.Event()
        self._pool = pool
        self._done = done

    def asks(
        self, name: str, work: Callable[[], object] = lambda: None, method: str = "GET"
    ) -> asyncio.Task[None]:
        """A request for this work, whose name is noted when it begins."""

        def noted() -> None:
            self._done.append(name)
            work()

        async def receive() -> dict[str, str]:
            await self.gone.wait()
            return {"type": "http.disconnect"}

        scope = {"type": "http", "method": method, "headers": [], "visitor": self.visitor}
        return asyncio.create_task(self._pool.do(Request(scope, receive), noted))


def playing(play: Callable[[WorkPool, list[str]], Coroutine[Any, Any, None]]) -> list[str]:
    """The pieces of work in the order in which they began, in a pool with one thread."""
    pool, done = WorkPool("test", 1), list[str]()
    asyncio.run(play(pool, done))
    pool.shut_down()
    return done


async def passes(count: int = 3) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def test_sessions_take_turns_and_those_that_may_act_come_first() -> None:
    async def play(pool: WorkPool, done: list[str]) -> None:
        release = threading.Event()
        anna, ben, owner = (Browser(pool, done, may_act=each) for each in (False, False, True))
        tasks = [anna.asks("anna 0", release.wait)]
        await passes()
        tasks += [anna.asks(f"anna {i}") for i in (1, 2, 3)]
        tasks += [
            ben.asks("ben 1"),
            ben.asks("ben 2"),
            owner.asks("owner 1"),
            owner.asks("owner 2"),
        ]
        await passes()
        release.set()
        await asyncio.gather(*tasks)

    assert playing(play) == [
        "anna 0", "owner 1", "owner 2", "ben 1", "anna 1", "ben 2", "anna 2", "anna 3",
    ]  # fmt: skip


def test_a_session_has_so_much_work_and_no_more_and_others_have_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workpool, "REFUSED_AFTER_S", 0.0)

    async def play(pool: WorkPool, done: list[str]) -> None:
        release = threading.Event()
        greedy, other = Browser(pool, done), Browser(pool, done)
        tasks = [greedy.asks("work", release.wait) for _ in range(1_500)]
        await passes(10)
        refused = [task for task in tasks if task.done()]
        assert len(refused) == 1_500 - MOST_OF_SESSION
        for task in refused:
            assert isinstance(fault := task.exception(), Busy)
            assert fault.status_code == 429
        kept = [task for task in tasks if not task.done()]
        kept.append(other.asks("other's"))
        await passes()
        release.set()
        await asyncio.gather(*kept)
        await greedy.asks("work")  # there is room again

    done = playing(play)
    assert done.index("other's") == 1
    assert done.count("work") == MOST_OF_SESSION + 1


def test_work_of_a_request_that_hung_up_does_not_begin_and_an_order_is_carried_out() -> None:
    async def play(pool: WorkPool, done: list[str]) -> None:
        release = threading.Event()
        browsers = [Browser(pool, done, may_act=True) for _ in range(150)]
        tasks = [browsers[0].asks("first", release.wait)]
        tasks += [each.asks("look") for each in browsers for _ in range(MOST_OF_SESSION - 2)]
        order = browsers[0].asks("order", method="POST")
        await passes()
        for each in browsers:
            each.gone.set()
        answers = await asyncio.gather(*tasks[1:], return_exceptions=True)
        assert all(isinstance(each, ClientDisconnect) for each in answers)
        release.set()
        await asyncio.gather(tasks[0], order)
        await browsers[0].asks("last", method="POST")  # they left nothing behind
        assert not pool._counts

    assert playing(play) == ["first", "order", "last"]


@pytest.mark.parametrize("has_patience", [True, False])
def test_work_waits_for_the_decision_of_a_bot_but_not_for_long(
    has_patience: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workpool, "GIVE_WAY_S", math.inf if has_patience else 0.0)
    monkeypatch.setattr(workpool, "LOOK_S", 0.0)
    decides = True

    async def play(pool: WorkPool, done: list[str]) -> None:
        nonlocal decides
        pool.deciding = lambda: decides
        looking = Browser(pool, done).asks("look")
        if has_patience:
            await passes(20)
            assert done == []
            decides = False
        await looking

    assert playing(play) == ["look"]


def test_bots_decide_while_one_of_them_thinks() -> None:
    profiles = tuple(
        Profile(name=name, account=AccountSettings(user=name)) for name in ("anna", "ben")
    )
    service = Service(Config(profiles=profiles), dict.fromkeys(("anna", "ben"), Secret("")))
    live = LiveBots(service, cast(Steering, None))

    async def think() -> None:
        assert not live.are_deciding()
        thinking = asyncio.create_task(asyncio.sleep(0))
        service.bots[1].client.turn._asked = Asked(JoinNextGame(), 0.0, thinking)
        assert live.are_deciding()
        await thinking
        assert not live.are_deciding()

    asyncio.run(think())


def test_no_board_waits_for_the_engine_of_another() -> None:
    coach, thought = Coach(), threading.Event()

    async def play() -> None:
        browser = Browser(coach.pool, [], may_act=True)
        slow = browser.asks("slow", lambda: thought.wait(60))
        await asyncio.wait_for(browser.asks("quick"), 30)
        thought.set()
        await slow

    asyncio.run(play())


def test_looks_that_hang_up_are_not_thought_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, release, looked = threading.Event(), threading.Event(), list[object]()

    def cube(*asked: object) -> None:
        looked.append(asked)
        begun.set()
        release.wait(60)
        raise NoDecision("nothing")

    monkeypatch.setattr(Coach, "cube", cube)
    site = Site(MatchStore(tmp_path), Library(None), Coach("casual"))
    app = application(site, {HOST}, Passwords())
    scope = {
        "type": "http", "method": "GET", "path": "/position", "query_string": b"id=4HPwATDgc/ABMA",
        "headers": [(b"host", HOST.encode())], "client": ("127.0.0.1", 1), "scheme": "http",
        "server": ("127.0.0.1", 8760),
    }  # fmt: skip

    async def check() -> None:
        gone = asyncio.Event()

        async def look() -> None:
            told = [{"type": "http.request", "body": b"", "more_body": False}]

            async def receive() -> Any:
                if not told:
                    await gone.wait()
                return told.pop() if told else {"type": "http.disconnect"}

            async def send(_: Any) -> None:
                pass

            await app(dict(scope), receive, send)

        tasks = [asyncio.create_task(look()) for _ in range(LOOKS)]
        await asyncio.to_thread(begun.wait, 60)
        gone.set()
        await passes(20)
        release.set()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(check())
    assert len(looked) == 1
