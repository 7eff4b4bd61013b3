"""The archive: a database of matches, and a folder of their files.

Our own matches are kept as events, which bot.archive.live writes while they are played, and their
records are built from these at any time. An imported match is kept as its record. Listing needs
neither, so functions that read records import them themselves.
"""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    bindparam,
    delete,
    func,
    select,
    text,
    update,
)
from sqlalchemy.dialects import sqlite

from sixprime.bot.archive.database import ArchiveError, is_away, open_database, reason_of
from sixprime.bot.archive.tables import (
    IS_MISFIT,
    MISFITS,
    events,
    matches,
    notes,
    strays,
    wires,
    words,
)
from sixprime.bot.settings.passwords import find_database_password
from sixprime.engine.system.errors import ConfigError
from sixprime.engine.system.faults import Surviving
from sixprime.engine.system.wholefiles import clear_parts

if TYPE_CHECKING:
    from sixprime.bot.archive.matchfiles import WrittenFiles
    from sixprime.bot.matchlog.events import Event, Who
    from sixprime.bot.settings.archiveplace import ArchivePlace
    from sixprime.bot.settings.schema import ArchiveSettings
    from sixprime.protocols.formats.record import BadRecord, Match

# Only a text without parameters is sure to match the condition of its index.
_MISFITS = text(
    str(
        select(matches.c.id, *MISFITS.values())
        .where(IS_MISFIT)
        .compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    )
)
LAST_EVENTS = 1_000  # read first
SOME = 50  # matches per transaction
_IDS = 1 << 63  # above every id


class MatchStatus(Enum):
    """The state of a match in the archive."""

    PLAYING = "playing"
    SAVED = "saved"
    OVER = "over"
    ABANDONED = "abandoned"  # the same two players began another match
    IMPORTED = "imported"


GOING_ON = (MatchStatus.PLAYING.value, MatchStatus.SAVED.value)  # states of matches that may go on


