"""`sixprime benchplay`: the cost of `sixprime play` and the time of its answers, as JSON.

It runs real processes over loopback sockets: a sandbox, one `sixprime play`, and opponents in this
process that play at random. The opponent times a turn, from the end of its own turn to the end of
the bot's, so a turn includes the bot's decisions, the server's work and both trips. Unless asked,
the bots neither pause nor keep a gap between commands, which would hide delays. A deadline is
missed if a decision was not made at its own level in time, or if a turn took longer than a decision
may. No wait is endless.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from argparse import Namespace
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from sixprime.bot.cli.lab.costs import memory_mib, percent, print_parts, share
from sixprime.bot.cli.lab.spectators import watching
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.line.lab import PLAY_PARTS
from sixprime.bot.cli.ready import get_ready
from sixprime.bot.process.footprint import cpu_s
from sixprime.bot.sandbox.loadtest.clients import (
    PASSWORD,
    Walker,
    pair_names,
    playing,
    start_server,
)
from sixprime.bot.sandbox.store import make_accounts
from sixprime.engine.position import Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.system.endpoint import free_port
from sixprime.protocols.fibs.session import Awaiting, Session
from sixprime.protocols.fibs.states import Awaited

ENTRY = (sys.executable, "-c", "from sixprime.bot.cli.main import run; run()", "play", "--config")
SECRET = "BENCHPLAY_PASSWORD"
WITHIN_S = 8.0  # the deadline of a decision, as in sixprime.bot.settings.schema
SETTINGS = """\
server: {{host: 127.0.0.1, port: {port}, command_gap_s: 0}}
player:
  level: {level}
  pace: {{least_s: {least_s}, most_s: {most_s}}}
  thinking: {{within_s: {within_s}}}
