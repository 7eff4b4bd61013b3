"""What a process takes of the machine, for `sixprime benchplay`."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict

MIB = 2**20


async def share(pid: int, seconds: float) -> float:
    """Percent of a core that a process takes in that time."""
    from sixprime.bot.footprint import cpu_s

    before, began = cpu_s(pid), time.monotonic()
    await asyncio.sleep(seconds)
    return percent(cpu_s(pid) - before, time.monotonic() - began)


def percent(cpu: float, lasted: float) -> float:
    """A share as per cent of a core."""
    return round(100 * cpu / lasted, 2)


def memory_mib(pid: int) -> dict[str, float]:
    """All kinds of it."""
    from sixprime.bot.footprint import memory

    return {name: round(value / MIB, 1) for name, value in asdict(memory(pid)).items()}
