"""Imports match files and folders; completes what is already archived, reports broken files.

All matches of a file go in together or none of them, so an interrupted import can simply be run
again: a file with the same bytes as before is not even parsed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from sqlalchemy import Connection, delete, insert, select, update

from sixprime.bot.archive.archive import Archive, MatchStatus
from sixprime.bot.archive.fingerprint import digest_of
from sixprime.bot.archive.pooling import pooled
from sixprime.bot.archive.tables import matches, sources
from sixprime.protocols.formats.files import readers
from sixprime.protocols.formats.reading import HEAD, Remark
from sixprime.protocols.formats.record import BadMatchFile, BadRecord, Match, Player
from sixprime.protocols.formats.recordjson import from_json, to_json

TEXTS = (".txt",)  # in folders, taken only if the content is recognised


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that could not be read, and why; line 0 means no particular line."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{where}: {self.reason}"


@dataclass(slots=True)
class Imported:
    """What happened to the files."""

    files: int = 0
    added: list[int] = field(default_factory=list)  # ids of matches
    skipped: int = 0  # matches that were there already
    broken: list[Broken] = field(default_factory=list)
    known: list[Path] = field(default_factory=list)  # files imported before, byte for byte
    remarks: dict[Path, Sequence[Remark]] = field(default_factory=dict)  # of every file read


def files_under(paths: Iterable[Path]) -> Iterator[Path]:
    """The given files and every match file in the given folders, at any depth, each once."""
    seen: set[Path] = set()
    for path in paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        for each in found:
            if each in seen or (each is not path and not _is_match_file(each)):
                continue
            seen.add(each)
            yield each


def _is_match_file(path: Path) -> bool:
    suffix = path.suffix.lower()
    if path.name.startswith(".") or not path.is_file():
        return False
    if suffix not in TEXTS:
        return suffix in readers.SUFFIXES
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError:
        return True  # so that it is reported
    return readers.looks_known(head)


def import_files(
    archive: Archive,
    paths: Iterable[Path],
    progress: Callable[[int, int], None] = lambda done, total: None,
    imported: Imported | None = None,
    *,
    strict: bool = False,
) -> Imported:
    """Imports the files; fills `imported`, if given, as it goes, for progress and interruptions.

    `strict` refuses a file with anything to remark on.
    """
    imported = Imported() if imported is None else imported
    files = list(files_under(paths))
    for done, path in enumerate(files, start=1):
        _import(archive, path, imported, strict=strict)
        imported.files += 1
        progress(done, len(files))
    return imported


def _import(archive: Archive, path: Path, imported: Imported, *, strict: bool) -> None:
    try:
        data = path.read_bytes()
        digest = sha256(data).hexdigest()
        known = matches_of_file(archive, digest)
        if known is not None:
            imported.skipped += known
            imported.known.append(path)
            return
        reading = readers.read(path.name, data)
        keys = add_file(archive, digest, reading.strictly() if strict else reading.matches)
    except BadMatchFile as error:
        imported.broken.append(Broken(path, error.line, error.reason))
    except BadRecord as error:
        imported.broken.append(Broken(path, 0, str(error)))
    except OSError as error:
        imported.broken.append(Broken(path, 0, error.strerror or "cannot be read"))
    else:
        imported.remarks[path] = reading.remarks
        imported.skipped += keys.count(None)
        imported.added += [key for key in keys if key is not None]


def add_file(archive: Archive, digest: str, found: Sequence[Match]) -> list[int | None]:
    """Import the matches of a file whose bytes have this digest, all or none of them."""
    with archive.writing() as connection:
        added = [_add(connection, match) for match in found]
        connection.execute(delete(sources).where(sources.c.digest == digest))
        connection.execute(insert(sources).values(digest=digest, matches=len(found)))
    return added


def matches_of_file(archive: Archive, digest: str) -> int | None:
    """How many matches a file had that was imported before; None if it was not."""
    asked = select(sources.c.matches).where(sources.c.digest == digest)
    with archive.reading() as connection:
        return connection.execute(asked).scalar()


def _add(connection: Connection, match: Match) -> int | None:
    digest = digest_of(match)
    asked = select(matches.c.id, matches.c.record).where(matches.c.digest == digest)
    known = connection.execute(asked).first()
    if known is not None:
        if known.record is not None:
            with suppress(BadRecord):  # of the one that is there: `archive check` tells
                _complete(connection, known.id, from_json(known.record), match)
        return None
    row = connection.execute(insert(matches).values(digest=digest, **values_of(match)))
    key = row.inserted_primary_key
    assert key is not None
    return int(key[0])


def _complete(connection: Connection, match_id: int, known: Match, match: Match) -> None:
    """Add what this record of a match that is there already knows, and it does not."""
    both = pooled(known, match)
    if both != known:
        change = update(matches).where(matches.c.id == match_id)
        connection.execute(change.values(**values_of(both)))


def values_of(match: Match) -> dict[str, object]:
    """The columns of an imported match's row."""
    day = match.date
    midnight = dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC) if day else None
    values: dict[str, object] = {
        "server": match.place,
        "account": match.players[0].name,
        "opponent": match.players[1].name,
        "length": match.length,
        "state": MatchStatus.IMPORTED.value,
        "level": match.players[0].level,
        "started": match.started or midnight,
        "ended": match.ended,
        "our_score": match.score[0],
        "their_score": match.score[1],
        "winner": match.winner,
        "record": to_json(match),
    }
    for whose, player in zip(("our", "their"), match.players, strict=True):
        values |= _standings(whose, player)
    return values


def _standings(whose: str, player: Player) -> dict[str, object]:
    return {
        f"{whose}_{what}_{when}": getattr(player, f"{what}_{when}")
        for what in ("rating", "experience")
        for when in ("before", "after")
    }
