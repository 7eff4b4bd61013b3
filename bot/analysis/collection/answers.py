"""Answers about many analyses: lost equity by kind, the worst errors, the first plays.

They come from the rows of `sixprime.bot.analysis.facts`. With `of_account` only the account's seat
counts, as `seen` turns it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, Subquery, Table, func, select

from sixprime.bot.analysis.collection.openings import Openings
from sixprime.bot.analysis.store import analysis_of
from sixprime.bot.analysis.worst import KIND_COLUMNS, KindTally, Lost
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.statistics import OTHER, figures_of, summed
from sixprime.bot.archive.tables import errors, figures, first_plays
from sixprime.bot.process.footprint import uncollected
from sixprime.engine.analysis.values import MatchAnalysis

KEPT = 20  # analyses, as a match may have several of the worst errors
FEW = 10  # times fewer matches than all: their facts are read match by match


def count_analysed(archive: Archive, seen: Subquery, key: str) -> int:
    places = seen.outerjoin(figures, figures_of(seen, key))  # an inner one may read all figures
    asked = select(func.count(figures.c.match_id)).select_from(places)
    with archive.reading() as connection:
        return connection.execute(asked).scalar() or 0


def lost_by_kind(
    archive: Archive, seen: Subquery, key: str, *, of_account: bool
) -> list[tuple[str, KindTally]]:
    """Return the kinds of errors, costliest first."""
    sides = {
        f"{column}_{what}": {whose: figures.c[f"{whose}_{column}_{what}"] for whose in OTHER}
        for column in KIND_COLUMNS.values()
        for what in ("errors", "given")
    }
    tallies = {kind: KindTally() for kind in KIND_COLUMNS}
    with archive.reading() as connection:
        for sums in summed(connection, seen, key, {}, {}, sides):
            for kind, column in KIND_COLUMNS.items():
                for whose in ("our",) if of_account else OTHER:
                    tallies[kind].errors += sums[f"{whose}_{column}_errors"]
                    tallies[kind].given += sums[f"{whose}_{column}_given"]
    made = [(kind, tally) for kind, tally in tallies.items() if tally.errors]
    return sorted(made, key=lambda item: (-item[1].given, item[0]))


def _counted(
    connection: Connection, seen: Subquery, key: str, facts: Table, *, of_account: bool
) -> Select[Any]:
    """Return the facts of current analyses of these matches, to choose columns from."""
    settings: ColumnElement[str] = facts.c.settings
    if _are_few(connection, seen, key):
        settings = settings.concat("")  # so that no index of all facts is read, but each match's
    same = (settings == key) & (facts.c.match_id == seen.c.id)
    places = seen.join(figures, figures_of(seen, key)).join(facts, same)
    asked = select().select_from(places)
    return asked.where(facts.c.seat == seen.c.turned) if of_account else asked


def _are_few(connection: Connection, seen: Subquery, key: str) -> bool:
    chosen = select(func.count()).select_from(seen)
    everything = select(func.count()).where(figures.c.settings == key)
    counts = [connection.execute(asked).scalar_one() for asked in (chosen, everything)]
    return FEW * counts[0] < counts[1]


def worst_places(
    archive: Archive, seen: Subquery, key: str, most: int, *, of_account: bool
) -> list[Row[Any]]:
    """Return rows of the worst errors with their matches as seen, worst first.

    Errors that are not even doubtful have no rows.
    """
    places = errors.c.match_id, errors.c.game, errors.c.turn, errors.c.what
    also = (*(errors.c.seat, errors.c.kind, errors.c.given),
            *(seen.c.account, seen.c.opponent, seen.c.started, seen.c.turned))  # fmt: skip
    with archive.reading() as connection:
        asked = (
            _counted(connection, seen, key, errors, of_account=of_account)
            .add_columns(*places, *also)
            .order_by(errors.c.given.desc(), *places)
            .limit(most)
        )
        return list(connection.execute(asked))


def worst_errors(
    archive: Archive, seen: Subquery, key: str, most: int, *, of_account: bool
) -> Iterator[tuple[Lost, MatchAnalysis]] | None:
    """Return the worst errors, worst first; None if some of them are not even doubtful."""
    rows = worst_places(archive, seen, key, most, of_account=of_account)
    return None if len(rows) < most else with_analyses(archive, key, rows)


def with_analyses(
    archive: Archive, key: str, rows: Iterable[Row[Any]]
) -> Iterator[tuple[Lost, MatchAnalysis]]:
    """Yield the errors at these places; the analysis of each is unpacked when it is its turn."""

    @lru_cache(KEPT)
    def unpack(match_id: int) -> MatchAnalysis | None:
        with uncollected():
            return analysis_of(archive, match_id, key)

    for row in rows:
        analysis = unpack(row.match_id)
        assert analysis is not None
        error = next(
            error
            for error in analysis.errors()
            if (error.game, error.turn, error.what.value) == (row.game, row.turn, row.what)
        )
        yield Lost(-error.verdict.error, row.match_id, error), analysis


def openings_of(archive: Archive, seen: Subquery, key: str, *, of_account: bool) -> Openings:
    """Return the first plays of the games that began with the opening position."""
    plays, book = first_plays.c, Openings()
    last = func.max(plays.match_id)  # the last analysis says which play is best
    with archive.reading() as connection:
        asked = (
            _counted(connection, seen, key, first_plays, of_account=of_account)
            .add_columns(plays.roll, plays.play, plays.best, func.count(), func.sum(plays.given))
            .group_by(plays.roll, plays.play, plays.best)
            .order_by(last)
        )
        for roll, play, best, times, given in connection.execute(asked):
            book.count((int(roll[0]), int(roll[1])), play, times, given, best)
    return book
