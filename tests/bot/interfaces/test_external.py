"""gnubg's external player socket: both kinds of callers, over loopback; legal whatever comes."""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from sixprime.bot.cli.main import main
from sixprime.bot.interfaces.external import (
    MOST_CONNECTIONS,
    ExternalConversation,
    ExternalEngine,
    ExternalPlayer,
    ExternalServer,
    decide,
    parse_listen,
)
from sixprime.engine.game import Answer, BeforeRoll, CheckerPlay, ResignAnswer, ResignOffer
from sixprime.engine.position import MatchState, Play, Position, Step
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.decide import Engine, NoDecision
from sixprime.engine.system.endpoint import LOOPBACK, Endpoint
from sixprime.protocols.engines.external import (
    LONGEST_LINE,
    ExternalBoard,
    SessionRules,
    read_board,
)
from tests.support.engine.brains import random_brain
from tests.support.gnubg.client import (
    Question,
    board_line,
    question_of,
    read_answer,
    read_evaluation,
)
from tests.support.gnubg.externalboards import DOUBLE, START, random_board, recorded, with_fields
from tests.support.gnubg.players import LivelyPlayer

TO_ROLL = with_fields(START, {33: 0, 34: 0, 35: 0, 36: 0})


@asynccontextmanager
async def dialled(
    decider: ExternalPlayer, address: Endpoint | Path | None = None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection to a server of this decider."""
    server = ExternalServer(decider)
    async with await server.listen(address or Endpoint(LOOPBACK, 0)) as listening:
        if isinstance(address, Path):
            reader, writer = await asyncio.open_unix_connection(address)
        else:
            port = listening.sockets[0].getsockname()[1]
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            yield reader, writer
        finally:
            writer.close()
            await writer.wait_closed()


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, data: bytes) -> bytes:
    writer.write(data)
    async with asyncio.timeout(60):
        return await reader.readline()


def test_every_question_of_a_recorded_match_gets_a_legal_answer() -> None:
    async def scenario() -> None:
        async with dialled(LivelyPlayer()) as (reader, writer):
            for who, raw in recorded():
                if who == "G>E":
                    question = raw.replace(b"\0", b"") + b"\0"
                    answer = await ask(reader, writer, question)
                    check_legal(answer, read_board(raw.decode().strip("\0\n")))

    asyncio.run(scenario())


def check_legal(answer: bytes, board: ExternalBoard) -> None:
    """Would gnubg play on, with just this play?"""
    meant = read_answer(answer.decode(), board)
    if question_of(board) is Question.MOVE and not isinstance(meant, ResignOffer):
        assert board.match.dice
        assert isinstance(meant, CheckerPlay)
        results = {each.result for each in legal_plays(board.position, board.match.dice)}
        assert board.position.after(meant.play) in results
    if meant is BeforeRoll.DOUBLE:
        assert board.match.may_double()
    if meant is Answer.BEAVER:
        assert board.match.length == 0
        assert board.match.beavers


class Contrary(LivelyPlayer):
    """Answers anything but what was asked."""

    def play(self, position: Position, match: MatchState) -> Play:
        return (Step(24, 1),)

    def double(self, position: Position, match: MatchState) -> bool:
        return True

    def answer(self, position: Position, match: MatchState) -> Answer:
        return Answer.BEAVER

    def resign(self, position: Position, match: MatchState) -> int:
        return 7


@pytest.mark.parametrize("decider", [LivelyPlayer(2), Contrary()])
def test_whatever_the_decider_says_the_answer_is_legal(decider: ExternalPlayer) -> None:
    draw = random.Random(5)
    for _ in range(200):
        board = random_board(draw)
        conversation = ExternalConversation(decider, SessionRules(beavers=draw.random() < 0.5))
        answer = conversation.respond(board_line(board), gnubg=True)
        check_legal(answer, board)


def test_a_beaver_is_for_money_with_beavers() -> None:
    money = with_fields(DOUBLE, {3: 0})
    assert ExternalConversation(Contrary()).respond(money, gnubg=True) == b"take\n"
    assert (
        ExternalConversation(Contrary(), SessionRules()).respond(money, gnubg=True) == b"beaver\n"
    )
    assert ExternalConversation(Contrary(), SessionRules()).respond(DOUBLE, gnubg=True) == b"take\n"


# gnubg beavers our double; in another game it answers our beaver with a raccoon
OURS = (
    "board:gnubg:root:0:0:0:0:-2:0:0:0:0:5:3:3:0:0:0:-5:3:0:0:0:-2:1:-4:0:0:-2:0:0:0:"
    "-1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
)
BEAVER = with_fields(OURS, {37: 2, 39: 0, 40: 1})
THEIRS = (
    "board:root:gnubg:0:0:0:0:-2:0:0:0:0:5:3:3:0:0:0:-5:3:0:0:0:-2:1:-2:-1:0:-3:0:0:0:"
    "1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1"
)
RACCOON = with_fields(THEIRS, {37: 4, 38: 0})


def test_a_beaver_of_our_double_is_ours_to_answer_and_a_raccoon_too() -> None:
    class Noting(Contrary):
        asked: list[tuple[int, int]] = []  # noqa: RUF012 - on_roll, to_act

        def answer(self, position: Position, match: MatchState) -> Answer:
            self.asked.append((match.on_roll, match.to_act))
            return Answer.BEAVER

    conversation = ExternalConversation(Noting(), SessionRules(), resigns=False)
    questions = (OURS, BEAVER, THEIRS, RACCOON)
    answers = [conversation.respond(line, gnubg=True) for line in questions]
    assert answers == [b"double\n", b"beaver\n", b"beaver\n", b"take\n"]
    assert Noting.asked == [(0, 0), (1, 0), (1, 0)]


def test_the_engine_answers_a_beaver_for_the_doubler(engine: Engine) -> None:
    # a lost race: our double was a blunder, the beaver is to be passed
    behind = Position((0,) * 5 + (6,) + (0,) * 19, (2,) + (0,) * 24)
    match = MatchState(cube=2, cube_owner=0, on_roll=1, to_act=1, doubled=True, beavers=3)
    decider = ExternalEngine(engine)
    assert decider.answer(behind, match) is Answer.PASS
    assert decider.answer(behind.flipped(), match) is not Answer.PASS


def test_the_cube_is_not_turned_in_the_crawford_game() -> None:
    crawford = with_fields(TO_ROLL, {4: 2, 52: 0})
    assert ExternalConversation(Contrary()).respond(crawford, gnubg=True) == b"roll\n"
    assert ExternalConversation(Contrary()).respond(TO_ROLL, gnubg=True) == b"double\n"


class Resigning(LivelyPlayer):
    """Offers what it is told to."""

    games = 1

    def resign(self, position: Position, match: MatchState) -> int:
        return self.games


def test_a_declined_resignation_is_repeated_only_if_it_is_higher() -> None:
    decider = Resigning()
    conversation = ExternalConversation(decider)
    assert conversation.respond(START, gnubg=True) == b"resign 1\n"
    check_legal(conversation.respond(START, gnubg=True), read_board(START))
    assert not conversation.respond(TO_ROLL, gnubg=True).startswith(b"re")
    decider.games = 2
    assert conversation.respond(TO_ROLL, gnubg=True) == b"resign 2\n"
    assert not conversation.respond(TO_ROLL, gnubg=True).startswith(b"re")
    next_game = with_fields(START, {5: 1})
    assert conversation.respond(next_game, gnubg=True) == b"resign 2\n"


def test_nobody_but_gnubg_is_answered_with_a_resignation() -> None:
    conversation = ExternalConversation(Resigning())
    for _ in range(3):
        assert b"resign" not in conversation.respond(START, gnubg=False)


def test_a_resignation_and_an_evaluation_are_answered_as_gnubg_does() -> None:
    conversation = ExternalConversation(LivelyPlayer())
    assert conversation.respond(f"{TO_ROLL} resignation 2", gnubg=False) == b"accept\n"
    assert conversation.respond(f"{TO_ROLL} resignation 1", gnubg=False) == b"reject\n"
    answer = conversation.respond(f"evaluation fibsboard {START} plies 1", gnubg=False)
    assert answer == b"0.500000 0.100000 0.000000 0.100000 0.000000 0.000000\n"


def test_requests_in_one_packet_are_answered_in_order() -> None:
    async def scenario() -> bytes:
        packet = b'version\nhelp\nset debug on\nset debug off\nset prompt "x"\n\nxyz\nexit\nhelp\n'
        async with dialled(LivelyPlayer()) as (reader, writer):
            writer.write(packet)
            async with asyncio.timeout(60):
                return await reader.read()

    lines = asyncio.run(scenario()).decode().splitlines()
    assert lines[:3] == ["Interface: 2", "RFBF: 0", "Engine: 1.00"]
    assert lines[3].startswith("Software: Sixprime ")
    assert lines[4:] == [
        "\tNo help information available",
        "Debug output ON",
        "Debug output OFF",
        "Error: set option 'prompt' not supported",
        "Error: no command given",
        "Error: syntax error, unknown command 'xyz'",
    ]


def test_debug_output_shows_the_board_before_the_answer() -> None:
    conversation = ExternalConversation(LivelyPlayer())
    conversation.respond("set debug on", gnubg=False)
    *shown, answer = conversation.respond(START, gnubg=False).decode().splitlines()
    assert all(line.startswith("DBG: ") for line in shown)
    assert any("13-14-15" in line for line in shown)
    check_legal(answer.encode(), read_board(START))


def test_nonsense_is_told_and_the_next_line_is_answered() -> None:
    async def scenario() -> list[bytes]:
        bad = [b"\xff\xfe\n", b"board:\n", b"x" * (2 * LONGEST_LINE) + b"\n", b"evaluation\n"]
        async with dialled(LivelyPlayer()) as (reader, writer):
            told = [await ask(reader, writer, line) for line in bad]
            return [*told, await ask(reader, writer, b"help\n")]

    *told, last = asyncio.run(scenario())
    assert all(line.startswith(b"Error: ") for line in told)
    assert last == b"\tNo help information available\n"


def test_a_decider_that_fails_costs_one_answer() -> None:
    class Failing(LivelyPlayer):
        def play(self, position: Position, match: MatchState) -> Play:
            raise RuntimeError("out of order")

    conversation = ExternalConversation(Failing())
    told = conversation.respond(START, gnubg=False)
    assert told == b"Error: no answer could be found, RuntimeError\n"
    assert conversation.respond("help", gnubg=False).startswith(b"\tNo help")


def test_a_line_that_never_ends_is_dropped() -> None:
    conversation = ExternalConversation(LivelyPlayer())
    assert conversation.respond(None, gnubg=True) == b"Error: the line is too long\n"


def test_a_finished_game_is_told() -> None:
    over = replace(read_board(START), position=Position((0,) * 25, Position.start().theirs))
    with pytest.raises(NoDecision, match="the game is over"):
        decide(over, LivelyPlayer())


def test_there_is_room_for_so_many_and_no_more() -> None:
    async def scenario() -> bytes:
        server = ExternalServer(LivelyPlayer())
        async with await server.listen(Endpoint(LOOPBACK, 0)) as listening:
            port = listening.sockets[0].getsockname()[1]
            streams = [
                await asyncio.open_connection("127.0.0.1", port)
                for _ in range(MOST_CONNECTIONS + 1)
            ]
            async with asyncio.timeout(60):
                said = await streams[-1][0].readline()
            for _, writer in streams:
                writer.close()
                await writer.wait_closed()
            return said

    assert asyncio.run(scenario()) == b"Error: too many connections\n"


def test_a_path_is_a_unix_socket(tmp_path: Path) -> None:
    async def scenario() -> bytes:
        async with dialled(LivelyPlayer(), parse_listen(str(tmp_path / "s"))) as streams:
            return await ask(*streams, b"help\n")

    assert asyncio.run(scenario()) == b"\tNo help information available\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_stops_it_finds_no_socket_left(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "socket"
    entry = "from sixprime.bot.cli.main import run; run()"
    words = ["external", "--listen", str(path), "--level", "expert"]
    command = [sys.executable, "-c", entry, *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any("listening on" in line for line in process.stderr)
        assert path.exists()
        process.send_signal(number)
        assert process.wait(20) in (0, 130)
    assert not path.exists()


def test_addresses_are_a_host_and_a_port_or_a_path() -> None:
    assert parse_listen("localhost:4000") == Endpoint("localhost", 4000)
    assert parse_listen(":4000") == Endpoint("127.0.0.1", 4000)
    assert str(parse_listen("[::1]:4000")) == "::1:4000"
    for text in ("localhost:", "localhost:x", "localhost:70000", ""):
        with pytest.raises(ValueError, match=r"port|PORT"):
            parse_listen(text)


def test_a_bad_address_or_level_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["external", "--listen", "localhost:x"]) == 2
    assert (
        capsys.readouterr().err
        == "sixprime external: --listen localhost:x: not HOST:PORT, such as 127.0.0.1:9321\n"
    )
    assert main(["external", "--listen", "no/such/folder/socket", "--level", "expert"]) == 2
    said = "sixprime external: --listen no/such/folder/socket: No such file or directory\n"
    assert capsys.readouterr().err == said
    assert main(["external", "--level", "expret"]) == 2
    assert "did you mean 'expert'?" in capsys.readouterr().err


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine("expert", brain=random_brain())


def test_the_engine_decides_everything_within_the_rules(engine: Engine) -> None:
    decider = ExternalEngine(engine)
    draw = random.Random(6)
    for _ in range(150):
        board = random_board(draw)
        answer = ExternalConversation(decider, SessionRules()).respond(
            board_line(board), gnubg=True
        )
        check_legal(answer, board)
        offered = replace(board.match, doubled=False, resigned=draw.randint(1, 3))
        offered = replace(offered, to_act=1 - offered.on_roll)
        assert decide(replace(board, match=offered), decider) in (
            ResignAnswer.ACCEPT,
            ResignAnswer.DECLINE,
        )


def test_the_engine_evaluates_as_asked(engine: Engine) -> None:
    conversation = ExternalConversation(ExternalEngine(engine))

    def numbers(line: str) -> tuple[float, ...]:
        answer = conversation.respond(f"evaluation fibsboard {line}", gnubg=False).decode()
        return read_evaluation(answer)

    money = with_fields(START, {3: 0})
    win, gammon, backgammon, lost, lost_backgammon, value = numbers(f"{money} jacobyrule off")
    cubeless = 2 * win - 1 + gammon + backgammon - lost - lost_backgammon
    assert value == pytest.approx(cubeless, abs=3e-6)
    assert numbers(f"{money} jacobyrule on")[5] == pytest.approx(2 * win - 1, abs=3e-6)
    assert numbers(f"{money} cubeful")[5] != pytest.approx(cubeless, abs=1e-4)
    assert 0 < numbers(START)[5] < 1
    assert 0 < numbers(f"{START} cubeful plies 1")[5] < 1
    answer = conversation.respond(f"evaluation fibsboard {START} plies 9", gnubg=False)
    assert answer.startswith(b"Error: 9 plies")
