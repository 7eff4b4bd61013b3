"""Requests to the control socket: whatever comes is answered, and nobody holds up the others."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from sixprime.bot.client.service import Service
from sixprime.bot.control import requests
from sixprime.bot.control.controlsocket import connected, listen, remove
from sixprime.bot.control.requests import LONGEST_REQUEST, MOST_CLIENTS, answering, carry_out
from sixprime.bot.control.steering import Steering
from sixprime.bot.settings.passwords import Secret
from tests.support.bot.scene import config_for

TWO = "profiles: {anna: {account: {user: anna}}, ben: {account: {user: ben}}}"
WORDS = st.sampled_from([*requests.NEEDS, "name", "length", "text", "profile", "anna", "ben"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with capture_logs():
        yield


def steering(text: str = TWO) -> Steering:
    config = config_for(1, text)
    passwords = {each.name: Secret("x") for each in config.profiles}
    return Steering(Service(config, passwords), lambda: config)


OTHERS = ("name", "length", "text", "level", "now", "profile", "more")
REQUESTS = st.fixed_dictionaries({"action": WORDS}, optional=dict.fromkeys(OTHERS, VALUES))


@given(VALUES | REQUESTS)
def test_whatever_is_asked_is_answered_in_one_line(request: object) -> None:
    with capture_logs() as logged:
        answer = asyncio.run(carry_out(steering(), request, "me"))
    assert type(answer["done"]) is bool
    assert "\n" not in answer["text"]
    assert not any(each["log_level"] == "error" for each in logged)


@pytest.mark.parametrize(
    ("asked", "done", "words"),
    [
        ({"action": "pause"}, True, "anna pauses; ben pauses"),
        ({"action": "resume", "profile": "ben"}, True, "ben plays again"),
        ({"action": "reload"}, True, "settings reloaded; nothing changed"),
        ({"action": "say", "text": "x"}, False, "which of anna, ben?"),
        ({"action": "invite", "name": "x", "length": 1}, False, "which of anna, ben?"),
        ({"action": "say", "text": "x", "profile": "ben"}, False, "ben plays no match"),
        ({"action": "say", "text": "\u2680", "profile": "ben"}, False, "plain ASCII"),
        ({"action": "invite", "name": "x", "length": 1, "profile": "ben"}, False, "is not online"),
        ({"action": "invite", "name": "x", "length": True}, False, "'length' is no int"),
        ({"action": "invite", "name": "x"}, False, "see 'length'"),
        ({"action": "reload", "profile": "ben"}, False, "takes nothing more; see 'profile'"),
        ({"action": "level", "level": {"a\nb": 1}}, False, "no setting 'a b'"),
        ({"action": "dance"}, False, "'action' is one of: pause,"),
        ({"action": "level", "level": "pr 8", "profile": "ben"}, True, "ben plays at level pr 8"),
        ({"action": "level", "level": {"pr": 8.5}}, True, "anna plays at level pr 8.5"),
        ({"action": "level", "level": "1650"}, True, "anna plays at level about 1650"),
        ({"action": "level", "level": "pr 31"}, False, "people play from pr 1 to pr 25"),
        ({"action": "level", "level": "exprt"}, False, "did you mean 'expert'"),
        (["pause"], False, "'action' is one of"),
    ],
)
def test_what_cannot_be_done_is_told(asked: object, done: bool, words: str) -> None:
    answer = asyncio.run(carry_out(steering(), asked, "me"))
    assert (answer["done"], words in answer["text"]) == (done, True), answer["text"]


def test_an_order_that_goes_wrong_is_told_and_logged() -> None:
    class Broken(Steering):
        def pause(self, profile: str | None = None) -> str:
            raise TypeError(profile)

    with capture_logs() as logged:
        answer = asyncio.run(carry_out(Broken.__new__(Broken), {"action": "pause"}, "me"))
    assert answer == {"done": False, "text": "failed: TypeError; the log has more"}
    assert [each["log_level"] for each in logged] == ["error"]


# --- over the socket


@asynccontextmanager
async def listening(folder: Path) -> AsyncIterator[Path]:
    path = folder / "bot.sock"
    listener = listen(path)
    async with answering(steering(), listener):
        yield path
    remove(path, listener)


def ask(connection: socket.socket, line: bytes) -> dict[str, Any]:
    connection.sendall(line)
    answer: dict[str, Any] = json.loads(connection.makefile("rb").readline())
    return answer


def scene(folder: Path, check: Callable[[Path], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(60), listening(folder) as path:
            await check(path)

    asyncio.run(run())


STATUS = b'{"action": "status"}\n'


def test_a_line_that_is_no_request_is_told_and_the_next_one_answered(tmp_path: Path) -> None:
    async def check(path: Path) -> None:
        with connected(path) as connection:
            for line in (b"pause\n", b"\xff\xfe\n", b"[" * 4_000 + b"\n", b"1" * 4_090 + b"\n"):
                assert not (await asyncio.to_thread(ask, connection, line))["done"]
            assert (await asyncio.to_thread(ask, connection, STATUS))["status"]
            endless = b"x" * (LONGEST_REQUEST + 1)
            answer = await asyncio.to_thread(ask, connection, endless)
            assert answer["text"] == "a request has at most 4096 bytes"
            assert connection.recv(1) == b""

    scene(tmp_path, check)


def test_more_clients_than_are_served_are_told(tmp_path: Path) -> None:
    async def check(path: Path) -> None:
        silent = [connected(path) for _ in range(MOST_CLIENTS)]
        with connected(path) as one_too_many:
            answer = await asyncio.to_thread(one_too_many.makefile("rb").readline)
            assert b"too many clients" in answer
        for each in silent:
            each.close()
        done = False
        while not done:
            with connected(path) as connection, suppress(OSError):
                done = (await asyncio.to_thread(ask, connection, STATUS))["done"]

    scene(tmp_path, check)


@pytest.mark.parametrize("request_within_s", [0.05, 60.0])
def test_clients_that_say_nothing_or_read_nothing_are_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request_within_s: float
) -> None:
    monkeypatch.setattr(requests, "REQUEST_WITHIN_S", request_within_s)
    monkeypatch.setattr(requests, "READ_WITHIN_S", 0.05)
    monkeypatch.setattr(requests, "PAUSE_S", 0.0)

    async def check(path: Path) -> None:
        with connected(path) as client:
            if request_within_s < 1:
                assert await asyncio.to_thread(client.recv, 1) == b""
                return
            client.setblocking(False)
            with pytest.raises((BrokenPipeError, ConnectionResetError)):
                while True:
                    with suppress(BlockingIOError):
                        client.send(STATUS)
                    await asyncio.sleep(0)

    scene(tmp_path, check)
