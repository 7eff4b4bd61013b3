"""Decisions of people in random matches, analysed at 0-ply."""

from __future__ import annotations

from functools import cache

from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.likeness.decisions import HumanDecision, decisions_of
from sixprime.engine.likeness.plays import first_sight, prs_of
from tests.support.archive.imported import played
from tests.support.engine.analyses import analyse_match

EXPERT = AnalysisSettings.of("expert")


@cache
def analyses() -> tuple[MatchAnalysis, ...]:
    return tuple(analyse_match(match, EXPERT) for match in played(20, 3))


@cache
def gathered() -> tuple[HumanDecision, ...]:
    prs, engine = prs_of(analyses()), first_sight()
    return tuple(
        decision for analysis in analyses() for decision in decisions_of(analysis, engine, prs)
    )
