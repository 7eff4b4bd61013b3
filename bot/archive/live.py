"""Writes to the archive while matches are played.

Events of several bots are written in one transaction; bot.archive.waiting keeps their order, and
keeps them while the database is away or hangs. If SQLite's file was removed or replaced,
the matches in progress are written to the new one from their beginning. An interrupted match is
found again by server and players, so it stays one match.
"""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import structlog
from sqlalchemy import Connection, Row, bindparam, delete, insert, update
from sqlalchemy.exc import SQLAlchemyError

from sixprime.bot.archive.archive import (
    GOING_ON,
    MatchStatus,
    conversation_in,
    is_noted,
    latest,
)
from sixprime.bot.archive.database import (
    ArchiveAway,
    ArchiveError,
    file_of,
    is_away,
    reason_of,
    standing,
)
from sixprime.bot.archive.earlier import EarlierMatches
from sixprime.bot.archive.sparefile import SpareFile
from sixprime.bot.archive.tables import events, matches, strays, wires
from sixprime.bot.archive.waiting import MOST_WAITING, Noted, WaitingEvents
from sixprime.bot.matchlog.eventjson import body_of, kind_of
from sixprime.bot.matchlog.events import (
    Event,
    Evidence,
    GameOver,
    GameRecovered,
    GameStarted,
    MatchOver,
    MatchSaved,
    MatchStarted,
    Rated,
    Who,
    Wire,
)
from sixprime.bot.settings.schema import ArchiveSettings, Profile
from sixprime.engine.system.faults import fault_of
from sixprime.engine.system.wholefiles import safe_part
from sixprime.protocols.formats.record import Match

log = structlog.get_logger("archive")

NONE = -1  # below every number of an event
LINES_AT_ONCE = 2_000  # of the raw log; so many are written without waiting for an event
_CUT = "# the rest of the conversation is not kept"


def archive_of(profile: Profile) -> LiveArchive | None:
    """Open a profile's archive and write match files that a crash prevented; ArchiveError."""
    if profile.archive.database is None:
        return None
    archive = LiveArchive(profile.archive)
    archive.restore_spare(profile.server.host, profile.account.user)
    archive.catch_up(profile.server.host, profile.account.user)
    return archive


