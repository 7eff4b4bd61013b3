"""Answers about many matches cost what they answer: plans of their statements, rows they fetch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from sqlalchemy import event, text

from sixprime.bot.analysis.collection.answers import (
    count_analysed,
    lost_by_kind,
    openings_of,
    worst_places,
)
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.people import standings
from sixprime.bot.archive.collection.selection import Selection, listed, seen
from sixprime.bot.archive.collection.statistics import stats_of
from sixprime.bot.cli.lab.benchscale import grow
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.library.listquery import SORTS, ListQuery
from tests.support.archive.collected import SETTINGS, analyses, archive

__all__ = ["analyses", "archive"]  # fixtures
SIZE = 60
KEY = SETTINGS.key


class Ran(NamedTuple):
    """A statement with its parameters, the steps of its plan and the number of its rows."""

    statement: str
    plan: list[str]
    rows: int


@contextmanager
def recorded(archive: Archive) -> Iterator[list[Ran]]:
    """Record the queries of a block on SQLite."""
    ran: list[Ran] = []

    def note(connection: Any, _: Any, statement: str, given: Any, *__: object) -> None:
        if statement.startswith("SELECT"):
            raw = connection.connection.dbapi_connection
            plan = [row[3] for row in raw.execute(f"EXPLAIN QUERY PLAN {statement}", given)]
            ran.append(Ran(statement, plan, len(raw.execute(statement, given).fetchall())))

    with archive.reading() as connection:
        engine = connection.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield ran
    finally:
        event.remove(engine, "before_cursor_execute", note)


def page(**query: str) -> Callable[[Archive, str], object]:
    return lambda archive, _: Library(archive).listed(ListQuery.from_query(query))


def chosen(archive: Archive, player: str = "") -> Any:
    return seen(archive, Selection(player=player or None))


QUESTIONS: dict[str, Callable[[Archive, str], object]] = {
    "unreadable": lambda archive, _: archive.unreadable(),
    "newest": lambda archive, _: list(listed(archive, chosen(archive), 2, KEY)),
    "stats": lambda archive, _: stats_of(archive, chosen(archive), KEY),
    "stats of a player": lambda archive, player: stats_of(archive, chosen(archive, player), KEY),
    "players": lambda archive, _: standings(archive, chosen(archive), KEY),
    "count": lambda archive, _: count_analysed(archive, chosen(archive), KEY),
    "kinds": lambda archive, _: lost_by_kind(archive, chosen(archive), KEY, of_account=False),
    "worst": lambda archive, _: worst_places(archive, chosen(archive), KEY, 2, of_account=False),
    "worst of a player": lambda archive, player: worst_places(
        archive, chosen(archive, player), KEY, 2, of_account=True
    ),
    "openings": lambda archive, _: openings_of(archive, chosen(archive), KEY, of_account=False),
    "statistics page": lambda archive, _: Library(archive).counted(ListQuery()),
    **{f"page by {sort}": page(sort=sort) for sort in SORTS},
    "page of a length": page(length="5"),
    "page of errors": page(error="1"),
}
UNSORTED = ("stats", "players", "count", "kinds")  # in the order of an index


def asked(archive: Archive, name: str) -> list[Ran]:
    player = archive.row(1).account
    with recorded(archive) as ran:
        QUESTIONS[name](archive, player)
    return ran


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_answer_scans_the_rows_of_matches_or_reads_what_it_need_not(
    archive: Archive, name: str
) -> None:
    for ran in asked(archive, name):
        assert "json" not in ran.statement.lower()
        columns = "" if "matches_misfit" in str(ran.plan) else ran.statement.partition("FROM")[0]
        assert not re.search(r"\.(summary|body|record)\b", columns), columns
        assert not {"SCAN matches", "SCAN analyses", "SCAN errors"} & set(ran.plan), ran.statement


@pytest.mark.parametrize("name", UNSORTED)
def test_groups_are_added_up_in_the_order_of_an_index(archive: Archive, name: str) -> None:
    sums = [ran for ran in asked(archive, name) if "figures" in ran.statement]
    assert sums
    for ran in sums:
        assert not [step for step in ran.plan if "TEMP B-TREE" in step], ran.plan


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("unreadable", "matches_misfit"),
        ("newest", "matches_by_start"),
        ("page by started", "matches_by_start"),
        ("stats", "matches_by_kind"),
        ("stats", "matches_by_opponent"),
        ("stats", "matches_rated"),
        ("players", "matches_by_players"),
        ("worst", "errors_by_size"),
    ],
)
def test_the_index_that_was_made_for_an_answer_is_used(
    archive: Archive, name: str, index: str
) -> None:
    assert any(index in step for ran in asked(archive, name) for step in ran.plan)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_larger_archive_does_not_send_more_rows(archive: Archive, name: str) -> None:
    before = sum(ran.rows for ran in asked(archive, name))
    grow(archive, SIZE)
    after = sum(ran.rows for ran in asked(archive, name))
    assert after <= before + (2 * 50 if "page" in name else 0)  # a page is full


def test_of_few_matches_the_facts_are_read_match_by_match(archive: Archive) -> None:
    grow(archive, SIZE)
    with archive.writing() as connection:
        connection.execute(text("UPDATE matches SET account = 'rare' WHERE id = 1"))
    with recorded(archive) as ran:
        worst_places(archive, chosen(archive, "rare"), KEY, 2, of_account=True)
    (worst,) = [each for each in ran if "errors.given" in each.statement]
    assert any("ix_errors_match_id" in step for step in worst.plan), worst.plan
