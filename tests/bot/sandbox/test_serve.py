"""The real server in a process of its own: telnet by hand, kill -9, limits, faults."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pexpect
import pytest

from sixprime.bot.cli.main import main
from sixprime.bot.sandbox.config import PasswordCost, SandboxConfig
from sixprime.bot.sandbox.loadtest.clients import (
    PASSWORD,
    Walker,
    measure,
    pair_names,
    start_server,
)
from sixprime.bot.sandbox.network.chaos import CALM
from sixprime.bot.sandbox.network.proxy import ChaosProxy
from sixprime.bot.sandbox.run import dice_source
from sixprime.bot.sandbox.serve import SandboxServer
from sixprime.bot.sandbox.state.limits import Limits
from sixprime.bot.sandbox.state.match import UnfinishedMatch
from sixprime.bot.sandbox.state.server import Effects, Saves, ServerState, UserSession
from sixprime.bot.sandbox.store import Store, make_accounts
from sixprime.bot.sandbox.world import WITH_WORDS, World
from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.search.players import PipCounter, player_named
from sixprime.engine.system.errors import Unavailable
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire import matches, turns
from sixprime.protocols.fibs.wire.board import DOWN, UP, FibsBoard, move_text
from sixprime.protocols.fibs.wire.messages import Message
from tests.support.places import ROOT
from tests.support.sandbox.pictures import Picture

pytestmark = pytest.mark.patient

CHEAP = PasswordCost(n=2, r=1, p=1)
FAST = "limits: {command_burst: 10000}\nhouse_pause_s: 0\npassword_cost: {n: 2, r: 1, p: 1}\n"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Settings for servers that need not be careful."""
    path = tmp_path / "sandbox.yaml"
    path.write_text(FAST)
    return path


def telnet(port: int) -> pexpect.spawn:
    """A terminal with a telnet client in it, connected to the server."""
    words = ["-m", "tests.support.sandbox.telnet", "127.0.0.1", str(port)]
    return pexpect.spawn(
        sys.executable, words, encoding="latin-1", timeout=30, cwd=str(ROOT), dimensions=(60, 120)
    )


def register(person: pexpect.spawn, name: str) -> None:
    """What a newcomer types."""
    person.expect("login: ")
    person.sendline("guest")
    person.expect("ONE USERNAME PER PERSON ONLY!!!.*> ")
    person.sendline(f"name {name}")
    person.expect("Please give your password: ")
    person.sendline("secret99")
    person.expect("Please retype your password: ")
    person.sendline("secret99")
    person.expect("You are registered")
    person.expect("who is here.\r\n> ")


def test_a_human_registers_and_plays_a_rated_match_by_telnet(config: Path) -> None:
    async def play() -> str:
        process, port = await start_server(
            config.with_name("x.db"), config, "--house", "simple", "--seed", "11"
        )
        try:
            return await asyncio.to_thread(one_match_by_hand, port)
        finally:
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0

    shown = asyncio.run(play())
    assert "secret99" not in shown  # the terminal did not echo it
    assert re.search(r"(You win|house_simple wins) the 1 point match 1-0 \.", shown)
    assert re.search(r"Rating: (1510|1490)\.00 Experience: 1", shown)


def one_match_by_hand(port: int) -> str:
    """Register, invite the house, read the pictures, type moves; all that was on the screen."""
    person = telnet(port)
    shown: list[str] = []
    register(person, "arthur_d")
    shown.append(str(person.before))
    for line in ("toggle ready", "who", "invite house_simple 1"):
        person.sendline(line)
        person.expect("> ")
        shown.append(str(person.before))
    player = PipCounter()
    while True:
        choice = person.expect(
            [
                r"wins? the 1 point match 1-0 \.",
                r"It's your turn to move\.\r\n.*You are .*> ",
                r"Please move \d pieces?\.",
            ]
        )
        shown.append(str(person.before) + str(person.after))
        if choice == 0:
            break
        person.sendline(my_move(person, player, shown))
    person.sendline("whois arthur_d")
    person.expect("No email address.")
    shown.append(str(person.before))
    person.sendline("bye")
    person.expect("Goodbye")
    person.expect(pexpect.EOF)
    return "".join(shown)


