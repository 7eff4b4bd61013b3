"""Memory and CPU time of a running process, from Linux's /proc, and ways to use less."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
_KIB = 1_024


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes in memory now, and the peak so far."""

    resident: int  # as tools show it, with files and libraries shared with others
    proportional: int  # the same, but memory shared by n processes counts 1/n
    own: int  # in no other process
    anonymous: int  # not backed by a file, so it cannot be dropped
    peak: int  # largest `resident` so far


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the search for garbage, which takes a quarter of the time while many values are made.

    The values are in no cycles, so Python still frees them after use.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def cpu_s(pid: int) -> float:
    """Return the processor seconds of a running process with all its threads; 0 without /proc."""
    try:
        fields = (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> MemoryUse:
    """Return the memory of a running process; all 0 without /proc."""
    try:
        now = (PROC / str(pid) / "smaps_rollup").read_text()
        ever = (PROC / str(pid) / "status").read_text()
    except OSError:
        return MemoryUse(0, 0, 0, 0, 0)
    return MemoryUse(
        resident=_bytes(now, "Rss"),
        proportional=_bytes(now, "Pss"),
        own=_bytes(now, "Private_Clean") + _bytes(now, "Private_Dirty"),
        anonymous=_bytes(now, "Anonymous"),
        peak=_bytes(ever, "VmHWM"),
    )


def _bytes(text: str, what: str) -> int:
    found = re.search(rf"^{what}:\s+(\d+) kB$", text, re.MULTILINE)
    return int(found[1]) * _KIB if found else 0
