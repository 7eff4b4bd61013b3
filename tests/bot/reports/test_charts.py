"""Charts do not draw what is not known: months without matches, shares of few matches."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.archive.collection.statistics import Z, wilson
from sixprime.bot.reports.charts_svg import ChartLine, lines
from sixprime.bot.reports.plots import plots
from tests.support.archive.rows import Row, at, stats_of_rows


def test_a_gap_interrupts_a_line() -> None:
    points = [(1.0, 5.0), (2.0, 6.0), (4.0, 7.0), (5.0, 8.0), (9.0, 1.0)]
    drawn = lines("A", [ChartLine("", points, [1, 4, 9, 4, 1], gap=1.0)])
    paths = re.findall(r'<polyline [^>]*points="([^"]+)"', drawn)
    assert [len(path.split()) for path in paths] == [2, 2, 1]
    assert len(re.findall(r"<polyline", lines("A", [ChartLine("", points)]))) == 1


def test_a_dot_grows_with_the_matches_behind_it_and_its_interval_is_in_view() -> None:
    line = ChartLine("", [(1.0, 50.0), (2.0, 60.0)], [1, 100], [(5.0, 95.0), (58.0, 62.0)])
    drawn = lines("A", [line], unit=" %")
    small, large = (float(size) for size in re.findall(r'<circle [^>]*\br="([\d.]+)"', drawn))
    assert small < large
    tops = [float(y) for y in re.findall(r'class="s0 span"[^>]* y1="([\d.]+)"', drawn)]
    assert len(tops) == 2
    assert all(y >= 34 for y in tops)
    assert "100 %" in drawn


@given(st.integers(0, 400), st.integers(0, 400))
def test_wilsons_interval_holds_the_shares_that_fit_the_matches(won: int, lost: int) -> None:
    decided = won + lost
    low, high = wilson(won, decided)
    if not decided:
        assert (low, high) == (None, None)
        return
    assert low is not None
    assert high is not None
    assert 0 <= low <= 100 * won / decided + 0.05
    assert 100 * won / decided - 0.05 <= high <= 100
    assert high - low > 0
    for bound in (low, high):  # an observed share is Z standard deviations of the bound away
        share = bound / 100
        away = abs(won / decided - share)
        assert away == pytest.approx(Z * (share * (1 - share) / decided) ** 0.5, abs=0.005)


ROWS = [
    *(Row(number, started=at(1, number), winner=0) for number in range(1, 4)),
    Row(4, started=at(2, 1), winner=1),
    Row(5, started=at(4, 1), winner=0),
]


def test_a_month_without_matches_is_a_gap_and_one_match_is_no_certainty(tmp_path: Path) -> None:
    stats = stats_of_rows(tmp_path, ROWS)
    assert list(stats["by_month"]) == ["2026-01", "2026-02", "2026-04"]
    april = stats["by_month"]["2026-04"]
    assert (april["won"], april["won_low"], april["won_high"]) == (1, 20.7, 100.0)


def test_results_of_several_players_are_not_drawn(tmp_path: Path) -> None:
    assert "won-by-month.svg" in plots(stats_of_rows(tmp_path, ROWS))
    (tmp_path / "both").mkdir()
    several = stats_of_rows(tmp_path / "both", [*ROWS, Row(6, account="ben", opponent="anna")])
    assert several["subject"] is None
    assert not [name for name in plots(several) if name.startswith("won")]