def my_move(person: pexpect.spawn, player: PipCounter, shown: list[str]) -> str:
    """Look at the board and decide."""
    person.sendline("board")
    person.expect(r"board\r\n(.*)You are [OX]   [OX] rolled \d \d\r\n> ")
    shown.append(str(person.after))
    picture = Picture(str(person.after).splitlines())
    assert picture.rolled is not None
    play = player.play(picture.position(), MatchState(dice=picture.rolled))
    return "m " + move_text(play, UP if picture.ascends else DOWN)


class Witness:
    """What a client was told of the present game: rolls, and the opponent's moves."""

    def __init__(self) -> None:
        self.rolls: list[tuple[int, int]] = []
        self.moves: list[str] = []

    def hear(self, message: Message) -> None:
        match message:
            case matches.GameStarts():
                self.rolls, self.moves = [], []
            case turns.YouRoll(dice) | turns.PlayerRolls(_, dice):
                self.rolls.append(dice)
            case turns.Moves(_, steps):
                self.moves.append(steps)


@pytest.mark.parametrize("quiet", [True, False])
def test_kill_9_in_the_middle_of_twenty_matches_loses_nothing(config: Path, quiet: bool) -> None:
    asyncio.run(kill_and_resume(config, quiet))


async def kill_and_resume(config: Path, quiet: bool) -> None:
    """Play, kill -9, start again, resume: the same position, score, cube and dice.

    `quiet`: the clients stop a moment before, so both must find exactly the board they saw last.
    If not, whatever either was told of must be in the match that is resumed.
    """
    database, pairs = config.with_name("kill.db"), pair_names(20)
    make_accounts(database, [name for pair in pairs for name in pair], PASSWORD)
    process, port = await start_server(database, config)
    witnesses = {name: Witness() for pair in pairs for name in pair}
    walkers = await seated(pairs, port, witnesses, pause_s=0.05)
    await asyncio.sleep(2.0)
    if quiet:
        for walker, _ in walkers.values():
            walker.deciding = False
        await asyncio.sleep(0.5)
        for walker, _ in walkers.values():
            walker.send(c.AskBoard())
        await asyncio.sleep(1.0)
    process.kill()
    await process.wait()
    await asyncio.gather(*(task for _, task in walkers.values()), return_exceptions=True)
    saved = saved_tables(database)
    assert set(saved) == set(witnesses)
    for name, witness in witnesses.items():
        check_told(saved[name], name, witness)
    process, port = await start_server(database, config)
    again = await seated(pairs, port, {}, pause_s=0.0)
    for name, (walker, task) in again.items():
        match, old = walker.session.match, walkers[name][0].session.last_match
        assert match is not None
        assert match.board is not None
        if saved[name].in_game:
            check_board(saved[name], name, match.board)
            old = old or walkers[name][0].session.match
            if quiet and old is not None and old.board is not None:
                assert match.board.same_situation(old.board)
        task.cancel()
    process.kill()
    await process.wait()


async def seated(
    pairs: list[tuple[str, str]], port: int, witnesses: dict[str, Witness], pause_s: float
) -> dict[str, tuple[Walker, asyncio.Task[None]]]:
    """All at their tables: in a long match, or in the saved one. No pause: nobody decides."""
    walkers = {}
    for seed, (left, right) in enumerate(pairs):
        for name, friend in ((left, right), (right, None)):
            witness = witnesses.get(name)
            walker = Walker(name, seed, pause_s, friend, witness.hear if witness else None)
            walker.length = 99
            walker.deciding = pause_s > 0
            walkers[name] = walker, asyncio.create_task(walker.run("127.0.0.1", port))
    async with asyncio.timeout(60):
        for walker, _ in walkers.values():
            await walker.seated.wait()
    return walkers


