"""Matches with their records, a batch at a time, on every core: memory does not grow with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Select, select

from sixprime.bot.archive.archive import Archive, events_of, match_of
from sixprime.bot.archive.tables import events, matches, notes, words
from sixprime.bot.process.footprint import uncollected
from sixprime.bot.process.workers import Pool, cores
from sixprime.engine.system.cores import usable_cores
from sixprime.protocols.formats.record import BadRecord, Match

BATCH = 50
MANY = 200  # matches; for fewer, other processes cost more than they save

Progress = Callable[[int, int], None]  # matches done, in total
Read = TypeVar("Read")
Result = TypeVar("Result")


class StoredMatch(NamedTuple):
    """The rows of a match, which other processes take, too."""

    row: Any  # its columns are attributes
    told: Sequence[Any] = ()  # rows of `events`
    note: str = ""
    said: str = ""  # JSON of `words`

    def match(self) -> Match:
        """Return the record; BadRecord."""
        return match_of(self.row, events_of(self.row, self.told), self.note, self.said)

    def bad_events(self) -> Iterator[BadRecord]:
        """Yield an error for each event that cannot be read."""
        return (each for each in events_of(self.row, self.told) if isinstance(each, BadRecord))


def readable_ids(archive: Archive) -> list[int]:
    """Return the numbers of all matches that `unreadable` does not name, oldest first."""
    asked = select(matches.c.id).where(*archive.is_readable())
    with archive.reading() as connection:
        by = asked.order_by(matches.c.started, matches.c.id)
        return list(connection.execute(by).scalars())


def stored(connection: Connection, ids: Sequence[int]) -> list[StoredMatch]:
    """Return the rows of these matches, in this order; one that is gone is left out."""
    asked = select(matches).where(matches.c.id.in_(ids))
    rows = {row.id: SimpleNamespace(**row._mapping) for row in connection.execute(asked)}
    columns = (events.c.match_id, events.c.number, events.c.at, events.c.kind, events.c.body)
    told = of_matches(connection, select(*columns).order_by(events.c.number), ids)
    noted = of_matches(connection, select(notes.c.match_id, notes.c.text), ids)
    said = of_matches(connection, select(words.c.match_id, words.c.body.label("text")), ids)
    return [
        StoredMatch(
            rows[each],
            told[each],
            *("".join(row.text for row in found[each]) for found in (noted, said)),
        )
        for each in ids
        if each in rows
    ]


def of_matches(
    connection: Connection, asked: Select[Any], ids: Sequence[int]
) -> defaultdict[int, list[Any]]:
    """Return the rows of a query that belong to these matches, by match."""
    found: defaultdict[int, list[Any]] = defaultdict(list)
    among = asked.where(asked.selected_columns.match_id.in_(ids))
    for row in connection.execute(among):
        found[row.match_id].append(SimpleNamespace(**row._mapping))
    return found


def streamed(
    archive: Archive,
    ids: Sequence[int],
    read: Callable[[Connection, Sequence[int]], list[Read]],
    work: Callable[[Read], Result],
    progress: Progress = lambda done, total: None,
) -> Iterator[Result]:
    """Read the matches in batches; yield the result of the work on each match, in their order.

    `work` goes to other processes if there are many matches. Unavailable if these are killed.
    """
    with cores() if len(ids) >= MANY and usable_cores() > 1 else nullcontext() as pool:
        done = 0
        for results in _results(pool, _calls(archive, ids, read, work)):
            yield from results
            done += BATCH
            progress(min(done, len(ids)), len(ids))


def _calls(
    archive: Archive,
    ids: Sequence[int],
    read: Callable[[Connection, Sequence[int]], list[Read]],
    work: Callable[[Read], Result],
) -> Iterator[Callable[[], list[Result]]]:
    for start in range(0, len(ids), BATCH):
        with archive.reading() as connection:
            batch = read(connection, ids[start : start + BATCH])
        yield partial(_done, work, batch)


def _results(pool: Pool | None, calls: Iterable[Callable[[], Result]]) -> Iterator[Result]:
    return (call() for call in calls) if pool is None else pool.in_order(calls)


def _done(work: Callable[[Read], Result], batch: Sequence[Read]) -> list[Result]:
    with uncollected():
        return [work(each) for each in batch]
