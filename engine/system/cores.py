"""The number of usable processor cores."""

from __future__ import annotations

import math
import os
from functools import cache
from pathlib import Path

OUR_GROUP = Path("/proc/self/cgroup")
GROUPS = Path("/sys/fs/cgroup")


def usable_cores() -> int:
    """Count the cores that this process may use; all of them on macOS, which does not say."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), _allowed(OUR_GROUP, GROUPS))
    return os.cpu_count() or 1


@cache
def _allowed(ours: Path, groups: Path) -> int:
    """Return the cores' time that a container or service may take (docker --cpus, CPUQuota)."""
    least = math.inf
    try:
        name = ours.read_text().rpartition("0::/")[2].strip()
        for group in (groups / name, *(groups / name).parents):
            if (group / "cpu.max").exists():
                quota, period = (group / "cpu.max").read_text().split()
                least = least if quota == "max" else min(least, int(quota) / int(period))
    except (OSError, ValueError):  # no such groups here
        pass
    return max(1, math.ceil(min(least, os.cpu_count() or 1)))
