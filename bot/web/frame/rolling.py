"""Rollouts beside bots and pages: they yield to everything else, and end when they are told to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sixprime.engine.search.rollout import Spread


class RolloutStopped(Exception):
    """It was told to end."""


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
