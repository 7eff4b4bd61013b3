"""A match record -> its analysis."""

from __future__ import annotations

from engine.analyse import AnalysisSettings, MatchAnalysis
from protocols.record import Match


def analyse_match(match: Match, settings: AnalysisSettings) -> MatchAnalysis:
    """The match with every decision judged."""
    raise NotImplementedError
