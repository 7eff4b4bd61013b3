"""Serves the world on sockets: events in, changes to disk, then lines out.

One task owns the world. It takes all events that have arrived, applies them, commits the changes in
one transaction, and only then writes: no client sees what a crash could still undo.
"""

from __future__ import annotations

import asyncio
import os
import time
import traceback
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog

from sixprime.bot.process.listeners import Places
from sixprime.bot.process.passwordhash import HashCost, hashed, matches
from sixprime.bot.sandbox.config import SandboxConfig
from sixprime.bot.sandbox.houseplayers import Ask, Situation, answer, house_names, situation
from sixprime.bot.sandbox.network.input import InputLines
from sixprime.bot.sandbox.state.limits import network_of
from sixprime.bot.sandbox.state.passwordqueue import CHECKS_AT_ONCE, PasswordCheck, SessionId, Slow
from sixprime.bot.sandbox.state.server import Effects, FailedCommand, Saves
from sixprime.bot.sandbox.store import Store
from sixprime.bot.sandbox.world import World
from sixprime.engine.position import Dice
from sixprime.engine.search.players import BackgammonPlayer, player_named
from sixprime.engine.system.errors import InputError, Unavailable
from sixprime.engine.system.faults import Surviving

TICK_S = 1.0
CLOSE_S = 10.0
BATCH = 256
BACKLOG = 1_024  # connections waiting to be accepted: many may come at once

log = structlog.get_logger("sandbox")

Event = Callable[[float], Effects]  # an event, to be applied to the world at a given time


@dataclass(slots=True, eq=False)
class ClientSocket:
    """One client's connection."""

    sid: SessionId
    host: str
    writer: asyncio.StreamWriter
    closed: bool = False  # closed by the world, which ignores further lines


