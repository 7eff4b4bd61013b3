"""The analyses of the archived matches that options choose."""

from __future__ import annotations

from sqlalchemy import Subquery

from sixprime.bot.analysis.collection.answers import worst_errors
from sixprime.bot.analysis.collection.collected import collected
from sixprime.bot.analysis.store import fill_facts, keys
from sixprime.bot.analysis.worst import Lost, LostEquity
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.selection import listed
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.progress import bar
from sixprime.engine.analysis.values import MatchAnalysis


def usual_key(archive: Archive) -> str | None:
    """Return the most used settings of analyses; older analyses get their facts first."""
    with bar("reading older analyses, once") as progress:
        fill_facts(archive, progress)
    return next((key for key, _ in keys(archive)), None)


def settings_key(archive: Archive, wanted: str | None) -> str:
    """Return the settings of the analyses to read, by default the most used; UsageError."""
    usual = usual_key(archive)
    if usual is None:
        raise UsageError("nothing is analysed yet: sixprime archive analyse")
    known = [key for key, _ in keys(archive)]
    if wanted not in (None, *known):
        raise UsageError(f"no analyses at {wanted}; there are: {', '.join(known)}")
    return wanted or usual


def worst_of(
    archive: Archive, matches: Subquery, key: str, most: int, *, of_account: bool
) -> list[tuple[Lost, MatchAnalysis]]:
    """Return the worst errors of these matches with their analyses, worst first."""
    worst = worst_errors(archive, matches, key, most, of_account=of_account)
    if worst is not None:
        return worst
    losses, analyses = LostEquity(most), {}
    with bar("reading analyses") as progress:
        rows = listed(archive, matches)
        for match_id, analysis, seats in collected(
            archive, rows, key, of_account=of_account, progress=progress
        ):
            losses.add(match_id, analysis, seats)
            analyses[match_id] = analysis
    return [(lost, analyses[lost.match_id]) for lost in losses.worst()]
