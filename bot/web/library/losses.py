"""Errors and first plays of a list of matches, for its pages."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any
from urllib.parse import urlencode

from sixprime.bot.analysis.collection.answers import (
    count_analysed,
    lost_by_kind,
    openings_of,
    with_analyses,
    worst_places,
)
from sixprime.bot.analysis.collection.quiz import QuizQuestion, questions
from sixprime.bot.process.printable import named
from sixprime.bot.reports.text import kind_words
from sixprime.bot.web.library.catalogue import Catalogue
from sixprime.bot.web.library.listquery import ListQuery

WORST = 50  # errors in the list
POOL = 1_000  # errors from which questions are drawn


def errors_shown(catalogue: Catalogue, asked: ListQuery) -> dict[str, Any]:
    """Return errors by kind, and the worst with their places; of the player who is asked about."""
    key, chosen, of_account = catalogue.key(), catalogue.seen(asked), asked.is_of_player
    if key is None:
        return {"count": 0}
    archive = catalogue.archive
    kinds = lost_by_kind(archive, chosen, key, of_account=of_account)
    worst = worst_places(archive, chosen, key, WORST, of_account=of_account)
    return {
        "count": count_analysed(archive, chosen, key),
        "analysis": key.rpartition("-")[0],
        "kinds": [(kind_words(kind), tally.errors, tally.given) for kind, tally in kinds],
        "worst": [
            {
                "link": f"/archive/{row.match_id}?{urlencode({'error': _place(row)})}",
                "match": row.match_id,
                "place": _place(row),
                "given": row.given,
                "kind": kind_words(row.kind),
                "who": named(row.account if row.seat == row.turned else row.opponent),
                "against": named(row.opponent if row.seat == row.turned else row.account),
                "day": "" if row.started is None else f"{row.started:%Y-%m-%d}",
                "game": row.game + 1,
            }
            for row in worst
        ],
    }


def worst_questions(
    catalogue: Catalogue, asked: ListQuery, known: Collection[str]
) -> Iterator[QuizQuestion]:
    """Yield the worst errors as questions, but for known ones, each named match/place."""
    key, archive = catalogue.key(), catalogue.archive
    if key is None:
        return
    rows = worst_places(archive, catalogue.seen(asked), key, POOL, of_account=asked.is_of_player)
    new = [row for row in rows if f"{row.match_id}/{_place(row)}" not in known]
    yield from questions(with_analyses(archive, key, new))


def _place(row: Any) -> str:
    return f"{row.game}.{row.turn}.{row.what}"


def openings_shown(catalogue: Catalogue, asked: ListQuery) -> dict[str, Any]:
    """Return the first plays of each roll; the costliest roll comes first."""
    key, chosen = catalogue.key(), catalogue.seen(asked)
    if key is None:
        return {"count": 0}
    book = openings_of(catalogue.archive, chosen, key, of_account=asked.is_of_player)
    return {
        "count": count_analysed(catalogue.archive, chosen, key),
        "analysis": key.rpartition("-")[0],
        "rolls": [(f"{high}-{low}", list(_plays(plays))) for (high, low), plays in book.rolls()],
    }


def _plays(plays: list[Any]) -> Iterator[dict[str, Any]]:
    for play, tally in plays:
        yield {
            "play": play,
            "times": tally.times,
            "each": tally.given / tally.times,
            "given": tally.given,
            "better": "" if tally.best == play else tally.best,
        }
