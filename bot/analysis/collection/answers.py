"""Answers about many analyses: lost equity by kind, the worst errors, the first plays.

They come from the rows of `sixprime.bot.analysis.facts`. With `of_account` only the account's seat
counts, as `seen` turns it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Row, Select, Subquery, Table, func, select

from sixprime.bot.analysis.collection.openings import Openings
from sixprime.bot.analysis.store import analysis_of
from sixprime.bot.analysis.worst import KIND_COLUMNS, KindTally, Lost
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.statistics import OTHER, as_seen, figures_of
from sixprime.bot.archive.tables import errors, figures, first_plays
from sixprime.engine.analysis.values import MatchAnalysis


def count_analysed(archive: Archive, seen: Subquery, key: str) -> int:
    asked = select(func.count()).select_from(seen.join(figures, figures_of(seen, key)))
    with archive.reading() as connection:
        return connection.execute(asked).scalar() or 0


def lost_by_kind(
    archive: Archive, seen: Subquery, key: str, *, of_account: bool
) -> list[tuple[str, KindTally]]:
    """Return the kinds of errors, costliest first."""
    sums = [
        func.sum(_of_seats(seen, f"{column}_{what}", of_account=of_account))
        for column in KIND_COLUMNS.values()
        for what in ("errors", "given")
    ]
    with archive.reading() as connection:
        row = connection.execute(
            select(*sums).select_from(seen.join(figures, figures_of(seen, key)))
        ).one()
    pairs = zip(row[::2], row[1::2], strict=True)
    tallies = {
        kind: KindTally(int(count), float(given))
        for kind, (count, given) in zip(KIND_COLUMNS, pairs, strict=True)
        if count
    }
    return sorted(tallies.items(), key=lambda item: (-item[1].given, item[0]))


def _of_seats(seen: Subquery, name: str, *, of_account: bool) -> ColumnElement[Any]:
    sides = {whose: figures.c[f"{whose}_{name}"] for whose in OTHER}
    seat = as_seen(seen.c.turned == 1, "our", sides)
    return seat if of_account else sides["our"] + sides["their"]


def _counted(seen: Subquery, key: str, facts: Table, *, of_account: bool) -> Select[Any]:
    """Return the facts of current analyses of these matches, to choose columns from."""
    same = (facts.c.settings == key) & (facts.c.match_id == seen.c.id)
    places = seen.join(figures, figures_of(seen, key)).join(facts, same)
    asked = select().select_from(places)
    return asked.where(facts.c.seat == seen.c.turned) if of_account else asked


def worst_places(
    archive: Archive, seen: Subquery, key: str, most: int, *, of_account: bool
) -> list[Row[Any]]:
    """Return rows of the worst errors with their matches as seen, worst first.

    Errors that are not even doubtful have no rows.
    """
    places = errors.c.match_id, errors.c.game, errors.c.turn, errors.c.what
    also = (*(errors.c.seat, errors.c.kind, errors.c.given),
            *(seen.c.account, seen.c.opponent, seen.c.started, seen.c.turned))  # fmt: skip
    asked = (
        _counted(seen, key, errors, of_account=of_account)
        .add_columns(*places, *also)
        .order_by(errors.c.given.desc(), *places)
        .limit(most)
    )
    with archive.reading() as connection:
        return list(connection.execute(asked))


def worst_errors(
    archive: Archive, seen: Subquery, key: str, most: int, *, of_account: bool
) -> list[tuple[Lost, MatchAnalysis]] | None:
    """Return the worst errors, worst first; None if some of them are not even doubtful."""
    rows = worst_places(archive, seen, key, most, of_account=of_account)
    if len(rows) < most:
        return None
    analyses = {row.match_id: analysis_of(archive, row.match_id, key) for row in rows}
    worst = []
    for row in rows:
        analysis = analyses[row.match_id]
        assert analysis is not None
        error = next(
            error
            for error in analysis.errors()
            if (error.game, error.turn, error.what.value) == (row.game, row.turn, row.what)
        )
        worst.append((Lost(-error.verdict.error, row.match_id, error), analysis))
    return worst


def openings_of(archive: Archive, seen: Subquery, key: str, *, of_account: bool) -> Openings:
    """Return the first plays of the games that began with the opening position."""
    plays = first_plays.c
    asked = (
        _counted(seen, key, first_plays, of_account=of_account)
        .add_columns(
            plays.roll,
            plays.play,
            plays.best,
            func.count(),
            func.sum(plays.given),
            func.max(plays.match_id),
        )
        .group_by(plays.roll, plays.play, plays.best)
        .order_by(func.max(plays.match_id))  # the last analysis says which play is best
    )
    book = Openings()
    with archive.reading() as connection:
        for roll, play, best, times, given, _ in connection.execute(asked):
            book.count((int(roll[0]), int(roll[1])), play, times, given, best)
    return book
