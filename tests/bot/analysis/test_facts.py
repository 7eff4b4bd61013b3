"""Facts of analyses: they are filled for older archives, and equal sums over the analyses."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from sqlalchemy import delete, select

from sixprime.bot.analysis.store import Wanted, fill_facts, keep, packed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.people import standings
from sixprime.bot.archive.collection.selection import Selection, chosen, seen
from sixprime.bot.archive.collection.statistics import stats_of
from sixprime.bot.archive.tables import errors, figures, first_plays, matches
from sixprime.engine.analysis.statistics import PlayerStatistics
from sixprime.engine.analysis.values import MatchAnalysis
from tests.support.archive.collected import SETTINGS, analyses, archive

__all__ = ["analyses", "archive"]  # fixtures
FACTS = (figures, errors, first_plays)


def rows(archive: Archive) -> dict[str, list[Any]]:
    """All facts, without the numbers of their rows."""
    with archive.reading() as connection:
        return {
            table.name: sorted(
                tuple(row)
                for row in connection.execute(
                    select(*(column for column in table.c if column.name != "id"))
                )
            )
            for table in FACTS
        }


def forget(archive: Archive, match_id: int | None = None) -> None:
    with archive.writing() as connection:
        for table in FACTS:
            gone = delete(table)
            connection.execute(
                gone if match_id is None else gone.where(table.c.match_id == match_id)
            )


@pytest.mark.parametrize("left", [None, 2])
def test_older_analyses_get_their_facts_once(archive: Archive, left: int | None) -> None:
    before = rows(archive)
    assert all(before.values())
    forget(archive, left)
    told: list[tuple[int, int]] = []
    fill_facts(archive, lambda done, total: told.append((done, total)))
    assert rows(archive) == before
    assert told[-1][0] == told[-1][1] == (1 if left else 3)
    told.clear()
    fill_facts(archive, lambda done, total: told.append((done, total)))
    assert told == []


def test_an_analysis_made_anew_replaces_its_facts(
    archive: Archive, analyses: list[MatchAnalysis]
) -> None:
    before = rows(archive)
    keep(archive, SETTINGS.key, [(Wanted(1, 0), packed(analyses[0]))])
    assert rows(archive) == before


def test_facts_of_a_match_that_went_on_count_no_more(archive: Archive) -> None:
    def analysed() -> int:
        stats = stats_of(archive, seen(archive, Selection()), SETTINGS.key)
        return int(stats["skill"]["total"]["analysed"])

    assert analysed() == 3
    with archive.writing() as connection:
        connection.execute(matches.update().where(matches.c.id == 2).values(noted=9))
    assert analysed() == 2


def test_players_and_statistics_equal_sums_over_the_analyses(
    archive: Archive, analyses: list[MatchAnalysis]
) -> None:
    told = {
        row["player"]: row for row in standings(archive, seen(archive, Selection()), SETTINGS.key)
    }
    sums: dict[str, list[PlayerStatistics]] = defaultdict(list)
    for analysis in analyses:
        for name, player in zip(analysis.players, analysis.statistics, strict=True):
            sums[name].append(player)
    assert set(told) == set(sums)
    for name, many in sums.items():
        whole = PlayerStatistics.summed(many)
        assert told[name]["pr"] == pytest.approx(whole.pr, abs=1e-9)
        rate = whole.error_rate
        assert rate is not None
        assert told[name]["error_rate"] == pytest.approx(-1000 * rate[0], abs=6e-4)
        mine = seen(archive, Selection(player=name))  # from either seat
        total = stats_of(archive, mine, SETTINGS.key)["skill"]["total"]
        assert total["pr"] == pytest.approx(whole.pr, abs=6e-4)
        assert total["luck_rate"] == pytest.approx(1000 * whole.luck.emg / whole.moves, abs=6e-4)
        assert total["rating"] == whole.rating
        assert total["analysed"] == len(many) == told[name]["analysed"]
        results = [row.result for row in chosen(archive, Selection(player=name))]
        assert (told[name]["won"], told[name]["lost"]) == (
            results.count("won"),
            results.count("lost"),
        )
