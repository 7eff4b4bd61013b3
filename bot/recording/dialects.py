"""Keeps the learned dialects of servers, by their address, for the next start."""

from __future__ import annotations

import datetime as dt
import os
from copy import deepcopy
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from pydantic import TypeAdapter
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from sixprime.bot.recording.keptfile import KeptFile, keep_saving
from sixprime.bot.settings.schema import ArchiveSettings, ServerSettings
from sixprime.engine.compiling.place import home_folder
from sixprime.protocols.fibs.dialect import OPTIONAL, PROMPT_WITHIN_S, ROLL_WITHIN_S, LearnedDialect

NAME = "dialects.json"
KEPT = dt.timedelta(days=30)  # servers change


@dataclass(frozen=True, slots=True)
class KeptDialect:
    """A server's dialect, and the last day on which we learned something new."""

    learned: dt.date
    dialect: LearnedDialect


Dialects = dict[str, KeptDialect]  # by host:port, the latest last
_DIALECT = TypeAdapter(LearnedDialect)
_FORM = TypeAdapter(Dialects)


def packed(dialect: LearnedDialect) -> str:
    """Return the dialect as one line of JSON."""
    return _DIALECT.dump_json(dialect).decode()


def unpacked(text: str) -> LearnedDialect:
    """Return the dialect that `packed` wrote; ValueError."""
    return _sane(_DIALECT.validate_json(text))


def _sane(dialect: LearnedDialect) -> LearnedDialect:
    """Return the dialect without values that nobody can have learned."""
    dialect.unknown &= OPTIONAL
    waits = {key: dialect.prompt_within_s.get(key, PROMPT_WITHIN_S) for key in (True, False)}
    dialect.prompt_within_s = {
        key: min(max(wait, 0.0), ROLL_WITHIN_S) if isfinite(wait) else PROMPT_WITHIN_S
        for key, wait in waits.items()
    }
    return dialect


def place_for(archive: ArchiveSettings) -> Path:
    """Return the folder of the archive or its match files, else the user's state folder."""
    try:
        url = make_url(archive.database or "sqlite://")
    except (ArgumentError, ValueError):
        url = make_url("sqlite://")
    file = url.database or ""
    if url.get_backend_name() == "sqlite" and not file.startswith(("file:", ":")) and file:
        return Path(file).parent / NAME
    if archive.database and archive.folder:
        return archive.folder / NAME
    state = os.environ.get("XDG_STATE_HOME") or home_folder() / ".local" / "state"
    return Path(state) / "sixprime" / NAME


class DialectFile:
    """A file of dialects, which several processes may share."""

    def __init__(self, path: Path) -> None:
        self._file = KeptFile(
            path, _FORM, "starting without what was known of servers", "dialects not kept"
        )
        self._kept = self._file.contents()
        for each in self._kept.values():
            _sane(each.dialect)
        self._used: dict[str, LearnedDialect] = {}
        self._saved: dict[str, LearnedDialect] = {}

    def dialect_of(self, server: ServerSettings) -> LearnedDialect:
        """Return the dialect of this server, to be extended; the bots on a server share it."""
        key = f"{server.host.lower()}:{server.port}"
        if key not in self._used:
            kept = self._kept.get(key)
            fresh = kept is not None and kept.learned + KEPT >= _today()
            self._used[key] = kept.dialect if kept is not None and fresh else LearnedDialect()
            self._saved[key] = deepcopy(self._used[key])
        return self._used[key]

    async def keep(self) -> None:
        """Save changes at intervals, until cancelled."""
        await keep_saving(self.save)

    def save(self) -> None:
        """Save changed dialects; a file that cannot be written is a warning."""
        changed = {key: each for key, each in self._used.items() if each != self._saved[key]}
        self._saved |= deepcopy(changed)
        self._file.add({key: KeptDialect(_today(), each) for key, each in changed.items()})


def _today() -> dt.date:
    return dt.datetime.now(dt.UTC).date()
