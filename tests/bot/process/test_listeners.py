"""Half-open, silent and dripping clients in number, at every stream listener."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from sixprime.bot.client import metrics
from sixprime.bot.client.metrics import MOST_CLIENTS, BotMetrics, MetricsServer
from sixprime.bot.interfaces import external
from sixprime.bot.interfaces.external import ExternalEngine, ExternalServer
from sixprime.bot.process import listeners
from sixprime.bot.process.listeners import Clients, Places
from sixprime.engine.system.endpoint import LOOPBACK, Endpoint

FLOOD = 200


@asynccontextmanager
async def flooded(server: asyncio.Server) -> AsyncIterator[list[asyncio.Task[bytes]]]:
    """Yield the hang-ups of many clients that have connected and say nothing."""
    async with asyncio.timeout(30), server:
        address = server.sockets[0].getsockname()
        streams = [await asyncio.open_connection(*address) for _ in range(FLOOD)]
        yield [asyncio.create_task(reader.read()) for reader, _ in streams]
        for _, writer in streams:
            writer.transport.abort()


async def metrics_server() -> asyncio.Server:
    return await MetricsServer(BotMetrics(), list).serve(Endpoint(LOOPBACK, 0))


async def asked_for_status(port: int) -> bytes:
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    writer.write(b"GET /status HTTP/1.1\r\n\r\n")
    answer = await reader.read()
    writer.close()
    return answer


def test_a_flood_of_silent_clients_takes_few_handles_and_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(metrics, "REQUEST_WITHIN_S", 1.0)

    async def scenario() -> bytes:
        async with flooded(await metrics_server()) as ends:
            done, silent = await asyncio.wait(ends, timeout=0.3)
            assert len(silent) == MOST_CLIENTS and len(done) == FLOOD - MOST_CLIENTS
            await asyncio.wait(silent)  # the first lines are overdue
            async with await metrics_server() as server:
                return await asked_for_status(server.sockets[0].getsockname()[1])

    with capture_logs() as log:
        answer = asyncio.run(scenario())
    assert answer.endswith(b"[]")
    assert len(log) == 1, "a flood of connections is no flood of lines"


def test_places_are_free_again_and_dripping_is_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "REQUEST_WITHIN_S", 0.5)

    async def drip(port: int) -> None:
        reader, writer = await asyncio.open_connection(LOOPBACK, port)
        end = asyncio.create_task(reader.read())
        with suppress(OSError):
            while not end.done():
                writer.write(b"G")
                await asyncio.sleep(0.05)
        writer.close()

    async def scenario() -> bytes:
        async with asyncio.timeout(30), await metrics_server() as server:
            port = server.sockets[0].getsockname()[1]
            async with asyncio.TaskGroup() as group:
                for _ in range(MOST_CLIENTS):
                    group.create_task(drip(port))
            return await asked_for_status(port)

    assert asyncio.run(scenario()).endswith(b"[]")


def test_a_reader_that_takes_nothing_keeps_its_place_for_seconds_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listeners, "LAST_WITHIN_S", 0.1)
    places = Places("test", 1)

    async def talk(_: asyncio.StreamReader, writer: asyncio.StreamWriter, __: object) -> None:
        writer.write(b"x" * 10_000_000)

    async def scenario() -> None:
        clients = Clients(places, talk, 5.0)
        async with await asyncio.start_server(clients.serve, LOOPBACK, 0) as server:
            with socket.create_connection(server.sockets[0].getsockname()) as deaf:
                async with asyncio.timeout(30):
                    while places.take(LOOPBACK):
                        places.leave(LOOPBACK)
                        await asyncio.sleep(0.01)  # not accepted yet
                    while not places.take(LOOPBACK):  # noqa: ASYNC110
                        await asyncio.sleep(0.01)
                assert deaf

    asyncio.run(scenario())


def test_gnubgs_socket_waits_long_for_a_first_line_but_not_forever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(external, "FIRST_LINE_WITHIN_S", 0.3)

    async def scenario() -> None:
        server = ExternalServer(ExternalEngine.__new__(ExternalEngine))
        async with flooded(await server.listen(Endpoint(LOOPBACK, 0))) as ends:
            await asyncio.wait(ends)
        listening = await server.listen(Endpoint(LOOPBACK, 0))
        async with asyncio.timeout(30), listening:
            talker = await asyncio.open_connection(*listening.sockets[0].getsockname())
            talker[1].write(b"help\n")
            assert await talker[0].readline()
            await asyncio.sleep(0.5)  # it has said a line, and may be silent now
            talker[1].write(b"help\n")
            assert await talker[0].readline()
            talker[1].close()

    asyncio.run(scenario())


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["10.0.0.1", "10.0.0.2", "::1"]))))
def test_places_never_hold_more_than_all_or_than_one_address_may(
    steps: list[tuple[bool, str]],
) -> None:
    places = Places("test", 4, 2, ["::1"])
    there: list[str] = []
    for comes, address in steps:
        if comes:
            room = len(there) < 4 and (address == "::1" or there.count(address) < 2)
            assert places.take(address) is room
            there += [address] * room
        elif address in there:
            places.leave(address)
            there.remove(address)


def test_every_listener_counts_its_clients() -> None:
    # the first ends with the sandbox's clients, the last only tries whether a port is free
    behind = {"proxy.py", "benchplay.py", "doctor.py"}
    starts = ("asyncio.start_server(", "start_unix_server(", "uvicorn.Server(", "create_server(")
    bot = Path(listeners.__file__).parents[1]
    files = {path: path.read_text() for path in bot.rglob("*.py")}
    listening = [path for path, text in files.items() if any(start in text for start in starts)]
    assert len(listening) >= 6
    for path in listening:
        assert "laces(" in files[path] or path.name in behind, path
