"""Logging: structlog to the console or as JSON lines, with secrets removed.

Libraries' own log records go the same way, from warnings upward. Nothing is
configured at import; `configure` is called once by the command line.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TextIO, cast

import structlog

from sixprime.bot.process.console import Console
from sixprime.bot.process.printable import printable
from sixprime.bot.process.rotation import RotatedFile
from sixprime.bot.settings.blanking import Blank
from sixprime.bot.settings.schema import Logging

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_MOST = 2_000  # characters of one value
_HEAD = ("event", "level", "timestamp", "profile", "exception")
TAIL = 12  # lines
LONGEST_TAIL = 300
HOUR_S, DAY_H = 3_600, 24
MOST_KINDS = 100  # of warnings and errors in an hour
_BAD = ("warning", "error", "critical")


class Redactor:
    """A processor that removes known secrets and control characters from every value."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._blank = Blank(secrets)

    def __call__(
        self, _logger: object, _method: str, entry: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        """Serve as a structlog processor."""
        return {str(key): self._clean(value) for key, value in entry.items()}

    def _clean(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping):
            return {str(self._clean(key)): self._clean(each) for key, each in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self._clean(each) for each in value]
        plain = printable(self._blank(value if isinstance(value, str) else repr(value)))
        return plain if len(plain) <= _MOST or "\n" in plain else plain[:_MOST] + "..."


@dataclass(slots=True)
class LoggedEvent:
    """One kind of warning or error: its number, and when it last happened, since 1970."""

    level: str
    event: str
    count: int = 0
    last: float = 0.0


class LogTail:
    """The last lines of each bot, and its warnings and errors of a day; it follows the Redactor."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lines: dict[str, deque[tuple[str, str]]] = {}
        self._sums: dict[str, list[LoggedEvent]] = {}  # as asked for since the last change
        self._hours: deque[tuple[int, dict[str, dict[tuple[str, str], LoggedEvent]]]] = deque()

    def __call__(
        self, _logger: object, _method: str, entry: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        """Serve as a structlog processor."""
        words = {name: value for name, value in entry.items() if name not in _HEAD}
        said = " ".join((str(entry["event"]), *(f"{name}={each}" for name, each in words.items())))
        line = f"{entry['timestamp'][11:19]} {' '.join(said.split())}"
        kept = self._lines.setdefault(str(entry.get("profile", "")), deque(maxlen=TAIL))
        kept.append((str(entry["level"]), line[:LONGEST_TAIL]))
        if entry["level"] in _BAD:
            self._count(str(entry.get("profile", "")), str(entry["level"]), str(entry["event"]))
        return entry

    def _count(self, profile: str, level: str, event: str) -> None:
        now = self._clock()
        hour = int(now // HOUR_S)
        if not self._hours or self._hours[-1][0] != hour:
            self._hours.append((hour, {}))
        kinds = self._hours[-1][1].setdefault(profile, {})
        name = event.partition("\n")[0][:LONGEST_TAIL]
        if len(kinds) >= MOST_KINDS and (level, name) not in kinds:
            name = "others"
        kind = kinds.setdefault((level, name), LoggedEvent(level, name))
        kind.count, kind.last = kind.count + 1, now
        self._sums.pop(profile, None)

    def troubles_of(self, profile: str) -> list[LoggedEvent]:
        """Return warnings and errors of the last 24 hours, errors first, then the most frequent."""
        while self._hours and self._hours[0][0] <= self._clock() // HOUR_S - DAY_H:
            self._hours.popleft()
            self._sums.clear()
        if profile not in self._sums:
            self._sums[profile] = self._summed(profile)
        return self._sums[profile]

    def _summed(self, profile: str) -> list[LoggedEvent]:
        sums: dict[tuple[str, str], LoggedEvent] = {}
        for _, profiles in self._hours:
            for key, kind in profiles.get(profile, {}).items():
                found = sums.setdefault(key, LoggedEvent(*key))
                found.count, found.last = found.count + kind.count, kind.last
        return sorted(sums.values(), key=lambda kind: (kind.level == "warning", -kind.count))

    def lines_of(self, profile: str) -> list[tuple[str, str]]:
        """Return the level and text of each line, the oldest first."""
        return list(self._lines.get(profile, ()))


class Forwarder(logging.Handler):
    """A handler that passes records of Python's own logging to structlog."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = structlog.get_logger(record.name)
        logger.log(record.levelno, record.getMessage(), exc_info=record.exc_info or None)


class Unfailing:
    """A log file that never raises: if there is none or the disk is full, lines go to stderr."""

    def __init__(self, file: TextIO | RotatedFile | None, *, ours: bool) -> None:
        self._file = file
        self._ours = ours  # so that `close` closes it
        self._console = Console()

    def __call__(self, *_: object) -> structlog.WriteLogger:
        """Return a logger that writes here."""
        return structlog.WriteLogger(cast(TextIO, self))

    def write(self, text: str) -> None:
        """Write to the file, else to stderr."""
        if self._file is not None:
            with suppress(OSError, ValueError):  # the disk is full, or it was closed since
                self._file.write(text)
                return
        self._console.write(text)

    def flush(self) -> None:
        """Flush, and ignore errors: a later flush may succeed."""
        if self._file is not None:
            with suppress(OSError, ValueError):
                self._file.flush()

    def close(self) -> None:
        """Close the file, since another takes its place."""
        if self._ours and self._file is not None:
            self._file.close()


def configure(
    settings: Logging,
    secrets: Iterable[str] = (),
    stream: TextIO | None = None,
    tail: LogTail | None = None,
) -> None:
    """Set up logging for the whole process, the first time or again; OSError for the file."""
    before = structlog.get_config()["logger_factory"]
    file = stream or _opened(settings)
    json = settings.format == "json"
    shown: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso" if json else "%Y-%m-%d %H:%M:%S", utc=json),
        structlog.processors.format_exc_info,
        Redactor(secrets),
        *([] if tail is None else [tail]),
    ]
    if json:
        shown.append(structlog.processors.JSONRenderer())
    else:
        seen = sys.stderr if file is None else file
        colours = hasattr(seen, "isatty") and seen.isatty() and not os.environ.get("NO_COLOR")
        shown.append(structlog.dev.ConsoleRenderer(colors=colours))
    structlog.configure(
        processors=shown,
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[settings.level]),
        logger_factory=Unfailing(file, ours=stream is None),
        cache_logger_on_first_use=False,  # loggers follow when this is called again
    )
    if isinstance(before, Unfailing):
        before.close()
    others = logging.getLogger()
    others.handlers = [each for each in others.handlers if not isinstance(each, Forwarder)]
    others.addHandler(Forwarder(logging.WARNING))


def _opened(settings: Logging) -> RotatedFile | None:
    if settings.file is None:
        return None
    most = settings.rotate_mib * 2**20
    return RotatedFile(settings.file, most, settings.rotate_days, settings.keep)