lobby: {{accept: {{bots: true, matches_per_opponent_and_day: 0}}}}
archive: {{database: "sqlite:///{folder}/archive.db", folder: "{folder}/matches"}}
logging: {{level: error, file: "{folder}/log"}}
metrics: {{listen: "127.0.0.1:{metrics}"}}
{more}
profiles:
"""
PROFILE = "  {name}: {{account: {{user: {name}, password_env: {secret}}}}}\n"
SANDBOX = """\
limits: {{command_burst: 100000, commands_per_s: 10000, connections: 1000}}
seed: 7
dialect: {dialect}
"""
LENGTH = 5
UP_WITHIN_S = 120.0
END_WITHIN_S = 30.0
SETTLED_AFTER_S = 3.0
LOOK_S = 0.5
LOOK_SOON_S = 0.005
SPECTATORS, ROUNDS = 100, 4  # of one match; with and without them in turns, as CPU time wavers
MATCHES = 5  # with prompts, and as many without


def measure_play(options: Namespace) -> int:
    if options.seconds == 0 or not 0 <= options.pace[0] <= options.pace[1]:
        raise UsageError("--seconds is more than 0, and --pace goes from the least to the most")
    if not Path("/proc/self/smaps_rollup").exists():
        raise UsageError("needs Linux, for /proc")
    get_ready()
    parts = {part: partial(_measured, part, options) for part in PLAY_PARTS}
    return print_parts(parts, options.only)


def _measured(part: str, options: Namespace) -> object:
    crowd = Crowd(options.profiles, options.level, options.seconds, options.pause, *options.pace)
    try:
        match part:
            case "first_decision":
                return first_decision()
            case "single":
                single = Crowd(1, "world-class", options.seconds, pause_s=0.0)
                return asyncio.run(_played(single, idle_s=options.seconds))
            case "spectators":
                return asyncio.run(_watched(crowd, free_port()))
            case "prompts":
                return asyncio.run(_with_and_without_prompts())
            case _:
                return asyncio.run(_played(crowd))
    except TimeoutError as error:
        raise UsageError(f"{part}: {error or 'nothing happens any more'}") from error


# --- the first decision


def first_decision(level: str = "world-class", starts: int = 3) -> dict[str, float]:
    """Time the start of a process until its bot dials, after its first decisions.

    The median of several starts, after one that fills caches.
    """
    clocks, cpus = [], []
    with (
        TemporaryDirectory(prefix="sixprime-") as place,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        server.settimeout(UP_WITHIN_S)
        port = server.getsockname()[1]
        config = _settings(Path(place), ["bot"], Crowd(1, level), port, free_port())
        for _ in range(1 + starts):
            began = time.monotonic()
            with _play(config) as process:
                visitor, _ = server.accept()
                clocks.append(time.monotonic() - began)
                cpus.append(cpu_s(process.pid))
                visitor.close()
    return {"clock_s": round(median(clocks[1:]), 2), "cpu_s": round(median(cpus[1:]), 2)}


# --- playing


@dataclass(frozen=True, slots=True)
class Crowd:
    """The number of bots, and their pace."""

    profiles: int
    level: str
    seconds: float = 20.0
    pause_s: float = 0.5  # of the opponents
    least_s: float = 0.0  # of the bots
    most_s: float = 0.0
    length: int = LENGTH  # of the matches
    dialect: str = "{}"  # the sandbox's
    more: str = ""  # settings of the bots

    @property
    def deadline_s(self) -> float:
        """Most seconds of a turn."""
        return WITHIN_S + self.most_s


@dataclass(slots=True)
class OpponentsWaits:
    """The waits of an opponent for a bot, in seconds."""

    took_s: list[float] = field(default_factory=list)
    _waiting: Awaiting | None = None

    def observe(self, session: Session) -> None:
        """Note the end of a wait; called after each message."""
        before, now = self._waiting, session.waiting
        self._waiting = now
        if before is None or now is before or not isinstance(now.what, Awaited):
            return
        if before.what in (Awaited.OPPONENT, Awaited.OPPONENTS_ANSWER, Awaited.OPPONENT_TO_JOIN):
            self.took_s.append(now.since - before.since)


async def _played(crowd: Crowd, idle_s: float = 0.0) -> dict[str, object]:
    turns = OpponentsWaits()
    async with _running_crowd(crowd, turns) as running:
        async with running.playing():
            text, own = await _metrics(running.metrics), time.process_time()
            bots, server = cpu_s(running.bots), cpu_s(running.server)
            began, matches = time.monotonic(), sum(walker.matches for walker in running.walkers)
            turns.took_s.clear()
            at_once = await _counted(running.walkers, crowd.seconds)
            lasted, later = time.monotonic() - began, await _metrics(running.metrics)
            shares = {
                "cpu_percent_of_a_core": percent(cpu_s(running.bots) - bots, lasted),
                "sandbox_cpu_percent": percent(cpu_s(running.server) - server, lasted),
                "opponents_cpu_percent": percent(time.process_time() - own, lasted),
            }
            took_s = list(turns.took_s)
            matches = sum(walker.matches for walker in running.walkers) - matches
        found = {
            "profiles": crowd.profiles,
            "level": crowd.level,
            "seconds": round(lasted, 1),
            "matches_at_once": {"least": min(at_once), "median": median(at_once)},
            "matches_finished": matches,
            **_decisions(text, later, crowd, took_s),
            **shares,
            "memory_mib": memory_mib(running.bots),
        }
        return found | (await _idle(running, idle_s) if idle_s else {})


async def _watched(crowd: Crowd, web: int) -> dict[str, object]:
    """Measure the same crowd with and without spectators of its first match, in turns."""
    turns, alone, watched, audiences = OpponentsWaits(), [], [], []
    crowd = replace(crowd, more=f'web: {{listen: "127.0.0.1:{web}"}}')
    async with _running_crowd(crowd, turns) as running, running.playing():
        assert running.walkers[0].invites is not None
        text = await _metrics(running.metrics)
        turns.took_s.clear()
        for _ in range(ROUNDS):
            alone.append(await share(running.bots, crowd.seconds / ROUNDS))
            async with watching(web, running.walkers[0].invites, SPECTATORS) as audience:
                audiences.append(audience)
                watched.append(await share(running.bots, crowd.seconds / ROUNDS))
        found = _decisions(text, await _metrics(running.metrics), crowd, list(turns.took_s))
    return {
        "spectators": SPECTATORS,
        "profiles": crowd.profiles,
        "cpu_percent_alone": alone,
        "cpu_percent_watched": watched,
        "cpu_percent_of_spectators": round(sum(watched) / ROUNDS - sum(alone) / ROUNDS, 2),
        "pictures_each": round(sum(audience.pictures for audience in audiences) / SPECTATORS, 1),
        "kib_each": round(sum(audience.sent for audience in audiences) / SPECTATORS / 1_024, 1),
        "kib_waiting_for_a_slow_one": round(
            max(audience.waiting for audience in audiences) / 1_024, 1
        ),
        "seen_after_ms": _spread([delay for audience in audiences for delay in audience.delays_s]),
        **{name: found[name] for name in ("turns", "turn_ms", "missed_deadlines", "errors")},
    }


def _decisions(before: str, after: str, crowd: Crowd, took_s: list[float]) -> dict[str, object]:
    """Return figures of the bots' metrics before and after, and of the turns between."""

    def grown(name: str, label: str = "") -> int:
        return round(total(after, name, label) - total(before, name, label))

    counted = "sixprime_decision_seconds_count"
    levels = {
        level: grown(counted, f'level="{level}"')
        for level in sorted(set(re.findall(rf'{counted}{{.*level="([^"]*)"', after)))
    }
    below = sum(count for level, count in levels.items() if level != crowd.level)
    late = sum(seconds > crowd.deadline_s for seconds in took_s)
    bounds = sorted(set(re.findall(r'decision_seconds_bucket{.*le="([0-9.]+)"', after)), key=float)
    return {
        "decisions": grown(counted),
        "decisions_by_level": levels,
        "decisions_within_s": {
            bound: grown("sixprime_decision_seconds_bucket", f'le="{bound}"') for bound in bounds
        },
        "turns": len(took_s),
        "turn_ms": _spread(took_s),
        "missed_deadlines": below + late,
        "reconnects": grown("sixprime_reconnects_total"),
        "errors": grown("sixprime_errors_total"),
    }


