"""The archive's tables, and the migration of older databases."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    DateTime,
    Dialect,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    and_,
    cast,
    create_engine,
    event,
    func,
    insert,
    inspect,
    or_,
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
from sqlalchemy.types import TypeDecorator, TypeEngine

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


class Utc(TypeDecorator[dt.datetime]):
    """A moment, stored in UTC without a time zone."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: dt.datetime | None, dialect: Dialect) -> dt.datetime | None:
        if value is None or value.tzinfo is None:
            return value
        return value.astimezone(dt.UTC).replace(tzinfo=None)

    def process_result_value(
        self, value: dt.datetime | None, dialect: Dialect
    ) -> dt.datetime | None:
        return None if value is None else value.replace(tzinfo=dt.UTC)


_KEY = BigInteger().with_variant(Integer, "sqlite")
WIDEST = 255  # letters of a name; PostgreSQL takes no more
metadata = MetaData()

schema = Table("sixprime_schema", metadata, Column("version", Integer, nullable=False))

# One row a match. `account` is seat 0 of its record, `opponent` seat 1.
matches = Table(
    "matches",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("server", String(WIDEST), nullable=False, default=""),
    Column("account", String(WIDEST), nullable=False),
    Column("opponent", String(WIDEST), nullable=False),
    Column("length", Integer, nullable=False),  # 0 is unlimited
    Column("state", String(16), nullable=False),  # a MatchStatus
    Column("level", String(WIDEST), nullable=False, default=""),
    Column("started", Utc),
    Column("ended", Utc),
    Column("our_score", Integer, nullable=False, default=0),
    Column("their_score", Integer, nullable=False, default=0),
    Column("winner", Integer),  # a seat
    Column("our_rating_before", Float),
    Column("our_rating_after", Float),
    Column("our_experience_before", Integer),
    Column("our_experience_after", Integer),
    Column("their_rating_before", Float),
    Column("their_rating_after", Float),
    Column("their_experience_before", Integer),
    Column("their_experience_after", Integer),
    Column("noted", Integer, nullable=False, default=0),  # events so far
    Column("filed", Integer, nullable=False, default=0),  # events when its files were written
    Column("stem", String(512), unique=True),  # of the names of its files
    Column("raw_bytes", Integer, nullable=False, default=0),  # of the conversation, before packing
    Column("digest", String(64)),  # fingerprint, to check the record by
    Column("record", Text),  # of imported matches, which have no events
    Index("matches_by_players", "account", "opponent", "server"),
    Index("matches_by_digest", "digest"),
    Index("matches_by_opponent", "opponent", "account"),
    Index("matches_by_start", "started", "id"),
)


def misfit(column: Column[Any]) -> ColumnElement[bool]:
    """Return the condition that a column holds a value of another type; SQLite accepts any."""
    held = func.typeof(column)
    if isinstance(column.type, Utc):
        is_time = and_(cast(column, Text).like("____-__-__ __:__:__%"), func.datetime(column) != "")
        return and_(held != "null", or_(held != "text", is_time.is_not(True)))
    kinds = {Integer: ("integer",), Float: ("real", "integer")}
    found = (each for kind, each in kinds.items() if isinstance(column.type, kind))
    return held.not_in((*next(found, ("text",)), "null"))


