"""Parts of long work to choose from, its progress on stderr, and its failures."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.process.printable import duration
from sixprime.bot.process.timeleft import TimeLeft
from sixprime.engine.lab import LabError
from sixprime.engine.lab.tallies import Mean
from sixprime.engine.nets.weights import BadWeights
from sixprime.engine.search.rollout import BadRollout

refusing_bad_measures = refusing(LabError, BadRollout, BadWeights)


def chosen(known: Iterable[str], only: list[str] | None) -> Iterator[str]:
    """Yield the names of the chosen measurements, each announced on stderr in its turn."""
    names = list(known)
    for name in only or ():
        if name not in names:
            raise UsageError(f"no measurement {name!r}; there are {', '.join(names)}")
    return (_announced(name) for name in names if only is None or name in only)


def _announced(name: str) -> str:
    print(f"measuring {name} ...", file=sys.stderr, flush=True)
    return name


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def rounded(
    score: Mean, digits: int, name: str = "mean", scale: float = 1.0, shift: float = 0.0
) -> dict[str, Any]:
    """Return a mean and its 95 % interval, scaled, shifted and rounded."""
    mean, *ends = (round(shift + scale * value, digits) for value in (score.mean, *score.interval))
    return {name: mean, "interval_95": ends}


class Reporter:
    """Prints a progress line, but not too often."""

    def __init__(self, every_s: float = 10.0) -> None:
        self.every_s = every_s
        self.began = time.monotonic()
        self._said = -every_s

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def print_result(self, result: Mapping[str, Any]) -> None:
        """Print one JSON object of the result, the date and the seconds that the work took."""
        when = {"date": today(), "seconds": round(self.seconds, 1)}
        print(json.dumps({**result, **when}))

    def say(self, line: Callable[[], str], *, last: bool = False) -> None:
        """Print the line if it is the last, or if the previous one was a while ago."""
        if last or time.monotonic() - self._said > self.every_s:
            self._said = time.monotonic()
            print(line(), file=sys.stderr, flush=True)

    def count(self, what: str) -> Callable[[int, int], None]:
        """Return a callback for work that reports (done, total)."""
        rest = TimeLeft()

        def report(done: int, total: int) -> None:
            left = rest.after(done, total)
            ends = f", {duration(left)} left" if left else ""
            self.say(
                lambda: f"{done:,} of {total:,} {what}, {self.seconds:.0f} s{ends}",
                last=done >= total,
            )

        return report
