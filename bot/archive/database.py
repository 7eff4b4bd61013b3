"""The archive's database: opened, brought up to date, and its errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from sqlalchemy import (
    Connection,
    Engine,
    Index,
    Table,
    create_engine,
    event,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.engine import URL, ExceptionContext, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    DisconnectionError,
    IntegrityError,
    NoSuchModuleError,
    OperationalError,
    PendingRollbackError,
    ResourceClosedError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as NoFreeConnection
from sqlalchemy.schema import CreateIndex, CreateTable

from sixprime.bot.archive.tables import (
    INDEXES,
    RATED,
    analyses,
    choices,
    errors,
    figures,
    first_plays,
    metadata,
    names,
    notes,
    openings,
    schema,
    sources,
    words,
)
from sixprime.bot.settings.blanking import without_password
from sixprime.engine.ratings import LEAST_RATING
from sixprime.engine.system.errors import Unavailable
from sixprime.engine.system.faults import undone_by
from sixprime.engine.system.wholefiles import private_file

BUSY_S = 30.0  # SQLite's wait for another process
DIAL_S = 5  # a server's time to answer
GONE_S = 30  # without an acknowledgement; a busy server still sends these
PSYCOPG: Mapping[str, object] = {
    "client_encoding": "utf8",  # else psycopg reads bytes where the database has none
    "prepare_threshold": None,  # a pooler gives the next transaction another server
    "connect_timeout": DIAL_S,
    "tcp_user_timeout": 1_000 * GONE_S,
    "keepalives_idle": GONE_S // 2,
    "keepalives_interval": GONE_S // 6,
    "keepalives_count": 3,
}
_LOCK = 0x51C5  # of the schema, among PostgreSQL's advisory locks


class ArchiveError(Unavailable):
    """The archive cannot be used; the text says why, and names no password."""


class ArchiveAway(ArchiveError):
    """The database does not answer or is locked: trying again later may help."""


class TooOld(ArchiveError):
    """A newer program has upgraded the archive; this program is too old for it."""


class Cleaning(NamedTuple):
    """A statement that mends rows of older programs, and a remark on their number."""

    statement: str
    remark: str


def _scores_that_were_ratings(whose: str) -> Cleaning:
    """Galaxy's files name the final score where others name the rating."""
    return Cleaning(
        f"UPDATE matches SET {whose}_rating_before = NULL, {whose}_experience_before = NULL"
        f" WHERE record IS NOT NULL AND lower(server) LIKE '%galaxy%'"
        f" AND {whose}_rating_before < {LEAST_RATING}",
        f"{whose} rating of {{}} imported matches was the final score of Galaxy's file: removed",
    )


# Version -> the steps to it from the version before: statements, or tables and indexes to create.
# The tables above are of the newest version, which a new database gets at once; a step that changes
# a table created by an earlier step needs that table as it was at that step.
STEPS: Mapping[int, tuple[str | Table | Index | Cleaning, ...]] = {
    1: (),
    2: (analyses, sources),
    3: (names, notes),
    4: (openings, "CREATE INDEX openings_by_digest ON openings (digest)"),
    5: (),  # events of the kind Sending
    6: (
        *(figures, errors, first_plays),
        *(index for table in (figures, errors, first_plays) for index in table.indexes),
        "CREATE INDEX IF NOT EXISTS matches_by_start ON matches (started, id)",
        *map(_scores_that_were_ratings, ("our", "their")),
    ),
    7: (
        choices,
        "DROP INDEX IF EXISTS matches_by_players",  # narrower ones
        "DROP INDEX IF EXISTS matches_by_opponent",
        *INDEXES,
    ),
    8: (words,),
    9: ("DROP INDEX IF EXISTS matches_rated", RATED),  # for either seat, no longer for ours alone
}


def open_database(
    address: str,
    password: str | None = None,
    *,
    reads: bool = False,
    remark: Callable[[str], None] = lambda _: None,
) -> Engine:
    """Return the database, created or brought up to date; ArchiveError.

    With `reads` a database that cannot be written is opened, too. `remark` gets a sentence about
    each kind of rows that was mended.
    """
    try:
        url = make_url(address)
        if password is not None:
            url = url.set(password=password)
        return _opened(url, remark, frozen=reads and _is_frozen(file_of(str(url))))
    except (ArgumentError, NoSuchModuleError, ValueError) as error:  # of a port that is no number
        raise ArchiveError("not a database URL, such as sqlite:///archive/sixprime.db") from error
    except ModuleNotFoundError as error:
        raise ArchiveError(no_driver(error)) from error
    except (SQLAlchemyError, OSError) as error:
        held = url.get_backend_name() != "sqlite" or "locked" in reason_of(error)
        away = isinstance(error, OperationalError) and held
        raise (ArchiveAway if away else ArchiveError)(
            f"{_shown(url)}: {reason_of(error)}"
        ) from error


def with_driver(url: URL) -> URL:
    """Return the URL with our driver of PostgreSQL."""
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def no_driver(error: ModuleNotFoundError) -> str:
    """Say how to get a driver that is not installed."""
    extra = " (install the extra `postgres`)" if error.name == "psycopg" else ""
    return f"the database needs the module {error.name}{extra}"


