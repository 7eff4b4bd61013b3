"""Imports match files and folders, completes matches that the archive has, reports broken files.

All matches of a file go in together or none of them, so an interrupted import can simply be run
again: a file with the same bytes as before is not even parsed.
"""

from __future__ import annotations

import datetime as dt
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, exists, insert, select, update

from sixprime.bot.archive.archive import Archive, MatchStatus
from sixprime.bot.archive.fingerprint import (
    OPENING,
    Story,
    digest_of,
    openings_of,
    plain_name,
    plain_players,
    story_of,
)
from sixprime.bot.archive.pooling import pooled
from sixprime.bot.archive.tables import WIDEST, matches, names, openings, sources, words
from sixprime.bot.matchlog.words import (
    Commentary,
    commentary_in,
    commentary_to_json,
    with_commentary,
)
from sixprime.bot.process.footprint import uncollected
from sixprime.bot.process.workers import Pool, cores
from sixprime.engine.system.wholefiles import read_whole
from sixprime.protocols import packed, readers
from sixprime.protocols.formats.reading import HEAD, MOST, Remark, count, counted_file
from sixprime.protocols.formats.record import BadMatchFile, BadRecord, Match, Player
from sixprime.protocols.formats.recordjson import from_json, to_json

MANY = 100  # files; for fewer, other processes cost more than they save
AHEAD = 8  # most files queued for each process
GROUP, GROUP_S = 100, 0.5  # most files stored together, and seconds of reading


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that could not be read, and the reason; line 0 means no particular line."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{where}: {self.reason}"


@dataclass(slots=True)
class Imported:
    files: int = 0
    added: list[int] = field(default_factory=list)  # ids of matches
    skipped: int = 0  # matches that were there already
    broken: list[Broken] = field(default_factory=list)
    known: list[Path] = field(default_factory=list)  # files imported before, byte for byte
    remarks: dict[Path, Sequence[Remark]] = field(default_factory=dict)  # of every file read


