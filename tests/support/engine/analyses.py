"""Analyses for tests: by our engine, and of what another program found and a record carries."""

from __future__ import annotations

from sixprime.bot.analysis.matches import Progress, examined
from sixprime.bot.analysis.recorded import analysis_in_record
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.nets.weights import load_brain
from sixprime.protocols.formats.record import Match

__all__ = ["analyse_match", "analysis_in_record"]


def analyse_match(
    match: Match,
    settings: AnalysisSettings,
    brain: Brain | None = None,
    progress: Progress | None = None,
) -> MatchAnalysis:
    """The match with every decision and roll judged; `brain` instead of the nets that ship."""
    return examined(match, Examiner(brain or load_brain(), settings), progress)
