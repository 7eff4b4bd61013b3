"""Limits for browsers' connections: how many, how long they may be idle, and whose turn it is.

uvicorn has no limit on a request that never ends, a reader that never reads, or the number of both
from one address. None of them may take resources from the bots, which share the event loop: it
begins at most one request in each of its passes, and none whose browser has hung up.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Collection
from functools import partial
from typing import Any

import h11
import structlog
from uvicorn.protocols.http.h11_impl import H11Protocol

from sixprime.bot.process.listeners import Places

log = structlog.get_logger("web")

MOST_CONNECTIONS = 500
MOST_FROM_ADDRESS = 250  # a hundred spectators behind one router, and their pages
REQUEST_WITHIN_S = 10.0  # for the head of a request
MOST_UNREAD = 64 * 1024  # bytes buffered for a slow reader; the default is megabytes
READ_WITHIN_S = 30.0  # for a reader to take the data sent
GONE_WITHIN_S = 0.5  # after the server stops; a live page would stay forever
REST_WITHIN_S = 2.0  # for the rest of a refused body


def places(proxies: Collection[str] = ()) -> Places:
    """Return the places for all browsers."""
    return Places("web", MOST_CONNECTIONS, MOST_FROM_ADDRESS, proxies)


class Turns:
    """A queue of connections with unread data; one of them reads in each pass of the event loop."""

    def __init__(self) -> None:
        self._waiting: deque[Bounded] = deque()

    def take(self, connection: Bounded) -> None:
        """Let this connection read when its turn comes."""
        self._waiting.append(connection)
        if len(self._waiting) == 1:
            connection.loop.call_soon(self._next)

    def _next(self) -> None:
        connection = self._waiting.popleft()
        if self._waiting:
            connection.loop.call_soon(self._next)
        connection.read()


class Bounded(H11Protocol):
    """One connection, with its limits."""

    def __init__(self, *words: Any, places: Places, turns: Turns, **named: Any) -> None:
        super().__init__(*words, **named)
        self._places = places
        self._turns = turns
        self._unread = b""
        self._address = ""
        self._has_place = False
        self._timer: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        if (place := transport.get_extra_info("socket")) is not None:
            place.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST_UNREAD)
        self._has_place = self._places.take(self._address)
        if self._has_place:
            self._close_after(REQUEST_WITHIN_S)
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._in_time()
        self.resume_writing()
        if self._has_place:
            self._places.leave(self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._unread:
            self._turns.take(self)
        self._unread += data
        if len(self._unread) > MOST_UNREAD:
            self.flow.pause_reading()

    def read(self) -> None:
        """Handle the data received since the last turn, unless the browser has hung up."""
        data, self._unread = self._unread, b""
        if self.transport.is_closing():
            return
        if len(data) > MOST_UNREAD:
            self.flow.resume_reading()
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._in_time()
        elif (before is None or before.response_complete) and self._timer is None:
            self._close_after(REQUEST_WITHIN_S)

    def on_response_complete(self) -> None:
        before = self.cycle
        super().on_response_complete()
        if self.cycle is before and self.conn.their_state is h11.SEND_BODY:
            self._close_after(REST_WITHIN_S)

    def shutdown(self) -> None:
        super().shutdown()
        self.loop.call_later(GONE_WITHIN_S, self.transport.abort)

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        if self.transport.get_write_buffer_size():
            self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(READ_WITHIN_S, self._abort, "reads nothing")

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _close_after(self, seconds: float) -> None:
        self._in_time()
        self._timer = self.loop.call_later(seconds, self._abort, "no whole request")

    def _in_time(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _abort(self, why: str) -> None:
        log.warning("connection closed", address=self._address, why=why)
        self.transport.abort()


def options(places: Places) -> dict[str, Any]:
    """Return uvicorn's options for connections."""
    return {
        "http": partial(Bounded, places=places, turns=Turns()),
        "ws": "none",
        "limit_concurrency": MOST_CONNECTIONS + 1,
        "h11_max_incomplete_event_size": 16_384,
        "timeout_keep_alive": 5,
    }
