"""One connection: bytes between a server and a Session, at a pace that servers tolerate; backoff.

It uses the event loop's clock, so a test loop with virtual time needs no waiting.
"""

from __future__ import annotations

import asyncio
import os
import random
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import structlog

from sixprime.bot.settings.schema import Reconnect
from sixprime.engine.system.errors import Unavailable
from sixprime.protocols.fibs.states import ConnectionState, Failure
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand
from sixprime.protocols.fibs.wire.lines import Telnet
from sixprime.protocols.fibs.wire.messages import Message
from sixprime.protocols.servers import Session

log = structlog.get_logger("bot")

CHUNK = 4_096
CLOSE_WITHIN_S = 2.0
DRAIN_WITHIN_S = 30.0  # a server that has not read for so long is dead
SHORTEST_WAIT_S = 0.01
REFUSALS = frozenset({Failure.LOGIN_REFUSED, Failure.LOGIN_CLOSED})
REFUSED_FIRST_S, REFUSED_MOST_S = 30.0, 3_600.0
SHORT_S = 60.0  # three shorter logins in a row suggest that somebody kicks us
KICKS = 3


class CannotConnect(Unavailable):
    """The server cannot be reached; the text says why."""


class Reader(Protocol):
    """A stream of incoming bytes."""

    async def read(self, n: int) -> bytes:
        """Return some bytes; none at the end."""


class Writer(Protocol):
    """A stream of outgoing bytes."""

    def write(self, data: bytes) -> None:
        """Queue the bytes."""

    async def drain(self) -> None:
        """Wait while the queue is full."""

    def close(self) -> None:
        """Close both directions."""


@dataclass(frozen=True, slots=True)
class Streams:
    reader: Reader
    writer: Writer


Dial = Callable[[str, int, float], Awaitable[Streams]]  # host, port, within seconds


async def dial_telnet(host: str, port: int, within_s: float) -> Streams:
    """Connect by telnet to the first address of the host that answers; CannotConnect."""
    streams = await dial_tcp(host, port, within_s)
    return replace(streams, reader=TelnetReader(streams.reader, streams.writer))


async def dial_tcp(host: str, port: int, within_s: float) -> Streams:
    """Connect to the first address of the host that answers; CannotConnect."""
    try:
        async with asyncio.timeout(within_s):
            loop = asyncio.get_running_loop()
            until = loop.time() + within_s
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
            return await _dial_first(addresses, port, until)
    except TimeoutError:
        raise CannotConnect(f"{host}:{port} does not answer within {within_s:g} s") from None
    except (OSError, UnicodeError) as error:  # UnicodeError: such as `fibs..com`
        why = str(getattr(error, "strerror", None) or error)
        if why.startswith("Connect call failed"):  # asyncio's, which repeats the address
            why = os.strerror(getattr(error, "errno", None) or 0)
        raise CannotConnect(f"{host}:{port}: {why}") from error


async def _dial_first(addresses: Sequence[str], port: int, until: float) -> Streams:
    """Dial the addresses in turn, each for its share of the time; the last OSError."""
    loop = asyncio.get_running_loop()
    wrong = OSError("no address")
    for number, address in enumerate(addresses):
        share = (until - loop.time()) / (len(addresses) - number)
        try:
            async with asyncio.timeout(share):
                return await _dial_address(address, port)
        except OSError as error:  # also a time-out
            wrong = error
    raise wrong


async def _dial_address(address: str, port: int) -> Streams:
    reader, writer = await asyncio.open_connection(address, port)
    return Streams(reader, writer)


class TelnetReader:
    """A server's bytes without telnet commands; it refuses every option, so we reveal nothing."""

    def __init__(self, reader: Reader, writer: Writer) -> None:
        self._reader, self._writer = reader, writer
        self._telnet = Telnet()

    async def read(self, n: int) -> bytes:
        while data := await self._reader.read(n):
            text, refusals = self._telnet.feed(data)
            if refusals:
                self._writer.write(refusals)
            if text:
                return text
        return b""


class Talk(Protocol):
    """A connection's user, the Client."""

    def on_message(self, message: Message, now: float) -> None:
        """Take a message that the session has already seen."""

    def on_batch_end(self, now: float) -> None:
        """Note that `on_message` has got every message of the last bytes."""

    async def prepare(self) -> None:
        """Wait until all messages are archived, and the archive has answered our questions.

        The connection awaits this before each command.
        """

    def next(self, now: float) -> Command | None:
        """Return the next command; asked for when the session has none of its own."""

    def wake_at(self, now: float) -> float:
        """Return the time at which to ask `next` again if nothing happens before."""

    def on_sent(self, command: Command, now: float) -> None:
        """Note that the command is being written."""

    def wire(self, data: bytes, *, ours: bool) -> None:
        """Take raw bytes, sent or received."""