def saved_tables(database: Path) -> dict[str, UnfinishedMatch]:
    """What the dead server has left, by player."""
    store = Store(database)
    matches = {name: table for table in store.memory().matches for name in table.players}
    store.close()
    return matches


def check_told(table: UnfinishedMatch, name: str, witness: Witness) -> None:
    """What the player was told of this game is in the saved match, in the same order."""
    if not table.in_game:
        return
    theirs = table.letter(1 - table.seat(name))
    rows = [re.fullmatch(r"([OX]): \((\d) (\d)\) (.*)", line) for line in table.record]
    played = [row.groups() for row in rows if row]
    moves = [steps for letter, _, _, steps in played if letter == theirs and "can't" not in steps]
    rolls = [(int(one), int(two)) for _, one, two, _ in played][1:]  # the first was the opening
    if table.state.dice is not None and not table.opening:
        rolls.append(table.state.dice)
    assert moves[: len(witness.moves)] == witness.moves
    assert rolls[: len(witness.rolls)] == witness.rolls


def check_board(table: UnfinishedMatch, name: str, board: FibsBoard) -> None:
    """The board after the resume shows the saved match."""
    seat = table.seat(name)
    assert board.score == (table.state.score[seat], table.state.score[1 - seat])
    assert board.view() == table.view(seat)
    assert board.cube == table.state.cube
    assert board.rolled == table.state.dice
    assert board.was_doubled == (table.state.doubled and table.state.to_act == seat)


def test_the_server_says_good_bye_when_it_is_stopped(config: Path) -> None:
    async def play() -> None:
        process, port = await start_server(config.with_name("x.db"), config)
        make = asyncio.open_connection("127.0.0.1", port)
        reader, writer = await make
        await reader.readuntil(b"login: ")
        writer.write(b"guest\r\nname arthur\r\nsecret99\r\nsecret99\r\n")
        await reader.readuntil(b"who is here.\r\n> ")
        process.send_signal(signal.SIGTERM)
        assert b"FIBS will shut down" in await reader.read()
        assert await process.wait() == 0
        writer.close()

    asyncio.run(play())


def test_a_port_or_a_database_in_use_is_one_clear_line(config: Path) -> None:
    async def second(*words: str) -> tuple[int, str]:
        entry = "from sixprime.bot.cli.main import run; run()"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", entry, "sandbox", *words, stderr=asyncio.subprocess.PIPE
        )
        _, error = await process.communicate()
        assert process.returncode is not None
        return process.returncode, error.decode()

    async def play() -> None:
        database = config.with_name("x.db")
        process, port = await start_server(database, config)
        code, error = await second("--listen", f"127.0.0.1:{port}")
        assert code == 2
        assert error == f"sixprime sandbox: --listen 127.0.0.1:{port}: Address already in use\n"
        code, error = await second("--database", str(database), "--listen", "127.0.0.1:0")
        assert code == 2
        assert error == f"sixprime sandbox: {database}: it is in use by another server\n"
        code, error = await second("--house", "nobody")
        assert code == 2
        assert error.startswith("sixprime sandbox: no level 'nobody', known: ")
        code, error = await second("--listen", "nowhere")
        assert (code, error) == (
            2,
            "sixprime sandbox: listen: nowhere: not HOST:PORT, such as 127.0.0.1:9321\n",
        )
        process.kill()
        await process.wait()

    asyncio.run(play())


def in_process(config: SandboxConfig, visit: Callable[[int], Awaitable[None]]) -> None:
    """Visit a server that runs in this process."""

    async def play() -> None:
        stop = asyncio.Event()
        server = SandboxServer(config, dice_source(1), player_named)
        running = asyncio.create_task(server.run("127.0.0.1", 0, stop))
        await server.listening.wait()
        try:
            await visit(server.port)
        finally:
            stop.set()
            await running

    asyncio.run(play())


