"""Costs of work and of processes, and the JSON object that a benchmark prints of them."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from sixprime.bot.cli.lab.reporting import chosen
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.process.footprint import cpu_s, memory

MIB = 2**20
PROGRAM = (sys.executable, "-P", "-m", "sixprime")

Figure = float | Mapping[str, float]


class Cost(NamedTuple):
    """Seconds of the clock, and CPU seconds, which other work disturbs less."""

    s: float
    cpu_s: float


def print_parts(parts: Mapping[str, Callable[[], object]], only: list[str] | None) -> int:
    """Measure the chosen parts, and print one JSON object with them and the machine's load."""
    machine: dict[str, object] = {"cores": os.cpu_count(), "load_before": os.getloadavg()[0]}
    print(json.dumps(machine | {name: parts[name]() for name in chosen(parts, only)}))
    return 0


def changed(figure: Figure, change: Callable[[float], float]) -> Figure:
    """Apply a change to a figure, or to each of several figures."""
    if isinstance(figure, Mapping):
        return {name: change(value) for name, value in figure.items()}
    return change(figure)


def cpu_s_of(work: Callable[[], object]) -> float:
    """Return the CPU seconds of this process that the work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def children_s() -> float:
    """CPU seconds of the processes that have ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class PeakCost(NamedTuple):
    """Seconds of the clock, CPU seconds, and the largest memory of one process."""

    s: float
    cpu_s: float
    peak_mib: float


_OBSERVED = """
import json, resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
json.dump([used.ru_utime + used.ru_stime, used.ru_maxrss / 1024], open(sys.argv[1], "w"))
sys.exit(code)
"""  # a small process in between: a peak is never below that of the process that forks


def cost_and_peak(words: Sequence[str], folder: Path, fine: Sequence[int] = (0,)) -> PeakCost:
    """Run a command to its end; it and its helpers may write to the folder."""
    told, start = folder / "cost.json", time.perf_counter()
    observed = (sys.executable, "-I", "-S", "-c", _OBSERVED, str(told), *words)
    done = subprocess.run(observed, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    seconds = time.perf_counter() - start
    _check(words, done.returncode, done.stderr.decode(errors="replace"), fine)
    return PeakCost(seconds, *json.loads(told.read_text()))


def _check(words: Sequence[str], code: int, said: str, fine: Sequence[int]) -> None:
    if code not in fine:
        (*_, why) = said.strip().splitlines() or ["no error was printed"]
        raise UsageError(f"{' '.join(words)} ended with {code}: {why}")


def cost_of_command(
    words: Sequence[str],
    *,
    typed: str = "",
    fine: Sequence[int] = (0,),
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Cost:
    """Run a command to its end; UsageError if its exit code is not one of `fine`."""
    before, start = children_s(), time.perf_counter()
    done = subprocess.run(
        words, cwd=folder, env=environment, input=typed, capture_output=True, text=True, check=False
    )
    cost = Cost(time.perf_counter() - start, children_s() - before)
    _check(words, done.returncode, done.stderr, fine)
    return cost


async def share(pid: int, seconds: float) -> float:
    """Return the per cent of a core that a process takes during this time."""
    before, began = cpu_s(pid), time.monotonic()
    await asyncio.sleep(seconds)
    return percent(cpu_s(pid) - before, time.monotonic() - began)


def percent(cpu: float, lasted: float) -> float:
    return round(100 * cpu / lasted, 2)


def memory_mib(pid: int) -> dict[str, float]:
    """Return each kind of memory that a process holds."""
    return {name: round(value / MIB, 1) for name, value in asdict(memory(pid)).items()}
