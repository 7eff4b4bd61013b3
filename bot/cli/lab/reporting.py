"""What long work has in common: numbers as options, and a line on stderr every few seconds."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable


def number(
    parser: argparse.ArgumentParser,
    name: str,
    default: float,
    text: str = "default %(default)s",
    metavar: str | None = "N",
) -> None:
    """Declare an option whose value is a number of the kind of its default."""
    parser.add_argument(name, type=type(default), default=default, metavar=metavar, help=text)


class Reporter:
    """Prints a progress line, but not too often."""

    def __init__(self, every_s: float = 10.0) -> None:
        self.every_s = every_s
        self.began = time.monotonic()
        self._said = -every_s

    @property
    def seconds(self) -> float:
        """Seconds since the work began."""
        return time.monotonic() - self.began

    def say(self, line: Callable[[], str], *, last: bool = False) -> None:
        """Print the line if it is the last, or the previous one was a while ago."""
        if last or time.monotonic() - self._said > self.every_s:
            self._said = time.monotonic()
            print(line(), file=sys.stderr, flush=True)

    def count(self, what: str) -> Callable[[int, int], None]:
        """A callback for work that reports (done, total)."""

        def report(done: int, total: int) -> None:
            self.say(
                lambda: f"{done:,} of {total:,} {what}, {self.seconds:.0f} s", last=done >= total
            )

        return report
