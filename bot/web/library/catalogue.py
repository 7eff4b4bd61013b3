"""Lists of matches: chosen, sorted and cut into pages by the database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, Subquery, func, select
from sqlalchemy.sql import FromClause

from sixprime.bot.analysis.store import keys
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.names import known_names
from sixprime.bot.archive.collection.selection import MatchSeen, Selection, seen
from sixprime.bot.archive.collection.statistics import OTHER, as_seen, error_rate, figures_of
from sixprime.bot.archive.tables import figures, matches
from sixprime.bot.process.printable import named, printable
from sixprime.bot.web.library.listquery import ListQuery

A_PAGE = 50


class Catalogue:
    """The matches of an archive, with error rates by one analysis."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive

    def key(self) -> str | None:
        """Return the settings of most analyses, which lists and statistics show."""
        return next((key for key, _ in keys(self.archive)), None)

    def page(self, asked: ListQuery) -> dict[str, Any]:
        chosen = self.seen(asked)
        with self.archive.reading() as connection:
            total = select(func.count()).select_from(chosen)
            count = connection.execute(total).scalar_one()
            last = max(0, (count - 1) // A_PAGE)
            at = min(asked.page, last)
            some = self._ordered(chosen, asked).limit(A_PAGE).offset(at * A_PAGE)
            ids = list(connection.execute(some).scalars())
            rows = {row.id: row for row in connection.execute(self._whole(chosen, ids))}
        shown = [_shown(rows[match_id]) for match_id in ids if match_id in rows]
        return {"rows": shown, "count": count, "page": at, "last": last}

    def choices(self) -> dict[str, list[Any]]:
        """Return the lengths, levels and servers that occur."""
        found = {}
        with self.archive.reading() as connection:
            for name in ("length", "level", "server"):
                column = matches.c[name]
                values = connection.execute(select(column).distinct().order_by(column)).scalars()
                found[f"{name}s"] = [each for each in values if each != ""]
        return found

    def ids(self, asked: ListQuery) -> list[int]:
        """Return the ids of the matches on all pages, in order."""
        query = self._ordered(self.seen(asked), asked)
        with self.archive.reading() as connection:
            return list(connection.execute(query).scalars())

    # --- SQL

    def seen(self, asked: ListQuery) -> Subquery:
        """Return the matches on all pages as a table."""
        plain = Selection(
            length=asked.length,
            level=asked.level or None,
            server=asked.server or None,
            since=asked.since,
            until=asked.until,
            result=asked.result or None,
        )
        chosen = seen(self.archive, plain)
        where = list(self._named(chosen, asked.opponent))
        places: FromClause = chosen
        if asked.least_error is not None:
            places = self._with_figures(chosen)
            where.append(_rate(chosen, "our") >= asked.least_error)
        return select(chosen).select_from(places).where(*where).subquery("listed")

    def _named(self, chosen: Subquery, text: str) -> Iterator[ColumnElement[bool]]:
        """Match all aliases of a player by a full name, else every name with this text in it."""
        if not text:
            return
        whole = chosen.c.opponent.in_(known_names(self.archive).all_names(text))
        with self.archive.reading() as connection:
            is_name = connection.execute(select(chosen.c.id).where(whole).limit(1)).first()
        yield whole if is_name else chosen.c.opponent.icontains(text, autoescape=True)

    def _with_figures(self, chosen: Subquery) -> FromClause:
        return chosen.outerjoin(figures, figures_of(chosen, self.key()))

    def _ordered(self, chosen: Subquery, asked: ListQuery) -> Select[Any]:
        """Return the ids in order; without other columns an index may be enough."""
        places: FromClause = chosen
        column: ColumnElement[Any]
        match asked.sort:
            case "error" | "their_error":
                column = _rates(chosen)[asked.sort]
                places = self._with_figures(chosen)
            case "account" | "opponent" | "level":
                column = func.lower(chosen.c[asked.sort])
            case "score":
                column = chosen.c.our_score - chosen.c.their_score
            case "result":
                column = chosen.c.winner
            case "rating":
                column = chosen.c.our_rating_after
            case name:
                column = chosen.c[name]
        order = column.desc() if asked.falling else column.asc()
        return (
            select(chosen.c.id).select_from(places).order_by(order.nulls_last(), chosen.c.id.desc())
        )

    def _whole(self, chosen: Subquery, ids: Sequence[int]) -> Select[Any]:
        rates = [rate.label(name) for name, rate in _rates(chosen).items()]
        places = self._with_figures(chosen)
        return select(chosen, *rates).select_from(places).where(chosen.c.id.in_(ids))


def _rates(chosen: Subquery) -> dict[str, ColumnElement[float]]:
    return {"error": _rate(chosen, "our"), "their_error": _rate(chosen, "their")}


def _rate(chosen: Subquery, whose: str) -> ColumnElement[float]:
    """Return the error rate of a match's account, or of its opponent (`their`)."""
    sides = {side: error_rate(figures, side) for side in OTHER}
    return as_seen(chosen.c.turned == 1, whose, sides)


# --- rows of the list


def _shown(row: Row[Any]) -> dict[str, Any]:
    match = MatchSeen.of_row(row)
    return {
        "id": match.id,
        "day": match.day,
        "account": named(match.account),
        "opponent": named(match.opponent),
        "length": match.length,
        "level": printable(match.level or ""),
        "score": f"{match.our_score}–{match.their_score}",
        "result": match.result,
        "errors": [match.error, match.their_error],
        "rating": match.our_rating_after,
    }
