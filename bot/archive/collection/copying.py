"""Copies an archive into another database: every row, in the order of its key.

Both databases are read side by side, and rows that the copy lacks are written. So an interrupted
copy resumes where it stopped, and an older copy is brought up to date. At the end both are read
once more and compared row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    String,
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

TOGETHER = 500  # rows in one transaction
_WHOSE = ("server", "account", "opponent", "length")  # never change

Progress = Callable[[int, int], None]  # rows done, rows in total
Row = tuple[Any, ...]


@dataclass(slots=True)
class Copied:
    """The numbers of rows written, and of rows in the copy by table."""

    written: int = 0
    rows: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Change:
    """A row that the copy lacks, has with other values, or should not have (`wanted` None)."""

    wanted: Row | None
    found: Row | None

    @property
    def row(self) -> Row:
        return self.wanted or self.found or ()

    @property
    def what(self) -> str:
        if self.wanted is None:
            return "delete"
        return "insert" if self.found is None else "update"


def copy_archive(
    source: Archive, target: Archive, progress: Progress = lambda done, total: None
) -> Copied:
    """Make the target a copy of the source; ArchiveError if it holds other matches."""
    copied, done = Copied(), 0
    tables = [table for table in metadata.sorted_tables if table is not schema]
    with _snapshot(source) as ours:
        total = 2 * sum(_count(ours, table) for table in tables)

        def step(number: int) -> None:
            nonlocal done
            done += number
            progress(done, total)

        with _snapshot(target) as theirs:
            _must_be_a_copy(ours, theirs)
        for table in tables:
            copied.written += _bring(table, ours, target, step)
        with _snapshot(target) as theirs:
            for table in tables:
                copied.rows[table.name] = _verify(table, ours, theirs, step)
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


def _keys(table: Table) -> list[int]:
    return [i for i, column in enumerate(table.columns) if column.primary_key]


def _rows(connection: Connection, table: Table) -> Iterator[Row]:
    """Yield all rows by their key, texts in the order of their code points, a few at a time."""
    by = [
        column.collate("C")
        if connection.dialect.name == "postgresql" and isinstance(column.type, String)
        else column
        for column in table.primary_key
    ]
    asked = select(table).order_by(*by).execution_options(yield_per=TOGETHER)
    for row in connection.execute(asked):
        yield tuple(row)


def _side_by_side(
    table: Table, ours: Connection, theirs: Connection, step: Callable[[int], None]
) -> Iterator[_Change]:
    """Yield the differences in the order of keys; `step` is called for each source row."""
    places = _keys(table)

    def key(row: Row) -> Row:
        return tuple(row[i] for i in places)

    wanted, found = _rows(ours, table), _rows(theirs, table)
    one, other = next(wanted, None), next(found, None)
    while one is not None or other is not None:
        if other is None or (one is not None and key(one) < key(other)):
            yield _Change(one, None)
            one = next(wanted, None)
            step(1)
        elif one is None or key(other) < key(one):
            yield _Change(None, other)
            other = next(found, None)
        else:
            if one != other:
                yield _Change(one, other)
            one, other = next(wanted, None), next(found, None)
            step(1)


def _must_be_a_copy(ours: Connection, theirs: Connection) -> None:
    places = [i for i, column in enumerate(matches.columns) if column.name in _WHOSE]
    for change in _side_by_side(matches, ours, theirs, lambda _: None):
        wanted, found = change.wanted, change.found
        if found is not None and (wanted is None or any(wanted[i] != found[i] for i in places)):
            raise ArchiveError(
                f"the target holds match {found[0]}, which the source has not: copy into an empty "
                "database, or into an earlier copy"
            )


def _bring(table: Table, ours: Connection, target: Archive, step: Callable[[int], None]) -> int:
    """Write the rows that the target lacks of a table; return their number."""
    written = 0
    with _snapshot(target) as theirs:
        waiting: list[_Change] = []
        for change in _side_by_side(table, ours, theirs, step):
            waiting.append(change)
            if len(waiting) == TOGETHER:
                _write(table, target, waiting)
                written += len(waiting)
                waiting = []
        _write(table, target, waiting)
    return written + len(waiting)


def _write(table: Table, target: Archive, changes: Sequence[_Change]) -> None:
    names = list(table.columns.keys())
    where = _is_key(table)
    try:
        with target.writing() as connection:
            for what, group in groupby(changes, key=lambda each: each.what):
                rows = [dict(zip(names, each.row, strict=True)) for each in group]
                keyed = [{**row, **{f"key_{name}": row[name] for name in names}} for row in rows]
                if what == "delete":
                    connection.execute(delete(table).where(where), keyed)
                elif what == "update":
                    connection.execute(update(table).where(where), keyed)
                else:
                    connection.execute(insert(table), rows)
                    _count_on(connection, table)
    except SQLAlchemyError as error:
        if is_away(error):
            raise ArchiveError(f"the target: {reason_of(error)}") from error
        first = _key_words(table, changes[0])
        raise ArchiveError(f"{table.name} from {first} on: {reason_of(error)}") from error


def _key_words(table: Table, change: _Change) -> str:
    return ", ".join(str(change.row[i]) for i in _keys(table))


def _is_key(table: Table) -> ColumnElement[bool]:
    return and_(*(column == bindparam(f"key_{column.name}") for column in table.primary_key))


def _count_on(connection: Connection, table: Table) -> None:
    """Continue the numbering of matches and events after the last one copied."""
    if connection.dialect.name == "postgresql" and "id" in table.columns:
        last = f"SELECT max(id) FROM {table.name}"
        connection.execute(
            text(f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), ({last}))")
        )


def _verify(table: Table, ours: Connection, theirs: Connection, step: Callable[[int], None]) -> int:
    """Count the rows that both have; ArchiveError if they are not the same."""
    different = next(_side_by_side(table, ours, theirs, step), None)
    if different is not None:
        which = f"{table.name} {_key_words(table, different)}"
        raise ArchiveError(f"{which} differs: the target was changed while copying")
    return _count(theirs, table)
