"""Bytes to lines: any chunking, prompts, telnet bytes, glued and endless lines."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.states import ONLINE
from sixprime.protocols.fibs.wire import login
from sixprime.protocols.fibs.wire.commands import Login
from sixprime.protocols.fibs.wire.lines import LONGEST, Lines
from sixprime.protocols.fibs.wire.messages import LineTooLong, Message, Unknown
from tests.support.fibs.transcripts import LOGIN, TRANSCRIPTS

BOARD = (
    "board:You:marvin:3:0:1:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
)


def lines_of(*chunks: bytes) -> list[str | LineTooLong]:
    lines = Lines()
    return [line for chunk in chunks for line in lines.feed(chunk)]


WIRE = [
    (b"a\r\nb\nc\r\n", ["a", "b", "c"]),
    (b"a\rb\0c\r\n", ["abc"]),  # only LF ends a line
    (b"\r\n\r\n> \r\n  \r\na\r\n", ["a"]),
    (b"6 \r\n", ["6"]),
    (b"> > ** You are now playing\r\n", ["** You are now playing"]),
    (b">\r\n", []),
    (b">> x\r\n", [">> x"]),
    (b"12 marvin > hi\r\n", ["12 marvin > hi"]),
    (b"  trillian\r\n", ["  trillian"]),
    (b"K=max(1 ,\t\t-Exp\r\n", ["K=max(1 ,\t\t-Exp"]),
    (b"Goodbye\x07.\r\n", ["Goodbye."]),
    (b"12 a \x1b[31mred\x1b[0m\x1b]0;title\x07!\x9b2J\r\n", ["12 a red!"]),
    (b"12 a caf\xe9 \x85\r\n", ["12 a café"]),
    # prompts without line end
    (b"banner\r\nlogin: ", ["banner", "login:"]),
    (b"login: 1 sixbot 5 host\r\n", ["login:", "1 sixbot 5 host"]),
    (b"\xff\xfb\x01password: ", ["password:"]),
    (b"\xff\xfb\x01Please give your password: \r\n", ["Please give your password:"]),
    (b"> login: ", ["login:"]),
    (b"my login: \r\n", ["my login:"]),
    (b"login:x\r\n", ["login:x"]),
    # telnet
    (b"\xff\xfc\x01\r\nlogin: ", ["login:"]),
    (b"a\xff\xfd\x03b\xff\xf9c\r\n", ["abc"]),
    (b"12 mallory \xff\xfb\r\nmarvin doubles.\r\n", ["12 mallory", "marvin doubles."]),
    (b"12 mallory \xff\xfb\nmarvin doubles.\n", ["12 mallory", "marvin doubles."]),
    # glued lines
    (f"{BOARD}It's your turn.\r\n".encode(), [BOARD, "It's your turn."]),
    (f"{BOARD} It's your turn.\r\n".encode(), [BOARD, "It's your turn."]),
    (f"{BOARD}> It's your turn.\r\n> {BOARD}> \r\n".encode(), [BOARD, "It's your turn.", BOARD]),
    (f"{BOARD}{BOARD}5 x\r\n".encode(), [BOARD, BOARD, "5 x"]),
    (f"{BOARD}:0\r\n".encode(), [f"{BOARD}:0"]),
    (
        f"You accept the double. The cube shows 2.{BOARD}\r\n".encode(),
        ["You accept the double. The cube shows 2.", BOARD],
    ),
    (
        b"marvin accepts the double.5 sixbot marvin - 1 0\r\n",
        ["marvin accepts the double.", "5 sixbot marvin - 1 0"],
    ),
    (
        f"12 mallory You accept the double. The cube shows 2.{BOARD}\r\n".encode(),
        [f"12 mallory You accept the double. The cube shows 2.{BOARD}"],  # chat stays one line
    ),
]


@pytest.mark.parametrize(("wire", "expected"), WIRE)
def test_bytes_become_lines(wire: bytes, expected: list[str]) -> None:
    assert lines_of(wire) == expected
    assert lines_of(*(bytes([byte]) for byte in wire)) == expected


@pytest.mark.parametrize(("wire", "expected"), WIRE)
def test_a_tail_after_the_lines_changes_nothing(wire: bytes, expected: list[str]) -> None:
    assert lines_of(b"before\r\n" + wire + b"\r\nafter\r\n") == ["before", *expected, "after"]


def test_a_line_that_never_ends_is_thrown_away_once_and_the_next_survives() -> None:
    endless = b"12 mallory " + b"x" * (3 * LONGEST)
    found = lines_of(endless, endless, b"\r\nnext\r\n")
    assert found == [LineTooLong(("12 mallory " + "x" * 80)[:80]), "next"]


def test_nothing_is_kept_of_a_line_that_never_ends() -> None:
    lines = Lines()
    for _ in range(100):
        list(lines.feed(b"y" * 50_000))
        assert len(lines._rest) <= LONGEST


def test_a_session_survives_an_endless_line() -> None:
    session = Session(Login("c", "sixbot", "secret99"), 0.0)
    heard = list(session.receive(b"x" * 200_000 + b"\r\nlogin: ", 1.0))
    assert heard == [LineTooLong("x" * 80), login.LoginPrompt()]


def messages_of(chunks: list[bytes]) -> list[Message]:
    """What a session makes of a stream; it logs in when it is asked."""
    session = Session(Login("c", "sixbot", "secret99"), 0.0)
    found = []
    for chunk in chunks:
        for message in session.receive(chunk, 1.0):
            found.append(message)
            command = session.wanted(1.0)
            if isinstance(command, Login):
                session.send(command, 1.0)
    return found


CONNECTIONS = [wire for transcript in TRANSCRIPTS for wire in transcript.connections]


@pytest.mark.parametrize("wire", CONNECTIONS, ids=range(len(CONNECTIONS)))
@settings(max_examples=40)
@given(st.data())
def test_messages_do_not_depend_on_where_tcp_cuts_a_transcript(
    wire: bytes, data: st.DataObject
) -> None:
    whole = messages_of([wire])
    cuts = data.draw(st.lists(st.integers(0, len(wire)), max_size=12))
    edges = [0, *sorted(cuts), len(wire)]
    assert messages_of([wire[a:b] for a, b in pairwise(edges)]) == whole
    assert not any(isinstance(message, Unknown | LineTooLong) for message in whole)


@pytest.mark.parametrize("wire", CONNECTIONS, ids=range(len(CONNECTIONS)))
def test_a_transcript_byte_by_byte_gives_the_same_messages(wire: bytes) -> None:
    assert messages_of([bytes([byte]) for byte in wire]) == messages_of([wire])


RAW = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(
        [
            b"login: ", b"password: ", b"> ", b"\xff", b"\xff\xfb", b"\xff\xfb\x01", b"\xff\xfa",
            b"\r", b"\n", b"\r\n", b"\0", b"\x1b[", b"\x1b]0;", b"\x07", b"\x9b", b"\t", b" ",
            BOARD.encode(), b"You accept the double.", b" The cube shows 2.", b"12 a ",
        ]
    ),
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(RAW, max_size=30), st.lists(st.integers(0, 1500), max_size=10))
def test_lines_do_not_depend_on_where_any_bytes_are_cut(
    pieces: list[bytes], cuts: list[int]
) -> None:
    wire = b"".join(pieces)
    edges = [0, *sorted(min(cut, len(wire)) for cut in cuts), len(wire)]
    whole = lines_of(wire)
    assert lines_of(*(wire[a:b] for a, b in pairwise(edges))) == whole
    for line in whole:
        assert line
        assert isinstance(line, str)
        assert line.isprintable() or set(line) & set("\t\xa0\xad")


def mangled(seed: int, count: int) -> bytes:
    """So many bytes: of transcripts with slips, and of pure noise."""
    dice = random.Random(seed)
    out = bytearray()
    while len(out) < count:
        if dice.random() < 0.15:
            out += dice.randbytes(dice.randint(1, 400))
            continue
        piece = bytearray(dice.choice(CONNECTIONS))
        start = dice.randrange(len(piece))
        piece = piece[start : start + dice.randint(1, 3000)]
        for _ in range(dice.randint(0, 20)):
            place = dice.randrange(len(piece))
            slip = dice.random()
            if slip < 0.4:
                piece[place] = dice.randrange(256)
            elif slip < 0.7:
                del piece[place : place + dice.randint(1, 30)]
                if not piece:
                    break
            else:
                piece[place:place] = dice.randbytes(dice.randint(1, 30))
        out += piece
    return bytes(out[:count])


def online(now: float) -> Session:
    session = Session(Login("c", "sixbot", "secret99"), now)
    prompt, rest = LOGIN[:7], LOGIN[7:]
    list(session.receive(prompt, now))
    session.send(session.login, now)
    list(session.receive(rest, now))
    assert session.state in ONLINE
    return session


def endure(wire: bytes, seed: int) -> None:
    """A session hears it all, in pieces, and does what it wants in between."""
    dice = random.Random(seed)
    now = 0.0
    session = online(now)
    place = 0
    while place < len(wire):
        size = dice.choice((1, 7, 100, 1500, 9000))
        now += dice.choice((0.01, 0.5, 3.0))
        for _ in session.receive(wire[place : place + size], now):
            session.question()
        place += size
        for _ in range(20):
            command = session.wanted(now)
            if command is None:
                break
            session.send(command, now)
        else:
            pytest.fail(f"seed {seed}: the session never stops wanting something")
        deadline = session.deadline
        if deadline is None:  # closed by what it heard: log in again
            now += 1.0
            session = online(now)
        else:
            assert deadline > now, f"seed {seed}"


def test_100000_fuzzed_bytes_never_raise_or_hang() -> None:
    for seed in range(10):
        endure(mangled(seed, 10_000), seed)


@pytest.mark.slow
def test_1000000_fuzzed_bytes_never_raise_hang_or_grow_memory() -> None:
    import gc
    import tracemalloc

    endure(mangled(0, 100_000), 0)  # caches fill
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for seed in range(10):
        endure(mangled(seed, 100_000), seed)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 1_000_000