# Events in order, as sixprime.bot.matchlog.eventjson writes them.
events = Table(
    "events",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("match_id", ForeignKey("matches.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", Utc, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("match_id", "number"),
)

# Raw lines in order, packed; the form is that of the transcripts in tests/.
wires = Table(
    "wires",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("match_id", ForeignKey("matches.id"), nullable=False, index=True),
    Column("lines", LargeBinary, nullable=False),  # zlib
)

# Evidence of faults outside known matches.
strays = Table(
    "strays",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("at", Utc, nullable=False),
    Column("who", Text, nullable=False),
    Column("body", Text, nullable=False),
)

# Results of analyses; see sixprime.bot.analysis.store.
analyses = Table(
    "analyses",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("settings", String(64), primary_key=True),  # a key of the analysis settings
    Column("noted", Integer, nullable=False),  # events of the match at that time
    Column("summary", Text, nullable=False),  # JSON: level and statistics
    Column("body", LargeBinary, nullable=False),  # zlib of JSON
)

# The kinds of errors that figures count apart; see sixprime.bot.analysis.worst.
KINDS = (
    *("opening", "contact", "race", "bearoff"),  # plays
    *("missed_below_cp", "missed_above_cp", "wrong_below_dp", "wrong_above_tg"),
    *("wrong_take", "wrong_pass", "cube"),  # the last: of no other kind
)
CHECKER_KINDS, CUBE_KINDS = KINDS[:4], KINDS[4:]
FIGURES: Mapping[str, type[TypeEngine[Any]]] = {
    "moves": Integer, "unforced": Integer, "close": Integer, "counted": Integer,
    "luck": Float, "luck_cost": Float, "error_cost": Float, "result": Float,
    **{f"{kind}_errors": Integer for kind in KINDS},
    **{f"{kind}_given": Float for kind in KINDS},  # EMG given away, above 0
}  # fmt: skip

# The figures of each analysis, for questions about many; sixprime.bot.analysis.facts fills them.
# `our_...` belongs to seat 0 of the record, `their_...` to seat 1.
figures = Table(
    "figures",
    metadata,
    Column("id", _KEY, primary_key=True),  # another one for an analysis that is made anew
    Column("settings", String(64), nullable=False),
    Column("match_id", ForeignKey("matches.id"), nullable=False, index=True),
    Column("noted", Integer, nullable=False),  # as of the analysis
    *(
        Column(f"{whose}_{name}", kind, nullable=False)
        for whose in ("our", "their")
        for name, kind in FIGURES.items()
    ),
    UniqueConstraint("settings", "match_id"),
    sqlite_autoincrement=True,
)

# Errors from doubtful up.
errors = Table(
    "errors",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("settings", String(64), nullable=False),
    Column("match_id", ForeignKey("matches.id"), nullable=False, index=True),
    Column("game", Integer, nullable=False),  # from 0, as `turn`
    Column("turn", Integer, nullable=False),
    Column("what", String(16), nullable=False),  # a What
    Column("seat", Integer, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("given", Float, nullable=False),  # EMG
    Index("errors_by_size", "settings", "given"),
)

# The first play of each game.
first_plays = Table(
    "first_plays",
    metadata,
    Column("id", _KEY, primary_key=True),
    Column("settings", String(64), nullable=False),
    Column("match_id", ForeignKey("matches.id"), nullable=False, index=True),
    Column("game", Integer, nullable=False),  # from 0
    Column("seat", Integer, nullable=False),
    Column("roll", String(2), nullable=False),  # the higher first
    Column("play", String(WIDEST), nullable=False),
    Column("best", String(WIDEST), nullable=False),
    Column("given", Float, nullable=False),  # EMG
    Index("first_plays_by_roll", "settings", "roll", "play"),
)

# Imported files, which a repeated import need not read again.
sources = Table(
    "sources",
    metadata,
    Column("digest", String(64), primary_key=True),  # of the bytes
    Column("matches", Integer, nullable=False),
)

# Aliases: each name's player.
names = Table(
    "names",
    metadata,
    Column("name", String(WIDEST), primary_key=True),
    Column("player", String(WIDEST), nullable=False),
    Column("ours", Integer, nullable=False),  # 1: that is us
)

# Openings of matches, to recognise them in files; see sixprime.bot.archive.fingerprint.
openings = Table(
    "openings",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("digest", String(64), nullable=False),
    Index("openings_by_digest", "digest"),
)

# The collector's notes.
notes = Table(
    "notes",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("text", Text, nullable=False),
)


class Cleaning(NamedTuple):
    """A statement that mends rows of older programs, and a remark on their number."""

    statement: str
    remark: str


def _scores_that_were_ratings(whose: str) -> Cleaning:
    """Galaxy's files name the final score where others name the rating."""
    return Cleaning(
        f"UPDATE matches SET {whose}_rating_before = NULL, {whose}_experience_before = NULL"
        f" WHERE record IS NOT NULL AND {whose}_rating_before < {LEAST_RATING}",
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
        "CREATE INDEX IF NOT EXISTS matches_by_opponent ON matches (opponent, account)",
        "CREATE INDEX IF NOT EXISTS matches_by_start ON matches (started, id)",
        *map(_scores_that_were_ratings, ("our", "their")),
    ),
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
        connection.execute(CreateIndex(step))
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
