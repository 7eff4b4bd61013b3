"""Events of bot.archive.events as text, for the archive: `body_of` and `event_of` are inverse.

The kind, the players and the time are not in the text: they have columns of their own. Values are
written as protocols.formats.recordjson writes them. A SpareFile keeps events as JSON lines, with
everything in them.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from typing import get_type_hints

from sixprime.bot.archive.events import (
    Acted,
    Event,
    Evidence,
    GameOver,
    GameRecovered,
    GameStarted,
    MatchOver,
    MatchSaved,
    MatchStarted,
    Rated,
    Resigning,
    VariantSeen,
    Who,
)
from sixprime.engine.codec import tree_of
from sixprime.engine.system.wholefiles import private_file
from sixprime.protocols.formats.record import BadRecord
from sixprime.protocols.formats.recordjson import RECORDS

# The value of the column `kind` for each class. Never change one: archives hold them.
KINDS: Mapping[str, type[Event]] = {
    "MatchBegan": MatchStarted,
    "GameBegan": GameStarted,
    "VariantSeen": VariantSeen,
    "Acted": Acted,
    "Resigning": Resigning,
    "GameOver": GameOver,
    "MatchSaved": MatchSaved,
    "MatchOver": MatchOver,
    "Recalled": GameRecovered,
    "Rated": Rated,
    "Evidence": Evidence,
}
_WORDS = {kind: word for word, kind in KINDS.items()}
_TYPES = {
    kind: {name: hint for name, hint in get_type_hints(kind).items() if name not in ("who", "at")}
    for kind in KINDS.values()
}


def kind_of(event: Event) -> str:
    """Return the value of the column `kind` for this event."""
    return _WORDS[type(event)]


def body_of(event: Event) -> str:
    """Return the event as one line of JSON."""
    return RECORDS.text({name: getattr(event, name) for name in _TYPES[type(event)]})


def event_of(word: str, who: Who, at: dt.datetime, body: str) -> Event:
    """Return the event that `body_of` wrote; BadRecord says what is wrong with another text."""
    try:
        kind = KINDS[word]
        types = _TYPES[kind]
        plain = tree_of(body).items()
        return kind(
            who, at, **{name: RECORDS.value(types[name], each, name) for name, each in plain}
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadRecord(f"not an event {word}: {error}") from error


class SpareFile:
    """Events that the archive has not taken yet, beside it, in case this process ends meanwhile.

    What cannot be written here either is in memory only; without a path, all is. Another thread
    than the archive's, which hangs then, may hold events.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._held: dict[int, Event] = {}  # those in the file, by id
        self._newest: Event | None = None  # of them, while the archive has not passed it

    def hold(self, waiting: Iterable[Event]) -> None:
        """Add those events that are not in the file; `waiting` begins with the newest."""
        with self._lock, suppress(OSError):  # the disk may be full
            fresh: list[Event] = []
            for event in waiting:
                if id(event) in self._held:
                    break
                fresh.append(event)
            if fresh and self.path is not None:
                _append(self.path, [_line_of(event) for event in reversed(fresh)])
                self._held.update((id(event), event) for event in fresh)
                self._newest = fresh[0]

    def events(self) -> list[Event]:
        """All events in it, oldest first; without lines that a crash or a full disk has broken."""
        text = ""
        with suppress(OSError):
            text = "" if self.path is None else self.path.read_text("utf-8", "replace")
        found = []
        for line in dict.fromkeys(text.splitlines()):
            with suppress(TypeError, ValueError):
                word, server, account, opponent, at, body = json.loads(line)
                who = Who(server, account, opponent)
                found.append(event_of(word, who, dt.datetime.fromisoformat(at), body))
        self._held = {id(event): event for event in found}
        return found

    def passed(self, event: Event) -> None:
        """The archive has taken it, or never will."""
        with self._lock:
            if event is self._newest:
                self._newest = None

    def clear(self) -> None:
        """Nothing waits; the file goes, unless events that still come to the archive are in it."""
        with self._lock, suppress(OSError):
            if self._newest is None and self.path is not None:
                self._held.clear()
                self.path.unlink(missing_ok=True)


def _line_of(event: Event) -> str:
    at = event.at.isoformat()
    return json.dumps([kind_of(event), *astuple(event.who), at, body_of(event)])


def _append(path: Path, lines: list[str]) -> None:
    """Durably, as lines of their own, even after one that is broken."""
    private_file(path)
    with path.open("rb+") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
        broken = file.read() not in (b"", b"\n")
        file.write(("\n" * broken + "".join(f"{line}\n" for line in lines)).encode())
        file.flush()
        os.fsync(file.fileno())
