"""The analyses of chosen matches, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from sixprime.bot.analysis.store import analysis_of
from sixprime.bot.archive.archive import Archive
from sixprime.engine.analysis.values import MatchAnalysis

Progress = Callable[[int, int], None]


class Collected(NamedTuple):
    """A match, its analysis, and the wanted seats."""

    match_id: int
    analysis: MatchAnalysis
    seats: tuple[int, ...]


def collected(
    archive: Archive,
    rows: Iterable[Any],
    key: str,
    *,
    of_account: bool,
    progress: Progress = lambda done, total: None,
) -> Iterator[Collected]:
    """Yield the analysed matches; with `of_account`, for the seat of the account alone."""
    chosen = list(rows)
    for done, row in enumerate(chosen, start=1):
        analysis = analysis_of(archive, row.id, key)
        if analysis is not None:
            yield Collected(row.id, analysis, (int(row.turned),) if of_account else (0, 1))
        progress(done, len(chosen))
