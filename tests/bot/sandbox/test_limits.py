"""The sandbox under attack: guessed passwords, crowds of connections, faults of its own."""

from __future__ import annotations

import asyncio
import re

import pytest
from structlog.testing import capture_logs

from sixprime.bot.sandbox import world
from sixprime.bot.sandbox.commands import lobby as lobby_module
from sixprime.bot.sandbox.commands import login
from sixprime.bot.sandbox.config import PasswordCost, SandboxConfig
from sixprime.bot.sandbox.run import dice_source
from sixprime.bot.sandbox.serve import SandboxServer
from sixprime.bot.sandbox.state import limits as limits_module
from sixprime.bot.sandbox.state.limits import Allowances, Limits, network_of
from sixprime.bot.sandbox.state.match import UnfinishedMatch
from sixprime.bot.sandbox.state.passwordqueue import (
    CHECKS_AT_ONCE,
    WAITS_S,
    PasswordCheck,
    PasswordQueue,
)
from sixprime.engine.search.players import player_named
from tests.support.sandbox.scene import Scene, account

BUSY = "** Too many passwords are being tried. Please try again later."


# ---- guessed passwords


def guesses_in(scene: Scene, seconds: int, hosts: int, user: str = "victim") -> int:
    """How many wrong passwords are looked at, if each host tries five a second."""
    before = scene.checked
    for second in range(seconds):
        for number in range(5 * hosts):
            who = f"{second} {number}"
            scene.connect(who, f"10.0.0.{number % hosts}")
            scene.send(who, f"login guess 1008 {user} wrong{number}")
        scene.tick(1.0)
    return scene.checked - before


def test_few_passwords_are_looked_at_from_one_host_whatever_the_account() -> None:
    users = [account(f"u{chr(97 + n)}", last_host="10.0.0.0") for n in range(20)]
    scene = Scene(users)
    for n in range(600):
        scene.connect(f"{n}", "10.0.0.0")
        scene.send(f"{n}", f"login guess 1008 {users[n % 20].name} wrong")
        scene.tick(0.1)
    assert 10 <= scene.checked <= 2 * (10 + 6)  # for accounts used from there, and for others


def test_few_passwords_of_an_account_are_looked_at_from_many_hosts() -> None:
    scene = Scene([account("victim", last_host="home.example.com")])
    assert 10 <= guesses_in(scene, 60, hosts=8) <= 2 * (10 + 6) + 1


@pytest.mark.slow
def test_a_guesser_does_not_lock_the_owner_out() -> None:
    """Neither where he was last, nor elsewhere, whoever else tries."""
    scene = Scene([account("victim", last_host="home.example.com")])
    guesses_in(scene, 60, hosts=8)
    for host in ("home.example.com", "cafe.example.com"):
        guesses_in(scene, 2, hosts=8)
        scene.connect("owner", host)
        heard = scene.send("owner", "login test 1008 victim secret99")
        for _ in range(int(WAITS_S)):
            heard += scene.heard("owner")
            guesses_in(scene, 1, hosts=8)
        assert any(line.startswith("1 victim ") for line in heard), (host, heard)


def test_who_shares_a_host_with_a_guesser_logs_in_at_once() -> None:
    scene = Scene([account("victim"), account("other", last_host="10.0.0.0")])
    guesses_in(scene, 20, hosts=1)
    scene.connect("other", "10.0.0.0")
    assert scene.send("other", "login test 1008 other secret99")[1].startswith("1 other ")


def test_a_password_that_nobody_may_look_at_is_refused_after_a_while() -> None:
    scene = Scene([account("victim")], limits=Limits(wrong_password_burst=1))
    for who in ("one", "two", "three", "four"):
        scene.connect(who, "10.0.0.1")
        scene.heard(who)
        scene.send(who, "login guess 1008 victim wrong")
    scene.tick(10.0)
    scene.tick(WAITS_S - 10.0 + 0.1)
    assert scene.heard("four") == [BUSY]
    assert scene.sids["four"] in scene.closed
    assert scene.checked == 2


def test_the_old_password_cannot_be_guessed_either() -> None:
    scene = Scene([account("victim")])
    scene.clip("victim")
    before = scene.checked
    for number in range(300):
        scene.send("victim", f"password guess{number} newer99")
        scene.tick(1.0)
    assert scene.checked - before <= 2 * (10 + 6 * 5)


def test_few_passwords_are_checked_at_once_and_a_right_one_costs_nothing() -> None:
    queue = PasswordQueue(Limits(wrong_password_burst=1))
    for sid in range(400):
        queue.put(PasswordCheck(sid, "x", "y", f"user{sid}", "10.0.0.1"), 0.0)
    running = queue.due(0.0)
    checked = 0
    while running:
        assert len(running) <= CHECKS_AT_ONCE
        done = running.pop(0)
        queue.done(done.session, 0.0)
        checked += 1
        running += queue.due(0.0)
    assert checked == 400


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("10.1.2.3", "10.1.2.3"),
        ("::ffff:10.1.2.3", "10.1.2.3"),
        ("fe80::1%eth0", network_of("fe80::2")),
        ("2001:db8::1", network_of("2001:db8:0:0:ffff::2")),
        ("local", "local"),
    ],
)
def test_a_person_has_one_network(host: str, network: str) -> None:
    assert network_of(host) == network


def test_buckets_are_few_whoever_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits_module, "MOST_KEYS", 10)
    buckets = Allowances(rate=1.0, burst=2.0)
    for key in range(1_000):
        assert buckets.take(key, 0.0)
        assert buckets.take(key, 0.0)
        assert not buckets.take(key, 0.0)
    assert len(buckets._by_key) == 10
    assert buckets.take("later", 10.0)  # the others are full again, and forgotten
    assert len(buckets._by_key) == 1


