"""Estimates of the time that long work still takes."""

from __future__ import annotations

import time
from collections.abc import Callable

SURE_S = 5.0  # of work, before the rest is estimated


class TimeLeft:
    """A forecast of when some work ends, by its pace since the first result."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, sure_s: float = SURE_S) -> None:
        self._clock = clock
        self._sure_s = sure_s
        self._first: tuple[float, int] | None = None  # result: when, and how many were done

    def after(self, done: int, total: int) -> float | None:
        """Return the seconds left; None while too little is done to say."""
        if done == 0:
            return None
        now = self._clock()
        if self._first is None:
            self._first = now, done
        since, before = self._first
        if done == before or now - since < self._sure_s:
            return None
        return (now - since) * (total - done) / (done - before)
