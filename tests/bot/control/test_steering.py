"""What bots do at the operator's orders while they play."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from sixprime.bot.client.service import Service
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.control import steering
from sixprime.bot.control.orders import Orders, differences, reread
from sixprime.bot.control.steering import NotDone, Steering
from sixprime.bot.matchlog.events import MatchOver, MatchStarted
from sixprime.bot.settings.file import load_config, read_config
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import Config, Profile
from sixprime.engine.search.players import PipCounter
from tests.support.bot.scene import Crew, config_for, crew, hall

HOUSE = """
account: {user: anna}
lobby:
  accept: {bots: true, matches_per_opponent_and_day: 0}
  invite: {after_idle_s: 0.1, preferred: [house_simple], match_length: 1}
"""


def thinker(profile: Profile) -> Thinker:
    return Thinker([Rung(str(profile.player.level), PipCounter, 3.0)])


@asynccontextmanager
async def playing(folder: Path) -> AsyncIterator[tuple[Crew, Steering]]:
    """A bot in its first match, and whoever gives it orders."""
    async with hall(folder, "anna", house=("simple",)) as server:
        config = config_for(server.port, HOUSE)
        async with crew(config, thinker=thinker) as bots:
            await bots.until(lambda: bool(bots.memories["anna"].of(MatchStarted)))
            yield bots, Steering(bots.service, lambda: config)


@pytest.mark.patient
def test_another_level_plays_from_the_next_match_on_and_is_recorded(tmp_path: Path) -> None:
    async def check() -> None:
        async with playing(tmp_path) as (bots, orders):
            anna = bots.memories["anna"]
            assert await orders.level("casual") == (
                "anna plays at level casual from the next match on"
            )
            assert orders.status()[0]["level"] == "pips"
            await bots.until(lambda: len(anna.of(MatchOver)) >= 2)
            first, second, *_ = anna.of(MatchStarted)
            assert isinstance(first, MatchStarted)
            assert isinstance(second, MatchStarted)
            assert (first.level, second.level) == ("pips", "casual")
            assert orders.status()[0]["level"] == "casual"
            assert "nothing changed" in await orders.reload()
            assert orders.status()[0]["level"] == "casual"

    with capture_logs():
        asyncio.run(asyncio.wait_for(check(), 120))


@pytest.mark.patient
def test_whoever_resumes_is_back_and_ready_before_anybody_is_invited(tmp_path: Path) -> None:
    """An invitation that comes too early is refused, and nobody hears it or can answer."""

    async def check() -> None:
        async with playing(tmp_path) as (bots, orders):
            anna = bots.memories["anna"]
            orders.pause()
            await bots.until(lambda: orders.status()[0]["state"] == "away")
            begun = len(anna.of(MatchStarted))
            await asyncio.sleep(3.5)  # as long as one has to sit in the lobby first
            assert len(anna.of(MatchStarted)) == begun
            orders.resume()
            await bots.until(lambda: len(anna.of(MatchStarted)) > begun)

    with capture_logs() as log:
        asyncio.run(asyncio.wait_for(check(), 60))
    assert [each for each in log if each["event"] == "refused"] == []


# --- orders and the file


def test_a_pipe_in_place_of_the_settings_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steering, "ASIDE_WITHIN_S", 0.05)
    os.mkfifo(tmp_path / "pipe.yaml")
    service = Service(config_for(1, "account: {user: anna}"), {"anna": Secret("x")})
    with pytest.raises(NotDone, match="not a file"):
        asyncio.run(Steering(service, lambda: load_config(tmp_path / "pipe.yaml")).reload())


def config(text: str, name: str = "anna") -> Config:
    return read_config(
        f"profiles: {{{name}: {{account: {{user: {name}}}, {text}}}}}", Path("bot.yaml")
    )


def test_orders_outweigh_the_file_until_it_says_something_new() -> None:
    (old,) = config("lobby: {accept: {block: [ben, eve], allow: [mia]}}").profiles
    orders = Orders(paused=True, level="casual", names={"ben": True, "mia": False})
    ordered = orders.over(old)
    assert ordered.lobby.accept.allow == ("ben",)
    assert ordered.lobby.accept.block == ("eve", "mia")
    assert (ordered.lobby.paused, ordered.player.level) == (True, "casual")
    (new,) = config("player: {level: expert}, lobby: {paused: false}").profiles
    after = orders.after(old, new)
    assert (after.paused, after.level, after.names) == (True, None, orders.names)
    (new,) = config("lobby: {paused: true}").profiles
    assert orders.after(old, new).paused is None
    assert Orders().over(old) == old


def test_what_cannot_change_while_a_bot_runs_is_named_and_stays() -> None:
    old = config("server: {port: 1}, archive: {folder: null}, player: {level: casual}")
    new = config(
        "server: {port: 2, command_gap_s: 1}, archive: {folder: x}, player: {level: expert}"
    )
    found = reread(old, new)
    assert set(found.now) == {"server.command_gap_s", "player.level"}
    assert set(found.later) == {"server.port", "archive.folder"}
    assert not list(differences(old.profiles[0].archive, found.config.profiles[0].archive, ""))
    assert found.config.profiles[0].server.port == 1


def test_a_single_bot_that_is_renamed_is_still_the_same() -> None:
    found = reread(config(""), config("lobby: {paused: true}", name="eve"))
    assert (found.now, found.later) == (("lobby.paused",), ("account.user",))
    assert found.config.profiles[0].name == "anna"


def test_profiles_come_and_go_by_a_restart() -> None:
    both = "profiles: {anna: {account: {user: anna}}, ben: {account: {user: ben}, lobby: {}}}"
    one = both.replace("ben: {account: {user: ben}", "eve: {account: {user: eve}")
    found = reread(read_config(both, Path("x")), read_config(one, Path("x")))
    assert (found.now, set(found.later)) == ((), {"profiles.ben", "profiles.eve"})
    assert [each.name for each in found.config.profiles] == ["anna", "ben"]
    found = reread(config(""), read_config(one.replace("anna", "mia"), Path("x")))
    assert set(found.later) == {"profiles.anna", "profiles.mia", "profiles.eve"}


def test_a_reload_that_fails_in_any_part_changes_none() -> None:
    def config(more: str) -> Config:
        return config_for(1, f"profiles: {{anna: {{account: {{user: anna}}, {more}}}}}")

    service = Service(config(""), {"anna": Secret("x")})
    wrong = config("player: {level: {plies: 9}}, lobby: {paused: true}")
    with pytest.raises(NotDone, match=r"the old settings stay: player\.level\.plies"):
        asyncio.run(Steering(service, lambda: wrong).reload())
    assert not service.bots[0].profile.lobby.paused


def test_an_order_given_while_the_settings_are_read_again_is_kept() -> None:
    class Slow(Thinker):
        async def warm_up(self) -> None:
            orders.pause()
            orders.block("ben")

    def slow(profile: Profile) -> Thinker:
        return Slow([Rung("pips", PipCounter, 3.0)])

    old, new = config("player: {level: pips}"), config("player: {level: casual}")
    service = Service(old, {"anna": Secret("x")}, thinker=slow)
    orders = Steering(service, lambda: new)
    assert asyncio.run(orders.reload()) == "settings reloaded; changed: player.level"
    lobby = service.bots[0].profile.lobby
    assert (lobby.paused, lobby.accept.block) == (True, ("ben",))


def test_a_file_of_levels_that_broke_is_told(tmp_path: Path) -> None:
    levels = tmp_path / "levels.yaml"
    levels.write_text("levels: {mine: {plies: 0}}")
    service = Service(
        config(f"player: {{level: mine, levels_file: {levels}}}"), {"anna": Secret("x")}
    )
    levels.write_text("levels: {mine: {plies: 9}}")
    with pytest.raises(NotDone, match=r"levels\.mine\.plies"):
        asyncio.run(Steering(service, lambda: service.config).level("mine"))


def test_files_of_names_are_read_before_the_settings_that_name_them_hold(tmp_path: Path) -> None:
    names = tmp_path / "blocked.txt"
    new = config(f"lobby: {{accept: {{block_file: {names}}}}}")
    service = Service(config(""), {"anna": Secret("x")})
    orders = Steering(service, lambda: new)
    names.write_text("ben, the rude one")
    with pytest.raises(NotDone, match=r"the old settings stay: lobby\.accept\.block_file: "):
        asyncio.run(orders.reload())
    names.write_text("ben")
    assert "changed: lobby.accept.block_file" in asyncio.run(orders.reload())
    desk = service.bots[0].client.desk
    assert desk.terms.names.block == {"ben"}
    orders.allow("ben")
    assert not desk.terms.names.block
    assert desk.terms.names.allow == {"ben"}
    assert desk.terms.is_welcome("ben")  # whatever the settings say
    orders.unblock("ben")
    assert not desk.terms.is_welcome("ben")
    assert not desk.terms.names.block | desk.terms.names.allow