def _spread(took_s: Sequence[float]) -> dict[str, float]:
    if len(took_s) < 2:
        return {}
    figures = {
        "median": median(took_s),
        "p99": quantiles(took_s, n=100, method="inclusive")[-1],
        "most": max(took_s),
    }
    return {name: round(1_000 * value, 1) for name, value in figures.items()}


async def _counted(walkers: Sequence[Walker], seconds: float) -> list[int]:
    """Sample the number of matches that are played at once, until the time is up."""
    counts, until = [], time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        counts.append(sum(walker.session.match is not None for walker in walkers))
        await asyncio.sleep(min(LOOK_S, left))
    return counts


async def _with_and_without_prompts() -> dict[str, object]:
    """Play the same 3-point matches, dice included, on servers with and without prompts."""
    usual = Crowd(1, "pips", pause_s=0.0, length=3)
    prompted_s = await _matches_s(usual)
    unprompted_s = await _matches_s(replace(usual, dialect="{prompts: false}"))
    ratio = round(sum(unprompted_s) / sum(prompted_s), 2)
    return {"prompted_s": prompted_s, "unprompted_s": unprompted_s, "ratio": ratio}


async def _matches_s(crowd: Crowd) -> list[float]:
    """Return the seconds of each of MATCHES matches."""
    took_s = [0.0] * MATCHES
    async with _running_crowd(crowd, OpponentsWaits()) as running, running.playing():
        (opponent,), before = running.walkers, time.monotonic()
        async with asyncio.timeout(UP_WITHIN_S):
            while opponent.matches < MATCHES:
                await asyncio.sleep(LOOK_SOON_S)
                now = time.monotonic()
                if opponent.session.match is not None and opponent.matches < MATCHES:
                    took_s[opponent.matches] += now - before
                before = now
    return [round(seconds, 2) for seconds in took_s]


async def _idle(running: RunningCrowd, seconds: float) -> dict[str, object]:
    """Measure a logged-in bot that has played before and has no opponent now."""
    await _until(
        lambda text: total(text, "sixprime_state", 'state="idle"') >= 1, running.metrics, "not idle"
    )
    await asyncio.sleep(SETTLED_AFTER_S)
    taken = await share(running.bots, seconds)
    return {"idle_cpu_percent_of_a_core": taken, "idle_memory_mib": memory_mib(running.bots)}