class SandboxServer:
    def __init__(
        self,
        config: SandboxConfig,
        roll: Callable[[], Dice],
        player_for: Callable[[str], BackgammonPlayer] = player_named,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._config = config
        self._limits = config.limits
        self._clock = clock
        self._store = Store(config.database, config.full_sync)
        self.world = World(roll, config.dialect, config.limits, self._store.memory())
        cost = config.password_cost
        self._cost = HashCost(cost.n, cost.r, cost.p)
        self._dummy = hashed(os.urandom(8).hex(), os.urandom(16), self._cost)
        self._house = [
            (name, player_for(level))
            for name, level in zip(house_names(list(config.house)), config.house, strict=True)
        ]
        self._refuse_taken_names(config)
        self._events: asyncio.Queue[Event] = asyncio.Queue(maxsize=4_096)
        self._clients: dict[SessionId, ClientSocket] = {}
        self._places = Places(
            "sandbox", config.limits.connections, config.limits.connections_per_host
        )
        self._next_sid = 1
        self._stir: list[asyncio.Event] = []
        self._checkers = ThreadPoolExecutor(CHECKS_AT_ONCE, "password")  # not for house players
        self.listening = asyncio.Event()
        self.port = 0
        self._group: asyncio.TaskGroup | None = None  # None: not serving, or no longer
        self._tasks: set[asyncio.Task[None]] = set()

    def _refuse_taken_names(self, config: SandboxConfig) -> None:
        """Raise if a user has the name of a house player, as older servers allowed."""
        server = self.world.server
        for name, _ in self._house:
            taken = server.accounts.get(server.spellings.get(name.lower(), ""))
            if taken is not None and taken.password:
                self._store.close()
                raise Unavailable(
                    f"{config.database}: a user is called '{taken.name}', "
                    f"so there can be no house player '{name}'"
                )

    async def run(self, host: str, port: int, stop: asyncio.Event) -> None:
        """Serve until `stop`; Unavailable if the database fails."""
        try:
            listener = await asyncio.start_server(
                self._accept, host, port, backlog=BACKLOG, start_serving=False
            )
            try:
                await self._serve(listener, stop)
            except ExceptionGroup as several:
                broken = _store_error(several)
                if broken is None:
                    raise
                raise broken from several
            finally:
                listener.close()
        finally:
            self._checkers.shutdown(wait=False, cancel_futures=True)
            self._store.close()

    async def _serve(self, listener: asyncio.Server, stop: asyncio.Event) -> None:
        address = listener.sockets[0].getsockname()
        self.port = address[1]
        async with asyncio.TaskGroup() as group:
            self._group = group
            await listener.start_serving()
            self._begin(self._world_task())
            self._begin(self._ticker())
            for name, player in self._house:
                self._begin(self._house_task(name, player))
            self.listening.set()
            log.info("listening", host=address[0], port=self.port)
            await stop.wait()
            listener.close()
            await self._farewell()
            self._group = None
            for task in self._tasks:  # readers too: nothing takes their events any more
                task.cancel()
            for client in list(self._clients.values()):
                client.writer.close()

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        assert self._group is not None
        task = self._group.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _farewell(self) -> None:
        line = "*** ATTENTION ! FIBS will shut down in 1 seconds. Your matches are saved."
        done = asyncio.Event()

        def goodbye(now: float) -> Effects:
            done.set()
            return self.world.announced(line, now)

        await self._events.put(goodbye)
        await done.wait()
        await asyncio.sleep(0)

    # ---- connections

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = writer.get_extra_info("peername")
        host = str(peer[0]) if peer else "local"
        if self._group is None:  # accepted just before we stopped listening
            writer.close()
            return
        if not self._places.take(network_of(host)):
            writer.write(b"** Too many connections. Please try again later.\r\n")
            writer.close()
            return
        client = ClientSocket(self._next_sid, host, writer)
        self._next_sid += 1
        self._clients[client.sid] = client
        self._begin(self._read(client, reader))

    async def _read(self, client: ClientSocket, reader: asyncio.StreamReader) -> None:
        lines = InputLines(self._limits.line_bytes)
        sid = client.sid
        error = False
        await self._events.put(partial(self.world.connected, sid, client.host))
        try:
            while data := await reader.read(4_096):
                for line in lines.feed(data):
                    if client.closed:
                        break
                    await self._events.put(partial(self.world.received, sid, line))
            await self._events.put(partial(self.world.ended, sid))
            await client.writer.wait_closed()
        except InputError:
            log.warning("line too long", sid=sid, host=client.host)
        except OSError:
            error = True
        finally:
            self._clients.pop(sid, None)
            self._places.leave(network_of(client.host))
            client.writer.close()
        await self._events.put(partial(self.world.disconnected, sid, error=error))

    # ---- the world

    async def _world_task(self) -> None:
        for name, _ in self._house:
            sid, self._next_sid = self._next_sid, self._next_sid + 1
            self._apply([partial(self.world.employed, sid, name)])
        while True:
            batch = [await self._events.get()]
            while len(batch) < BATCH and not self._events.empty():
                batch.append(self._events.get_nowait())
            self._apply(batch)

    def _apply(self, batch: list[Event]) -> None:
        done = [event(self._clock()) for event in batch]
        self._store.commit(_merged(done))
        for effects in done:
            for sid, data in effects.output:
                self._write(sid, data)
            for sid in effects.closing:
                self._close(sid)
            for question in effects.slow:
                self._begin(self._slow(question))
            for fault in effects.faults:
                _report(fault)
        for stir in self._stir:
            stir.set()

    def _write(self, sid: SessionId, data: bytes) -> None:
        client = self._clients.get(sid)
        if client is None:
            return
        client.writer.write(data)
        if client.writer.transport.get_write_buffer_size() > self._limits.unsent_bytes:
            log.warning("client does not read", sid=sid, host=client.host)
            client.writer.transport.abort()

    def _close(self, sid: SessionId) -> None:
        client = self._clients.get(sid)
        if client is not None:
            client.closed = True
            client.writer.close()  # once it has read our output, or after a while anyway
            asyncio.get_running_loop().call_later(CLOSE_S, client.writer.transport.abort)

    async def _slow(self, question: Slow) -> None:
        run, sid = asyncio.get_running_loop().run_in_executor, question.session
        event: Event
        try:
            if isinstance(question, PasswordCheck):
                right = await run(self._checkers, self._is_right, question)
                event = partial(self.world.password_checked, sid, right)
            else:
                salt = os.urandom(16)
                text = await run(self._checkers, hashed, question.password, salt, self._cost)
                event = partial(self.world.password_hashed, sid, text)
        except (ValueError, MemoryError) as error:  # scrypt's, where memory is short
            log.error("no check of a password", sid=sid, error=type(error).__name__)
            event = partial(self.world.password_failed, sid)
        await self._events.put(event)

    def _is_right(self, question: PasswordCheck) -> bool:
        """Check as slowly for an account that does not exist, to reveal nothing."""
        right = matches(question.password, question.stored or self._dummy)
        return right and bool(question.stored)

    async def _ticker(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            await self._events.put(self.world.ticked)

    # ---- house players

    async def _house_task(self, name: str, player: BackgammonPlayer) -> None:
        stir = asyncio.Event()
        stir.set()
        self._stir.append(stir)
        answered: Situation | None = None
        declined: list[object] = []  # invitations it has answered already
        while True:
            await stir.wait()
            stir.clear()
            open_ones = [session.invitation for session in self.world.server.online.values()]
            declined = [each for each in declined if any(each is other for other in open_ones)]
            now = situation(self.world.server, name, declined)
            if now is None or (answered is not None and now.moment is answered.moment):
                continue
            pause = asyncio.create_task(asyncio.sleep(self._config.house_pause_s))
            command = "leave"  # if it has no answer, the match stays saved
            with Surviving(partial(_report_silence, name, now)):
                command = await asyncio.to_thread(answer, now, player)
            await pause
            again = situation(self.world.server, name, declined)
            if again is None or again.moment is not now.moment:
                stir.set()  # something happened while it was thinking
                continue
            answered = now
            if now.ask in (Ask.JOIN, Ask.DECLINE):
                declined.append(now.moment)  # also if the server refuses to let it join
            if now.ask is Ask.DECLINE:
                stir.set()  # there may be others
            await self._house_says(name, command)
            if now.match is not None and self.world.server.match_of(name) is now.match:
                log.error("nothing came of it", player=name, command=command)
                await self._house_says(name, "leave")  # else it would wait forever

    async def _house_says(self, name: str, command: str) -> None:
        """Send a command of a house player, and wait until the world has it."""
        session = self.world.server.online.get(name)
        if session is None or not session.house:
            return
        done, sid = asyncio.Event(), session.id

        def received(now: float) -> Effects:
            done.set()
            return self.world.received(sid, command, now)

        await self._events.put(received)
        await done.wait()


def _report_silence(name: str, now: Situation, error: Exception) -> None:
    log.error("no decision", player=name, error=repr(error), moment=repr(now.moment))


def _report(fault: FailedCommand) -> None:
    """Log a fault without the line typed, which may be a password."""
    frames = traceback.extract_tb(fault.error.__traceback__)
    at = [f"{Path(each.filename).name}:{each.lineno} {each.name}" for each in frames[-4:]]
    error = type(fault.error).__name__
    log.error("a command failed", command=fault.what, user=fault.user, error=error, at=at)


def _store_error(several: ExceptionGroup[Exception]) -> Unavailable | None:
    for error in several.exceptions:
        found = _store_error(error) if isinstance(error, ExceptionGroup) else error
        if isinstance(found, Unavailable):
            return found
    return None


def _merged(done: list[Effects]) -> Saves:
    """Return the last state of everything that changed."""
    merged = Saves()
    for effects in done:
        merged.accounts.update(effects.saves.accounts)
        merged.matches.update(effects.saves.matches)
        merged.messages.update(effects.saves.messages)
        merged.last_games.update(effects.saves.last_games)
    return merged
