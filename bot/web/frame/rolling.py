"""Rollouts beside bots and pages: they yield to everything else, and end when they are told to."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from sixprime.engine.search.rollout import Spread

LOWEST_PRIORITY = 19


class RolloutStopped(Exception):
    """It was told to end."""


def at_lowest_priority() -> None:
    """For this thread alone; the kernels release the interpreter."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)


def one_by_one(stopping: Callable[[], bool], played: Callable[[int], None]) -> Spread:
    """Chunks of trials in this thread, each counted; RolloutStopped between two of them."""

    def share(work: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        found = []
        for call in calls:
            if stopping():
                raise RolloutStopped
            found.append(work(*call))
            played(len(found[-1]))
        return found

    return share
