"""The limits of every listener: the number of its clients, and their time to the first line.

Invariant: a listener holds at most as many connections as its `Places`, from all addresses and from
each one, and none that has not sent a whole first line in time or does not read our last one. So
strangers cannot use up the handles of the process. `Clients` keeps it for streams; the browser's
connections (`web.frame.connections`) and the sandbox's world count in `Places`, and time clients
themselves.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from ipaddress import ip_address, ip_network

import structlog

log = structlog.get_logger("bot.listeners")

LAST_WITHIN_S = 5.0  # for a client to read our last line
WARN_AGAIN_S = 60.0  # so that a flood of connections is no flood of lines

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter, asyncio.Timeout], Awaitable[None]]


class Places:
    """A count of the connections of one listener by address; proxies may have any number."""

    def __init__(
        self, name: str, most: int, most_from_address: int = 0, proxies: Collection[str] = ()
    ) -> None:
        self._name, self._most = name, most
        self._most_from_address = most_from_address or most
        self._proxies = [ip_network(proxy) for proxy in proxies]
        self._taken: Counter[str] = Counter()
        self._refused = 0
        self._warned_at = -WARN_AGAIN_S

    def take(self, address: str) -> bool:
        """Count another connection from there; return whether there was room."""
        is_proxy = bool(
            address and self._proxies and any(ip_address(address) in net for net in self._proxies)
        )
        from_there = 0 if is_proxy else self._taken[address]
        if from_there >= self._most_from_address or self._taken.total() >= self._most:
            self._refuse(address)
            return False
        self._taken[address] += 1
        return True

    def leave(self, address: str) -> None:
        self._taken[address] -= 1
        if not self._taken[address]:
            del self._taken[address]

    def _refuse(self, address: str) -> None:
        """Warn of refused connections, at most once in `WARN_AGAIN_S`."""
        self._refused += 1
        if time.monotonic() >= self._warned_at + WARN_AGAIN_S:
            self._warned_at = time.monotonic()
            log.warning(
                "too many connections", at=self._name, address=address, refused=self._refused
            )
            self._refused = 0


class Clients:
    """The clients of one stream listener, each in a task of its own.

    `talk` gets the timeout of its first line, and moves it once that line is there; without that
    the whole conversation has this time. `full` is sent to a client for whom there is no place.
    """

    def __init__(self, places: Places, talk: Talk, first_line_s: float, full: bytes = b"") -> None:
        self._places, self._talk = places, talk
        self._first_line_s, self._full = first_line_s, full

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Talk to one client until it ends, or is too slow; for asyncio's servers."""
        peer = writer.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) else ""
        if not self._places.take(address):
            writer.write(self._full)
            writer.close()
            return
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                async with asyncio.timeout(self._first_line_s) as silence:
                    await self._talk(reader, writer, silence)
            await _closed(writer)
        finally:
            writer.transport.abort()
            self._places.leave(address)


async def _closed(writer: asyncio.StreamWriter) -> None:
    """Close the connection once the client has read our last line, or too late."""
    writer.close()
    with suppress(OSError):
        async with asyncio.timeout(LAST_WITHIN_S):
            await writer.wait_closed()
