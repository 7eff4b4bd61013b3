"""Reports filled with a sample."""

from __future__ import annotations

from functools import cache

from sixprime.bot.archive.matchfiles import read_matches
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.protocols.formats.record import Match
from tests.support.engine.analyses import analyse_match
from tests.support.places import INTEROP

DATA = INTEROP


@cache
def sample() -> tuple[Match, MatchAnalysis]:
    """Two games with cubes, a pass, a gammon."""
    (match,) = read_matches(DATA / "oldmoves-2games.mat")
    return match, analyse_match(match, AnalysisSettings.of("expert"))
