"""Inconsistencies of an archive."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import func, select, text

from sixprime.bot.archive.archive import Archive, MatchStatus
from sixprime.bot.archive.collection.changing import duplicates
from sixprime.bot.archive.collection.importing import values_of
from sixprime.bot.archive.fingerprint import digest_of
from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.archive.tables import analyses, events, names, wires
from sixprime.bot.process.printable import counted
from sixprime.protocols.formats.record import BadRecord

Progress = Callable[[int, int], None]
_COMPARED = ("account", "opponent", "length", "our_score", "their_score", "winner")


class Finding(NamedTuple):
    """One inconsistency; match 0 is the archive as a whole."""

    match: int
    what: str


def findings(archive: Archive, progress: Progress = lambda done, total: None) -> Iterator[Finding]:
    """Yield every inconsistency, match by match."""
    yield from _database(archive)
    rows = archive.rows()
    for done, row in enumerate(rows, start=1):
        for what in (*_record(archive, row), *_events(archive, row), *_files(archive, row)):
            yield Finding(row.id, what)
        yield from _analyses(archive, row.id)
        progress(done, len(rows))
    for first, *others in duplicates(archive):
        words = ", ".join(map(str, others))
        yield Finding(first, f"is the same match as {words} (`archive merge`)")


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


def _record(archive: Archive, row: Any) -> Iterator[str]:
    try:
        match = archive.match(row.id)
    except BadRecord as error:
        yield f"its record cannot be read: {error}"
        return
    wanted = values_of(match)
    for name in _COMPARED:
        if getattr(row, name) != wanted[name] and not (name == "winner" and not match.finished):
            yield f"{name} is {getattr(row, name)}, but its record says {wanted[name]}"
    over = row.state in (MatchStatus.OVER.value, MatchStatus.IMPORTED.value)
    if row.digest is not None and over and row.digest != digest_of(match):
        yield "its fingerprint is not that of its record"
    if row.state == MatchStatus.OVER.value and not match.finished:
        yield "it is over, but its games do not reach its length"


def _events(archive: Archive, row: Any) -> Iterator[str]:
    with archive.reading() as connection:
        asked = select(func.count(), func.max(events.c.number), func.min(events.c.number))
        count, last, first = connection.execute(asked.where(events.c.match_id == row.id)).one()
        packed = select(wires.c.lines).where(wires.c.match_id == row.id)
        raw = [bytes(each) for each in connection.execute(packed).scalars()]
    if row.state == MatchStatus.IMPORTED.value:
        return
    if count != row.noted:
        yield f"{counted(row.noted, 'event')} noted, {count} there"
    elif count and last - first + 1 != count:
        yield f"events {first} to {last} are numbered, {count} are there"
    for each in archive.events(row.id):
        if isinstance(each, BadRecord):
            yield str(each)
    try:
        size = sum(len(zlib.decompress(each)) for each in raw)
    except zlib.error:
        yield "its raw log cannot be unpacked"
    else:
        if size != row.raw_bytes:
            yield f"its raw log has {counted(size, 'byte')}, not {row.raw_bytes}"


def _files(archive: Archive, row: Any) -> Iterator[str]:
    folder = archive.settings.folder
    if row.stem is None or folder is None or row.state != MatchStatus.OVER.value:
        return
    if row.filed != row.noted:
        yield "its files are older than what happened in it"
    if folder.is_dir() and not any(
        (folder / f"{row.stem}{each.suffixes[0]}").exists() for each in FORMATS.values()
    ):
        yield f"no file {row.stem} is in {folder}"


def _analyses(archive: Archive, match_id: int) -> Iterator[Finding]:
    asked = select(analyses.c.settings, analyses.c.body, analyses.c.summary)
    with archive.reading() as connection:
        found = list(connection.execute(asked.where(analyses.c.match_id == match_id)))
    for settings, body, summary in found:
        try:
            whole, short = json.loads(zlib.decompress(body)), json.loads(summary)
            same = whole["statistics"] == short["statistics"]
        except (zlib.error, ValueError, KeyError, TypeError):
            yield Finding(match_id, f"its analysis {settings} cannot be read")
        else:
            if not same:
                yield Finding(match_id, f"its analysis {settings} and the summary differ")
