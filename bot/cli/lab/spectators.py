"""Spectators of a live match, for `sixprime benchplay`: many that read, and one that does not."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

CHUNK = 65_536
LEAST_BUFFER = 4_096  # of the lazy spectator; the server keeps the rest
LEFT_S = 2.0  # a live match shows something new in that time


@dataclass(slots=True)
class Audience:
    """Counts of the data for the spectators."""

    expected: int
    seated: asyncio.Event = field(default_factory=asyncio.Event)
    readers: int = 0
    pictures: int = 0  # to all readers
    sent: int = 0  # bytes, to all readers
    delays_s: list[float] = field(default_factory=list)  # from the wire to one reader
    waiting: int = 0  # bytes for the lazy spectator at the end

    def time_picture(self, picture: str, profile: str) -> None:
        """Note the delay of a picture that reached a reader."""
        seen = json.loads(picture)["bots"].get(profile, {})
        if seen.get("at"):
            self.delays_s.append(time.time() - seen["at"])


@asynccontextmanager
async def watching(port: int, profile: str, readers: int) -> AsyncIterator[Audience]:
    """Connect so many readers and one lazy spectator, until the block ends."""
    audience = Audience(readers)
    lazy, writer = await _seated(port, profile, LEAST_BUFFER)
    reading = [
        asyncio.create_task(_read(audience, port, profile, reports=number == 0))
        for number in range(readers)
    ]
    try:
        await audience.seated.wait()
        yield audience
    finally:
        for reader in reading:
            reader.cancel()
        await asyncio.gather(*reading, return_exceptions=True)
        audience.waiting = await _left(lazy)
        writer.close()


async def _seated(
    port: int, profile: str, buffer: int = CHUNK
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    place = socket.socket()
    if buffer < CHUNK:  # set before it connects, or it would grow
        place.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    place.setblocking(False)
    await asyncio.get_running_loop().sock_connect(place, ("127.0.0.1", port))
    reader, writer = await asyncio.open_connection(sock=place, limit=buffer)
    head = f"GET /bots/live?profile={profile} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
    writer.write(head.encode())
    return reader, writer


async def _read(audience: Audience, port: int, profile: str, *, reports: bool) -> None:
    reader, writer = await _seated(port, profile)
    try:
        await reader.readuntil(b"data: ")
        audience.readers += 1
        if audience.readers == audience.expected:
            audience.seated.set()
        rest = b""
        while data := await reader.read(CHUNK):
            audience.sent += len(data)
            audience.pictures += data.count(b"data: ")
            if reports:
                *whole, rest = (rest + data).split(b"\n")
                for line in whole:
                    if line.startswith(b"data: "):
                        audience.time_picture(line[6:].decode(), profile)
    finally:
        writer.close()


async def _left(reader: asyncio.StreamReader) -> int:
    """Read and count the bytes that were sent before now."""
    found, rest, began = 0, b"", time.time()
    try:
        async with asyncio.timeout(LEFT_S):
            while data := await reader.read(CHUNK):
                found += len(data)
                rest = (rest + data)[-2 * CHUNK :]
                if any(float(now) > began for now in re.findall(rb'"now": ([0-9.]+)', rest)):
                    break
    except (OSError, TimeoutError):
        pass
    return found
