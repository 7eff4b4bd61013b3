"""Real bots and the real sandbox over loopback: matches end, stops are clean, nothing is lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.matchlog.events import Acted, MatchOver, MatchSaved, MatchStarted, Rated, Wire
from sixprime.bot.settings.schema import MetricsSettings
from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.search.players import PipCounter
from tests.support.bot.scene import check_replay, config_for, crew, gaps, hall, said

pytestmark = pytest.mark.patient

PAIR = """
profiles:
  anna:
    account: {user: anna}
    lobby: {invite: {after_idle_s: 0.1, preferred: [ben], match_length: LENGTH}}
  ben: {account: {user: ben}}
"""
HOUSE = """
account: {user: anna}
lobby:
  accept: {bots: true, matches_per_opponent_and_day: 0}
  invite: {after_idle_s: 0.1, preferred: [house_simple], match_length: 1}
"""


def scene(test: Callable[[Path], Awaitable[None]], folder: Path) -> None:
    with capture_logs():
        asyncio.run(asyncio.wait_for(test(folder), 120))


def test_two_bots_finish_matches_and_both_records_agree(tmp_path: Path) -> None:
    async def play(folder: Path) -> None:
        async with hall(folder, "anna", "ben") as server:
            config = config_for(server.port, PAIR.replace("LENGTH", "3"))
            async with crew(config) as bots:
                anna = bots.memories["anna"]
                await bots.until(lambda: bool(anna.of(Rated)))
            ben = bots.memories["ben"]
        for memory in (anna, ben):
            for match in memory.matches:
                check_replay(match)
                assert gaps(match) == 0
        ours, theirs = anna.matches[0], ben.matches[0]
        assert ours.finished
        assert max(ours.score) >= 3
        assert ours.score == theirs.score[::-1]
        assert [len(game.actions) for game in ours.games] == [
            len(game.actions) for game in theirs.games
        ]
        rated = anna.of(Rated)[0]
        assert isinstance(rated, Rated)
        assert rated.ours.rating != 1500.0
        assert rated.ours.experience == 3

    scene(play, tmp_path)


def test_a_bot_plays_the_house(tmp_path: Path) -> None:
    async def play(folder: Path) -> None:
        async with (
            hall(folder, "anna", house=("simple",)) as server,
            crew(config_for(server.port, HOUSE)) as bots,
        ):
            anna = bots.memories["anna"]
            await bots.until(lambda: bool(anna.of(MatchOver)))
        (match, *_) = anna.matches
        check_replay(match)
        assert match.players[1].name == "house_simple"
        assert match.finished

    scene(play, tmp_path)


def test_a_name_added_to_a_file_is_heard_of_while_the_bots_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sixprime.bot.client.service.NAMES_RECHECK_S", 0.05)
    names = tmp_path / "names.txt"
    names.write_text("# nobody yet\n")
    listed = PAIR.replace("preferred: [ben]", f"preferred_file: {names}").replace("LENGTH", "1")

    async def play(folder: Path) -> None:
        async with (
            hall(folder, "anna", "ben") as server,
            crew(config_for(server.port, listed)) as bots,
        ):
            anna, ben = (bot.client for bot in bots.service.bots)
            await bots.until(lambda: anna.online and ben.online)
            assert not anna.desk.terms.names.preferred
            names.write_text("ben\n")
            await bots.until(lambda: bool(bots.memories["anna"].of(Acted)))

    scene(play, tmp_path)


def test_a_restart_of_the_server_in_mid_match_loses_nothing(tmp_path: Path) -> None:
    async def play(folder: Path) -> None:
        async with hall(folder, "anna", "ben") as server:
            config = config_for(server.port, PAIR.replace("LENGTH", "1"))
            async with crew(config) as bots:
                anna = bots.memories["anna"]
                await bots.until(lambda: len(anna.of(Acted)) >= 12)
                await server.restart()
                await bots.until(lambda: len(anna.of(MatchOver)) >= 1)
        first = anna.matches[0]
        check_replay(first)
        assert len(anna.of(MatchSaved)) == 1
        assert [e.resumed for e in anna.of(MatchStarted) if isinstance(e, MatchStarted)][:2] == [
            False,
            True,
        ]
        assert first.finished
        assert gaps(first) == 0

    scene(play, tmp_path)


def test_a_refused_login_is_told_and_not_repeated(tmp_path: Path) -> None:
    async def play(folder: Path) -> None:
        async with hall(folder, "anna") as server:
            config = config_for(server.port, "account: {user: anna}")
            async with crew(config, password="wrong_one") as bots:
                await bots.until(lambda: bots.ended is not None, 30)
            assert bots.ended is False

    scene(play, tmp_path)


def test_stopping_leaves_the_match_saved(tmp_path: Path) -> None:
    async def play(folder: Path) -> None:
        async with hall(folder, "anna", "ben") as server:
            async with crew(config_for(server.port, PAIR.replace("LENGTH", "7"))) as bots:
                await bots.until(lambda: len(bots.memories["anna"].of(Acted)) >= 12)
                bots.service.request_stop(Stop.SAVE)
                await bots.until(lambda: bots.ended is not None, 20)
            assert bots.ended is True
            assert bots.saved("anna") == bots.saved("ben") == 1
            assert list(server.server.world.server.matches) == [("anna", "ben")]

    scene(play, tmp_path)


def test_stopping_after_the_match_finishes_it(tmp_path: Path) -> None:
    async def play(folder: Path) -> None:
        async with hall(folder, "anna", "ben") as server:
            async with crew(config_for(server.port, PAIR.replace("LENGTH", "1"))) as bots:
                await bots.until(lambda: bool(bots.memories["anna"].of(MatchStarted)))
                bots.service.request_stop(Stop.FINISH)
                await bots.until(lambda: bots.ended is not None)
            assert len(bots.memories["anna"].of(MatchOver)) == 1
            assert bots.saved("anna") == 0
            assert not server.server.world.server.matches

    scene(play, tmp_path)


class Cheat(PipCounter):
    """Once it plays against the rules; the thinker must not let it."""

    def play(self, position: Position, match: MatchState) -> Play:
        return ((25, 1),) * 4  # type: ignore[return-value]


def test_a_decider_that_cheats_or_crashes_does_not_stop_the_match(tmp_path: Path) -> None:
    async def play(folder: Path) -> None:
        async with hall(folder, "anna", "ben") as server:
            config = config_for(server.port, PAIR.replace("LENGTH", "1"))
            steps = [Rung("cheat", Cheat, 1.0), Rung("0-ply", PipCounter, 1.0)]
            steps.append(Rung("pips", PipCounter, 1.0))
            thinkers = [Thinker(steps) for _ in config.profiles]
            ready = iter(thinkers)
            for thinker in thinkers:  # warming up would notice
                thinker.ready = True
            async with crew(config, thinker=lambda _: next(ready)) as bots:
                anna = bots.memories["anna"]
                await bots.until(lambda: bool(anna.of(MatchOver)))
        check_replay(anna.matches[0])

    scene(play, tmp_path)


def test_an_archive_that_fails_does_not_stop_the_match(tmp_path: Path) -> None:
    async def play(folder: Path) -> None:
        async with hall(folder, "anna", "ben") as server:
            async with crew(config_for(server.port, PAIR.replace("LENGTH", "1"))) as bots:

                def full(event: Any) -> None:
                    raise OSError("no space left on device")

                bots.memories["ben"].note = full  # type: ignore[method-assign]
                await bots.until(lambda: bool(bots.memories["anna"].of(MatchOver)))
            assert bots.memories["anna"].of(MatchOver)

    scene(play, tmp_path)


async def get(port: int, path: str) -> tuple[int, str]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    head, _, body = answer.partition("\r\n\r\n")
    return int(head.split()[1]), body


def test_metrics_health_and_status_tell_what_happens(tmp_path: Path) -> None:
    async def play(folder: Path) -> None:
        async with hall(folder, "anna", "ben") as server:
            config = config_for(server.port, PAIR.replace("LENGTH", "1"))
            config = config.model_copy(update={"metrics": MetricsSettings(listen="127.0.0.1:0")})
            async with crew(config) as bots:
                await bots.until(lambda: bool(bots.memories["anna"].of(MatchOver)))
                port = bots.service.port
                assert port is not None
                _, text = await get(port, "/metrics")
                assert 'sixprime_matches_total{profile="anna",result=' in text
                assert 'sixprime_decision_seconds_count{level="pips",profile="anna"}' in text
                code, body = await get(port, "/status")
                status = {each["profile"]: each for each in json.loads(body)}
                assert status["ben"]["account"] == "ben"
                assert status["ben"]["state"] in (
                    "idle",
                    "playing",
                    "waiting for the opponent",
                    "logging in",
                    "between games",
                    "invited",
                )
                assert await get(port, "/health") == (200, '{"healthy": true}')
                code, _ = await get(port, "/other")
                assert code == 404

    scene(play, tmp_path)


@pytest.mark.parametrize("secret", ["of-a-load-test"])
def test_the_raw_log_has_both_sides_and_no_password(tmp_path: Path, secret: str) -> None:
    async def play(folder: Path) -> None:
        async with hall(folder, "anna", "ben") as server:
            async with crew(config_for(server.port, PAIR.replace("LENGTH", "1"))) as bots:
                await bots.until(lambda: bool(bots.memories["anna"].of(MatchOver)))
            text = said(bots.memories["anna"])
            assert "C move " in text
            assert "S board:You:ben:" in text
            assert secret not in text
            assert bots.memories["anna"].of(Wire)

    scene(play, tmp_path)
