"""Copies an archive into another database: every row, a batch at a time.

Each batch of the source is compared with the same rows of the copy, and rows that differ are
written in a transaction of their own. So an interrupted copy resumes where it stopped, an older
copy is brought up to date, and neither memory nor the copy's log grows with the archive. At the end
both are read once more and compared row by row. The source is seen as it was at the start, even
while bots write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    LargeBinary,
    Table,
    and_,
    bindparam,
    delete,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.exc import SQLAlchemyError

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import ArchiveError, is_away, reason_of
from sixprime.bot.archive.tables import matches, metadata, schema

TOGETHER, MOST_BYTES = 500, 4 << 20  # most rows and bytes in one transaction
READ = 50  # rows at once
HEAVY = 10  # plain rows that take as long as one with a record or a body
_WHOSE = ("server", "account", "opponent", "length")  # never change

Progress = Callable[[int, int], None]  # work done, in total
Row = tuple[Any, ...]


@dataclass(slots=True)
class Copied:
    """The numbers of rows written, and of rows in the copy by table."""

    written: int = 0
    rows: dict[str, int] = field(default_factory=dict)


def copy_archive(
    source: Archive, target: Archive, progress: Progress = lambda done, total: None
) -> Copied:
    """Make the target a copy of the source; ArchiveError if it holds other matches."""
    copied, done = Copied(), 0
    tables = [table for table in metadata.sorted_tables if table is not schema]
    with _snapshot(source) as ours:
        total = 2 * sum(_count(ours, table) * _weight(table) for table in tables)

        def step(table: Table, rows: int) -> None:
            nonlocal done
            done += rows * _weight(table)
            progress(done, total)

        _must_be_a_copy(ours, target)
        for table in tables:
            copied.written += _remove_stale(table, ours, target)
            for batch in _batches(ours, table, table.columns):
                copied.written += _bring(table, batch, target)
                step(table, len(batch))
        with _snapshot(target) as theirs:
            for table in tables:
                for batch in _batches(ours, table, table.columns):
                    _verify(table, batch, theirs)
                    step(table, len(batch))
                copied.rows[table.name] = _count(theirs, table)
                if copied.rows[table.name] != _count(ours, table):
                    raise _changed(f"{table.name} has other rows")
    return copied


@contextmanager
def _snapshot(archive: Archive) -> Iterator[Connection]:
    """Open a connection that sees the database as it is now, even if others write."""
    with archive.connect() as connection:
        if connection.dialect.name == "postgresql":
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            yield connection


def _count(connection: Connection, table: Table) -> int:
    return connection.execute(select(func.count()).select_from(table)).scalar() or 0


def _weight(table: Table) -> int:
    is_heavy = table is matches or any(isinstance(each.type, LargeBinary) for each in table.columns)
    return HEAVY if is_heavy else 1


def _key(table: Table, row: Row) -> Row:
    """Return the key of a row; its columns are the first of each table."""
    return row[: len(table.primary_key)]


def _batches(
    connection: Connection, table: Table, columns: Iterable[ColumnElement[Any]]
) -> Iterator[list[Row]]:
    """Yield these columns of all rows, in batches that fit in a transaction."""
    asked = select(*columns).order_by(*table.primary_key).execution_options(yield_per=READ)
    batch: list[Row] = []
    size = 0
    for row in connection.execute(asked):
        batch.append(tuple(row))
        size += sum(len(value) for value in row if isinstance(value, (str, bytes)))
        if len(batch) == TOGETHER or size >= MOST_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _same(
    connection: Connection,
    table: Table,
    columns: Iterable[ColumnElement[Any]],
    batch: Sequence[Row],
) -> dict[Row, Row]:
    """Return these columns of the rows with the keys of a batch, and perhaps of more, by key."""
    first = next(iter(table.primary_key))
    asked = select(*columns).where(first.in_({row[0] for row in batch}))
    return {_key(table, tuple(row)): tuple(row) for row in connection.execute(asked)}


def _must_be_a_copy(ours: Connection, target: Archive) -> None:
    columns = [matches.c.id, *(matches.c[name] for name in _WHOSE)]
    with _snapshot(target) as theirs:
        for batch in _batches(theirs, matches, columns):
            known = _same(ours, matches, columns, batch)
            for row in batch:
                if known.get(_key(matches, row)) != row:
                    raise ArchiveError(
                        f"the target holds match {row[0]}, which the source has not: copy into an "
                        "empty database, or into an earlier copy"
                    )


def _remove_stale(table: Table, ours: Connection, target: Archive) -> int:
    """Delete the rows of the target whose keys the source lacks; return their number."""
    keys = list(table.primary_key)
    stale: list[Row] = []
    with _snapshot(target) as theirs:
        for batch in _batches(theirs, table, keys):
            known = _same(ours, table, keys, batch)
            stale += [key for key in batch if key not in known]
    for start in range(0, len(stale), TOGETHER):
        some = stale[start : start + TOGETHER]
        with _writing(table, target, some) as connection:
            connection.execute(delete(table).where(_is_key(table)), _keyed(table, some))
    return len(stale)


def _bring(table: Table, batch: Sequence[Row], target: Archive) -> int:
    """Write the rows of a batch that the target lacks or has otherwise; return their number."""
    with target.reading() as connection:
        known = _same(connection, table, table.columns, batch)
    new = [row for row in batch if _key(table, row) not in known]
    changed = [row for row in batch if known.get(_key(table, row), row) != row]
    if not new and not changed:
        return 0
    with _writing(table, target, [*changed, *new]) as connection:
        if changed:
            connection.execute(update(table).where(_is_key(table)), _keyed(table, changed))
        if new:
            connection.execute(insert(table), _named(table, new))
            count_on(connection, table)
    return len(new) + len(changed)


@contextmanager
def _writing(table: Table, target: Archive, rows: Sequence[Row]) -> Iterator[Connection]:
    """Write rows in a transaction; an ArchiveError names the first of them."""
    try:
        with target.writing() as connection:
            yield connection
    except SQLAlchemyError as error:
        if is_away(error):
            raise ArchiveError(f"the target: {reason_of(error)}") from error
        first = _key_words(table, rows[0])
        raise ArchiveError(f"{table.name} from {first} on: {reason_of(error)}") from error


def _key_words(table: Table, row: Row) -> str:
    return ", ".join(map(str, _key(table, row)))


def _is_key(table: Table) -> ColumnElement[bool]:
    return and_(*(column == bindparam(f"key_{column.name}") for column in table.primary_key))


def _named(table: Table, rows: Iterable[Row]) -> list[dict[str, Any]]:
    names = list(table.columns.keys())
    return [dict(zip(names, row, strict=False)) for row in rows]


def _keyed(table: Table, rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the parameters of `_is_key` with the values of each row, or of its key alone."""
    keys = [f"key_{column.name}" for column in table.primary_key]
    return [{**row, **dict(zip(keys, row.values(), strict=False))} for row in _named(table, rows)]


def count_on(connection: Connection, table: Table) -> None:
    """Continue the numbering of matches and events after the last one copied."""
    if connection.dialect.name == "postgresql" and "id" in table.columns:
        last = f"SELECT max(id) FROM {table.name}"
        connection.execute(
            text(f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), ({last}))")
        )


def _verify(table: Table, batch: Sequence[Row], theirs: Connection) -> None:
    """Raise ArchiveError if the target holds other values of a batch."""
    known = _same(theirs, table, table.columns, batch)
    for row in batch:
        if known.get(_key(table, row)) != row:
            raise _changed(f"{table.name} {_key_words(table, row)} differs")


def _changed(what: str) -> ArchiveError:
    return ArchiveError(f"{what}: the target was changed while copying")
