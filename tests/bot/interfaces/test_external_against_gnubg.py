"""gnubg's external player socket with the real gnubg at the other end, in both roles."""

from __future__ import annotations

import asyncio
import random
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sixprime.bot.interfaces.external import ExternalServer
from sixprime.engine.game import CheckerPlay
from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.system.endpoint import LOOPBACK, Endpoint
from sixprime.protocols.engines.external import Decide, Evaluate, answer_line
from tests.support.gnubg.client import read_answer, read_evaluation, request_line
from tests.support.gnubg.externalboards import drawn, random_board
from tests.support.gnubg.players import LivelyPlayer
from tests.support.gnubg.program import COMMAND, typed

pytestmark = pytest.mark.gnubg
KINDS = ("chequerplay", "cubedecision")
QUICK = [f"set player {{seat}} {kind} evaluation plies 0" for kind in KINDS]


class Counting(LivelyPlayer):
    """Knows how often it was asked for a play, which it is not where there is none."""

    plays = 0

    def play(self, position: Position, match: MatchState) -> Play:
        """Any."""
        self.plays += 1
        return super().play(position, match)


def plays_of(seat: int, record: str) -> int:
    """How many turns of a seat have moves in them; the left column is seat 0."""
    found = 0
    for line in record.splitlines():
        if re.match(r" *\d+\)", line):
            cells = [bool(moves) for moves in re.findall(r"\d\d:((?: \S*/\S*)*)", line)]
            if ":" not in line[5:10]:  # nothing, or something about the cube
                cells.insert(0, False)
            found += len(cells) > seat and cells[seat]
    return found


@pytest.mark.parametrize("seat", [0, 1])
def test_gnubg_plays_a_match_against_us_without_complaint(tmp_path: Path, seat: int) -> None:
    decider = Counting(seat + 6, resigns=0.01)
    record = tmp_path / "match.mat"
    dealt = [
        *("set automatic game on", "set automatic roll on", "set automatic move on"),
        *("set display off", "set confirm new off", "set rng mersenne", "set seed 3"),
        f"set player {1 - seat} gnubg",
        *(command.format(seat=1 - seat) for command in QUICK),
        f"set player {seat} external 127.0.0.1:{{port}}",
        "new match 3",
        f"export match mat {record}",
        "show score",
    ]

    async def scenario() -> tuple[str, int]:
        server = ExternalServer(decider)
        async with await server.listen(Endpoint(LOOPBACK, 0)) as listening:
            port = listening.sockets[0].getsockname()[1]
            commands = [line.format(port=port) if "{port}" in line else line for line in dealt]
            told = await asyncio.to_thread(typed, "\n".join([*commands, ""]), tmp_path)
            return told, server.questions

    said, questions = asyncio.run(scenario())
    assert questions > 20, said
    assert "has won the match" in said, said
    # gnubg takes what it cannot read for a turn without a move
    assert plays_of(seat, record.read_text()) == decider.plays > 10
    assert not re.search("error|illegal|unexpected|failed|not understood", said, re.IGNORECASE), (
        said
    )


@contextmanager
def listening_gnubg() -> Iterator[socket.socket]:
    """A connection to a gnubg that waits for questions."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as gnubg:
        assert gnubg.stdin
        try:
            for command in (
                *(f"set evaluation {kind} evaluation plies 0" for kind in KINDS),
                f"external 127.0.0.1:{port}",
            ):
                gnubg.stdin.write(command.encode() + b"\n")
            gnubg.stdin.flush()
            with connected(port) as talk:
                yield talk
        finally:
            gnubg.kill()


def connected(port: int) -> socket.socket:
    """As soon as it listens."""
    for _ in range(300):
        try:
            return socket.create_connection(("127.0.0.1", port), 60)
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise AssertionError("gnubg does not listen")


def asked(talk: socket.socket, request: bytes) -> str:
    """One line of an answer."""
    talk.sendall(request)
    answer = b""
    while not answer.endswith(b"\n"):
        data = talk.recv(4096)
        assert data, request
        answer += data
    return answer.decode()


def test_gnubg_moves_legally_on_the_boards_as_we_read_them() -> None:
    draw = random.Random(8)
    seen = 0
    with listening_gnubg() as talk:
        while seen < 100:
            board = random_board(draw)
            if board.match.dice is None:
                continue
            line = drawn(board, draw.choice((1, -1)), draw.choice((1, -1)))
            answer = asked(talk, line.encode() + b"\n")
            play = read_answer(answer, board)
            assert isinstance(play, CheckerPlay), (line, answer)
            results = {legal.result for legal in legal_plays(board.position, board.match.dice)}
            assert board.position.after(play.play) in results, (line, answer)
            seen += 1


def test_gnubg_sees_the_same_match_in_all_four_ways_to_draw_a_board() -> None:
    draw = random.Random(9)
    with listening_gnubg() as talk:
        for _ in range(60):
            board = random_board(draw)
            if board.match.doubled:
                continue
            values = {
                read_evaluation(asked(talk, f"evaluation fibsboard {line} cubeful\n".encode()))
                for line in (drawn(board, c, d) for c in (1, -1) for d in (1, -1))
            }
            assert len(values) == 1, board


def test_gnubg_answers_every_request_that_we_can_write() -> None:
    draw = random.Random(10)
    with listening_gnubg() as talk:
        for _ in range(100):
            board = random_board(draw)
            answer = asked(talk, request_line(Decide(board)))
            match read_answer(answer, board):
                case CheckerPlay():
                    pass
                case said:
                    assert answer_line(said, board, gnubg=False).strip() == answer.strip().encode()
            numbers = read_evaluation(asked(talk, request_line(Evaluate(board, cubeful=True))))
            assert 0 <= numbers[2] <= numbers[1] <= numbers[0] <= 1