# ---- crowds


def test_who_does_not_log_in_makes_room_sooner_where_it_is_crowded() -> None:
    scene = Scene([account("sixbot")], limits=Limits(connections_per_host=10))
    scene.clip("sixbot")
    scene.connect("slow", "10.0.0.1")
    scene.tick(11.0)
    assert scene.sids["slow"] not in scene.closed
    for number in range(6):
        scene.connect(f"{number}", "10.0.0.2")
    scene.tick(11.0)
    assert {scene.sids[f"{number}"] for number in range(6)} <= scene.closed
    assert scene.sids["slow"] not in scene.closed
    scene.tick(60.0)
    assert scene.sids["slow"] in scene.closed
    assert scene.sids["sixbot"] not in scene.closed


def test_four_hundred_guessers_do_not_delay_a_login() -> None:
    config = SandboxConfig(password_cost=PasswordCost(n=2**10))

    async def play() -> None:
        checked = 0
        stop, server = asyncio.Event(), SandboxServer(config, dice_source(1), player_named)
        is_right = server._is_right

        def count(question: PasswordCheck) -> bool:
            nonlocal checked
            checked += 1
            return is_right(question)

        server._is_right = count  # type: ignore[method-assign]
        running = asyncio.create_task(server.run("127.0.0.1", 0, stop))
        await server.listening.wait()
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"guest\nname ford\nsecret99\nsecret99\nbye\n")
        await reader.read()
        ends = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(400)]
        for _, far in ends:
            far.write(b"login guess 1008 marvin wrong\n")
        one, two = await asyncio.open_connection("127.0.0.1", server.port)
        two.write(b"login test 1008 ford secret99\n")
        await one.readuntil(b"\n1 ford ")
        assert checked <= 10 + 1  # the others wait
        for far in (writer, two, *(far for _, far in ends)):
            far.close()
        stop.set()
        await running

    asyncio.run(asyncio.wait_for(play(), 60))


# ---- faults of our own

WORDS = sorted(set(world.WITH_WORDS) | set(world.WITH_TEXT))


def broken(scene: Scene, *_: object) -> None:
    """A handler that has done half its work."""
    server = scene.world.server
    server.put_account(account("ghost"))
    server.drop_match(("marvin", "sixbot"))
    server.playing.clear()
    server.online.pop("marvin")
    for session in server.sessions.values():
        session.invitation, session.watching = None, "ghost"
        server.say(session, "half done")
    server.close_session(scene.session("marvin"))
    raise ZeroDivisionError("secret99")


def standing(scene: Scene) -> object:
    server = scene.world.server
    sessions = [(s.name, s.stage, s.invitation, s.watching) for s in server.sessions.values()]
    tables = (server.accounts, server.matches, server.playing, server.online.keys())
    return sessions, [repr(table) for table in tables]


@pytest.mark.parametrize("word", WORDS)
def test_a_fault_in_a_command_is_named_and_undone(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(
        [account("sixbot"), account("marvin")], [UnfinishedMatch(("sixbot", "marvin"), 3)]
    )
    scene.clip("sixbot")
    scene.clip("marvin")
    scene.send("sixbot", "invite marvin")
    scene.heard("marvin")
    before = standing(scene)
    scene.may_fail = True
    table = world.WITH_WORDS if word in world.WITH_WORDS else world.WITH_TEXT
    monkeypatch.setitem(table, word, lambda *given: broken(scene, *given))
    assert scene.send("sixbot", f"{word} marvin x") == [world.FAILED]
    assert scene.effects is not None
    assert [(each.what, each.user) for each in scene.effects.faults] == [(word, "sixbot")]
    assert not scene.effects.saves
    assert standing(scene) == before
    assert scene.heard("marvin") == []
    monkeypatch.undo()
    assert scene.send("marvin", "rawwho marvin")[0].startswith("5 marvin ")


def test_a_fault_in_a_login_ends_that_connection_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene([account("sixbot"), account("marvin")])
    scene.clip("sixbot")

    scene.may_fail = True

    def fails(*_: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(lobby_module, "own_line", fails)
    assert scene.clip("marvin") == [world.FAILED]
    assert scene.sids["marvin"] in scene.closed
    assert "marvin" not in scene.world.server.online
    monkeypatch.undo()
    assert scene.clip("marvin", host="again")[1].startswith("1 marvin ")
    monkeypatch.setattr(login, "interrupt", fails)
    scene.drop("marvin")
    assert "marvin" not in scene.world.server.online
    assert scene.send("sixbot", "rawwho sixbot")[0].startswith("5 sixbot ")


def test_a_fault_reaches_the_log_without_what_was_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(server: object, session: object, words: list[str]) -> None:
        raise ValueError(words)

    monkeypatch.setitem(world.WITH_WORDS, "password", fails)

    async def play() -> None:
        stop = asyncio.Event()
        config = SandboxConfig(password_cost=PasswordCost(n=2, r=1, p=1))
        server = SandboxServer(config, dice_source(1), player_named)
        running = asyncio.create_task(server.run("127.0.0.1", 0, stop))
        await server.listening.wait()
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"guest\nname marvin\nsecret99\nsecret99\npassword secret99 secret88\nbye\n")
        assert world.FAILED.encode() in await reader.read()
        writer.close()
        stop.set()
        await running

    with capture_logs() as told:
        asyncio.run(play())
    assert [each["command"] for each in told if each["event"] == "a command failed"] == ["password"]
    assert not re.search("secret", repr(told))
