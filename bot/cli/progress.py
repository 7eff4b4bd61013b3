"""Progress on stderr of work that reports (done, total): a bar, or lines where no terminal is."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sixprime.bot.process.printable import duration
from sixprime.bot.process.timeleft import TimeLeft

LINE_EACH_S = 10.0  # where no terminal is


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show progress while the block runs; the block reports (done, total) to it."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        with _lines(label) as report:
            yield report
        return
    shown = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
    )
    with shown:
        task = shown.add_task(label, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


@contextmanager
def _lines(label: str) -> Iterator[Callable[[int, int], None]]:
    """Print a line each ten seconds, even while nothing is reported."""
    begun, rest, over = time.monotonic(), TimeLeft(), threading.Event()
    standing = ""

    def report(done: int, total: int) -> None:
        nonlocal standing
        left = rest.after(done, total)
        standing = f"{done} of {total}" + ("" if left is None else f", {duration(left)} left")

    def speak() -> None:
        while not over.wait(LINE_EACH_S):
            says = standing or f"since {duration(time.monotonic() - begun)}"
            print(f"{label}: {says}", file=sys.stderr, flush=True)

    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield report
    finally:
        over.set()
        speaker.join()
