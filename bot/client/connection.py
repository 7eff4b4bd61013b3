"""One connection: bytes between a server and a Session, at a bearable pace; dialling again.

Time is the event loop's own, so a loop with virtual time runs all of this in virtual time too.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, cast

import structlog

from sixprime.bot.settings.schema import Reconnect
from sixprime.protocols.fibs.session import Failure, Session
from sixprime.protocols.fibs.states import ConnectionState
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand, Login
from sixprime.protocols.fibs.wire.messages import Message

log = structlog.get_logger("bot")

CHUNK = 4_096
CLOSE_WITHIN_S = 2.0
DRAIN_WITHIN_S = 30.0  # a server that does not read for so long is dead
SHORTEST_WAIT_S = 0.01
SHORT_S = 60.0  # logged in, before the line broke: twice in a row somebody may have kicked us
NEGOTIATION_S = 0.05


class CannotConnect(Exception):
    """Nobody answers there; the text says why."""


class Reader(Protocol):
    """Bytes in."""

    async def read(self, n: int) -> bytes:
        """Some bytes; none at the end."""


class Writer(Protocol):
    """Bytes out."""

    def write(self, data: bytes) -> None:
        """Queue them."""

    async def drain(self) -> None:
        """Wait while the queue is full."""

    def close(self) -> None:
        """No more bytes, either way."""


@dataclass(frozen=True, slots=True)
class Streams:
    """Both directions."""

    reader: Reader
    writer: Writer


Dial = Callable[[str, int, float], Awaitable[Streams]]  # host, port, within seconds


async def dial_telnet(host: str, port: int, within_s: float) -> Streams:
    """Connect by telnet; options are answered by refusal, and nothing about us is revealed."""
    import telnetlib3

    try:
        async with asyncio.timeout(within_s):
            reader, writer = await telnetlib3.open_connection(
                host,
                port,
                encoding=False,
                compression=False,
                connect_minwait=0,
                connect_maxwait=NEGOTIATION_S,
                send_environ=(),
            )
    except TimeoutError:
        raise CannotConnect(f"{host}:{port} does not answer within {within_s:g} s") from None
    except OSError as error:
        raise CannotConnect(f"{host}:{port}: {error.strerror or error}") from error
    return Streams(cast(Reader, reader), cast(Writer, writer))  # binary, without an encoding


class Talk(Protocol):
    """Who uses a connection."""

    def hear(self, message: Message, now: float) -> None:
        """A message; the session has taken notice of it already."""

    def heard(self, now: float) -> None:
        """All messages of the bytes that came together were heard."""

    async def prepare(self) -> None:
        """Until all that was heard is on record, and the archive has answered what we ask of it.

        It is awaited before anything is said.
        """

    def next(self, now: float) -> Command | None:
        """What to say now, when the session has nothing to say for itself."""

    def next_look(self, now: float) -> float:
        """When to be asked again, if nothing happens before."""

    def said(self, command: Command, now: float) -> None:
        """It is being written."""

    def wire(self, data: bytes, *, ours: bool) -> None:
        """Bytes as they go over the wire; a login is never among them."""


class Connection:
    """A session on streams, until either side has enough."""

    def __init__(self, streams: Streams, session: Session, talk: Talk, gap_s: float) -> None:
        self.streams = streams
        self.session = session
        self.talk = talk
        self.gap_s = gap_s
        self.stir = asyncio.Event()  # set it when `next` may have something new to say
        self._over = False
        self._free_at = 0.0  # when the next command may be sent

    async def run(self) -> Failure | None:
        """Why it ended; None is a lost connection."""
        try:
            async with asyncio.TaskGroup() as group:
                listening = group.create_task(self._listen())
                try:
                    await self._speak()
                finally:
                    listening.cancel()
        finally:
            await self._close()
        self.session.hung_up()
        return self.session.failure

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while data := await self._heard():
                now = loop.time()
                self.talk.wire(data, ours=False)
                for message in self.session.receive(data, now):
                    self.talk.hear(message, now)
                self.talk.heard(now)
                self.stir.set()
                await asyncio.sleep(0)  # a flood must not keep us from speaking
        finally:
            self._over = True
            self.stir.set()

    async def _heard(self) -> bytes:
        """The next bytes; none when the connection has ended, however it did."""
        try:
            return await self.streams.reader.read(CHUNK)
        except OSError:
            return b""

    async def _speak(self) -> None:
        loop = asyncio.get_running_loop()
        while not self._over:
            self.stir.clear()
            await self.talk.prepare()
            now = loop.time()
            if now >= self._free_at and await self._say_next(now):
                continue
            if self.session.state is ConnectionState.CLOSED:
                return
            await self._wait(now)

    async def _say_next(self, now: float) -> bool:
        """Say one thing; False if there is nothing to say now."""
        command = own = self.session.wanted(now)
        if command is None and self.session.state is not ConnectionState.CLOSED:
            command = self.talk.next(now)
        if command is None:
            return False
        try:
            data = self.session.send(command, now)
        except IllegalCommand as error:
            if command is own:
                raise
            log.warning("not said", why=str(error))  # too late, or no line can carry it
            return False
        await self._say(command, data, now)
        return True

    async def _say(self, command: Command, data: bytes, now: float) -> None:
        self.talk.said(command, now)
        if not isinstance(command, Login):
            self.talk.wire(data, ours=True)
        try:
            self.streams.writer.write(data)
            async with asyncio.timeout(DRAIN_WITHIN_S):
                await self.streams.writer.drain()
        except OSError:  # a time-out, too
            self._over = True
        self._free_at = asyncio.get_running_loop().time() + self.gap_s

    async def _wait(self, now: float) -> None:
        """Until something stirs, or somebody has to be asked again."""
        until = self.talk.next_look(now)
        deadline = self.session.deadline
        if deadline is not None:
            until = min(until, deadline)
        until = max(until, now + SHORTEST_WAIT_S)
        if now < self._free_at:  # what stirred us may still be waiting for this
            until = self._free_at
        try:
            async with asyncio.timeout_at(until):
                await self.stir.wait()
        except TimeoutError:
            pass

    async def _close(self) -> None:
        self.streams.writer.close()
        closed = getattr(self.streams.writer, "wait_closed", None)
        if closed is not None:
            try:
                async with asyncio.timeout(CLOSE_WITHIN_S):
                    await closed()
            except OSError:
                pass


class Backoff:
    """How long to wait before the next attempt: longer each time, never all bots at once."""

    def __init__(self, settings: Reconnect, dice: random.Random | None = None) -> None:
        self.settings = settings
        self._dice = dice or random.Random()
        self._next_s = settings.first_s
        self._was_short = False
        self.closed_logins = 0  # in a row

    def after(self, failure: Failure | None, online_s: float) -> float:
        """The pause after a connection that was logged in for so long."""
        settings = self.settings
        if online_s >= settings.steady_after_s:
            self._next_s = settings.first_s
        pause = self._next_s
        self._next_s = min(2 * self._next_s, settings.most_s)
        # when a twin logs in, the server does not always say why it cuts us off
        was_short, self._was_short = self._was_short, failure is None and 0 < online_s < SHORT_S
        if failure is Failure.KICKED or (was_short and self._was_short):
            pause = max(pause, settings.after_kick_s)
        self.closed_logins = self.closed_logins + 1 if failure is Failure.LOGIN_CLOSED else 0
        if self.closed_logins > 1:
            pause = settings.most_s
        return pause * (1 + settings.jitter * self._dice.random())