class Archive:
    """A database of matches, and the folder of their files; raises ArchiveError."""

    _reads = True  # a database that cannot be written is useful, too

    def __init__(self, settings: ArchiveSettings | ArchivePlace) -> None:
        self.settings = settings
        self._open()

    def _open(self) -> None:
        assert self.settings.database is not None
        try:
            secret = find_database_password(self.settings)
        except ConfigError as error:
            raise ArchiveError(str(error)) from error
        password = secret.text if secret else None
        self.remarks: list[str] = []  # on rows of an older archive that were mended
        self._engine = open_database(
            self.settings.database, password, reads=self._reads, remark=self.remarks.append
        )
        self._writer = self._engine.execution_options(writes=True)
        self._unreadable: dict[int, str] | None = None  # as of the last check

    def close(self) -> None:
        self._engine.dispose()

    def keep_pages(self, mib: int) -> None:
        """Let SQLite keep so much of its file in memory; figures are read in any order."""
        with self.reading() as connection:
            if connection.dialect.name == "sqlite":
                connection.exec_driver_sql(f"PRAGMA cache_size = {-1024 * mib}")

    def reading(self) -> AbstractContextManager[Connection]:
        return self._engine.begin()

    def writing(self) -> AbstractContextManager[Connection]:
        """Begin a transaction that is durable when it ends."""
        return self._writer.begin()

    def connect(self) -> Connection:
        """Return a connection for more than one statement."""
        return self._engine.connect()

    # --- matches

    def row(self, match_id: int) -> Row[Any]:
        """Return the row of a match; ArchiveError if there is none."""
        row = None
        if match_id < _IDS:
            with self.reading() as connection:
                row = connection.execute(select(matches).where(matches.c.id == match_id)).first()
        if row is None:
            raise ArchiveError(f"no match {match_id}")
        return row

    def rows(self, *where: ColumnElement[bool]) -> list[Row[Any]]:
        """Return the matches of these conditions, oldest first, without records.

        Matches that `unreadable` names are left out.
        """
        shown = [column for column in matches.c if column.name != "record"]
        asked = select(*shown).where(*self.is_readable(), *where)
        asked = asked.order_by(matches.c.started, matches.c.id)
        with self.reading() as connection:
            return list(connection.execute(asked))

    def is_readable(self) -> Iterator[ColumnElement[bool]]:
        """Yield the condition that `unreadable` did not name a match."""
        wrong = self.unreadable() if self._unreadable is None else self._unreadable
        if wrong:
            yield matches.c.id.not_in(wrong)

    def unreadable(self) -> dict[int, str]:
        """Return the columns that hold a value of the wrong type, by match."""
        self._unreadable = dict(self._misfits())
        return self._unreadable

    def _misfits(self) -> Iterator[tuple[int, str]]:
        if self._engine.dialect.name != "sqlite":
            return
        with self.reading() as connection:
            rows = list(connection.execute(_MISFITS))
        for row in rows:
            yield row[0], list(MISFITS)[row[1:].index(True)]

    def stems(self) -> dict[int, str]:
        """Return the stem of each match's file names, by match id; every suffix uses the same one.

        Matches with files keep their stem; of the others, the first gets the plain name. Stems
        differ by more than case, which some file systems ignore.
        """
        columns = [matches.c[name] for name in ("id", "stem", *_OUTLINE)]
        asked = select(*columns).where(*self.is_readable()).order_by(matches.c.id)
        has_stem = func.coalesce(matches.c.stem, "") != ""
        with self.reading() as connection:
            named = select(matches.c.id, matches.c.stem).where(*self.is_readable(), has_stem)
            found = {row.id: row.stem for row in connection.execute(named)}
            taken = {stem.lower() for stem in found.values()}
            for row in connection.execute(asked.where(~has_stem).execution_options(yield_per=SOME)):
                stem = file_stem(self.settings.file_name, row.id, _outline(row))
                found[row.id] = f"{stem}_{row.id}" if stem.lower() in taken else stem
                taken.add(found[row.id].lower())
        return found

    def match(self, match_id: int) -> Match:
        """Return a match with people's words and the collector's note."""
        row, told = self.row(match_id), self.events(match_id)
        return match_of(row, told, self.note_of(match_id), self.words_of(match_id))

    def record(self, match_id: int) -> Match:
        """Return a match without the collector's note."""
        row, told = self.row(match_id), self.events(match_id)
        return match_of(row, told, said=self.words_of(match_id))

    def note_of(self, match_id: int) -> str:
        """Return the collector's note on the match."""
        return self._text(select(notes.c.text).where(notes.c.match_id == match_id))

    def words_of(self, match_id: int) -> str:
        """Return the JSON of people's words on a match that was played here."""
        return self._text(select(words.c.body).where(words.c.match_id == match_id))

    def _text(self, asked: Select[tuple[str]]) -> str:
        with self.reading() as connection:
            return str(connection.execute(asked).scalar() or "")

    def events(self, match_id: int) -> Iterator[Event | BadRecord]:
        """Yield the events of a match in order; an unreadable one is a BadRecord."""
        row = self.row(match_id)
        asked = select(events).where(events.c.match_id == match_id).order_by(events.c.number)
        with self.reading() as connection:
            found = list(connection.execute(asked))
        yield from events_of(row, found)

    def conversation(self, match_id: int) -> str:
        """Return the raw lines sent and received in this match."""
        with self.reading() as connection:
            return conversation_in(connection, match_id).decode(errors="replace")

    def forget_raw(self, server: str, account: str, before: dt.datetime) -> int:
        """Delete the raw logs of some matches without events since then.

        Return the number of these matches; 0 when none are left.
        """
        newest = select(func.max(events.c.at)).where(events.c.match_id == matches.c.id)
        old = select(matches.c.id).where(
            matches.c.server == server,
            matches.c.account == account,
            matches.c.raw_bytes > 0,
            func.coalesce(newest.scalar_subquery(), matches.c.started) < before,
        )
        with self.writing() as connection:
            connection.execute(delete(strays).where(strays.c.at < before))
            found = list(connection.execute(old.order_by(matches.c.id).limit(SOME)).scalars())
            connection.execute(delete(wires).where(wires.c.match_id.in_(found)))
            connection.execute(update(matches).where(matches.c.id.in_(found)).values(raw_bytes=0))
        return len(found)

    # --- files

    def write_files(self, match_id: int) -> WrittenFiles | None:
        """Write the files of a match as it is now; return None if there is nothing to write."""
        from sixprime.bot.archive.fingerprint import digest_of
        from sixprime.bot.archive.matchfiles import write_match

        row = self.row(match_id)
        match = self.match(match_id)
        written = None
        if self.settings.folder is not None and match.games:
            stem = row.stem or self._give_stem(row, match)
            whole = replace(match, comment=_remarks(row, match))
            written = write_match(whole, self.settings.folder, stem, self.settings.formats)
            for name, why in written.left_out.items():
                _log().warning("no match file", match=match_id, format=name, why=why)
        digest = digest_of(match) if match.finished else None
        with self.writing() as connection:
            connection.execute(
                update(matches)
                .where(matches.c.id == match_id)
                .values(filed=row.noted, digest=digest)
            )
        return written

    def _give_stem(self, row: Row[Any], match: Match) -> str:
        """Give the match a stem that no other match has."""
        stem = file_stem(self.settings.file_name, row.id, match)
        with self.writing() as connection:
            same = func.lower(matches.c.stem) == stem.lower()
            taken = connection.execute(select(matches.c.id).where(same)).first()
            if taken is not None:
                stem = f"{stem}_{row.id}"
            connection.execute(update(matches).where(matches.c.id == row.id).values(stem=stem))
        return stem

    def catch_up(self, server: str, account: str) -> None:
        """Write the files that are missing because of a crash."""
        asked = select(matches.c.id).where(
            matches.c.server == server,
            matches.c.account == account,
            matches.c.noted != matches.c.filed,
        )
        with self.reading() as connection:
            missing = list(connection.execute(asked).scalars())
        for match_id in missing:
            with Surviving(partial(_report_unwritten, match_id)):  # new ones can be played
                written = self.write_files(match_id)
                if written is not None and self.settings.folder is not None:
                    clear_parts(self.settings.folder, self.row(match_id).stem)