class LiveArchive(EarlierMatches):
    """An archive that records the matches of bots as they are played."""

    settings: ArchiveSettings
    _reads = False

    def __init__(self, settings: ArchiveSettings) -> None:
        super().__init__(settings)
        self._file = file_of(settings.database)
        self._left = standing(self._file)  # the file's state after our last write
        self._failed = self._unsure = False  # unsure: the event may be written nevertheless
        self._current: dict[Who, _Written] = {}  # the matches in progress
        self._unfiled: list[Who] = []
        self._behind = False  # files of an earlier match are missing
        self.waiting = WaitingEvents(SpareFile())
        self._lines: dict[Who, list[str]] = {}

    def close(self) -> None:
        """Write the waiting events, if the database takes them by now."""
        fault_of(self.write_waiting)
        super().close()
        self.waiting.file.close()

    # --- the database comes and goes

    def restore_spare(self, server: str, account: str) -> None:
        """Write the events that an earlier run could not write."""
        base = self._file
        if base is None and self.settings.folder is not None:
            base = self.settings.folder / "archive"
        folder = self.settings.waiting_folder or (None if base is None else base.parent)
        if folder is None:
            return
        stem = "archive" if base is None else base.name
        name = f"{stem}.{safe_part(f'{account}@{server}')}.waiting"
        self.waiting = WaitingEvents(SpareFile(folder / name))
        held = self.waiting.file.restore()
        with self.reading() as connection:
            late = [event for event in held if not is_noted(connection, event)]
        if held:
            log.warning("events of an earlier run are written now", events=len(late))
        noted = [self.waiting.put(event) for event in late]
        fault_of(self.write_waiting)
        fault = next((each for one in noted if (each := one.done.exception())), None)
        if fault is not None:  # they keep waiting, or can never be written
            odd = None if isinstance(fault, ArchiveAway) else fault
            log.error("events of an earlier run failed", why=str(fault), exc_info=odd)
        if not self.is_waiting:
            self.waiting.file.clear()

    def reading(self) -> AbstractContextManager[Connection]:
        self.reopen_if_changed()
        return super().reading()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Begin a transaction that is durable when it ends."""
        self.reopen_if_changed()
        with super().writing() as connection:
            yield connection
        self._left = standing(self._file)

    def reopen_if_changed(self) -> None:
        """Open SQLite's file again if somebody else changed it, or it failed; ArchiveAway."""
        now = standing(self._file)
        if self._file is None or (now == self._left and not self._failed):
            return
        old, left = self._engine, self._left
        try:
            self._open()
        except ArchiveError as error:
            self._failed = True
            raise ArchiveAway(str(error)) from error
        old.dispose()  # last: a database that nobody has open is tidied up, as it was
        self._failed, self._left = False, standing(self._file)
        if now is None or (left is not None and now[:2] != left[:2]):
            log.error("the archive's file was removed or replaced", file=str(self._file))
            self._requeue_missing()

    def _requeue_missing(self) -> None:
        """Queue the events of matches in progress that this archive lacks, before all others."""
        again: list[Event] = []
        with self._engine.begin() as connection:
            for who, written in self._current.items():
                row = latest(connection, who)
                known = row.noted if row is not None and row.started == written.started else 0
                again += [each for number, each in written.events.items() if number > known]
        self.waiting.put_first(again)

    # --- events

    def note(self, event: Event) -> None:
        """Record an event; it is durable when this returns. ArchiveError."""
        if isinstance(event, Wire):
            write_together([(self, event)])
            return
        noted = self.waiting.put(event)
        write_together([(self, noted)])
        if (fault := noted.done.exception()) is not None:
            raise fault

    def write_waiting(self) -> None:
        """Write all waiting events; ArchiveAway."""
        last = self.waiting.last
        if last is not None and (fault := write_together([(self, last)])) is not None:
            raise fault

    def needs_writing(self, share: Share) -> bool:
        """Return whether there is an event, or too many lines of the raw log to wait for one."""
        if share.last != NONE:
            return True
        for line in share.queue:
            assert isinstance(line, Wire)
            self._add_line(line)
        share.queue.clear()
        return any(len(lines) >= LINES_AT_ONCE for lines in self._lines.values())

    def _add_line(self, event: Wire) -> None:
        self._lines.setdefault(event.who, []).append(f"{event.way.value} {event.line}")

    def write_share(self, connection: Connection, share: Share) -> None:
        """Write this archive's part of a transaction."""
        for item in share.queue:
            if isinstance(item, Wire):
                self._add_line(item)
            else:
                self._write_up_to(item.number, connection, share)
        for who in [who for who, lines in self._lines.items() if len(lines) >= LINES_AT_ONCE]:
            self._write_many_lines(connection, who)

    def _write_up_to(self, number: int, connection: Connection, share: Share) -> None:
        while (noted := self.waiting.after(len(share.results), number)) is not None:
            fault = fault_of(partial(self._write_alone, connection, noted.event))
            if fault is not None and is_away(fault):
                raise fault
            if fault is not None and not isinstance(fault, ArchiveError):
                fault = _because(ArchiveError(reason_of(fault)), fault)
            share.results.append(fault)
            if lines := self._lines.pop(noted.event.who, None):
                share.lines.append((noted.event.who, lines))

    def _write_alone(self, connection: Connection, event: Event) -> None:
        """Write an event so that a database that rejects it undoes nothing else."""
        with connection.begin_nested():
            self._unsure = self._unsure and self._is_written(connection, event)
            if not self._unsure:
                self._write(connection, event)

    def _write_many_lines(self, connection: Connection, who: Who) -> None:
        lines = self._lines.pop(who)
        row = latest(connection, who)
        if row is not None:
            size = self._write_lines(connection, row, lines)
            connection.execute(_CHANGE, {"match": row.id, "raw_bytes": size})

    def has_failed(self, share: Share, fault: Exception) -> None:
        """Let the events of a transaction that failed wait again, their lines with them."""
        self._failed = self._unsure = True
        for who, lines in reversed(share.lines):
            self._lines[who] = lines + self._lines.get(who, [])
        self._lines = {w: lines for w, lines in self._lines.items() if len(lines) < LINES_AT_ONCE}
        self.waiting.failed(fault, share.last)

    def finish(self, who: Who) -> None:
        """Write the files of a match as it is now; see bot.matchlog.recorder."""
        behind, self._behind = self._behind, True
        self._unfiled.append(who)
        self.write_waiting()
        while self._unfiled:
            first = self._unfiled.pop(0)
            try:
                self._finish(first)
            except (ArchiveError, SQLAlchemyError) as error:
                if is_away(error):  # it waits
                    self._unfiled.insert(0, first)
                raise
        if behind:  # and the same two may have begun another match since
            self.catch_up(who.server, who.account)
        self._behind = False

    def _finish(self, who: Who) -> None:
        with self.writing() as connection:
            row = latest(connection, who)
            if row is not None:
                size = self._write_lines(connection, row, self._lines.get(who))
                connection.execute(_CHANGE, {"match": row.id, "raw_bytes": size})
                _pack(connection, row.id)
        self._lines.pop(who, None)
        self._current.pop(who, None)
        if row is not None:
            self.write_files(row.id)

    def recover(self, recovered: GameRecovered) -> Match | None:
        """Note a game that the server listed, if it fits; see bot.matchlog.recorder."""
        self.write_waiting()
        with self.reading() as connection:
            row = latest(connection, recovered.who)
            before = None if row is None else latest(connection, recovered.who, row.id)
        if row is None:
            return None
        if before is not None and self._builder(before).ended_with(recovered.game):
            return None
        builder = self._builder(row)
        known, doubtful = builder.match(), builder.last_is_doubtful
        if not builder.recover(recovered.game):
            return None
        if doubtful or builder.match() != known:
            self.note(recovered)
            with self.writing() as connection:
                values = _score(builder.match().score)
                connection.execute(_CHANGE, {"match": row.id, **values})
        return builder.match()

    @property
    def is_waiting(self) -> bool:
        return len(self.waiting) > 0

    def _is_written(self, connection: Connection, event: Event) -> bool:
        """Return whether the database has the event that we tried to write."""
        tried = self._current.get(event.who, _Written(None)).events.items()
        return any(each is event and is_noted(connection, event, number) for number, each in tried)

    def _write(self, connection: Connection, event: Event) -> None:
        row = _row_of(connection, event)
        if row is None:
            if not isinstance(event, Evidence):
                raise ArchiveError(f"{kind_of(event)} of a match that never began")
            who = f"{event.who.account} and {event.who.opponent} at {event.who.server}"
            connection.execute(insert(strays).values(at=event.at, who=who, body=body_of(event)))
            return
        size = self._write_lines(connection, row, self._lines.get(event.who))
        number = row.noted + 1
        note = {"match_id": row.id, "number": number, "at": event.at, "body": body_of(event)}
        connection.execute(_EVENT, {**note, "kind": kind_of(event)})
        written = self._current.get(event.who)
        if written is None or written.started != row.started:
            written = self._current[event.who] = _Written(row.started)
        if len(written.events) < MOST_WAITING:
            written.events[number] = event
        values = {"noted": number, "raw_bytes": size, **_changes(row, event)}
        connection.execute(_CHANGE, {"match": row.id, **values})

    def _write_lines(self, connection: Connection, row: Row[Any], lines: list[str] | None) -> int:
        """Add lines to the raw log; return its size in bytes."""
        most = self.settings.raw_log_kib * 1024
        if not lines or row.raw_bytes >= most:
            return int(row.raw_bytes)
        data = "".join(f"{line}\n" for line in lines).encode()
        if row.raw_bytes + len(data) > most:
            data = data[: most - row.raw_bytes] + f"\n{_CUT}\n".encode()
        connection.execute(_LINES, {"match_id": row.id, "lines": zlib.compress(data)})
        return int(row.raw_bytes) + len(data)


