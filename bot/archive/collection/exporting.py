"""Match files out of an archive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.streaming import Progress, StoredMatch, stored, streamed
from sixprime.bot.archive.matchfiles import WrittenFiles, write_match
from sixprime.engine.system.faults import Surviving


class ExportedMatch(NamedTuple):
    """The files of a match, or the exception that left it without any."""

    match_id: int
    written: WrittenFiles | None = None
    fault: Exception | None = None


def export(
    archive: Archive,
    ids: Sequence[int],
    folder: Path,
    formats: Sequence[str],
    progress: Progress = lambda done, total: None,
) -> Iterator[ExportedMatch]:
    """Write the matches into a folder, each under a name of its own; OSError ends it."""
    read = partial(_named, archive.stems())
    return streamed(archive, ids, read, partial(_export, folder, formats), progress)


def _named(
    stems: Mapping[int, str], connection: Connection, ids: Sequence[int]
) -> list[tuple[StoredMatch, str]]:
    return [(each, stems[each.row.id]) for each in stored(connection, ids)]


def _export(folder: Path, formats: Sequence[str], named: tuple[StoredMatch, str]) -> ExportedMatch:
    found, stem = named
    faults: list[Exception] = []
    with Surviving(faults.append):
        return ExportedMatch(found.row.id, write_match(found.match(), folder, stem, formats))
    (fault,) = faults
    if isinstance(fault, OSError):
        raise fault  # the disk is full, say
    return ExportedMatch(found.row.id, fault=fault)
