"""Judges many positions on several threads until time runs out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

Verdict = TypeVar("Verdict")


def judged_in_time(
    judge: Callable[[int], Verdict], which: Iterable[int], threads: int, seconds: float
) -> Iterator[tuple[int, Verdict]]:
    """The verdicts of `judge` by number, as they come; after `seconds` none is begun."""
    deadline = time.monotonic() + seconds
    stop = threading.Event()

    def judged(number: int) -> Verdict | None:
        if stop.is_set() or time.monotonic() > deadline:
            return None
        return judge(number)

    with ThreadPoolExecutor(threads) as pool:
        tasks = {pool.submit(judged, number): number for number in which}
        try:
            for task in as_completed(tasks):
                verdict = task.result()
                if verdict is not None:
                    yield tasks[task], verdict
        finally:
            stop.set()
