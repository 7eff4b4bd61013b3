"""Where long work stands: a line on stderr every few seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


class Reporter:
    """Says the line that it is given, if it is time for one."""

    def __init__(self, every_s: float = 10.0) -> None:
        self.every_s = every_s
        self.began = time.monotonic()
        self._said = -every_s

    @property
    def seconds(self) -> float:
        """Since the work began."""
        return time.monotonic() - self.began

    def say(self, line: Callable[[], str], *, last: bool = False) -> None:
        """Say it now if it is the last, or if the one before is long ago."""
        if last or time.monotonic() - self._said > self.every_s:
            self._said = time.monotonic()
            print(line(), file=sys.stderr, flush=True)

    def count(self, what: str) -> Callable[[int, int], None]:
        """For work that reports (done, total)."""

        def report(done: int, total: int) -> None:
            self.say(
                lambda: f"{done:,} of {total:,} {what}, {self.seconds:.0f} s", last=done >= total
            )

        return report
