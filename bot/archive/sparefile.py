"""Waiting events as JSON lines in a file, in case this process ends; see bot.archive.waiting.

A full disk is no reason to lose them: a reserve beside the file has blocks of its own, and becomes
the file when it is needed. The text ends at the first NUL.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path

from sixprime.bot.archive.database import reason_of
from sixprime.bot.matchlog.eventjson import body_of, event_of, kind_of
from sixprime.bot.matchlog.events import Event, Who
from sixprime.engine.system.faults import undone_by
from sixprime.engine.system.wholefiles import private_file, write_whole

RESERVE = 2**20  # bytes: a match of a hundred games
PRIVATE = 0o600


class SpareFile:
    """A file of events that several threads may write; without a path it holds nothing."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.fault = "there is no file for them" if path is None else None  # of the last `hold`
        self._lock = threading.Lock()
        self._held: dict[int, Event] = {}  # events in the file, by id
        self._end = 0  # of the text, in bytes
        self._is_there = False
        self._in_order = True  # the file holds a beginning of the waiting events

    @property
    def reserve(self) -> Path | None:
        """The place of the reserve."""
        return None if self.path is None else self.path.with_suffix(".reserve")

    def holds(self, event: Event) -> bool:
        """Return whether the event is in the file."""
        return self._in_order and id(event) in self._held

    def hold(self, waiting: Iterable[Event]) -> None:
        """Add the events that are not in the file; `waiting` are all, and begin with the newest."""
        with self._lock:
            fresh: list[Event] = []
            if self._is_there and self.path is not None and not self.path.exists():
                self._in_order = False  # somebody has moved it away
            for event in waiting:
                if self._in_order and id(event) in self._held:
                    break
                fresh.append(event)
            if not fresh or self.path is None:
                return
            fresh.reverse()
            try:
                self._write(self.path, "".join(map(_line_of, fresh)).encode())
            except OSError as error:
                self.fault = reason_of(error)
            else:
                self.fault = None
                self._held.update((id(event), event) for event in fresh)

    def _write(self, path: Path, data: bytes) -> None:
        """Append the lines durably, or replace the file by them."""
        if not self._in_order:
            write_whole(path, data, PRIVATE)
            self._held, self._end, self._in_order, self._is_there = {}, len(data), True, True
            return
        if not path.exists() and self.reserve is not None and self.reserve.exists():
            self.reserve.replace(path)
        private_file(path)
        self._is_there = True
        with path.open("rb+", buffering=0) as file:
            file.seek(self._end)
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        self._end += len(data)

    def disorder(self) -> None:
        """Note that other events wait before those in the file, which `hold` then replaces."""
        with self._lock:
            self._in_order = False

    def restore(self) -> list[Event]:
        """Return all events of the file, oldest first, without lines that a crash has broken."""
        data = b""
        with suppress(OSError):
            data = b"" if self.path is None else self.path.read_bytes().partition(b"\0")[0]
        events: dict[bytes, Event] = {}
        for line in data.splitlines(keepends=True):
            with suppress(TypeError, ValueError):
                word, server, account, opponent, at, body = json.loads(line)
                who = Who(server, account, opponent)
                event = event_of(word, who, dt.datetime.fromisoformat(at), body)
                events.setdefault(line.rstrip(), event)
        with self._lock:
            self._held = {id(event): event for event in events.values()}
            self._end = data.rfind(b"\n") + 1  # a broken last line is overwritten
            self._is_there = self.path is not None and self.path.exists()
        self._renew_reserve()
        return list(events.values())

    def clear(self) -> None:
        """Delete the file: every event in it is in the database."""
        with self._lock, suppress(OSError):
            if self.path is None or not self._is_there:
                return
            self.path.unlink(missing_ok=True)
            self._held, self._end, self._in_order, self._is_there = {}, 0, True, False
        self._renew_reserve()

    def _renew_reserve(self) -> None:
        """Make the reserve, if there is space for it."""
        if self.reserve is None or (self.path is not None and self.path.exists()):
            return
        with suppress(OSError):
            private_file(self.reserve)
            with self.reserve.open("rb+") as file, undone_by(self.reserve.unlink):
                os.posix_fallocate(file.fileno(), 0, RESERVE)

    def close(self) -> None:
        """Delete the reserve; a file with events stays."""
        if self.reserve is not None:
            with suppress(OSError):
                self.reserve.unlink(missing_ok=True)


def _line_of(event: Event) -> str:
    at = event.at.isoformat()
    return json.dumps([kind_of(event), *astuple(event.who), at, body_of(event)]) + "\n"