# --- processes


@dataclass(frozen=True, slots=True)
class RunningCrowd:
    """A server, a process of bots, and their opponents, all logged in."""

    server: int  # process ids
    bots: int
    port: int
    metrics: int
    walkers: Sequence[Walker]

    def playing(self) -> AbstractAsyncContextManager[None]:
        """Let the opponents log in and play until the block ends."""
        return playing(self.walkers, self.port, UP_WITHIN_S)


@asynccontextmanager
async def _running_crowd(crowd: Crowd, turns: OpponentsWaits) -> AsyncIterator[RunningCrowd]:
    legal_plays(Position.start(), (2, 1))  # load or compile their kernels before timing starts
    pairs = pair_names(crowd.profiles)
    names = [name for name, _ in pairs]
    with TemporaryDirectory(prefix="sixprime-") as place:
        folder = Path(place)
        make_accounts(folder / "sandbox.db", [name for pair in pairs for name in pair], PASSWORD)
        (folder / "sandbox.yaml").write_text(SANDBOX.format(dialect=crowd.dialect))
        server, port = await start_server(folder / "sandbox.db", folder / "sandbox.yaml")
        metrics = free_port()
        try:
            with _play(_settings(folder, names, crowd, port, metrics)) as bots:
                await _until(
                    lambda text: total(text, "sixprime_state", 'state="idle"') >= crowd.profiles,
                    metrics,
                    "not all bots logged in",
                )
                walkers = [
                    _opponent(name, bot, number, crowd, turns)
                    for number, (bot, name) in enumerate(pairs)
                ]
                yield RunningCrowd(server.pid, bots.pid, port, metrics, walkers)
        finally:
            with suppress(ProcessLookupError):
                server.send_signal(signal.SIGTERM)
            await server.communicate()  # reads the log, which would fill the pipe


def _opponent(name: str, bot: str, seed: int, crowd: Crowd, turns: OpponentsWaits) -> Walker:
    own = OpponentsWaits(turns.took_s)  # one list for all
    walker = Walker(
        name, seed, crowd.pause_s, invites=bot, heard=lambda _: own.observe(walker.session)
    )
    walker.length = crowd.length
    return walker


def _settings(folder: Path, names: Sequence[str], crowd: Crowd, port: int, metrics: int) -> Path:
    values = {
        "more": crowd.more,
        "level": crowd.level,
        "least_s": crowd.least_s,
        "most_s": crowd.most_s,
    }
    places = {"folder": folder, "port": port, "metrics": metrics, "within_s": WITHIN_S}
    text = SETTINGS.format(**values, **places)
    text += "".join(PROFILE.format(name=name, secret=SECRET) for name in names)
    (folder / "bots.yaml").write_text(text)
    return folder / "bots.yaml"


@contextmanager
def _play(config: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run `sixprime play` until the block ends; a warm start has Python's caches, too."""
    environment = {**os.environ, SECRET: PASSWORD, "PYTHONDONTWRITEBYTECODE": ""}
    process = subprocess.Popen([*ENTRY, str(config)], env=environment, stdin=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


# --- the bots' metrics


async def _metrics(port: int) -> str:
    def fetched() -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20.0) as answer:
            text: str = answer.read().decode()
        return text

    return await asyncio.to_thread(fetched)


async def _until(happened: Callable[[str], bool], port: int, otherwise: str) -> None:
    end = time.monotonic() + UP_WITHIN_S
    while time.monotonic() < end:
        with suppress(OSError):
            if happened(await _metrics(port)):
                return
        await asyncio.sleep(LOOK_S)
    raise TimeoutError(f"{otherwise} within {UP_WITHIN_S:.0f} s")


def total(text: str, name: str, label: str = "") -> float:
    """Add the rows of a metric that have this label."""
    rows = re.findall(rf"^{name}(?:{{(.*)}})? (\S+)$", text, re.MULTILINE)
    return sum(float(value) for labels, value in rows if label in labels)