def _log() -> Any:
    import structlog

    return structlog.get_logger("archive")


def file_stem(pattern: str, match_id: int, match: Match) -> str:
    """Return the name of a match's files, without suffix."""
    from sixprime.bot.archive.matchfiles import stem_of

    started, day = match.started, match.day
    return stem_of(
        pattern,
        date=f"{day:%Y-%m-%d}" if day else "undated",
        time=f"{started:%H%M%S}" if started else "000000",
        player=match.players[0].name,
        opponent=match.players[1].name,
        length=match.length or "unlimited",
        server=match.place or "unknown",
        id=match_id,
    )


_OUTLINE = ("server", "account", "opponent", "length", "started")


def _outline(row: Row[Any]) -> Match:
    """Return as much of a match as its row shows: enough for a file name, and fast."""
    from sixprime.protocols.formats.record import Match, Player

    players, start = (Player(row.account), Player(row.opponent)), began(row.started)
    if isinstance(start, dt.datetime):
        return Match(players, row.length, started=start, place=row.server)
    return Match(players, row.length, date=start, place=row.server)


def _remarks(row: Row[Any], match: Match) -> str:
    words = [match.comment] if match.comment else []
    if not match.finished:
        words.append(f"unfinished: {row.state}")
    return "\n".join(words)


def began(started: dt.datetime | None) -> dt.datetime | dt.date | None:
    """Return when a match began; its row says midnight if only the day is known."""
    if started is None or started.time() != dt.time():
        return started
    return started.date()