def _opened(url: URL, remark: Callable[[str], None], *, frozen: bool) -> Engine:
    engine = _engine(_read_only(url) if frozen else url)
    shown = _shown(url)
    event.listen(engine, "handle_error", lambda context: _name(context, shown))
    with (
        undone_by(engine.dispose),
        engine.execution_options(writes=not frozen).begin() as connection,
    ):
        for sentence in _bring_up_to_date(connection):
            remark(sentence)
    return engine


def _shown(url: URL) -> str:
    if url.get_backend_name() == "sqlite":
        return f"{url.drivername}:///{url.database or ''}"  # SQLAlchemy 2.1 would quote ü
    return without_password(url.render_as_string(hide_password=True))


def _name(context: ExceptionContext, place: str) -> None:
    if context.sqlalchemy_exception is not None:
        context.sqlalchemy_exception.add_detail(place)


def file_of(address: str | None) -> Path | None:
    """Return the file of an SQLite database; None for one in memory or on a server."""
    url = make_url(address or "")
    named = url.database if url.get_backend_name() == "sqlite" else None
    return None if not named or named.startswith((":memory:", "file:")) else Path(named)


def _is_frozen(file: Path | None) -> bool:
    """Return whether nothing can be written beside it; readers of a WAL need that, too."""
    return file is not None and file.exists() and not os.access(file.parent, os.W_OK)


def _read_only(url: URL) -> URL:
    """Return the URL to read only; a WAL shows that another process may change the file."""
    file = Path(url.database or "").absolute()
    left = file.with_name(f"{file.name}-wal").exists()
    query = {"uri": "true", "mode": "ro", "immutable": "0" if left else "1"}
    return url.set(database=f"file:{quote(str(file))}", query=query)


def standing(file: Path | None) -> tuple[int, ...] | None:
    """Identify a file's state, without opening it, which would undo SQLite's locks."""
    try:
        found = file.stat() if file is not None else None
    except OSError:
        return None
    return found and (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


_LOST = PendingRollbackError, DisconnectionError, ResourceClosedError, NoFreeConnection


def is_away(error: BaseException) -> bool:
    """Return whether the same may be written later, as opposed to data that is rejected.

    A lost connection may first show in a transaction or a savepoint on it.
    """
    rejected = isinstance(error, DataError | IntegrityError)
    return isinstance(error, (ArchiveAway, DBAPIError, *_LOST)) and not rejected


def reason_of(error: BaseException) -> str:
    """Return the first line of the message of the database or the system."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]


def reason_and_place(error: DBAPIError) -> str:
    """Name the database before its message, where two are open."""
    return ": ".join([*error.detail[:1], reason_of(error)])


def _engine(url: URL) -> Engine:
    url = with_driver(url)
    if url.get_backend_name() != "sqlite":
        return create_engine(
            url, pool_pre_ping=True, hide_parameters=True, connect_args=_dialling(url), pool_size=1
        )
    if path := file_of(str(url)):
        private_file(path)  # SQLite makes its other files like this one
    engine = create_engine(url, hide_parameters=True, connect_args={"timeout": BUSY_S})

    @event.listens_for(engine, "connect")
    def prepare(connection: object, _: object) -> None:
        connection.isolation_level = None  # type: ignore[attr-defined]  # we begin ourselves
        connection.create_function("lower", 1, _lower, deterministic=True)  # type: ignore[attr-defined]
        cursor = connection.cursor()  # type: ignore[attr-defined]
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _lower(value: object) -> object:
    """Return the text in lower case; SQLite's own function leaves Ü and Ł."""
    return value.lower() if isinstance(value, str) else value


def _dialling(url: URL) -> dict[str, object]:
    """Return our options of a connection that the URL does not set."""
    options: Mapping[str, object] = PSYCOPG if url.get_driver_name() == "psycopg" else {}
    return {name: value for name, value in options.items() if name not in url.query}


def _take_step(connection: Connection, step: str | Table | Index | Cleaning) -> Iterator[str]:
    """Take a step to a newer version; yield a remark on rows that it mended."""
    if isinstance(step, Table):
        connection.execute(CreateTable(step))
    elif isinstance(step, Index):
        if step.info.get("dialect", connection.dialect.name) == connection.dialect.name:
            connection.execute(CreateIndex(step, if_not_exists=True))
    elif isinstance(step, Cleaning):
        mended = connection.execute(text(step.statement)).rowcount
        yield from [step.remark.format(mended)] if mended else []
    else:
        connection.execute(text(step))


def _bring_up_to_date(connection: Connection) -> list[str]:
    """Create the tables, or take the steps to the newest version; return remarks on these."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
    newest = max(STEPS)
    if not inspect(connection).has_table(schema.name):
        metadata.create_all(connection)
        connection.execute(insert(schema).values(version=newest))
        return []
    version = connection.execute(select(schema.c.version)).scalar_one()
    if version > newest:
        raise TooOld(
            f"the archive has version {version}, this program knows {newest}: it is too old"
        )
    remarks = [
        remark
        for later in range(version + 1, newest + 1)
        for step in STEPS[later]
        for remark in _take_step(connection, step)
    ]
    if version < newest:
        connection.execute(update(schema).values(version=newest))
    return remarks
