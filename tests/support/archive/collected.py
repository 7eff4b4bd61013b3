"""An archive with analysed matches, as fixtures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sixprime.bot.analysis.store import Wanted, keep, packed
from sixprime.bot.archive.archive import Archive
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.protocols.formats.record import Match
from tests.support.archive.imported import add, played
from tests.support.archive.told import settings_in
from tests.support.engine.analyses import analyse_match

SETTINGS = AnalysisSettings.of("beginner")
MATCHES = played(20, 3)


def analysed(match: Match) -> MatchAnalysis:
    return analyse_match(match, SETTINGS)


@pytest.fixture(scope="module")
def analyses() -> list[MatchAnalysis]:
    return [analysed(match) for match in MATCHES]


@pytest.fixture
def archive(tmp_path: Path, analyses: list[MatchAnalysis]) -> Iterator[Archive]:
    with closing(Archive(settings_in(tmp_path))) as archive:
        for match, analysis in zip(MATCHES, analyses, strict=True):
            key = add(archive, match)
            assert key is not None
            keep(archive, SETTINGS.key, [(Wanted(key, 0), packed(analysis))])
        yield archive