def who_of(row: Row[Any]) -> Who:
    from sixprime.bot.matchlog.events import Who

    return Who(row.server, row.account, row.opponent)


def match_of(row: Any, told: Iterable[Event | BadRecord], note: str = "", said: str = "") -> Match:
    """Return the record of a match from its row, or else from its events; BadRecord.

    `said` is the JSON of people's words on a match that was played here.
    """
    if row.record is not None:
        from sixprime.protocols.formats.recordjson import from_json

        match = from_json(row.record)
    else:
        from sixprime.bot.archive.matchrecord import record_of

        match = record_of(who_of(row), told)
        if said:
            from sixprime.bot.matchlog.words import commentary_from_json, with_commentary

            match = with_commentary(match, commentary_from_json(said))
    if not note or f"\n{note}\n" in f"\n{match.comment}\n":
        return match
    return replace(match, comment="\n".join(filter(None, (match.comment, note))))


def events_of(row: Any, told: Iterable[Any]) -> Iterator[Event | BadRecord]:
    """Yield the events in rows of a match; an unreadable one is a BadRecord."""
    from sixprime.bot.matchlog.eventjson import event_of
    from sixprime.protocols.formats.record import BadRecord

    for each in told:
        try:
            yield event_of(each.kind, who_of(row), each.at, each.body)
        except BadRecord as error:
            yield error


def conversation_in(connection: Connection, match_id: int) -> bytes:
    """Return the raw lines of a match, unpacked."""
    asked = select(wires.c.lines).where(wires.c.match_id == match_id).order_by(wires.c.id)
    return b"".join(zlib.decompress(each) for each in connection.execute(asked).scalars())


_LATEST = (
    select(matches)
    .where(
        matches.c.server == bindparam("server"),
        matches.c.account == bindparam("account"),
        matches.c.opponent == bindparam("opponent"),
        matches.c.state != MatchStatus.IMPORTED.value,
        matches.c.id < bindparam("before"),
    )
    .order_by(matches.c.id.desc())
    .limit(1)
)
_ALL = 2**31 - 1  # above every match number


def last_active(connection: Connection, server: str, account: str) -> Row[Any] | None:
    """Return the account's match with the newest event."""
    own = select(matches).where(matches.c.server == server, matches.c.account == account)
    if connection.execute(own.limit(1)).first() is None:
        return None
    end = connection.execute(select(func.max(events.c.id))).scalar() or 0
    span = LAST_EVENTS
    while end > 0:
        lately = select(events.c.match_id).where(events.c.id > end - span, events.c.id <= end)
        found = {row.id: row for row in connection.execute(own.where(matches.c.id.in_(lately)))}
        if found:
            newest = lately.where(events.c.match_id.in_(found)).order_by(events.c.id.desc())
            return found[connection.execute(newest.limit(1)).scalar()]
        end, span = end - span, 10 * span
    return None


def latest(connection: Connection, who: Who, before: int = _ALL) -> Row[Any] | None:
    """Return the last match of these players, or the last one before that number."""
    return connection.execute(_LATEST, {**asdict(who), "before": before}).first()


def is_noted(connection: Connection, event: Event, number: int | None = None) -> bool:
    """Return whether the event is recorded in a match of these players, under this number."""
    from sixprime.bot.matchlog.eventjson import body_of, kind_of

    theirs = select(matches.c.id).where(
        *(matches.c[name] == value for name, value in asdict(event.who).items())
    )
    asked = select(events.c.id).where(
        events.c.match_id.in_(theirs),
        events.c.number == (events.c.number if number is None else number),
        events.c.at == event.at,
        events.c.kind == kind_of(event),
        events.c.body == body_of(event),
    )
    return connection.execute(asked).first() is not None


def _report_unwritten(match_id: int, error: Exception) -> None:
    log = _log()
    if isinstance(error, OSError) or is_away(error):
        log.error("match files failed", match=match_id, why=reason_of(error))
    else:
        log.error("match files failed", match=match_id, exc_info=error)
