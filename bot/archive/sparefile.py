"""Events beside the database, as JSON lines, while it does not take them."""

from __future__ import annotations

import datetime as dt
import json
import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path

from sixprime.bot.matchlog.eventjson import body_of, event_of, kind_of
from sixprime.bot.matchlog.events import Event, Who
from sixprime.engine.system.wholefiles import private_file


class SpareFile:
    """Events that the archive has not taken yet, kept in case this process ends meanwhile.

    Events that cannot be written here either are in memory only; without a path, all are. The
    archive's own thread may hang, so another one may call `hold`.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._held: dict[int, Event] = {}  # events in the file, by id
        self._newest: Event | None = None  # of these, while the archive has not passed it

    def hold(self, waiting: Iterable[Event]) -> None:
        """Add the events that are not in the file; `waiting` begins with the newest."""
        with self._lock, suppress(OSError):  # the disk may be full
            fresh: list[Event] = []
            for event in waiting:
                if id(event) in self._held:
                    break
                fresh.append(event)
            if fresh and self.path is not None:
                _append_lines(self.path, [_line_of(event) for event in reversed(fresh)])
                self._held.update((id(event), event) for event in fresh)
                self._newest = fresh[0]

    def events(self) -> list[Event]:
        """Return all events of the file, oldest first, without lines that a crash has broken."""
        text = ""
        with suppress(OSError):
            text = "" if self.path is None else self.path.read_text("utf-8", "replace")
        events = []
        for line in dict.fromkeys(text.splitlines()):
            with suppress(TypeError, ValueError):
                word, server, account, opponent, at, body = json.loads(line)
                who = Who(server, account, opponent)
                events.append(event_of(word, who, dt.datetime.fromisoformat(at), body))
        self._held = {id(event): event for event in events}
        return events

    def passed(self, event: Event) -> None:
        """Note that the archive has taken the event, or never will."""
        with self._lock:
            if event is self._newest:
                self._newest = None

    def clear(self) -> None:
        """Delete the file, unless it holds events that still come to the archive."""
        with self._lock, suppress(OSError):
            if self._newest is None and self.path is not None:
                self._held.clear()
                self.path.unlink(missing_ok=True)


def _line_of(event: Event) -> str:
    at = event.at.isoformat()
    return json.dumps([kind_of(event), *astuple(event.who), at, body_of(event)])


def _append_lines(path: Path, lines: list[str]) -> None:
    """Append the lines durably; a broken last line stays on a line of its own."""
    private_file(path)
    with path.open("rb+") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
        if file.read() not in (b"", b"\n"):
            file.write(b"\n")
        file.write("".join(f"{line}\n" for line in lines).encode())
        file.flush()
        os.fsync(file.fileno())