def test_a_line_without_end_closes_the_connection() -> None:
    async def visit(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"x" * 5_000)
        with suppress(ConnectionError):
            assert (await reader.read()).endswith(b"login: ")
        writer.close()

    in_process(SandboxConfig(), visit)


def test_a_server_stops_while_more_is_typed_than_it_can_take() -> None:
    async def play() -> None:
        server, stop = SandboxServer(SandboxConfig(), dice_source(1), player_named), asyncio.Event()
        server._events = asyncio.Queue(maxsize=8)
        running = asyncio.create_task(server.run("127.0.0.1", 0, stop))
        await server.listening.wait()
        ends = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(30)]
        for _, writer in ends:
            writer.write(b"\n" * 20_000)
        while not server._events.full():  # noqa: ASYNC110 - a queue tells nobody that it is full
            await asyncio.sleep(0)
        stop.set()
        done, _ = await asyncio.wait([running], timeout=10)
        running.cancel()
        assert done
        for _, writer in ends:
            writer.close()

    asyncio.run(play())


def test_what_a_client_typed_after_its_last_line_is_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at: list[str] = []
    received = World.received

    def count(world: World, sid: int, line: str, now: float) -> Effects:
        looked_at.append(line)
        return received(world, sid, line, now)

    monkeypatch.setattr(World, "received", count)

    async def visit(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"bye\n" + b"\n" * 30_000)
        with suppress(ConnectionError):
            assert b"Goodbye." in await reader.read()
        writer.close()

    in_process(SandboxConfig(), visit)
    assert looked_at[0] == "bye"
    assert len(looked_at) < 10_000  # no more than was queued already


def test_no_house_player_takes_the_name_of_a_user(tmp_path: Path) -> None:
    make_accounts(tmp_path / "x.db", ["House_Simple"], PASSWORD)
    config = SandboxConfig(database=tmp_path / "x.db", house=("simple",))
    with pytest.raises(Unavailable, match=r"x\.db: a user is called 'House_Simple'"):
        SandboxServer(config, dice_source(1), player_named)


def test_a_house_player_that_is_away_or_fails_ends_nothing() -> None:
    class Broken(PipCounter):
        def play(self, position: Position, match: MatchState) -> Play:
            raise IndexError("a bug")

        def accept(self, position: Position, match: MatchState) -> bool:
            raise IndexError("another bug")

    async def play() -> None:
        config = SandboxConfig(house=("simple", "random"), house_pause_s=0.2, password_cost=CHEAP)
        stop, server = (
            asyncio.Event(),
            SandboxServer(config, dice_source(2), lambda level: Broken()),
        )
        running = asyncio.create_task(server.run("127.0.0.1", 0, stop))
        await server.listening.wait()
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"guest\nname marvin\nsecret99\nsecret99\ntoggle ready\n")
        await reader.readuntil(b"now ready")
        gone = server.world.server.online["house_random"]
        writer.write(b"invite house_random 1\n")
        await reader.readuntil(b"You invited house_random")
        server._events.put_nowait(lambda now: server.world.received(gone.id, "bye", now))
        await reader.readuntil(b"house_random logs out.")
        writer.write(b"invite house_simple 1\n")
        await reader.readuntil(b"Starting a new game")
        writer.write(b"resign n\n")  # if it is not to move at once
        await reader.readuntil(b"The game was saved.")
        assert not running.done()
        stop.set()
        await running
        writer.close()

    asyncio.run(asyncio.wait_for(play(), 20))


def test_a_house_player_whose_commands_do_nothing_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    move = WITH_WORDS["move"]

    def fails(server: ServerState, session: UserSession, words: list[str]) -> None:
        if session.house:
            raise ZeroDivisionError
        move(server, session, words)

    monkeypatch.setitem(WITH_WORDS, "move", fails)

    async def visit(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"guest\nname marvin\nsecret99\nsecret99\ntoggle ready\n")
        await reader.readuntil(b"now ready")
        writer.write(b"invite house_simple 1\n")
        await reader.readuntil(b"You rolled 6, house_simple rolled 3")
        writer.write(b"move 1-7 1-4\n")
        await reader.readuntil(b"house_simple has left the game. The game was saved.")
        writer.close()

    in_process(SandboxConfig(house=("simple",), house_pause_s=0, password_cost=CHEAP), visit)


