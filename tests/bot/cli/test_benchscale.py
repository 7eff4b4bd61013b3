"""`sixprime benchanalysis --scale`: archives grow by copying, and every answer is measured."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import select

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.tables import analyses as stored
from sixprime.bot.archive.tables import errors, figures, first_plays, matches
from sixprime.bot.cli.lab.benchscale import grow
from sixprime.bot.cli.main import main
from sixprime.bot.settings.archiveplace import ArchivePlace
from tests.support.archive.collected import MATCHES, analyses, archive

__all__ = ["analyses", "archive"]  # fixtures
OF_MATCHES = (stored, figures, errors, first_plays)


def contents(archive: Archive, match_id: int) -> list[list[tuple[object, ...]]]:
    """All that is stored with a match, but for numbers and names of files."""
    with archive.reading() as connection:
        return [
            sorted(
                tuple(
                    value
                    for name, value in row._mapping.items()
                    if name not in ("id", "match_id", "stem")
                )
                for row in connection.execute(select(table).where(number == match_id))
            )
            for table, number in (
                (matches, matches.c.id),
                *((table, table.c.match_id) for table in OF_MATCHES),
            )
        ]


def test_each_copy_is_one_of_the_matches_whole(archive: Archive) -> None:
    wanted = [str(contents(archive, match_id)) for match_id in (1, 2, 3)]
    grow(archive, 8)
    ids = [row.id for row in archive.rows()]
    assert len(ids) == 8
    copies = Counter(str(contents(archive, match_id)) for match_id in ids)
    assert copies.keys() == set(wanted)  # nothing else, and none is missing


def test_an_archive_that_is_too_large_is_cut_whole(archive: Archive) -> None:
    grow(archive, 2)
    assert [row.id for row in archive.rows()] == [1, 2]
    with archive.reading() as connection:
        for table in OF_MATCHES:
            there = connection.execute(select(table.c.match_id)).scalars()
            assert set(there) <= {1, 2}


def test_summaries_have_figures_alone(archive: Archive) -> None:
    grow(archive, 6, summaries=True)
    with archive.reading() as connection:
        counts = [len(list(connection.execute(select(table)))) for table in (figures, stored)]
        records = list(
            connection.execute(select(matches.c.record).order_by(matches.c.id)).scalars()
        )
    assert counts == [6, len(MATCHES)]
    assert [record is None for record in records] == 3 * [False] + 3 * [True]


@pytest.mark.slow
def test_costs_of_each_size_are_one_json_object(
    archive: Archive, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = archive.settings.database, f"sqlite:///{tmp_path}/large.db"
    assert source is not None
    words = ["benchanalysis", source, "--scale", "20", "60", "--database", target]
    assert main([*words, "--only", "stats", "page"]) == 0
    told = json.loads(capsys.readouterr().out)["matches"]
    assert {size: costs["rows"]["matches"] for size, costs in told.items()} == {"20": 20, "60": 60}
    for costs in told.values():
        assert list(costs["costs"]) == ["stats", "page"]
        for cost in costs["costs"].values():
            assert cost["cpu_s"] >= 0
            assert 20 < cost["peak_mib"] < 1_000
    with closing(Archive(ArchivePlace(target, folder=None))) as kept:
        assert len(kept.rows()) == 60


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--scale",), "say which FILEs"),
        (("--scale", "20", "--database", "{0}"), "say which FILEs"),
        (("nothing.sgf", "--scale", "--database", "{0}"), "give an empty archive"),
        (("--scale", "--database", "sqlite:///none/none.db"), "no archive"),
        (("--scale", "--database", "{0}", "--only", "nonsense"), "no measurement 'nonsense'"),
    ],
)
def test_bad_words_are_refused_and_change_nothing(
    archive: Archive, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], why: str
) -> None:
    address = archive.settings.database or ""
    assert main(["benchanalysis", *(word.format(address) for word in words)]) == 2
    assert why in capsys.readouterr().err
    assert len(archive.rows()) == len(MATCHES)
