"""`sixprime benchplay`: what playing costs, measured from outside on real processes, as JSON.

A sandbox and one `sixprime play` are started in a folder of their own. Figures come from /proc and
from the bots' own metrics. Seconds of CPU mean more than seconds of the clock where other programs
are at work; a decision that was not made at its own level in time has missed its deadline.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.cli.main import UsageError

EPILOG = """\
example:
  sixprime benchplay --profiles 50 --seconds 60
"""
ENTRY = (sys.executable, "-c", "from bot.cli.main import run; run()")
SECRET = "BENCHPLAY_PASSWORD"
UP_WITHIN_S = 300.0
LIMITS = "limits: {command_burst: 100000, commands_per_s: 10000, connections: 1000}\n"
COMMON = """\
server: {host: 127.0.0.1, port: PORT, reconnect: {first_s: 1}}
player: {level: LEVEL}
lobby: {accept: {bots: true, matches_per_opponent_and_day: 0}}
archive: {database: "sqlite:///FOLDER/archive.db", folder: "FOLDER/matches"}
logging: {level: error, file: "FOLDER/log"}
metrics: {listen: "127.0.0.1:METRICS"}
profiles:
"""
ACCOUNT = "account: {{user: {name}, password_env: {secret}}}"
INVITE = "lobby: {{invite: {{after_idle_s: 1, preferred: [{other}], match_length: 5}}}}"
FIRST = """
import sys, time, asyncio, json
from bot.config import Player
from bot.deciders import ladder
from bot.think import Thinker, _START
from protocols.fibs.board import FibsBoard
from protocols.fibs.questions import ChoosePlay
board = FibsBoard("You", "x", 5, (0, 0), _START, 1, dice=(2, 1))
thinker = Thinker(ladder(Player()))
decision = asyncio.run(thinker.decide(ChoosePlay(board, (2, 1))))
print(json.dumps({"clock_s": round(time.time() - float(sys.argv[1]), 2),
    "cpu_s": round(time.process_time(), 2), "level": decision.step}))
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = EPILOG
    parser.add_argument("--profiles", type=int, default=50, help="bots that play at once (50)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of play and of idling (60)")
    parser.add_argument("--level", default="{plies: 0}", help="of the crowd ({plies: 0})")


def run(options: argparse.Namespace) -> int:
    """Measure, and print one JSON object."""
    if not Path("/proc/self/stat").exists():
        raise UsageError("benchplay needs /proc")
    if options.profiles < 2 or options.seconds <= 0:
        raise UsageError("at least two profiles, and more than no time")
    found = {
        "first_decision": _first_decision(),
        "idle": _idle(options.seconds),
        "crowd": _crowd(options.profiles - options.profiles % 2, options.seconds, options.level),
    }
    print(json.dumps(found))
    return 0


def _first_decision() -> dict[str, object]:
    """A new process until its first decision at world-class; the second one finds all caches."""
    found: dict[str, object] = {}
    for _ in range(2):
        command = [sys.executable, "-c", FIRST, str(time.time())]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
    return found


def _idle(seconds: float) -> dict[str, object]:
    with _playing(["idler"], "world-class", []) as (bots, _, port):
        _until(port, lambda text: _sum(text, "sixprime_state", 'state="idle"') >= 1)
        time.sleep(2.0)
        before = _cpu_s(bots.pid)
        time.sleep(seconds)
        used = _cpu_s(bots.pid) - before
        return {
            "cpu_percent_of_a_core": round(100 * used / seconds, 2),
            "memory_mib": _memory_mib(bots.pid, "VmRSS"),
            "most_memory_mib": _memory_mib(bots.pid, "VmHWM"),
        }


