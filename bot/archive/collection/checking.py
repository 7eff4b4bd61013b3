"""Inconsistencies of an archive."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, text

from sixprime.bot.archive.archive import GOING_ON, Archive, MatchStatus
from sixprime.bot.archive.collection.changing import Alike, opening_of, same_matches
from sixprime.bot.archive.collection.importing import outline_of
from sixprime.bot.archive.collection.streaming import (
    Progress,
    StoredMatch,
    of_matches,
    readable_ids,
    stored,
    streamed,
)
from sixprime.bot.archive.fingerprint import digest_of
from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.archive.tables import analyses, names, wires
from sixprime.bot.process.printable import counted
from sixprime.protocols.formats.record import BadRecord, Match

_COMPARED = ("account", "opponent", "length", "our_score", "their_score", "winner")


class Finding(NamedTuple):
    """One inconsistency; match 0 is the archive as a whole."""

    match: int
    what: str


class _Rows(NamedTuple):
    """All rows of a match that are checked."""

    stored: StoredMatch
    wires: Sequence[Any]
    analyses: Sequence[Any]


class _Checked(NamedTuple):
    """The inconsistencies of a match, and the opening by which duplicates are found."""

    match_id: int
    findings: list[str]
    opening: str


def findings(archive: Archive, progress: Progress = lambda done, total: None) -> Iterator[Finding]:
    """Yield every inconsistency, match by match."""
    yield from _database(archive)
    alike, check = Alike(), partial(_check, archive.settings.folder)
    for checked in streamed(archive, readable_ids(archive), _read, check, progress):
        alike.add(checked.match_id, checked.opening)
        for what in checked.findings:
            yield Finding(checked.match_id, what)
    for first, *others in same_matches(archive, alike):
        words = ", ".join(map(str, others))
        yield Finding(first, f"is the same match as {words} (`archive merge`)")


def _read(connection: Connection, ids: Sequence[int]) -> list[_Rows]:
    columns = (analyses.c.match_id, analyses.c.settings, analyses.c.body, analyses.c.summary)
    bodies = of_matches(connection, select(*columns), ids)
    raw = of_matches(connection, select(wires.c.match_id, wires.c.lines), ids)
    return [_Rows(each, raw[each.row.id], bodies[each.row.id]) for each in stored(connection, ids)]


def _check(folder: Path | None, rows: _Rows) -> _Checked:
    row, found, opening = rows.stored.row, [], ""
    try:
        match = rows.stored.match()
    except BadRecord as error:
        found.append(f"its record cannot be read: {error}")
    else:
        found += _record(row, match)
        if row.state not in GOING_ON:
            opening = opening_of(match)
    found += [*_events(rows), *_files(folder, row), *_analyses(rows)]
    return _Checked(row.id, found, opening)


def _database(archive: Archive) -> Iterator[Finding]:
    with archive.reading() as connection:
        if connection.dialect.name == "sqlite":
            for pragma in ("integrity_check", "foreign_key_check"):
                for found in connection.execute(text(f"PRAGMA {pragma}")):
                    words = " ".join(map(str, found))
                    if words != "ok":
                        yield Finding(0, f"{pragma}: {words}")
        alone = connection.execute(select(names.c.name, names.c.player)).all()
    players = {row.player for row in alone}
    for player in sorted(players - {row.name for row in alone}):
        yield Finding(0, f"the player {player} has aliases, but not that name")


def _record(row: Any, match: Match) -> Iterator[str]:
    wanted = outline_of(match)
    for name in _COMPARED:
        if getattr(row, name) != wanted[name] and not (name == "winner" and not match.finished):
            yield f"{name} is {getattr(row, name)}, but its record says {wanted[name]}"
    over = row.state in (MatchStatus.OVER.value, MatchStatus.IMPORTED.value)
    if row.digest is not None and over and row.digest != digest_of(match):
        yield "its fingerprint is not that of its record"
    if row.state == MatchStatus.OVER.value and not match.finished:
        yield "it is over, but its games do not reach its length"


def _events(rows: _Rows) -> Iterator[str]:
    row = rows.stored.row
    if row.state == MatchStatus.IMPORTED.value:
        return
    numbers = [each.number for each in rows.stored.told]
    count, first, last = len(numbers), min(numbers, default=0), max(numbers, default=0)
    if count != row.noted:
        yield f"{counted(row.noted, 'event')} noted, {count} there"
    elif count and last - first + 1 != count:
        yield f"events {first} to {last} are numbered, {count} are there"
    yield from map(str, rows.stored.bad_events())
    try:
        size = sum(len(zlib.decompress(bytes(each.lines))) for each in rows.wires)
    except zlib.error:
        yield "its raw log cannot be unpacked"
    else:
        if size != row.raw_bytes:
            yield f"its raw log has {counted(size, 'byte')}, not {row.raw_bytes}"


def _files(folder: Path | None, row: Any) -> Iterator[str]:
    if row.stem is None or folder is None or row.state != MatchStatus.OVER.value:
        return
    if row.filed != row.noted:
        yield "its files are older than what happened in it"
    if folder.is_dir() and not any(
        (folder / f"{row.stem}{each.suffixes[0]}").exists() for each in FORMATS.values()
    ):
        yield f"no file {row.stem} is in {folder}"


def _analyses(rows: _Rows) -> Iterator[str]:
    for each in rows.analyses:
        settings = each.settings
        try:
            whole, short = json.loads(zlib.decompress(each.body)), json.loads(each.summary)
            same = whole["statistics"] == short["statistics"]
        except (zlib.error, ValueError, KeyError, TypeError):
            yield f"its analysis {settings} cannot be read"
        else:
            if not same:
                yield f"its analysis {settings} and the summary differ"
