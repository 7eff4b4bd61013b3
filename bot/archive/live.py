"""Writes to the archive while matches are played.

`note` is durable when it returns (bot.archive.writer writes for many bots at once). Events that
cannot be written while the database is away or hangs are kept, also in a file beside it, and
written in order with the next event. If SQLite's file was removed or replaced, the matches in
progress are written to the new one from their beginning. An interrupted match is found again by
server and players, so it stays one match.
"""

from __future__ import annotations

import datetime as dt
import zlib
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import structlog
from sqlalchemy import Connection, Row, bindparam, delete, insert, update
from sqlalchemy.exc import DBAPIError

from sixprime.bot.archive.archive import (
    GOING_ON,
    MatchStatus,
    conversation_in,
    is_noted,
    latest,
)
from sixprime.bot.archive.earlier import EarlierMatches
from sixprime.bot.archive.matchfiles import safe_part
from sixprime.bot.archive.sparefile import SpareFile
from sixprime.bot.archive.tables import (
    ArchiveAway,
    ArchiveError,
    events,
    file_of,
    is_away,
    matches,
    reason_of,
    standing,
    strays,
    wires,
)
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
from sixprime.protocols.formats.record import Match

log = structlog.get_logger("archive")

MOST_WAITING = 20_000  # events kept while the database is away
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
        self.spare = SpareFile()
        self._waiting: deque[Event] = deque()
        self._lines: dict[Who, list[str]] = {}
        self._shared: Connection | None = None  # the transaction of `one_transaction`

    # --- the database comes and goes

    def restore_spare(self, server: str, account: str) -> None:
        """Write the events that an earlier run could not write."""
        base = self._file
        if base is None and self.settings.folder is not None:
            base = self.settings.folder / "archive"
        if base is None:
            return
        name = f"{base.name}.{safe_part(f'{account}@{server}')}.waiting"
        self.spare = SpareFile(base.with_name(name))
        held = self.spare.events()
        with self.reading() as connection:
            self._waiting.extend(each for each in held if not is_noted(connection, each))
        if held:
            log.warning("events of an earlier run are written now", events=len(self._waiting))
            try:
                self.write_waiting()
            except ArchiveError as error:  # they keep waiting, or can never be written
                odd = not isinstance(error, ArchiveAway)
                log.error("events of an earlier run failed", why=str(error), exc_info=odd)

    def reading(self) -> AbstractContextManager[Connection]:
        self._reopen_if_changed()
        return super().reading()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Begin a transaction that is durable when it ends."""
        self._reopen_if_changed()
        with super().writing() as connection:
            yield connection
        self._left = standing(self._file)

    def _reopen_if_changed(self) -> None:
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
        waiting = set(map(id, self._waiting))
        with self._engine.begin() as connection:
            for who, written in self._current.items():
                row = latest(connection, who)
                known = row.noted if row is not None and row.started == written.started else 0
                missing = [each for number, each in written.events.items() if number > known]
                again += [each for each in missing if id(each) not in waiting]
        self._waiting.extendleft(reversed(again))

    @contextmanager
    def one_transaction(self, others: Collection[LiveArchive]) -> Iterator[None]:
        """Write to several archives in one transaction; if it fails, the same events wait again."""
        for each in others:
            each._reopen_if_changed()
        waited = [(each, each._waiting.copy()) for each in others]
        is_written = False
        try:
            with self.writing() as connection:
                for each in others:
                    each._shared = connection
                yield
            is_written = True
            for each in others:
                if not each._waiting:
                    each.spare.clear()
        except (ArchiveAway, DBAPIError) as error:
            if is_away(error):  # a full disk shows when it ends
                self._failed = True
                raise ArchiveAway(reason_of(error)) from error
            raise
        finally:
            for each, waiting in waited:
                each._shared = None
                if not is_written:
                    each._waiting, each._unsure = waiting, True

    @contextmanager
    def _noting(self) -> Iterator[Connection]:
        if self._shared is None:
            with self.writing() as connection:
                yield connection
        else:
            with self._shared.begin_nested():
                yield self._shared

    def again(self, event: Event) -> None:
        """Keep an event to write with the next one; drop it if too many are waiting."""
        if not (isinstance(event, Wire) or len(self._waiting) >= MOST_WAITING):
            self._waiting.append(event)
            self.spare.hold(reversed(self._waiting))

    def note(self, event: Event) -> None:
        """Record an event; see bot.matchlog.recorder."""
        if isinstance(event, Wire):
            lines = self._lines.setdefault(event.who, [])
            lines.append(f"{event.way.value} {event.line}")
            if len(lines) >= LINES_AT_ONCE:
                self._keep_lines(event.who)
            return
        if len(self._waiting) >= MOST_WAITING:
            try:
                self.write_waiting()
            except ArchiveError as error:
                raise ArchiveError("the database is away for too long, events are lost") from error
        self._waiting.append(event)
        self.write_waiting()

    def finish(self, who: Who) -> None:
        """Write the files of a match as it is now; see bot.matchlog.recorder."""
        behind, self._behind = self._behind, True
        self._unfiled.append(who)
        self.write_waiting()
        while self._unfiled:
            first = self._unfiled.pop(0)
            try:
                self._finish(first)
            except (ArchiveAway, DBAPIError) as error:
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
        return bool(self._waiting)

    def write_waiting(self) -> None:
        """Write the waiting events in order, as far as the database takes them; ArchiveError."""
        while self._waiting:
            event: Event | None = None
            try:
                with self._noting() as connection:
                    event = self._waiting[0]
                    self._unsure = self._unsure and self._is_written(connection, event)
                    if not self._unsure:
                        self._write(connection, event)
            except Exception as error:  # databases refuse data with errors of many kinds
                if is_away(error):  # try again with the next event
                    self._failed = self._unsure = True
                    self.spare.hold(reversed(self._waiting))
                    raise ArchiveAway(reason_of(error)) from error
                if event is not None:
                    self.spare.passed(self._waiting.popleft())
                if isinstance(error, ArchiveError):
                    raise
                raise ArchiveError(reason_of(error)) from error
            self.spare.passed(self._waiting.popleft())
            self._lines.pop(event.who, None)
        if self._shared is None:
            self.spare.clear()

    def _is_written(self, connection: Connection, event: Event) -> bool:
        """Return whether the database has the event that we tried to write."""
        tried = self._current.get(event.who, _Written(None)).events.items()
        return any(each is event and is_noted(connection, event, number) for number, each in tried)

    def _keep_lines(self, who: Who) -> None:
        lines = self._lines.pop(who)
        with self._noting() as connection:
            row = latest(connection, who)
            if row is not None:
                self._lines[who] = lines
                size = self._write_lines(connection, row, lines)
                connection.execute(_CHANGE, {"match": row.id, "raw_bytes": size})
        self._lines.pop(who, None)

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