@dataclass(slots=True)
class Share:
    """One archive's part of a transaction, and its results so far."""

    queue: list[Noted | Wire] = field(default_factory=list)
    results: list[Exception | None] = field(default_factory=list)  # a fault: the event is rejected
    lines: list[tuple[Who, list[str]]] = field(default_factory=list)

    @property
    def last(self) -> int:
        """The number of the last event to be written, or `NONE`."""
        return max((each.number for each in self.queue if isinstance(each, Noted)), default=NONE)


def write_together(queue: Iterable[tuple[LiveArchive, Noted | Wire]]) -> Exception | None:
    """Write noted events, and all that wait before them, in one transaction of their database.

    If it fails, all of them wait, and the fault is returned.
    """
    shares: dict[LiveArchive, Share] = {}
    for archive, item in queue:
        shares.setdefault(archive, Share()).queue.append(item)
    needed = [archive.needs_writing(share) for archive, share in shares.items()]
    if not any(needed):
        return None

    def write() -> None:
        for archive in shares:
            archive.reopen_if_changed()
        with next(iter(shares)).writing() as connection:
            for archive, share in shares.items():
                archive.write_share(connection, share)

    fault = fault_of(write)
    if fault is not None and is_away(fault):
        fault = _because(ArchiveAway(reason_of(fault)), fault)
    for archive, share in shares.items():
        if fault is None:
            archive.waiting.taken(share.results)
        else:
            archive.has_failed(share, fault)
    return fault


