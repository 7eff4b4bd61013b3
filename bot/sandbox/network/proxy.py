"""`sixprime sandbox --chaos SEED`: a faulty network between clients and the server.

A proxy on the public address; the server itself listens on a port of its own. `chaos.py`
defines the faults; a restart of the server breaks all connections at once.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress

import structlog

from sixprime.bot.sandbox.network.chaos import Chaos, Rates

MERGE_S = 1.0

log = structlog.get_logger("chaos")


class ChaosProxy:
    """Connections to the server, each with its own faults."""

    def __init__(self, seed: int, host: str, port: int, rates: Rates | None = None) -> None:
        self._dice = random.Random(seed)
        self._rates = rates or Rates()
        self._server = (host, port)
        self._writers: set[asyncio.StreamWriter] = set()
        self._group: asyncio.TaskGroup | None = None
        self.port = 0
        self.listening = asyncio.Event()

    async def run(self, host: str, port: int, stop: asyncio.Event) -> None:
        """Forward bytes, with faults, until `stop`."""
        listener = await asyncio.start_server(self._accept, host, port, start_serving=False)
        self.port = listener.sockets[0].getsockname()[1]
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                await listener.start_serving()
                self.listening.set()
                breaker = group.create_task(self._break_now_and_then())
                await stop.wait()
                listener.close()
                breaker.cancel()
                self._break_all()
        finally:
            listener.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert self._group is not None
        self._group.create_task(self._join(reader, writer))

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._server)
        except OSError:
            writer.close()
            return
        both = {writer, far_writer}
        self._writers |= both
        seeds = self._dice.getrandbits(32), self._dice.getrandbits(32)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pump(reader, far_writer, seeds[0], both))
                group.create_task(self._pump(far_reader, writer, seeds[1], both))
        finally:
            self._writers -= both
            for end in both:
                end.close()

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        seed: int,
        both: set[asyncio.StreamWriter],
    ) -> None:
        chaos = Chaos(random.Random(seed), self._rates)
        with suppress(OSError):
            while data := await self._next(reader, writer, chaos):
                for piece in chaos.passes(data):
                    await asyncio.sleep(piece.after_s)
                    writer.write(piece.data)
                    await writer.drain()
                    if piece.cut:
                        log.info("cut")
                        _abort(both)
                        return
        writer.close()

    @staticmethod
    async def _next(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, chaos: Chaos
    ) -> bytes:
        """Return the next bytes; after a while, release the bytes that waited for a merge."""
        try:
            async with asyncio.timeout(MERGE_S):
                return await reader.read(4_096)
        except TimeoutError:
            writer.write(chaos.rest())
        return await reader.read(4_096)

    async def _break_now_and_then(self) -> None:
        while self._rates.restart_s:
            await asyncio.sleep(self._dice.expovariate(1 / self._rates.restart_s))
            log.info("restart", connections=len(self._writers) // 2)
            self._break_all()

    def _break_all(self) -> None:
        _abort(self._writers)


def _abort(writers: set[asyncio.StreamWriter]) -> None:
    for writer in set(writers):
        writer.transport.abort()
