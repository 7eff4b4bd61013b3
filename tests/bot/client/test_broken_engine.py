"""Without an engine that works nobody plays: no login, and a match that has begun is left."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from structlog.testing import capture_logs

from sixprime.bot.cli.operator.status import line_of
from sixprime.bot.client.connection import CannotConnect, Streams
from sixprime.bot.client.service import ENGINE_AGAIN_S, Service
from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.matchlog.events import MatchStarted
from sixprime.bot.recording.virtualtime import VirtualLoop
from sixprime.bot.settings.passwords import Secret
from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.search.players import PipCounter
from tests.support.bot.scene import Crew, config_for
from tests.support.bot.simulator import Link
from tests.support.bot.virtual import PASSWORD, VirtualServer, at_once


class Engine(PipCounter):
    """Works, or not, as all of its kind."""

    works = True

    def play(self, position: Position, match: MatchState) -> Play:
        if not type(self).works:
            raise RuntimeError("no such\nfile")
        return super().play(position, match)


def virtually(scene: Callable[[], Awaitable[None]]) -> list[Any]:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner, capture_logs() as logs:
        runner.run(scene())  # type: ignore[arg-type]
    return list(logs)


def thinker() -> Thinker:
    return Thinker([Rung("engine", Engine, 5.0), Rung("pips", PipCounter, 5.0)], run=at_once)


class Dialled:
    """Counts connections, and refuses them."""

    times = 0

    async def __call__(self, host: str, port: int, within_s: float) -> Streams:
        self.times += 1
        raise CannotConnect("nobody is there")


def service(dial: Any) -> Service:
    config = config_for(1, "account: {user: anna}")
    return Service(config, {"anna": Secret("x")}, dial=dial, thinker=lambda _: thinker())


def test_a_bot_whose_warm_up_fails_does_not_log_in_and_ends(monkeypatch: Any) -> None:
    monkeypatch.setattr(Engine, "works", False)
    dialled = Dialled()

    async def scene() -> None:
        bots = service(dialled)
        async with asyncio.timeout(ENGINE_AGAIN_S):
            assert await bots.run()
        assert [bot.broken for bot in bots.bots] == [True]

    logs = virtually(scene)
    assert dialled.times == 0
    assert {"why": "engine: no such file"}.items() <= logs[-1].items()


def test_with_stay_it_is_unhealthy_and_tries_again(monkeypatch: Any) -> None:
    monkeypatch.setattr(Engine, "works", False)
    dialled = Dialled()

    async def scene() -> None:
        bots = service(dialled)
        running = asyncio.create_task(bots.run(stay=True))
        await asyncio.sleep(2.5 * ENGINE_AGAIN_S)
        (status,) = bots.status()
        assert (status["healthy"], status["state"]) == (False, "offline")
        assert "the engine does not work: engine: no such file; NOT HEALTHY" in line_of(status)
        assert b'sixprime_errors_total{profile="anna",what="engine"} 3.0' in bots.metrics.text()
        assert dialled.times == 0
        monkeypatch.setattr(Engine, "works", True)
        await asyncio.sleep(ENGINE_AGAIN_S)
        assert dialled.times > 0
        assert bots.status()[0]["fault"] is None
        bots.request_stop(Stop.SAVE)
        await running
        assert not bots.bots[0].broken

    virtually(scene)


PAIR = """
profiles:
  anna:
    account: {user: anna}
    lobby: {invite: {after_idle_s: 1, preferred: [ben], match_length: 7}}
  ben: {account: {user: ben}}
"""


class Deaf(VirtualServer):
    """Does not hear one word."""

    word = b"?"

    def server_receives(self, link: Link, data: bytes) -> None:
        if not data.startswith(self.word):
            super().server_receives(link, data)


@pytest.mark.parametrize("word", [b"?", b"bye", b"leave"])
def test_a_match_is_left_and_the_bot_goes_when_its_engine_fails_again_and_again(
    word: bytes, monkeypatch: Any
) -> None:
    monkeypatch.setattr(Deaf, "word", word)

    def of(profile: Any) -> Thinker:
        rungs = thinker().rungs if profile.name == "anna" else [Rung("pips", PipCounter, 5.0)]
        return Thinker(rungs, run=at_once)

    async def scene() -> None:
        server = Deaf(3)
        for name in ("anna", "ben"):
            server.open_account(name)
        bots = Crew(config_for(4321, PAIR), PASSWORD, dial=server.dial, thinker=of)
        running = asyncio.create_task(bots.run())
        anna = bots.memories["anna"]
        await bots.until(lambda: len(anna.of(MatchStarted)) == 1)
        monkeypatch.setattr(Engine, "works", False)
        await bots.until(lambda: bots.saved("anna") == 1, 300.0)
        await asyncio.sleep(0.3 * ENGINE_AGAIN_S)
        status, _ = bots.service.status()
        assert (status["state"], status["healthy"]) == ("offline", False)
        assert status["failures"] == 3
        assert b'what="thinking"} 3.0' in bots.service.metrics.text()
        monkeypatch.setattr(Engine, "works", True)
        monkeypatch.setattr(Deaf, "word", b"?")

        def works_again() -> bool:
            status, _ = bots.service.status()
            return bool(status["healthy"]) and status["state"] != "offline"

        await bots.until(works_again, 1.5 * ENGINE_AGAIN_S)
        assert works_again()
        bots.service.request_stop(Stop.SAVE)
        await running

    virtually(scene)
