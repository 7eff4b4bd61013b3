"""The analyses of the archived matches that options choose."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Subquery

from sixprime.bot.analysis.collection.answers import worst_errors
from sixprime.bot.analysis.collection.collected import collected
from sixprime.bot.analysis.store import fill_facts, keys, lack_facts
from sixprime.bot.analysis.worst import Lost, LostEquity
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.selection import listed
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.progress import bar
from sixprime.engine.analysis.values import MatchAnalysis


def _known_keys(archive: Archive) -> list[str]:
    """Return the settings of analyses, most used first; older analyses get their facts first."""
    if lack_facts(archive):
        with bar("reading older analyses, once") as progress:
            fill_facts(archive, progress)
    return [key for key, _ in keys(archive)]


def usual_key(archive: Archive) -> str | None:
    return next(iter(_known_keys(archive)), None)


def settings_key(archive: Archive, wanted: str | None) -> str:
    """Return the settings of the analyses to read, by default the most used; UsageError."""
    known = _known_keys(archive)
    if not known:
        raise UsageError("nothing is analysed yet: sixprime archive analyse")
    if wanted not in (None, *known):
        raise UsageError(f"no analyses at {wanted}; there are: {', '.join(known)}")
    return wanted or known[0]


def worst_of(
    archive: Archive, matches: Subquery, key: str, most: int, *, of_account: bool
) -> Iterator[tuple[Lost, MatchAnalysis]]:
    """Return the worst errors of these matches with their analyses, worst first."""
    worst = worst_errors(archive, matches, key, most, of_account=of_account)
    if worst is not None:
        return worst
    losses, analyses = LostEquity(most), {}
    with bar("reading analyses") as progress:
        rows = listed(archive, matches)
        found = collected(archive, rows, key, of_account=of_account, progress=progress)
        for match_id, analysis, seats in found:
            losses.add(match_id, analysis, seats)
            analyses[match_id] = analysis
    return ((lost, analyses[lost.match_id]) for lost in losses.worst())
