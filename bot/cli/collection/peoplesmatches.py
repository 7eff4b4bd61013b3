"""The analysed matches of people that options choose, from files or an archive."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from sixprime.bot.analysis.collection.collected import collected
from sixprime.bot.analysis.matches import examined
from sixprime.bot.archive.collection.names import known_names
from sixprime.bot.archive.collection.people import standings
from sixprime.bot.archive.collection.selection import listed, seen
from sixprime.bot.cli.collection.verbs.choosing import opened, selection_of
from sixprime.bot.cli.collection.verbs.collecting import settings_key
from sixprime.bot.cli.line.errors import Skipped, UsageError
from sixprime.bot.cli.matchfiles import matches_in
from sixprime.bot.cli.progress import bar
from sixprime.bot.cli.ready import get_ready
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.likeness.plays import prs_of
from sixprime.engine.search.players import shipped_brain

EXPERT = "expert"


class PeoplesMatch(NamedTuple):
    """An analysed match, the PRs of its players over all matches, and the wanted seats."""

    analysis: MatchAnalysis
    prs: Mapping[str, float]
    seats: tuple[int, ...]


@contextmanager
def peoples_matches(options: Namespace, skipped: Skipped) -> Iterator[Iterator[PeoplesMatch]]:
    """Give the matches of the files or of the archive, with a bar while they are read."""
    get_ready()
    if getattr(options, "files", None):
        if options.database or options.config:
            raise UsageError("give files or an archive, not both")
        yield _in_files(options, skipped)
        return
    of_account = bool(options.me or options.player is not None)
    with opened(options) as archive, bar("reading matches") as progress:
        key = settings_key(archive, options.analysis)
        matches, names = seen(archive, selection_of(options, archive)), known_names(archive)
        prs = {row["player"]: row["pr"] or 0.0 for row in standings(archive, matches, key)}
        found = collected(
            archive, listed(archive, matches), key, of_account=of_account, progress=progress
        )
        yield (
            PeoplesMatch(
                analysis,
                {player: prs.get(names.player(player), 0.0) for player in analysis.players},
                seats,
            )
            for _, analysis, seats in found
        )


def _in_files(options: Namespace, skipped: Skipped) -> Iterator[PeoplesMatch]:
    examiner = Examiner(shipped_brain(), AnalysisSettings.of(EXPERT))
    analyses: list[MatchAnalysis] = []
    with bar("analysing") as progress:
        for done, name in enumerate(options.files, start=1):
            with skipped.at(name):
                for match in matches_in(name, skipped.command, strict=False):
                    analyses.append(examined(match, examiner))  # noqa: PERF401 - keep the good
            progress(done, len(options.files))
    prs = prs_of(analyses)
    with bar("comparing") as progress:
        for done, analysis in enumerate(analyses, start=1):
            yield PeoplesMatch(analysis, prs, (0, 1))
            progress(done, len(analyses))
