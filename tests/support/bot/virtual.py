"""The real service against the sandbox's world in virtual time: an evening takes a moment.

The server and its faulty links are those of tests/simulator.py; only their heap is the loop's own.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import TypeVar

from sixprime.bot.archive.live import write_together
from sixprime.bot.archive.waiting import running
from sixprime.bot.archive.writer import ArchiveThread, Queued
from sixprime.bot.client.connection import CannotConnect, Streams
from sixprime.bot.client.thinking import Considered
from sixprime.bot.recording.virtualtime import VirtualLoop as VirtualLoop
from sixprime.bot.sandbox.network.chaos import CALM, Rates
from sixprime.bot.sandbox.state.accounts import UserAccount
from sixprime.bot.sandbox.state.dialect import Dialect
from tests.support.bot.simulator import Link, Simulator

BEGAN = 1_700_000_000.0
PASSWORD = "secret99"
T = TypeVar("T")


class PromptThread(ArchiveThread):
    """Writes what has come together in the loop's next round, and without a thread."""

    def __init__(self) -> None:
        self._notes: list[Queued] = []

    def write(self, queued: Queued) -> None:
        """Write this soon; see sixprime.bot.archive.writer."""
        if not self._notes:
            asyncio.get_running_loop().call_soon(self._write)
        self._notes.append(queued)

    def ask(self, work: Callable[[], T]) -> Future[T]:
        """Do this now, after all that was noted."""
        self._write()
        done: Future[T] = running()
        done.set_result(work())
        return done

    def _write(self) -> None:
        notes, self._notes = self._notes, []
        if notes:
            write_together(notes)


class Port:
    """A bot's end of a link, in the place of a simulator's robot."""

    def __init__(self) -> None:
        self.reader = asyncio.StreamReader(limit=2**24)
        self.link: Link | None = None
        self._ended = False

    def receives(self, _link: Link, data: bytes) -> None:
        if not self._ended:
            self.reader.feed_data(data)

    def loses(self, _link: Link) -> None:
        self._ended = True
        self.reader.feed_eof()


class Wire:
    """The writer of a bot's streams."""

    def __init__(self, server: VirtualServer, port: Port) -> None:
        self._server = server
        self._port = port

    def write(self, data: bytes) -> None:
        link = self._port.link
        if link is not None and link.open:
            link.to_server(data)

    async def drain(self) -> None:
        await asyncio.sleep(0)

    def close(self) -> None:
        link = self._port.link
        if link is not None and link.open:
            link.open = False
            self._server.server_loses(link)


class VirtualServer(Simulator):
    """A simulator whose time is the running loop's."""

    def __init__(self, seed: int, rates: Rates = CALM, dialect: Dialect | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        super().__init__(seed, rates, dialect)

    @property
    def now(self) -> float:
        return BEGAN + self._loop.time()

    @now.setter
    def now(self, _: float) -> None:
        """The loop's business."""

    def at(self, time: float, happen: Callable[[], object]) -> None:
        """In the order of the calls where times are equal, which a loop does not promise."""
        super().at(time, happen)
        self._loop.call_at(time - BEGAN, self._next_happens)

    def _next_happens(self) -> None:
        _, _, happen = heapq.heappop(self._heap)
        happen()

    def open_account(self, name: str) -> None:
        account = replace(
            UserAccount(name, PASSWORD), toggles=UserAccount(name).toggles | {"silent"}
        )
        self.world.server.put_account(account)
        self.accounts[name] = account

    async def dial(self, host: str, port: int, within_s: float) -> Streams:
        await asyncio.sleep(0.05)
        if not self.open:
            raise CannotConnect(f"{host} is closed")
        end = Port()
        end.link = self.connect(end)  # type: ignore[arg-type]
        return Streams(end.reader, Wire(self, end))


def at_once(work: Callable[[], Considered]) -> asyncio.Future[Considered]:
    """Thinking takes no time and no thread."""
    future: asyncio.Future[Considered] = asyncio.get_running_loop().create_future()
    try:
        future.set_result(work())
    except Exception as error:  # noqa: BLE001 - as a thread would
        future.set_exception(error)
    return future