class Connection:
    """A session on two streams, until either side closes."""

    def __init__(self, streams: Streams, session: Session, talk: Talk, gap_s: float) -> None:
        self.streams = streams
        self.session = session
        self.talk = talk
        self.gap_s = gap_s
        self.stir = asyncio.Event()  # set it when `next` may have something new to say
        self._over = False
        self._free_at = 0.0  # the time at which the next command may be sent

    async def run(self) -> Failure | None:
        """Converse until the end; return the reason for the end, None for a lost connection."""
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
            while data := await self._next_bytes():
                now = loop.time()
                self.talk.wire(data, ours=False)
                for message in self.session.receive(data, now):
                    self.talk.on_message(message, now)
                self.talk.on_batch_end(now)
                self.stir.set()
                await asyncio.sleep(0)  # a flood of input must not block our output
        finally:
            self._over = True
            self.stir.set()

    async def _next_bytes(self) -> bytes:
        """Return the next bytes; none when the connection has ended."""
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
        """Send one command; False if there is none now."""
        command = own = self.session.wanted(now)
        for event in self.session.events():
            self.talk.on_message(event, now)
        if command is None and self.session.state is not ConnectionState.CLOSED:
            command = self.talk.next(now)
        if command is None:
            return False
        try:
            data = self.session.send(command, now)
        except IllegalCommand as error:
            if command is own:
                raise
            log.warning("not said", why=str(error))  # too late, or not writable as a line
            return False
        await self._say(command, data, now)
        return True

    async def _say(self, command: Command, data: bytes, now: float) -> None:
        self.talk.on_sent(command, now)
        self.talk.wire(data, ours=True)
        try:
            self.streams.writer.write(data)
            async with asyncio.timeout(DRAIN_WITHIN_S):
                await self.streams.writer.drain()
        except OSError:  # also a time-out
            self._over = True
        self._free_at = asyncio.get_running_loop().time() + self.gap_s

    async def _wait(self, now: float) -> None:
        """Wait for input, a stir, or the time to ask again."""
        until = self.talk.wake_at(now)
        deadline = self.session.deadline
        if deadline is not None:
            until = min(until, deadline)
        until = max(until, now + SHORTEST_WAIT_S)
        if now < self._free_at:  # the part that stirred us may still wait for this
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
    """The pause before dialling again; it grows, and is random so that bots spread out."""

    def __init__(self, settings: Reconnect, *, kicks: bool = True) -> None:
        self.settings = settings
        self._kicks = kicks  # the server ends a login when the account logs in elsewhere
        self._dice = random.Random()
        self._next_s = settings.first_s
        self._short = 0  # logins in a row that were cut off after a short time
        self.refusals = 0  # in a row: logins that the server refused, or hung up on

    @property
    def suspects_twin(self) -> bool:
        """True if the account may log in elsewhere: servers may cut us off without a reason.

        A server that restarts does so, too, but then a dial in between is refused.
        """
        return self._kicks and self._short >= KICKS

    def after(self, failure: Failure | None, online_s: float, *, welcomed: bool = False) -> float:
        """Return the pause after a connection that was logged in for `online_s`.

        The refusal of a login that was `welcomed` before may pass. The pause then doubles from 30 s
        to an hour, and may exceed `most_s`.
        """
        settings = self.settings
        if online_s >= settings.steady_after_s and failure is not Failure.STUCK:
            self._next_s = settings.first_s
        pause = min(self._next_s, settings.most_s)  # a reload may have lowered it
        self._next_s = min(2 * self._next_s, settings.most_s)
        is_short = failure is None and 0 < online_s < SHORT_S
        self._short = self._short + 1 if is_short else 0
        if failure is Failure.KICKED or self.suspects_twin:
            pause = max(pause, settings.after_kick_s)
        self.refusals = self.refusals + 1 if failure in REFUSALS else 0
        if self.refusals and welcomed:
            doublings = min(self.refusals - 1, 10)
            pause = max(pause, min(REFUSED_FIRST_S * 2**doublings, REFUSED_MOST_S))
        elif self.refusals > 1:
            pause = settings.most_s
        return pause * (1 + settings.jitter * self._dice.random())
