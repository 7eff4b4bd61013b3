"""The analysis of a whole archive, on every core or on a Dask cluster; it can be resumed.

Each analysis is stored within a second, so a killed run resumes where it stopped, and no match is
analysed twice at the same settings. Failures are reported and skipped.
An analysis depends only on the match, the settings and the nets: not on the machine, the order of
the work, or what else was running.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Collection
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from pathlib import Path

from sixprime.bot.analysis.matches import examined
from sixprime.bot.analysis.store import PackedAnalysis, Wanted, keep, packed, unanalysed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.process.footprint import uncollected
from sixprime.bot.process.workers import KILLED, Pool
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.system.errors import Unavailable
from sixprime.engine.system.faults import Surviving
from sixprime.protocols.formats.recordjson import from_json, to_json

WAITING = 3  # matches queued or running, per worker
KEPT_S = 0.5  # analyses made within this time are stored together

_ours = threading.local()  # an examiner is not thread-safe


@dataclass(slots=True)
class Outcome:
    """The counts of a run: matches analysed, analysed before, and failed."""

    analysed: int = 0
    there: int = 0  # analysed before
    broken: dict[int, str] = field(default_factory=dict)  # match id -> reason


def analyse_record(
    record: str, settings: AnalysisSettings, key: str, weights: str | None
) -> PackedAnalysis:
    """Return the analysis of a match as JSON; ValueError if it cannot be analysed.

    This works in any process on any machine whose nets fit the `key`.
    """
    if getattr(_ours, "key", None) != (key, weights):
        if settings.key != key:
            raise Unavailable("this worker has another version of Sixprime, or other nets")
        brain = load_brain(None if weights is None else Path(weights))
        _ours.examiner, _ours.key = Examiner(brain, settings), (key, weights)
    with uncollected():
        return packed(examined(from_json(record), _ours.examiner))


def analyse_archive(
    archive: Archive,
    settings: AnalysisSettings,
    pool: Pool,
    *,
    ids: Collection[int] | None = None,
    weights: Path | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    outcome: Outcome | None = None,
) -> Outcome:
    """Analyse the matches without an analysis; an `outcome` is filled while the run goes on.

    Unavailable if the workers are gone.
    """
    outcome = Outcome() if outcome is None else outcome
    key = settings.key
    missing, outcome.there = unanalysed(archive, key, ids)
    path = str(weights) if weights is not None else None
    left = iter(missing)
    under_way: dict[Future[PackedAnalysis], Wanted] = {}
    made = _Made(archive, key, outcome)
    try:
        while True:
            for wanted in left:
                record = _record_of(archive, wanted, outcome)
                if record is not None:
                    job = pool.executor.submit(analyse_record, record, settings, key, path)
                    under_way[job] = wanted
                if len(under_way) >= WAITING * pool.width:
                    break
            if not under_way:
                return outcome
            patience = KEPT_S if made.found else None
            for future in wait(under_way, patience, FIRST_COMPLETED).done:
                made.settle(under_way.pop(future), future)
            if made.is_due() or not under_way:
                made.keep()
                progress(outcome.analysed + len(outcome.broken), len(missing))
    except BrokenExecutor as error:
        raise Unavailable(KILLED) from error
    finally:
        for future in under_way:
            future.cancel()
        made.keep()


def _record_of(archive: Archive, wanted: Wanted, outcome: Outcome) -> str | None:
    def leave_out(error: Exception) -> None:
        outcome.broken[wanted.match_id] = _reason(error)

    with Surviving(leave_out):
        text = archive.row(wanted.match_id).record
        return str(text) if text is not None else to_json(archive.match(wanted.match_id))
    return None


class _Made:
    """Analyses that wait to be stored, since a transaction takes as long as half an analysis."""

    def __init__(self, archive: Archive, key: str, outcome: Outcome) -> None:
        self._archive, self._key, self._outcome = archive, key, outcome
        self.found: list[tuple[Wanted, PackedAnalysis]] = []
        self._kept_at = -math.inf

    def settle(self, wanted: Wanted, future: Future[PackedAnalysis]) -> None:
        """Take the result for a match; Unavailable if the workers are gone."""
        if future.cancelled():  # by Dask, when the connection to its scheduler is lost
            raise Unavailable(
                "the workers were lost: the scheduler ended, or was too busy to answer"
            )
        error = future.exception()
        if isinstance(error, BrokenExecutor | Unavailable):
            raise error
        if error is not None:
            self._outcome.broken[wanted.match_id] = _reason(error)
        else:
            self.found.append((wanted, future.result()))

    def is_due(self) -> bool:
        return time.monotonic() - self._kept_at >= KEPT_S

    def keep(self) -> None:
        """Store the waiting analyses; they are durable when this returns."""
        if self.found:
            keep(self._archive, self._key, self.found)
            self._outcome.analysed += len(self.found)
            self.found.clear()
        self._kept_at = time.monotonic()


def _reason(error: BaseException) -> str:
    """Return the text of an error, with its class if it is unexpected."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
