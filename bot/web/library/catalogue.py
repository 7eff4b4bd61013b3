"""Lists of matches: chosen, sorted and cut into pages by the database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, Subquery, func, select

from sixprime.bot.analysis.store import keys
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.filters import (
    MATCH_FILTERS,
    NAME,
    OUTCOMES,
    RESULT,
    SWITCH,
    Filter,
)
from sixprime.bot.archive.collection.names import known_names
from sixprime.bot.archive.collection.people import names_seated, strangers
from sixprime.bot.archive.collection.selection import MatchSeen, seen
from sixprime.bot.archive.collection.statistics import figures_of, pr_seen, with_pr
from sixprime.bot.archive.tables import figures, matches
from sixprime.bot.process.printable import named, printable
from sixprime.bot.web.frame.texts import N_
from sixprime.bot.web.library.listquery import ListQuery

A_PAGE = 50
OFFERED = 300  # players with most matches, to complete a name
_FIRST = ("text", "player", "ours")  # filters that are not folded


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

    def form(self, asked: ListQuery) -> dict[str, Any]:
        """Return the fields of the form of filters, and remarks on unknown players."""
        known = known_names(self.archive)
        players = dict.fromkeys(map(known.player, names_seated(self.archive)))
        return {
            "asked": asked,
            "fields": list(self._fields(asked, has_me=bool(known.ours))),
            "players": [name for name in players if name][:OFFERED],
            "remarks": list(strangers(self.archive, asked.selection)),
        }

    def _fields(self, asked: ListQuery, *, has_me: bool) -> Iterator[dict[str, Any]]:
        """Yield the fields of filters that can tell matches apart."""
        words = asked.filters()
        for each in MATCH_FILTERS:
            said = words.get(each.key, "")
            options = self._options(each)
            if said or (
                len(options) > 1 if each.kind.listed else each.kind is not SWITCH or has_me
            ):
                yield {
                    "key": each.key,
                    "label": each.label,
                    "widget": each.kind.widget,
                    "said": said,
                    "options": [("", N_("any")), *options] if each.kind.listed else [],
                    "completes": each.kind is NAME,
                    "first": each.name in _FIRST,
                }

    def _options(self, declared: Filter) -> list[tuple[str, str]]:
        """Return the values of a filter that occur, each with its words."""
        if declared.kind is RESULT:
            return [(word, word) for word in OUTCOMES]
        if not declared.kind.listed:
            return []
        column = matches.c[declared.name]
        with self.archive.reading() as connection:
            values = connection.execute(select(column).distinct().order_by(column)).scalars()
            words = (declared.kind.written(value) for value in values if value != "")
            return [(word, word) for word in words]

    def ids(self, asked: ListQuery) -> list[int]:
        """Return the ids of the matches on all pages, in order."""
        query = self._ordered(self.seen(asked), asked)
        with self.archive.reading() as connection:
            return list(connection.execute(query).scalars())

    # --- SQL

    def seen(self, asked: ListQuery) -> Subquery:
        """Return the matches on all pages as a table."""
        return seen(self.archive, asked.selection)

    def _ordered(self, chosen: Subquery, asked: ListQuery) -> Select[Any]:
        """Return the ids in order; without other columns an index may be enough."""
        ids = select(chosen.c.id)
        column: ColumnElement[Any]
        match asked.sort:
            case "pr" | "their_pr":
                column = pr_seen(chosen, "our" if asked.sort == "pr" else "their")
                ids = ids.select_from(chosen.outerjoin(figures, figures_of(chosen, self.key())))
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
        return ids.order_by(order.nulls_last(), chosen.c.id.desc())

    def _whole(self, chosen: Subquery, ids: Sequence[int]) -> Select[Any]:
        return with_pr(chosen, self.key()).where(chosen.c.id.in_(ids))


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
        "prs": [match.pr, match.their_pr],
        "rating": match.our_rating_after,
    }
