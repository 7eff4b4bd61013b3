"""A progress bar on stderr for work that reports (done, total); silent unless on a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

SURE_S = 5.0  # of work, before the rest is estimated


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar while the block runs; the block reports (done, total) to it."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    shown = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    with shown if console.is_terminal else nullcontext():  # older Rich ends with an empty line
        task = shown.add_task(label, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


class TimeLeft:
    """The seconds that the rest of some work takes, by the pace since its first result."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first: tuple[float, int] | None = None  # result: when, and how many were done

    def after(self, done: int, total: int) -> float | None:
        """Return the seconds left; None while too little is done to say."""
        if done == 0:
            return None
        now = self._clock()
        if self._first is None:
            self._first = now, done
        since, before = self._first
        if done == before or now - since < SURE_S:
            return None
        return (now - since) * (total - done) / (done - before)
