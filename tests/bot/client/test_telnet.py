"""A server may ask for, offer or begin all that telnet knows: it gets refusals, each once."""

from __future__ import annotations

import asyncio
import socket
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.client.connection import CannotConnect, dial_telnet
from sixprime.protocols.fibs.wire.lines import Telnet

SB, SE = b"\xff\xfa", b"\xff\xf0"
DONT, DO, WONT, WILL = b"\xff\xfe", b"\xff\xfd", b"\xff\xfc", b"\xff\xfb"
OPTIONS = [bytes([option]) for option in range(256)]
COMPRESSED = SB + b"\x56" + SE + zlib.compress(b"x" * 50_000_000, 9)
CONTENTS = (b"", b"\x00", b"\x01", b"\x01\x00HOME", b"\x01;UTF-8", b"\x01\x0f", b"\xff\xff")

ATTACKS = {
    "every option": b"".join(
        verb + option for verb in (DO, WILL, DO, DONT, WILL, WONT) for option in OPTIONS
    ),
    "every subnegotiation": b"".join(
        DO + option + WILL + option + SB + option + content + SE
        for option in OPTIONS
        for content in CONTENTS
    ),
    "compression that nobody asked for": COMPRESSED,
    "compression that was offered": WILL + b"\x56" + DO + b"\x56" + COMPRESSED,
    "a subnegotiation that never ends": SB + b"\x18" + b"a" * 4_000_000,
    "a subnegotiation of escapes": SB + b"\x18" + b"\xff" * 4_000_000,
    "subnegotiations in subnegotiations": (SB + b"\x18") * 1_000_000,
    "the same options over and over": (DO + b"\x18" + WILL + b"\x01" + DO + b"\x1f") * 200_000,
    "are you there": b"\xff\xf6" * 500_000 + b"\xff\xff" * 500_000,
}


def refusals(answers: bytes) -> list[bytes]:
    found = [answers[at : at + 3] for at in range(0, len(answers), 3)]
    assert {answer[:2] for answer in found} <= {DONT, WONT}
    assert len(set(found)) == len(found)
    return found


async def attacked(attack: bytes) -> tuple[bytes, bytes]:
    """What we read of it, and what the server gets from us."""
    got: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers = asyncio.create_task(reader.read(-1))
        for start in range(0, len(attack), 60_001):
            writer.write(attack[start : start + 60_001])
            await writer.drain()
        writer.write(b"\nlogin: ")
        writer.write_eof()
        got.set_result(await answers)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        streams = await dial_telnet("127.0.0.1", server.sockets[0].getsockname()[1], 5.0)
        read = bytearray()
        while data := await streams.reader.read(65_536):
            read += data
        streams.writer.close()
        return bytes(read), await got


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_all_that_telnet_knows_is_refused(attack: bytes) -> None:
    read, got = asyncio.run(attacked(attack))
    assert read.endswith(b"\nlogin: ")
    assert len(read) <= len(attack) + len(b"\nlogin: ")  # nothing is unpacked
    refusals(got)


def test_every_option_but_the_line_ends_is_refused() -> None:
    _, got = asyncio.run(attacked(ATTACKS["every option"]))
    assert len(refusals(got)) == 2 * (256 - len(b"\r\n"))


# --- addresses

FULL, REFUSES, HERE = "127.0.0.2", "127.0.0.3", "127.0.0.1"


@contextmanager
def silent(port: int) -> Iterator[None]:
    """An address that answers nobody: its queue of connections is full."""
    with ExitStack() as stack:
        listening = stack.enter_context(socket.create_server((FULL, port), backlog=0))
        for _ in range(3):
            other = stack.enter_context(socket.socket())
            other.setblocking(False)
            other.connect_ex(listening.getsockname())
        yield


@pytest.mark.parametrize(
    "addresses", [[HERE], [REFUSES, HERE], [FULL, HERE], [FULL, REFUSES, HERE], [HERE, FULL]]
)
def test_the_first_address_that_answers_is_dialled(
    addresses: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = socket.getaddrinfo

    def resolve(host: str, port: int, *more: int, **_: int) -> list[object]:
        hosts = addresses if host == "fibs.example" else [host]
        return [each for name in hosts for each in ask(name, port, *more)]

    async def scene() -> None:
        async def serve(_: object, writer: asyncio.StreamWriter) -> None:
            writer.write(b"login: ")
            writer.close()

        async with await asyncio.start_server(serve, HERE, 0) as server:
            port = server.sockets[0].getsockname()[1]
            with silent(port):
                streams = await dial_telnet("fibs.example", port, 3.0)
            assert await streams.reader.read(7) == b"login: "
            streams.writer.close()

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    asyncio.run(scene())


@pytest.mark.parametrize("host", ["fibs..example", "x" * 64 + ".example"])
def test_a_name_that_is_none_is_told(host: str) -> None:
    with pytest.raises(CannotConnect, match=f"^{host}:4321: "):
        asyncio.run(dial_telnet(host, 4321, 5.0))


def test_an_address_that_stays_silent_is_told() -> None:
    with socket.socket() as held:
        held.bind((FULL, 0))
        port = held.getsockname()[1]
    with silent(port), pytest.raises(CannotConnect, match=r"does not answer within 0\.5 s$"):
        asyncio.run(dial_telnet(FULL, port, 0.5))


# --- telnet in pieces

TELNET = st.lists(
    st.one_of(
        st.sampled_from(
            [SB, SE, DO, WILL, DONT, WONT, b"\xff", b"\x18", b"\r\n", b"\n", b"login: "]
        ),
        st.binary(max_size=5),
    ),
    max_size=30,
).map(b"".join)


@given(TELNET, st.lists(st.integers(0, 100), max_size=10))
def test_telnet_does_not_depend_on_where_tcp_cuts_it(wire: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(wire)) for cut in cuts), len(wire)]
    pieces, whole = Telnet(), Telnet()
    fed = [pieces.feed(wire[a:b]) for a, b in pairwise(edges)]
    text, answers = whole.feed(wire)
    assert (b"".join(each for each, _ in fed), b"".join(each for _, each in fed)) == (text, answers)
    refusals(answers)
    assert b"\xff" not in text
    assert text.count(b"\n") == wire.count(b"\n")  # what is in a line stays in it
