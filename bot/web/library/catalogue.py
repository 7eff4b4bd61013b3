"""Lists of matches: chosen, sorted and cut into pages by the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from sqlalchemy import JSON, ColumnElement, Connection, Float, and_, cast, func, null, select

from sixprime.bot.analysis.store import keys, summaries
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.names import Names, known_names
from sixprime.bot.archive.collection.selection import MatchSeen, Selection, conditions
from sixprime.bot.archive.collection.statistics import ended_level
from sixprime.bot.archive.tables import ArchiveError, analyses, matches
from sixprime.bot.process.printable import named, printable
from sixprime.bot.web.library.listquery import ListQuery
from sixprime.engine.analysis.statistics import Pair
from sixprime.protocols.formats.record import BadRecord

A_PAGE = 50
_SHOWN = [column for column in matches.c if column.name not in ("record", "digest", "stem")]
_CUBE = (
    "missed_below_cp", "missed_above_cp", "wrong_below_dp", "wrong_above_tg", "wrong_take",
    "wrong_pass",
)  # fmt: skip


class Catalogue:
    """The matches of an archive, with error rates by one analysis."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def key(self) -> str | None:
        """Return the settings of most analyses, which lists and statistics show."""
        return next((key for key, _ in keys(self._archive)), None)

    def page(self, asked: ListQuery) -> dict[str, Any]:
        key = self.key()
        with self._archive.reading() as connection:
            where = self._where(connection, asked, key)
            total = select(func.count()).select_from(matches).where(*where)
            count = int(connection.execute(total).scalar() or 0)
            last = max(0, (count - 1) // A_PAGE)
            at = min(asked.page, last)
            query = (
                select(*_SHOWN)
                .where(*where)
                .order_by(*self._order(connection, asked, key))
                .limit(A_PAGE)
                .offset(at * A_PAGE)
            )
            rows = [MatchSeen(dict(row._mapping)) for row in connection.execute(query)]
        rates = self.rates(key, {row.id for row in rows})
        return {
            "rows": [_shown(row, rates.get(row.id)) for row in rows],
            "count": count,
            "page": at,
            "last": last,
        }

    def choices(self) -> dict[str, list[Any]]:
        """Return the lengths, levels and servers that occur."""
        found = {}
        with self._archive.reading() as connection:
            for name in ("length", "level", "server"):
                column = matches.c[name]
                values = connection.execute(select(column).distinct().order_by(column)).scalars()
                found[f"{name}s"] = [each for each in values if each != ""]
        return found

    def ids(self, asked: ListQuery) -> list[int]:
        """Return the ids of the matches on all pages."""
        return [row.id for row in self.rows(asked)]

    def rows(self, asked: ListQuery) -> list[Any]:
        """Return the matches on all pages, in order, without the records of imported ones."""
        key = self.key()
        with self._archive.reading() as connection:
            query = select(*_SHOWN).where(*self._where(connection, asked, key))
            order = self._order(connection, asked, key)
            found = connection.execute(query.order_by(*order))
            return [MatchSeen(dict(row._mapping)) for row in found]

    def names(self) -> Names:
        return known_names(self._archive)

    def rates(self, key: str | None, ids: set[int] | None = None) -> dict[int, Pair]:
        """Return the statistics of both players for each analysed match."""
        if key is None:
            return {}
        return {each.match_id: each.statistics for each in summaries(self._archive, key, ids)}

    def level(self, rows: list[Any]) -> set[int]:
        """Return the ids of money sessions that ended level."""
        found = set()
        for row in rows:
            with suppress(ArchiveError, BadRecord):  # an unreadable match counts as open
                found |= {row.id} if ended_level(self._archive, row) else set()
        return found

    # --- SQL

    def _where(
        self, connection: Connection, asked: ListQuery, key: str | None
    ) -> list[ColumnElement[bool]]:
        plain = Selection(
            length=asked.length,
            level=asked.level or None,
            server=asked.server or None,
            since=asked.since,
            until=asked.until,
        )
        return [
            *self._named(connection, asked.opponent),
            *_ended(asked.result),
            *conditions(plain),
            *(
                []
                if asked.least_error is None
                else [_rate(connection, key, 0) >= asked.least_error]
            ),
        ]

    def _named(self, connection: Connection, text: str) -> Iterator[ColumnElement[bool]]:
        """Match all aliases of a player by a full name, else every name with this text in it."""
        if not text:
            return
        whole = matches.c.opponent.in_(self.names().all_names(text))
        there = connection.execute(select(matches.c.id).where(whole).limit(1)).first() is not None
        yield whole if there else matches.c.opponent.icontains(text, autoescape=True)

    def _order(
        self, connection: Connection, asked: ListQuery, key: str | None
    ) -> list[ColumnElement[Any]]:
        column: ColumnElement[Any]
        match asked.sort:
            case "error" | "their_error":
                column = _rate(connection, key, int(asked.sort == "their_error"))
            case "account" | "opponent" | "level":
                column = func.lower(matches.c[asked.sort])
            case "score":
                column = matches.c.our_score - matches.c.their_score
            case "result":
                column = matches.c.winner
            case "rating":
                column = matches.c.our_rating_after
            case name:
                column = matches.c[name]
        newest = matches.c.id.desc()
        return [column.is_(None), column.desc() if asked.falling else column.asc(), newest]


def _ended(result: str) -> Iterator[ColumnElement[bool]]:
    if result:
        winner = {"won": 0, "lost": 1}.get(result)
        yield matches.c.winner.is_(None) if winner is None else matches.c.winner == winner


def _rate(connection: Connection, key: str | None, seat: int) -> ColumnElement[Any]:
    """Return PlayerStatistics.error_rate in millipoints as SQL; NULL without an analysis."""
    if key is None:
        return cast(null(), Float)
    lite = connection.dialect.name == "sqlite"

    def figure(name: str, *place: str) -> ColumnElement[Any]:
        if lite:
            path = f"$.statistics[{seat}].{name}" + "".join(f"[{each}]" for each in place)
            return func.json_extract(analyses.c.summary, path)
        steps = ("statistics", str(seat), name, *place)
        return cast(func.json_extract_path_text(cast(analyses.c.summary, JSON), *steps), Float)

    lost = figure("checker", "1")
    for kind in _CUBE:
        lost += figure(kind, "1")
    decided = func.nullif(figure("unforced") + figure("close"), 0)
    current = and_(
        analyses.c.match_id == matches.c.id,
        analyses.c.settings == key,
        analyses.c.noted == matches.c.noted,
    )
    return select(-1000.0 * lost / decided).where(current).correlate(matches).scalar_subquery()


# --- rows of the list


def _shown(row: MatchSeen, pair: Pair | None) -> dict[str, Any]:
    rates = [each.error_rate for each in pair] if pair is not None else [None, None]
    return {
        "id": row.id,
        "day": row.day,
        "account": named(row.account),
        "opponent": named(row.opponent),
        "length": row.length,
        "level": printable(row.level or ""),
        "score": f"{row.our_score}–{row.their_score}",
        "result": row.result,
        "errors": [None if rate is None else -1000.0 * rate[0] for rate in rates],
        "rating": row.our_rating_after,
    }