def test_who_says_no_more_is_still_answered() -> None:
    async def visit(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"guest\nname marvin\nsecret99\nsecret99\nversion\nwave\n")
        writer.write_eof()
        heard = await reader.read()
        assert b"Sixprime sandbox, a server that speaks FIBS" in heard
        assert b"You wave goodbye." in heard
        writer.close()

    in_process(SandboxConfig(password_cost=CHEAP), visit)


def test_too_many_connections_from_one_host_are_refused() -> None:
    async def visit(port: int) -> None:
        ends = [await asyncio.open_connection("127.0.0.1", port) for _ in range(4)]
        await ends[0][0].readuntil(b"login: ")
        assert (await ends[3][0].read()).startswith(b"** Too many connections.")
        for _, writer in ends:
            writer.close()

    in_process(SandboxConfig(limits=Limits(connections_per_host=3)), visit)


def test_nothing_is_told_that_could_not_be_saved() -> None:
    async def visit(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await reader.read() == b""
        writer.close()

    class FullDisk(Store):
        def commit(self, saves: Saves) -> None:
            raise OSError("no space left on device")

    async def play(full: Store) -> None:
        server = SandboxServer(SandboxConfig(), dice_source(1), player_named)
        server._store.close()
        server._store = full
        running = asyncio.create_task(server.run("127.0.0.1", 0, asyncio.Event()))
        await server.listening.wait()
        with suppress(ConnectionError):
            await visit(server.port)
        with pytest.raises(ExceptionGroup):
            await running

    with closing(FullDisk(None)) as full:
        asyncio.run(play(full))


def test_a_database_that_fails_ends_the_server_in_one_clear_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepared(config: SandboxConfig, *rest: Any) -> SandboxServer:
        server = SandboxServer(config, *rest)
        server._store._db.execute("DROP TABLE account")  # as a house player comes in
        return server

    monkeypatch.setattr("sixprime.bot.sandbox.run.SandboxServer", prepared)
    for chaos in ([], ["--chaos", "1"]):
        path = tmp_path / f"{len(chaos)}.db"
        words = ["sandbox", "--listen", "127.0.0.1:0", "--house", "simple", "--database", str(path)]
        assert main(words + chaos) == 2
        error = capsys.readouterr().err.splitlines()[-1]
        assert error == f"sixprime sandbox: {path}: no such table: account"


def test_a_faulty_network_can_be_put_before_the_server() -> None:
    async def visit(port: int) -> None:
        stop = asyncio.Event()
        calm = ChaosProxy(1, "127.0.0.1", port, CALM)
        broken = ChaosProxy(1, "127.0.0.1", port, replace(CALM, cut=1.0))
        running = [asyncio.create_task(proxy.run("127.0.0.1", 0, stop)) for proxy in (calm, broken)]
        for proxy in (calm, broken):
            await proxy.listening.wait()
        reader, writer = await asyncio.open_connection("127.0.0.1", calm.port)
        await reader.readuntil(b"login: ")
        writer.write(b"bye\r\n")
        assert b"Goodbye." in await reader.read()
        writer.close()
        reader, writer = await asyncio.open_connection("127.0.0.1", broken.port)
        with suppress(ConnectionError):
            assert not (await reader.read()).endswith(b"login: ")
        writer.close()
        stop.set()
        await asyncio.gather(*running)

    in_process(SandboxConfig(), visit)


@pytest.mark.slow
def test_two_hundred_clients_play_a_hundred_matches_at_once() -> None:
    report = asyncio.run(measure(seconds=10.0))
    assert report["matches_at_once"] >= 95
    assert report["server_cpu_share"] < 1.0
