"""The archive's tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    DateTime,
    Dialect,
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
    case,
    cast,
    func,
    literal_column,
    or_,
)
from sqlalchemy.types import TypeDecorator, TypeEngine


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
    Index("matches_by_digest", "digest"),
    Index("matches_by_start", "started", "id"),
)


def month_of(started: ColumnElement[Any]) -> ColumnElement[str]:
    """Return the month of a moment, such as 2026-11; without parameters, for an index."""
    return func.substr(cast(started, String), literal_column("1"), literal_column("7"))


def misfit(column: Column[Any]) -> ColumnElement[bool]:
    """Return the condition that a column holds a value of another type; SQLite accepts any."""
    held = func.typeof(column)
    if isinstance(column.type, Utc):
        is_like_time = cast(column, Text).like("____-__-__ __:__:__%")
        is_time = case((is_like_time, func.datetime(column) != ""))  # 'now' would be a time, too
        return and_(held != "null", or_(held != "text", is_time.is_not(True)))
    kinds = {Integer: ("integer",), Float: ("real", "integer")}
    found = (each for kind, each in kinds.items() if isinstance(column.type, kind))
    return held.not_in((*next(found, ("text",)), "null"))


MISFITS = {column.name: misfit(column) for column in matches.c}
IS_MISFIT = or_(*MISFITS.values())


def _columns(*words: str) -> list[Column[Any]]:
    return [matches.c[word] for word in words]


# Questions about many matches read these instead of the rows, which lie far apart: among records.
_COUNTED = _columns("winner", "our_score", "their_score", "our_rating_after", "noted")
_SQLITE = {"dialect": "sqlite"}
RATED = Index(
    "matches_rated",  # all that a curve of ratings needs, of either seat
    *_columns("ended", "started", "id", "account", "opponent", "our_rating_after"),
    matches.c.their_rating_after,
)
INDEXES = (
    Index("matches_by_players", *_columns("account", "opponent", "server", "started"), *_COUNTED),
    Index("matches_by_opponent", *_columns("opponent", "account", "started"), *_COUNTED),
    Index(
        "matches_by_kind",
        *_columns("length", "level", "server"),
        month_of(matches.c.started),
        *_COUNTED,
        info=_SQLITE,
    ).ddl_if(dialect="sqlite"),
    RATED,
    Index("matches_misfit", matches.c.id, sqlite_where=IS_MISFIT, info=_SQLITE).ddl_if(
        dialect="sqlite"
    ),
)


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


def _decision() -> tuple[Column[Any], ...]:
    return (
        Column("id", _KEY, primary_key=True),
        Column("settings", String(64), nullable=False),
        Column("match_id", ForeignKey("matches.id"), nullable=False, index=True),
        Column("game", Integer, nullable=False),  # from 0
        Column("seat", Integer, nullable=False),
        Column("given", Float, nullable=False),  # EMG
    )


# Errors from doubtful up.
errors = Table(
    "errors",
    metadata,
    *_decision(),
    Column("turn", Integer, nullable=False),  # from 0
    Column("what", String(16), nullable=False),  # an engine.analysis.values.What
    Column("kind", String(32), nullable=False),
    Index("errors_by_size", "settings", "given"),
)

# The first play of each game.
first_plays = Table(
    "first_plays",
    metadata,
    *_decision(),
    Column("roll", String(2), nullable=False),  # the higher first
    Column("play", String(WIDEST), nullable=False),
    Column("best", String(WIDEST), nullable=False),
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

# Choices that commands and pages go on with, such as the level of the last analysis.
choices = Table(
    "choices",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

# Words of people on matches that were played here; see sixprime.bot.matchlog.words.
words = Table(
    "words",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("body", Text, nullable=False),  # JSON
)

# The collector's notes.
notes = Table(
    "notes",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("text", Text, nullable=False),
)