def files_under(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the given files and every match file below the given folders, each once."""
    seen: set[Path] = set()
    for path in paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        for each in found:
            if each in seen or (each is not path and not is_match_file(each)):
                continue
            seen.add(each)
            yield each


def is_match_file(path: Path) -> bool:
    """Return whether a file in a folder is worth reading, or reporting."""
    if path.name.startswith(".") or not path.is_file():
        return False
    if path.suffix.lower() not in readers.TEXTS:
        return readers.promises(path.suffix)
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError:
        return True  # to be reported
    return readers.looks_known(head)


def import_files(
    archive: Archive,
    paths: Iterable[Path],
    progress: Callable[[int, int], None] = lambda done, total: None,
    imported: Imported | None = None,
    *,
    strict: bool = False,
    processes: int = 1,
) -> Imported:
    """Import the files; fill `imported`, if given, as it goes, for progress and interruptions.

    `strict` refuses files with remarks. Many files are read by this many processes.
    """
    imported = Imported() if imported is None else imported
    files = list(files_under(paths))
    total = sum(map(_count, files))
    many = processes > 1 and total >= MANY
    known = _Known(archive)
    with cores(processes) if many else nullcontext() as pool:
        for group in _together(_read_files(archive, files, pool, strict=strict)):
            with archive.writing() as connection:
                kept = [(file, _keep(connection, file, known)) for file in group]
            for file, keys in kept:
                _note(imported, file, keys)
                progress(imported.files, total)
    return imported


def _count(path: Path) -> int:
    """Count the files to read, which are many in a packed one."""
    if path.suffix.lower() not in readers.PACKED:
        return 1
    with suppress(OSError):
        data = read_whole(path, MOST["bytes"])
        if packed.is_packed(data):
            return sum(1 for _ in packed.members("", data))
    return 1


NewRow = tuple[list[str], dict[str, Any]]  # a match to import: its openings, its columns


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The rows of a file's matches, or its fault."""

    path: Path
    digest: str = ""
    rows: tuple[NewRow, ...] = ()
    remarks: Sequence[Remark] = ()
    broken: Broken | None = None
    known: int | None = None  # number of its matches, if it was imported before


def read_file(path: Path, digest: str, data: bytes, *, strict: bool) -> ReadFile:
    try:
        with uncollected(), counted_file():
            reading = readers.read_match_file(path.name, data)
            found = reading.strictly() if strict else reading.matches
            rows = tuple(map(_row_of, found))
    except BadMatchFile as error:
        return ReadFile(path, broken=Broken(path, error.line, error.reason))
    except BadRecord as error:
        return ReadFile(path, broken=Broken(path, 0, str(error)))
    return ReadFile(path, digest, rows, reading.remarks)


def _read_files(
    archive: Archive, files: Iterable[Path], pool: Pool | None, *, strict: bool
) -> Iterator[ReadFile]:
    """Yield the files, read, in their order."""
    ahead: deque[Callable[[], ReadFile]] = deque()
    for path, data, fault in _contents(files):
        if fault:
            ahead.append(partial(ReadFile, path, broken=Broken(path, 0, fault)))
        else:
            ahead.append(_reading(archive, path, data, pool, strict=strict))
        if pool is None or len(ahead) > AHEAD * pool.width:
            yield ahead.popleft()()
    while ahead:
        yield ahead.popleft()()


def _contents(files: Iterable[Path]) -> Iterator[tuple[Path, bytes, str]]:
    """Yield files with their bytes, or the reason why they cannot be read; and unpack archives."""
    for path in files:
        try:
            data = read_whole(path, MOST["bytes"])
        except OSError as error:
            yield path, b"", error.strerror or "cannot be read"
            continue
        if packed.is_packed(data):
            for name, inner, fault in packed.members(str(path), data):
                yield Path(name), inner, fault
        else:
            yield path, data, ""


def _reading(
    archive: Archive, path: Path, data: bytes, pool: Pool | None, *, strict: bool
) -> Callable[[], ReadFile]:
    """Begin to read a file; return a function that waits for the result."""
    digest = sha256(data).hexdigest()
    known = matches_of_file(archive, digest)
    if known is not None:
        there = ReadFile(path, digest, known=known)
        return lambda: there
    work = partial(read_file, path, digest, data, strict=strict)
    if pool is None:
        return work
    try:
        future = pool.executor.submit(work)
    except BrokenExecutor:
        return work

    def result() -> ReadFile:
        try:
            return future.result()
        except BrokenExecutor:  # somebody killed the workers
            return work()

    return result


def _together(found: Iterator[ReadFile]) -> Iterator[list[ReadFile]]:
    """Yield groups of files read within half a second: a transaction takes as long as a file."""
    group: list[ReadFile] = []
    since = time.monotonic()
    for file in found:
        group.append(file)
        if len(group) == GROUP or time.monotonic() - since >= GROUP_S:
            yield group
            group, since = [], time.monotonic()
    if group:
        yield group


def _keep(connection: Connection, file: ReadFile, known: _Known) -> list[int | None] | None:
    """Return the new id of each match, None for a known one; None if nothing was new."""
    if file.broken is not None or file.known is not None:
        return None
    asked = select(sources.c.digest).where(sources.c.digest == file.digest)
    if connection.execute(asked).first() is not None:
        return None
    return _add_all(connection, file.digest, file.rows, known)


def _note(imported: Imported, file: ReadFile, keys: list[int | None] | None) -> None:
    imported.files += 1
    if file.broken is not None:
        imported.broken.append(file.broken)
    elif file.known is not None or keys is None:
        imported.skipped += len(file.rows) if file.known is None else file.known
        imported.known.append(file.path)
    else:
        imported.remarks[file.path] = file.remarks
        imported.skipped += keys.count(None)
        imported.added += [key for key in keys if key is not None]


def add_file(archive: Archive, digest: str, found: Sequence[Match]) -> list[int | None]:
    """Import the matches of a file whose bytes have this digest, all or none of them."""
    known = _Known(archive)
    with archive.writing() as connection:
        return _add_all(connection, digest, [_row_of(match) for match in found], known)


def keep_match(archive: Archive, match: Match) -> int | None:
    """Import one match that no file has; return its new id, or None if it is there already."""
    (added,) = add_file(archive, sha256(to_json(match).encode()).hexdigest(), [match])
    return added


def _add_all(
    connection: Connection, digest: str, rows: Sequence[NewRow], known: _Known
) -> list[int | None]:
    added = [_add(connection, row, known) for row in rows]
    connection.execute(delete(sources).where(sources.c.digest == digest))
    connection.execute(insert(sources).values(digest=digest, matches=len(rows)))
    return added


def matches_of_file(archive: Archive, digest: str) -> int | None:
    """Count the matches of a file that was imported before; None if it was not."""
    asked = select(sources.c.matches).where(sources.c.digest == digest)
    with archive.reading() as connection:
        return connection.execute(asked).scalar()


def _add(connection: Connection, row: NewRow, known: _Known) -> int | None:
    firsts, values = row
    for match_id, is_ours, there in known.alike(connection, firsts, values):
        match = from_json(values["record"])
        told, archived = known.story(match), known.story(there)
        if is_ours and told.begins(archived):
            said = commentary_in(pooled(there, match)).comments  # it stays as it was played
            keep_words(
                connection, match_id, there, with_commentary(there, Commentary(comments=said))
            )
            return None
        if is_ours or not (told.begins(archived) or archived.begins(told)):
            continue  # a bot's match stays as it was played, and the file's is added
        both = pooled(there, match)
        if both != there:
            change = update(matches).where(matches.c.id == match_id)
            connection.execute(change.values(**values_of(both)))
            _note_opening(connection, match_id, openings_of(both))
        return None
    key = connection.execute(insert(matches).values(**values)).inserted_primary_key
    assert key is not None
    _note_opening(connection, int(key[0]), firsts)
    return int(key[0])


def keep_words(connection: Connection, match_id: int, was: Match, now: Match) -> None:
    """Store the words of people on a match that was played here, if they are new."""
    said = commentary_in(now)
    if said != commentary_in(was):
        connection.execute(delete(words).where(words.c.match_id == match_id))
        connection.execute(insert(words).values(match_id=match_id, body=commentary_to_json(said)))


def _note_opening(connection: Connection, match_id: int, firsts: Sequence[str]) -> None:
    connection.execute(delete(openings).where(openings.c.match_id == match_id))
    opening = firsts[-1] if firsts else ""
    connection.execute(insert(openings).values(match_id=match_id, digest=opening))


class _Known:
    """The matches of an archive, found by their openings."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        with archive.reading() as connection:
            rows = connection.execute(select(names.c.name, names.c.player)).all()
        self._aliases = {plain_name(row.name): plain_name(row.player) for row in rows}
        self._unfinished: list[int] = []  # matches that grow, so their opening is not noted
        self._note_others()

    def _note_others(self) -> None:
        """Note the openings of matches that were not imported."""
        noted = exists().where(openings.c.match_id == matches.c.id)
        found: dict[int, list[str]] = {}
        for row in self._archive.rows(~noted):
            if row.state in (MatchStatus.OVER.value, MatchStatus.IMPORTED.value):
                with suppress(BadRecord):  # `archive check` reports it
                    found[row.id] = openings_of(self._archive.match(row.id))
            else:
                self._unfinished.append(row.id)
        if found:
            with self._archive.writing() as connection:
                for match_id, firsts in found.items():
                    _note_opening(connection, match_id, firsts)

    def story(self, match: Match) -> Story:
        """Return the story of the match, under the players' own names."""
        return story_of(match, self._aliases)

    def alike(
        self, connection: Connection, firsts: Sequence[str], values: Mapping[str, Any]
    ) -> Iterator[tuple[int, bool, Match]]:
        """Yield the matches of these players that may begin like this one; True: a bot's."""
        named = select(matches.c.id, matches.c.account, matches.c.opponent)
        named = named.where(matches.c.length == values["length"]).order_by(matches.c.id)
        if len(firsts) == OPENING:
            is_alike = matches.c.id == openings.c.match_id
            asked = [named.where(is_alike, openings.c.digest.in_(firsts))]
            if self._unfinished:
                asked.append(named.where(matches.c.id.in_(self._unfinished)))
        else:
            asked = [named]  # longer matches have another opening
        players = self._players(values["account"], values["opponent"])
        for each in asked:
            for row in connection.execute(each).all():
                if self._players(row.account, row.opponent) == players:
                    record = select(matches.c.record).where(matches.c.id == row.id)
                    text = connection.execute(record).scalar()
                    with suppress(BadRecord):  # `archive check` reports it
                        there = self._archive.match(row.id) if text is None else from_json(text)
                        yield row.id, text is None, there

    def _players(self, first: str, second: str) -> list[str]:
        return sorted(self._aliases.get(name, name) for name in plain_players(first, second))


def _row_of(match: Match) -> NewRow:
    values = values_of(match)
    count("bytes of record", len(values["record"]))
    return openings_of(match), values


def values_of(match: Match) -> dict[str, Any]:
    """Return the columns of an imported match's row."""
    return {**outline_of(match), "digest": digest_of(match), "record": to_json(match)}


def outline_of(match: Match) -> dict[str, Any]:
    """Return the columns of an imported match's row that lists show."""
    day = match.date
    midnight = dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC) if day else None
    values: dict[str, Any] = {
        "server": match.place[:WIDEST],
        "account": match.players[0].name[:WIDEST],
        "opponent": match.players[1].name[:WIDEST],
        "length": match.length,
        "state": MatchStatus.IMPORTED.value,
        "level": match.players[0].level[:WIDEST],
        "started": match.started or midnight,
        "ended": match.ended,
        "our_score": match.score[0],
        "their_score": match.score[1],
        "winner": match.winner,
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
