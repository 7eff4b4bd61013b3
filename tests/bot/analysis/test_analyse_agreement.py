"""Our own evaluation finds the errors that gnubg's two plies find."""

from __future__ import annotations

from collections.abc import Callable
from statistics import correlation, mean

import pytest

from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis
from tests.support.engine.analyses import analyse_match, analysis_in_record
from tests.support.gnubg.analyses import fixture, injected

CASES = [case for case in fixture() if case.plies == 2]


def rates(analyses: list[MatchAnalysis]) -> list[float]:
    """Normalised errors per decision of every player, in thousandths."""
    found = [player.error_rate for each in analyses for player in each.statistics]
    return [1000 * rate[0] if rate else 0.0 for rate in found]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_error_rates_agree_with_gnubgs(record_property: Callable[[str, object], None]) -> None:
    settings = AnalysisSettings.of("world-class")
    theirs = rates([analysis_in_record(injected(case)) for case in CASES])
    ours = rates([analyse_match(case.match, settings) for case in CASES])
    found = {
        "correlation": round(correlation(ours, theirs), 4),
        "mean": round(mean(ours), 2),
        "gnubg's mean": round(mean(theirs), 2),
    }
    for name, figure in found.items():
        record_property(name, figure)
    assert found["correlation"] > 0.97, found
    assert abs(mean(ours) / mean(theirs) - 1) < 0.1, found
