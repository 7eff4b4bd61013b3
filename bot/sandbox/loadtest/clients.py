"""Load tests: many clients play matches on a server in another process.

`measure` returns the figures of `sixprime bench`: the server's share of one core, its memory, and
the time of an answer.
"""

from __future__ import annotations

import asyncio
import random
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from statistics import quantiles

from sixprime.bot.process.footprint import cpu_s, memory
from sixprime.bot.sandbox.loadtest.robot import random_answer
from sixprime.bot.sandbox.store import make_accounts
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.states import ConnectionState
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.messages import Message, Player

PASSWORD = "of-a-load-test"
PAUSE_S = 0.5  # mean thinking time of a client
MIB = 2**20


class Walker:
    """A client that plays at random, at a given pace."""

    def __init__(
        self,
        name: str,
        seed: int,
        pause_s: float,
        invites: str | None = None,
        heard: Callable[[Message], None] | None = None,
    ) -> None:
        self.name = name
        self.invites = invites
        self.length = 1
        self.matches = 0
        self.commands = 0
        self.answer_s: list[float] = []
        self.session = self._fresh()
        self.seated = asyncio.Event()  # set when it sees the board of a match
        self.deciding = True  # False: no more decisions
        self._heard = heard
        self._random = random.Random(seed)
        self._pause_s = pause_s
        self._sent_at: float | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._counted: object = None
        self._next_invitation = 0.0
        self._due: tuple[object, float] | None = None

    def _fresh(self) -> Session:
        return Session(c.Login("sixprime_load", self.name, PASSWORD), time.monotonic())

    async def run(self, host: str, port: int) -> None:
        """Log in and play until the connection ends."""
        self.session = self._fresh()
        reader, self._writer = await asyncio.open_connection(host, port)
        try:
            while True:
                self._speak()
                data = b""
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._patience()):
                        data = await reader.read(65_536)
                        if not data:
                            return
                self._hear(data)
        finally:
            self._writer.close()

    def _patience(self) -> float:
        now = time.monotonic()
        times = [now + 1.0, self.session.deadline or now]
        if self._due is not None:
            times.append(self._due[1])
        return max(0.001, min(times) - now)

    def _hear(self, data: bytes) -> None:
        now = time.monotonic()
        if data and self._sent_at is not None:
            self.answer_s.append(now - self._sent_at)
            self._sent_at = None
        for message in self.session.receive(data, now):
            if self._heard is not None:
                self._heard(message)
            match = self.session.match
            if match is not None and match.board is not None:
                self.seated.set()
            last = self.session.last_match
            if last is not None and last is not self._counted:
                self._counted = last
                self.matches += 1

    def _speak(self) -> None:
        now = time.monotonic()
        while (command := self.session.wanted(now)) is not None:
            self.send(command)
        question = self.session.question() if self.deciding else None
        if question is None:
            self._due = None
            if self.session.state is ConnectionState.IDLE:
                self._find_opponent(now)
        elif self._due is None or self._due[0] != question:
            self._due = (question, now + self._random.uniform(0.5, 1.5) * self._pause_s)
        elif now >= self._due[1]:
            self._due = None
            answer = random_answer(question, self._random)
            if answer is not None:
                self.send(answer)

    def _find_opponent(self, now: float) -> None:
        for invitation in list(self.session.people.invitations.values()):
            if invitation.may_be_answered(now):
                self.send(c.Join(invitation.opponent))
                return
        friend = self.session.people.users.get(Player(self.invites)) if self.invites else None
        if friend is None or not friend.ready or friend.opponent or now < self._next_invitation:
            return
        self._next_invitation = now + 3.0
        saved = friend.name in self.session.people.saved
        self.send(c.InviteToResume(friend.name) if saved else c.Invite(friend.name, self.length))

    def send(self, command: c.Command) -> None:
        """Send a command now, if the session and its rate limit allow it."""
        now = time.monotonic()
        if not self.session.may_send(command, now):
            return
        data = self.session.send(command, now)
        self.commands += 1
        self._sent_at = self._sent_at or now
        if self._writer is not None:
            self._writer.write(data)


async def start_server(
    database: Path, config: Path, *more: str
) -> tuple[asyncio.subprocess.Process, int]:
    """Start a server in a process of its own; return the process and its port."""
    words = ("--database", str(database), "--config", str(config), "--listen", "127.0.0.1:0", *more)
    entry = "from sixprime.bot.cli.main import run; run()"
    command = (sys.executable, "-c", entry, "sandbox", *words)
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    async with asyncio.timeout(60):
        while line := await process.stderr.readline():
            text = line.decode("utf-8", "replace").strip()
            if text.startswith("listening on "):
                return process, int(text.rsplit(":", 1)[1])
    raise RuntimeError("the server did not start")


def pair_names(pairs: int) -> list[tuple[str, str]]:
    """Return names for this many pairs of players, in letters."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    ends = [one + two for one in letters for two in letters][:pairs]
    return [(f"left_{end}", f"right_{end}") for end in ends]


async def measure(clients: int = 200, seconds: float = 20.0) -> dict[str, float]:
    """Let clients play in pairs for a while, and return the server's costs."""
    pairs = pair_names(clients // 2)
    with tempfile.TemporaryDirectory() as folder:
        database, config = Path(folder) / "load.db", Path(folder) / "load.yaml"
        make_accounts(database, [name for pair in pairs for name in pair], PASSWORD)
        config.write_text("limits: {command_burst: 10000, saved_matches: 100}\n")
        process, port = await start_server(database, config)
        walkers = [
            Walker(name, 2 * seed + side, PAUSE_S, invites=pair[1] if side == 0 else None)
            for seed, pair in enumerate(pairs)
            for side, name in enumerate(pair)
        ]
        try:
            async with playing(walkers, port):
                before, used = sum(w.commands for w in walkers), cpu_s(process.pid)
                began = time.perf_counter()
                for walker in walkers:
                    walker.answer_s.clear()
                await asyncio.sleep(seconds)
                lasted = time.perf_counter() - began
                used = cpu_s(process.pid) - used
                commands = sum(w.commands for w in walkers) - before
                at_once = sum(w.session.match is not None for w in walkers) // 2
                resident = memory(process.pid).resident
        finally:
            process.send_signal(signal.SIGTERM)
            await process.communicate()  # reads the log, which nobody has read
    answers = sorted(time for walker in walkers for time in walker.answer_s)
    return {
        "clients": clients,
        "matches_at_once": at_once,
        "matches_finished": sum(w.matches for w in walkers) / 2,
        "commands_per_second": round(commands / lasted, 1),
        "server_cpu_share": round(used / lasted, 3),
        "server_memory_mib": round(resident / MIB, 1),
        "answer_ms_median": round(1_000 * answers[len(answers) // 2], 2) if answers else 0.0,
        "answer_ms_p99": round(1_000 * quantiles(answers, n=100)[-1], 2) if answers else 0.0,
    }


@asynccontextmanager
async def playing(
    walkers: Sequence[Walker], port: int, within_s: float = 120.0
) -> AsyncIterator[None]:
    """Let walkers log in and play until the block ends; TimeoutError if one finds no match."""
    tasks = [asyncio.create_task(walker.run("127.0.0.1", port)) for walker in walkers]
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                for walker in walkers:
                    await walker.seated.wait()
        if alone := sum(not walker.seated.is_set() for walker in walkers):
            raise TimeoutError(f"{alone} opponents found no match within {within_s:.0f} s")
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
