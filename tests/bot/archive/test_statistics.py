"""Statistics over an archive: by group, how well was played, as table, CSV and charts."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sixprime.bot.analysis.store import Wanted, keep, packed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.statistics import GROUPS, lines_of
from sixprime.bot.cli.main import main
from sixprime.bot.reports.plots import plots, tables
from sixprime.bot.settings.schema import ArchiveSettings
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.library.listquery import ListQuery
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.statistics import PlayerStatistics, Total
from tests.support.archive.imported import add, played
from tests.support.archive.rows import Row, at, stats_of_rows
from tests.support.archive.told import settings_in
from tests.support.engine.analyses import analyse_match

EVIL = "=HYPERLINK('http://evil.example')</text><script>"


ROWS = [
    Row(1, started=at(1, 3), ended=at(1, 3), our_rating_after=1510.0),
    Row(2, opponent=EVIL, length=11, winner=1, started=at(2, 1), ended=at(2, 1)),
    Row(3, length=3, winner=None, level="", our_rating_after=1490.5, ended=at(1, 2)),
]
GOOD = PlayerStatistics(unforced=100, checker=Total(3, -0.5, -0.1), moves=120)
POOR = PlayerStatistics(unforced=100, checker=Total(30, -2.5, -0.9), moves=120)


def test_errors_are_summed_over_the_decisions_of_a_group_before_they_are_divided(
    tmp_path: Path,
) -> None:
    few = PlayerStatistics(unforced=1, checker=Total(1, -0.51, -0.2), moves=1)
    stats = stats_of_rows(tmp_path, ROWS, {1: (GOOD, POOR), 3: (few, few)})
    assert stats["skill"]["by_opponent"]["ben"]["analysed"] == 2
    assert stats["skill"]["by_opponent"]["ben"]["error_rate"] == pytest.approx(10.0)
    assert stats["skill"]["by_length"]["7"]["their_error_rate"] == pytest.approx(25.0)
    assert stats["skill"]["by_length"]["7"]["rating"] == "Expert"
    assert list(stats["skill"]["by_month"]) == ["2026-01", "unknown"]
    assert stats["skill"]["total"]["cube_rate"] is None


def test_a_session_that_ended_level_is_not_unfinished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "(;GM[6]PW[anna]PB[ben]MI[length:0]"
    (tmp_path / "level.sgf").write_text(
        f"{head};W[31hefe];B[double];W[drop])\n{head}[game:1][bs:1];B[31qtst];W[double];B[drop])"
    )
    (tmp_path / "begun.sgf").write_text(f"{head};W[42hdfd])")
    source = ["--database", f"sqlite:///{tmp_path}/level.db"]
    assert main(["archive", "import", str(tmp_path), *source]) == 0
    capsys.readouterr()
    assert main(["archive", "stats", "--json", *source]) == 0
    total = json.loads(capsys.readouterr().out)["total"]
    assert [total[each] for each in ("matches", "won", "lost", "unfinished")] == [2, 0, 0, 1]
    archive = Archive(ArchiveSettings(database=source[1], folder=None))
    assert Library(archive).counted(ListQuery())["total"] == total  # on the page, too
    archive.close()


def test_without_analyses_there_is_no_word_of_skill(tmp_path: Path) -> None:
    stats = stats_of_rows(tmp_path, ROWS)
    assert "skill" not in stats
    assert list(stats["by_length"]) == ["3", "7", "11"]
    assert [line["key"] for line in lines_of(stats)][-1] == "all"
    assert stats["ratings"] == {
        "anna": [["2026-01-02T12:00:00+00:00", 1490.5], ["2026-01-03T12:00:00+00:00", 1510.0]]
    }


def test_names_from_the_wire_are_no_formulas_and_no_markup(tmp_path: Path) -> None:
    stats = stats_of_rows(tmp_path, ROWS, {2: (GOOD, POOR)})
    written = tables(stats)
    rows = list(csv.DictReader(written["results.csv"].splitlines()))
    assert [row["key"] for row in rows if EVIL in row["key"]] == [f"'{EVIL}"]
    assert {row["group"] for row in rows} == {*GROUPS, "all"}
    assert rows[-1]["their_error_rate"] == "25.0"
    assert written["ratings.csv"].splitlines()[1] == "anna,2026-01-02T12:00:00+00:00,1490.50"
    drawn = plots(stats)
    assert set(drawn) == {
        "rating-anna.svg",
        *(f"{what}-by-{group}.svg" for what in ("won", "errors")
          for group in GROUPS),
    }  # fmt: skip
    assert not any("<script" in text or "</text><s" in text for text in drawn.values())
    assert "2026-01-02" in drawn["rating-anna.svg"]


def test_an_empty_archive_has_tables_and_charts(tmp_path: Path) -> None:
    stats = stats_of_rows(tmp_path, [])
    assert tables(stats)["ratings.csv"] == "account,at,rating\n"
    assert plots(stats) == {}


@pytest.fixture
def source(tmp_path: Path) -> Iterator[list[str]]:
    """Two matches, one of them analysed, as options."""
    archive = Archive(settings_in(tmp_path))
    for match in played(500, 2):
        add(archive, match)
    settings = AnalysisSettings.of("expert")
    keep(archive, settings.key, [(Wanted(1, 0), packed(analyse_match(archive.match(1), settings)))])
    yield ["--database", archive.settings.database or ""]
    archive.close()


def test_the_command_tells_writes_and_draws_what_was_analysed(
    source: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["archive", "stats", "--json", *source]) == 0
    stats = json.loads(capsys.readouterr().out)
    assert stats["skill"]["total"]["analysed"] == 1
    assert stats["skill"]["settings"] == AnalysisSettings.of("expert").key
    assert main(["archive", "stats", *source]) == 0
    said = capsys.readouterr().out
    assert "both pr" in said
    assert "won from" not in said
    assert "Whose results?" in said
    assert main(["archive", "players", "--json", *source]) == 0
    player = next(row for row in json.loads(capsys.readouterr().out) if row["analysed"])
    assert main(["archive", "stats", "--player", player["player"], *source]) == 0
    said = capsys.readouterr().out
    assert "their pr" in said
    assert "won from" in said
    out = tmp_path / "out"
    assert main(["archive", "stats", "--csv", str(out), "--plots", str(out), *source]) == 0
    assert capsys.readouterr().out == ""
    assert {each.suffix for each in out.iterdir()} == {".csv", ".svg"}
    assert main(["archive", "stats", "--analysis", "other", *source]) == 2
    assert "there are: expert-" in capsys.readouterr().err


def test_the_page_of_a_stored_analysis_is_shown_without_analysing_again(
    source: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    assert main(["archive", "show", "1", "--html", str(page), *source]) == 0
    assert "Analysed by Sixprime at expert" in page.read_text()
    assert main(["archive", "show", "2", "--html", str(page), *source]) == 2
    assert "sixprime archive analyse --match 2" in capsys.readouterr().err
