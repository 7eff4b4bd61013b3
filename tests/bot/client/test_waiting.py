"""A bot that does nothing says why: in every state, for people and for machines."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from sixprime.bot.client.lobby.waiting import REASONS, Waiting
from sixprime.bot.client.service import Bot, Service
from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.client.waiting import LASTS_S
from sixprime.bot.control.requests import NEEDS
from sixprime.bot.control.steering import Steering
from sixprime.bot.sandbox.network.chaos import CALM
from sixprime.bot.settings.file import read_config
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import MetricsSettings
from sixprime.engine.search.players import PipCounter
from tests.support.bot.soak import NETWORK, Guest, Quick
from tests.support.bot.virtual import PASSWORD, VirtualLoop, VirtualServer, at_once

SETTINGS = """
server: {host: 127.0.0.1, command_gap_s: 0.05, reconnect: {first_s: 2, most_s: 30}}
player: {level: pips, thinking: {cheaper_level: pips}, pace: {least_s: 0.1, most_s: 0.5}}
lobby:
  accept: {bots: true, matches_per_opponent_and_day: 0}
  LOBBY
profiles: {host: {account: {user: host}}}
"""
SENTENCE = re.compile(r"[a-z]+s( [^\n]*[^\n. ])?")  # a verb of which the bot is the subject
BUSY = {"thinking", "connecting", "login", "settings", "leaving", "inquiry", "stopping"}
SILENT_S = 400.0  # with nothing said nor heard; a server may need some minutes to be given up
LATE_S = 5.0


class Hall:
    """A server, the bot `host` on it, and guests."""

    def __init__(
        self, lobby: str = "", password: str = PASSWORD, rungs: list[Rung] | None = None
    ) -> None:
        self.server = VirtualServer(5)
        config = read_config(SETTINGS.replace("LOBBY", lobby), Path("waiting.yaml"))
        config = config.model_copy(update={"metrics": MetricsSettings(listen=None)})
        self.server.open_account("host")
        dice = random.Random(5)
        steps = [Rung("quick", lambda: Quick(dice, 0.05), 5.0)]
        self.service = Service(
            config,
            {"host": Secret(password)},
            dial=self.server.dial,
            thinker=lambda _: Thinker(rungs or steps, dice=dice, run=at_once),
        )
        self.bot = self.service.bots[0]
        self.orders = Steering(self.service, lambda: config)
        self.seen: set[str] = set()
        self._busy_at = 0.0  # the last time something was said or heard
        self._wire = self.bot.client.wire
        self.bot.client.wire = self._noted  # type: ignore[method-assign]

    def _noted(self, data: bytes, *, ours: bool) -> None:
        self._busy_at = asyncio.get_running_loop().time()
        self._wire(data, ours=ours)

    def guest(self, name: str = "guest", **fields: Any) -> Guest:
        """Somebody who invites the host."""
        if name not in self.server.accounts:
            self.server.open_account(name)
        guest = Guest(self.server, name, 7)
        guest.hosts = ("host",)
        for field, value in fields.items():
            setattr(guest, field, value)
        self.server.robots[name] = guest
        self.server.at(self.server.now + 2.0, guest.dial)
        return guest

    def look(self) -> Waiting:
        """The wait of this moment, which keeps the promises of every wait."""
        now = asyncio.get_running_loop().time()
        waiting = self.bot.waiting(now)
        check(waiting, now)
        since = max(self._busy_at, waiting.since or 0.0)
        assert waiting.reason not in BUSY or now < since + SILENT_S, (now, since, waiting)
        self.seen.add(waiting.reason)
        return waiting

    async def until(self, happened: Callable[[], object], within_s: float = 40_000.0) -> None:
        """Let time pass, and look at every second of it."""
        async with asyncio.timeout(within_s):
            while not happened():
                await asyncio.sleep(1.0)
                self.look()

    async def reason(self, reason: str, within_s: float = 40_000.0) -> Waiting:
        """The wait once it is of this kind."""
        await self.until(lambda: self.look().reason == reason, within_s)
        return self.look()


def check(waiting: Waiting, now: float) -> None:
    """A full sentence for people, a known word for machines, times that are true."""
    assert waiting.reason in REASONS
    assert SENTENCE.fullmatch(waiting.sentence), waiting
    assert waiting.since is not None
    assert waiting.since <= now
    assert waiting.until is None or waiting.until > now - LATE_S, (now, waiting)
    assert not waiting.ends_with or waiting.ends_with.partition(" ")[0] in NEEDS


def evening(
    scene: Callable[[Hall], Coroutine[Any, Any, None]], *, stop: bool = True, **hall: Any
) -> list[Any]:
    """The scene in virtual time, with the bot; what was logged."""

    async def act() -> None:
        made = Hall(**hall)
        task = asyncio.create_task(made.service.run(stay=True))
        made.server.at(made.server.now + 30.0, made.server.tick)
        await scene(made)
        made.server.rates = CALM
        made.service.request_stop(Stop.SAVE)
        await asyncio.wait_for(task, 3_600.0)
        assert made.look().reason in ("stopped", "refused")

    with capture_logs() as logs, asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(act())
    return logs


def metric(bot: Bot) -> set[str]:
    """Reasons in the metrics."""
    (metric,) = bot.client.metrics.waiting.collect()
    return {sample.labels["reason"] for sample in metric.samples if sample.value}


def cut_all(server: VirtualServer) -> None:
    """Lose every connection."""
    for link in list(server.links.values()):
        link.cut()


def passed(server: VirtualServer, end: float) -> bool:
    return server.now > end


@pytest.mark.parametrize("seed", range(2))
def test_in_every_state_of_a_bad_day_there_is_a_sentence(seed: int) -> None:
    dice = random.Random(seed)

    async def scene(hall: Hall) -> None:
        server = hall.server
        ways: list[Callable[[], object]] = [
            lambda: setattr(server, "open", False),
            lambda: setattr(server, "open", True),
            lambda: setattr(server, "rates", NETWORK),
            lambda: setattr(server, "rates", CALM),
            server.restart,
            lambda: cut_all(server),
            hall.orders.pause,
            hall.orders.resume,
            lambda: hall.orders.block("rude"),
            lambda: hall.orders.unblock("rude"),
        ]
        hall.guest("rude", rudeness=5.0, looks_s=(60.0, 400.0))
        for way in dice.sample(ways * 2, 2 * len(ways)):
            way()
            end = server.now + dice.uniform(10, 400)
            await hall.until(partial(passed, server, end))
        assert len(hall.seen) >= 4, hall.seen

    evening(scene, lobby="invite: {after_idle_s: 20, whom: anyone, match_length: 1}")


def test_a_refused_login_is_told_as_such_until_somebody_stops_the_bot() -> None:
    async def scene(hall: Hall) -> None:
        waiting = await hall.reason("refused")
        assert "the server refuses name or password" in waiting.sentence
        await asyncio.sleep(100_000)
        assert hall.look().reason == "refused"
        assert metric(hall.bot) == {"refused"}

    evening(scene, password="wrong")


def test_a_server_that_is_away_is_named_with_the_time_of_the_next_try() -> None:
    async def scene(hall: Hall) -> None:
        hall.server.open = False
        waiting = await hall.reason("line")
        assert waiting.sentence == "does not dial, because 127.0.0.1 is closed"
        assert waiting.until is not None
        assert waiting.ends_with == "dial"
        hall.server.open = True
        assert hall.orders.dial() == "host dials"
        await hall.reason("idle", within_s=20.0)

    evening(scene)


def test_a_pause_of_an_hour_and_a_broken_engine_tell_what_ends_them() -> None:
    def broken() -> PipCounter:
        raise OSError("no net")

    async def scene(hall: Hall) -> None:
        waiting = await hall.reason("engine")
        assert "no net" in waiting.sentence
        assert waiting.until is not None
        assert waiting.ends_with == "dial"

    evening(scene, rungs=[Rung("broken", broken, 5.0)])

    async def paused(hall: Hall) -> None:
        await hall.reason("idle")
        hall.orders.pause()
        assert (await hall.reason("paused")).ends_with == "resume"
        await asyncio.sleep(10.0)
        assert metric(hall.bot) == {"paused"}

    evening(paused)


def test_a_match_waits_for_the_opponent_until_our_patience_ends() -> None:
    async def scene(hall: Hall) -> None:
        guest = hall.guest(lengths=(1,), rudeness=0.0)
        await hall.until(lambda: hall.bot.client.playing)
        guest._answer = lambda question: None  # type: ignore[method-assign]
        await asyncio.sleep(2.0)
        waiting = await hall.reason("opponent")
        assert waiting.sentence.startswith("waits for guest to ")
        assert waiting.until is not None
        patience_s = hall.bot.profile.player.patience.leave_after_s
        assert waiting.until - asyncio.get_running_loop().time() <= patience_s
        await hall.until(lambda: not hall.bot.client.playing)

    evening(scene)


def test_an_archive_that_hangs_is_what_a_bot_waits_for() -> None:
    async def scene(hall: Hall) -> None:
        await hall.reason("idle")

        async def hangs() -> None:
            await asyncio.sleep(8.0)

        hall.bot.client.records.recorder.kept = hangs  # type: ignore[method-assign]
        hall.bot.client.stir()
        waiting = await hall.reason("archive", within_s=30.0)
        assert waiting.sentence == "waits for the archive to store the last events"

    evening(scene)


def test_the_log_has_one_line_for_a_wait_that_lasts() -> None:
    async def scene(hall: Hall) -> None:
        await hall.reason("idle")
        hall.orders.pause()
        await asyncio.sleep(LASTS_S / 2)
        hall.orders.resume()
        await asyncio.sleep(LASTS_S / 2)
        hall.orders.pause()
        await asyncio.sleep(20 * LASTS_S)

    logs = evening(scene)
    paused = [each for each in logs if each["event"] == "waiting" and each["reason"] == "paused"]
    assert len(paused) == 1
    assert re.fullmatch(
        r"begins no match, because it is paused \(since [\d:]+, 1 min\): control resume",
        paused[0]["why"],
    )
