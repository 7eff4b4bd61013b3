"""How many processor cores there are to use."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Those that this process may use, or all where the system does not say, as on macOS."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