def _because(error: ArchiveError, cause: Exception) -> ArchiveError:
    error.__cause__ = cause
    return error


@dataclass(frozen=True, slots=True)
class _Written:
    """The events of a match in progress that have been written."""

    started: dt.datetime | None
    events: dict[int, Event] = field(default_factory=dict)  # by number


_EVENT = insert(events)
_LINES = insert(wires)
_CHANGE = update(matches).where(matches.c.id == bindparam("match"))


def _row_of(connection: Connection, event: Event) -> Row[Any] | None:
    """Return the match that an event belongs to; begin it if need be."""
    row = latest(connection, event.who)
    if not isinstance(event, MatchStarted):
        return row
    if row is not None and row.state in GOING_ON:
        goes_on = event.resumed or event.score != (0, 0)
        if goes_on and row.length == (event.length or 0):
            return row
        gone = update(matches).where(matches.c.id == row.id)
        connection.execute(gone.values(state=MatchStatus.ABANDONED.value))
    connection.execute(
        insert(matches).values(
            **asdict(event.who),
            length=event.length or 0,
            state=MatchStatus.PLAYING.value,
            started=event.at,
        )
    )
    return latest(connection, event.who)


def _changes(row: Row[Any], event: Event) -> Mapping[str, object]:
    match event:
        case MatchStarted():
            known = _ratings(event, "before").items()
            before = {name: value for name, value in known if getattr(row, name) is None}
            level = event.level or row.level
            return {
                "state": MatchStatus.PLAYING.value,
                "level": level,
                **_score(event.score),
                **before,
            }
        case GameStarted() | GameOver():
            return _score(event.score)
        case MatchSaved() if row.state in GOING_ON:
            return {"state": MatchStatus.SAVED.value}
        case MatchOver() if row.state in GOING_ON:
            over = {"state": MatchStatus.OVER.value, "ended": event.at, "winner": event.winner}
            return {**over, **_score(event.score)}
        case Rated():
            return _ratings(event, "after")
    return {}


def _ratings(event: MatchStarted | Rated, when: str) -> dict[str, object]:
    """Return the known ratings of both players, by column."""
    return {
        f"{whose}_{what}_{when}": value
        for whose, rating in (("our", event.ours), ("their", event.theirs))
        for what, value in rating._asdict().items()
        if value is not None
    }


def _score(score: tuple[int, int]) -> dict[str, object]:
    return {"our_score": score[0], "their_score": score[1]}


def _pack(connection: Connection, match_id: int) -> None:
    """Merge many small compressed pieces into one, which is much smaller."""
    data = conversation_in(connection, match_id)
    if data:
        connection.execute(delete(wires).where(wires.c.match_id == match_id))
        connection.execute(insert(wires).values(match_id=match_id, lines=zlib.compress(data, 9)))