def _crowd(profiles: int, seconds: float, level: str) -> dict[str, object]:
    names = [f"bot{number}" for number in range(profiles)]
    pairs = list(zip(names[::2], names[1::2], strict=True))
    with _playing(names, level, pairs) as (bots, server, port):
        _until(port, lambda text: _sum(text, "sixprime_state", 'state="playing"') >= profiles)
        text, cpu_s, server_s = _metrics(port), _cpu_s(bots.pid), _cpu_s(server.pid)
        began = time.monotonic()
        time.sleep(seconds)
        later, took_s = _metrics(port), time.monotonic() - began
        playing = _sum(later, "sixprime_state", 'state="playing"')
        made = {
            each: int(_sum(later, "sixprime_decision_seconds_count", f'level="{each}"'))
            for each in sorted(set(re.findall(r'_seconds_count{[^}]*level="([^"]*)"', later)))
        }
        count = "sixprime_decision_seconds_count"
        return {
            "profiles": profiles,
            "playing_at_the_end": int(playing),
            "seconds": round(took_s, 1),
            "moves": int(_sum(later, "sixprime_moves_total") - _sum(text, "sixprime_moves_total")),
            "decisions": int(_sum(later, count) - _sum(text, count)),
            "decisions_by_level": made,
            "decisions_within_s": {
                bound: int(_sum(later, "sixprime_decision_seconds_bucket", f'le="{bound}"'))
                for bound in ("0.01", "0.1", "1.0", "10.0", "+Inf")
            },
            "reconnects": int(_sum(later, "sixprime_reconnects_total")),
            "errors": int(_sum(later, "sixprime_errors_total")),
            "cpu_percent_of_a_core": round(100 * (_cpu_s(bots.pid) - cpu_s) / took_s, 1),
            "sandbox_percent_of_a_core": round(100 * (_cpu_s(server.pid) - server_s) / took_s, 1),
            "memory_mib": _memory_mib(bots.pid, "VmRSS"),
        }


# --- processes


@contextmanager
def _playing(
    names: list[str], level: str, pairs: list[tuple[str, str]]
) -> Iterator[tuple[subprocess.Popen[bytes], subprocess.Popen[bytes], int]]:
    """The bots' process, the server's, and the port of the bots' metrics."""
    from bot.sandbox.load import PASSWORD, make_accounts

    with TemporaryDirectory(prefix="sixprime-benchplay-") as place:
        folder = Path(place)
        make_accounts(folder / "sandbox.db", names)
        port, metrics = _free_port(), _free_port()
        (folder / "sandbox.yaml").write_text(LIMITS)
        settings = COMMON.replace("PORT", str(port)).replace("METRICS", str(metrics))
        text = settings.replace("LEVEL", level).replace("FOLDER", place)
        invited = dict(pairs)
        for name in names:
            text += f"  {name}:\n    {ACCOUNT.format(name=name, secret=SECRET)}\n"
            if name in invited:
                text += f"    {INVITE.format(other=invited[name])}\n"
        (folder / "bots.yaml").write_text(text)
        sandbox = ("sandbox", "--config", str(folder / "sandbox.yaml"))
        server = _start(*sandbox, "--db", f"{place}/sandbox.db", "--listen", f"127.0.0.1:{port}")
        bots = None
        try:
            _until_listening(port, server)
            bots = _start("play", "--config", str(folder / "bots.yaml"), **{SECRET: PASSWORD})
            yield bots, server, metrics
        finally:
            for process in (bots, server):
                _end(process)


def _start(*words: str, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*ENTRY, *words], env={**os.environ, **environment})


def _end(process: subprocess.Popen[bytes] | None) -> None:
    if process is None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(60.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _until_listening(port: int, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + UP_WITHIN_S
    while server.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1.0).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise UsageError("the sandbox did not start")


# --- figures


def _cpu_s(pid: int) -> float:
    """User and system time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_mib(pid: int, what: str) -> int:
    found = re.search(rf"{what}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) // 1024 if found else 0


def _metrics(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30.0) as answer:
        text: str = answer.read().decode()
    return text


def _until(port: int, happened: Callable[[str], bool]) -> None:
    end = time.monotonic() + UP_WITHIN_S
    while time.monotonic() < end:
        try:
            if happened(_metrics(port)):
                return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.5)
    raise UsageError("the bots did not get so far in five minutes")


def _sum(text: str, name: str, label: str = "") -> float:
    rows = re.findall(rf"^{name}(?:{{([^}}]*)}})? (\S+)$", text, re.MULTILINE)
    return sum(float(value) for labels, value in rows if label in labels)
