"""Match files out of an archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, select

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.names import Names, known_names, with_us_below
from sixprime.bot.archive.collection.streaming import (
    Progress,
    StoredMatch,
    of_matches,
    stored,
    streamed,
)
from sixprime.bot.archive.matchfiles import WrittenFiles, write_match
from sixprime.bot.archive.tables import analyses, matches
from sixprime.engine.system.faults import Surviving
from sixprime.protocols.formats.record import Match

Analysed = Callable[[Match, bytes], Match]
NamedMatch = tuple[StoredMatch, str, bytes | None]  # the stem of its files; its analysis


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
    keys: Sequence[str] = (),
    analysed: Analysed | None = None,
) -> Iterator[ExportedMatch]:
    """Write the matches into a folder, each under a name of its own; OSError ends it.

    Ourselves get the seat below. `analysed` returns a match with the stored analysis of its first
    settings in `keys`; it travels to other processes.
    """
    read = partial(_named, archive.stems(), keys)
    work = partial(_export, folder, formats, analysed, known_names(archive))
    return streamed(archive, ids, read, work, progress)


def _named(
    stems: Mapping[int, str], keys: Sequence[str], connection: Connection, ids: Sequence[int]
) -> list[NamedMatch]:
    asked = (
        select(analyses.c.match_id, analyses.c.settings, analyses.c.body)
        .join(matches, matches.c.id == analyses.c.match_id)
        .where(analyses.c.noted == matches.c.noted, analyses.c.settings.in_(keys))
    )
    found = of_matches(connection, asked, ids) if keys else {}
    bodies = {
        match_id: min(rows, key=lambda row: keys.index(row.settings)).body
        for match_id, rows in found.items()
    }
    return [(each, stems[each.row.id], bodies.get(each.row.id)) for each in stored(connection, ids)]


def _export(
    folder: Path,
    formats: Sequence[str],
    analysed: Analysed | None,
    known: Names,
    named: NamedMatch,
) -> ExportedMatch:
    found, stem, body = named
    faults: list[Exception] = []
    with Surviving(faults.append):
        match = found.match()
        whole = match if body is None or analysed is None else analysed(match, body)
        match, whole = (with_us_below(each, known) for each in (match, whole))
        return ExportedMatch(found.row.id, write_match(match, folder, stem, formats, whole))
    (fault,) = faults
    if isinstance(fault, OSError):
        raise fault  # the disk is full, say
    return ExportedMatch(found.row.id, fault=fault)
