"""What processes take of the machine, for the benchmarks."""

from __future__ import annotations

import asyncio
import resource
import time
from dataclasses import asdict

from sixprime.bot.process.footprint import cpu_s, memory

MIB = 2**20


def children_s() -> float:
    """CPU seconds of the processes that have ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def share(pid: int, seconds: float) -> float:
    """Percent of a core that a process takes in that time."""
    before, began = cpu_s(pid), time.monotonic()
    await asyncio.sleep(seconds)
    return percent(cpu_s(pid) - before, time.monotonic() - began)


def percent(cpu: float, lasted: float) -> float:
    return round(100 * cpu / lasted, 2)


def memory_mib(pid: int) -> dict[str, float]:
    """Each kind of memory that a process holds."""
    return {name: round(value / MIB, 1) for name, value in asdict(memory(pid)).items()}
