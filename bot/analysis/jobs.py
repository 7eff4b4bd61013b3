"""The analysis of a whole archive, on every core or on a Dask cluster; it can be resumed.

Each analysis is stored within a second, so a killed run resumes where it stopped, and no match is
analysed twice at the same settings. Failures are reported and skipped. A match whose worker is
killed is tried again, at last alone: so a match that kills its workers costs no other one.
An analysis depends only on the match, the settings and the nets: not on the machine, the order of
the work, or what else was running.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

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

WAITING = 3  # tasks queued or running, per worker
MOST_TOGETHER = 100  # matches of a task
MOST_KILLERS = 2  # matches that kill their workers, one after the other, before the run ends
KEPT_S = 0.5  # analyses made within this time are stored together

_ours = threading.local()  # an examiner is not thread-safe


@dataclass(slots=True)
class Outcome:
    """The counts of a run: matches analysed, analysed before, and failed."""

    analysed: int = 0
    there: int = 0  # analysed before
    broken: dict[int, str] = field(default_factory=dict)  # match id -> reason


class TaskResults(NamedTuple):
    """The results of a task: for each match its analysis, or the reason that it has none."""

    results: list[PackedAnalysis | str]
    seconds: float


def analyse_records(
    records: Sequence[str], settings: AnalysisSettings, key: str, weights: str | None
) -> TaskResults:
    """Analyse matches in any process on any machine whose nets fit the `key`."""
    if getattr(_ours, "key", None) != (key, weights):
        if settings.key != key:
            raise Unavailable("this worker has another version of Sixprime, or other nets")
        brain = load_brain(None if weights is None else Path(weights))
        _ours.examiner, _ours.key = Examiner(brain, settings), (key, weights)
    results: list[PackedAnalysis | str] = []
    began = time.perf_counter()

    def leave_out(error: Exception) -> None:
        if isinstance(error, Unavailable):
            raise error
        results.append(_reason(error))

    for record in records:
        with Surviving(leave_out), uncollected():
            results.append(packed(examined(from_json(record), _ours.examiner)))
    return TaskResults(results, time.perf_counter() - began)


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

    `progress` hears first of 0 matches. Unavailable if the workers are gone.
    """
    outcome = Outcome() if outcome is None else outcome
    missing, outcome.there = unanalysed(archive, settings.key, ids)
    progress(0, len(missing))
    path = str(weights) if weights is not None else None
    run = _Run(archive, pool, (settings, settings.key, path), missing, outcome)
    try:
        while run.submit():
            run.settle()
            if run.made.is_due() or not run.under_way:
                run.made.keep()
                run.width = pool.capacity()
                progress(outcome.analysed + len(outcome.broken), len(missing))
    except BrokenExecutor as error:
        raise Unavailable(KILLED) from error
    finally:
        for future in run.under_way:
            future.cancel()
        run.made.keep()
    return outcome


class _Run:
    """The tasks of a run: under way, and still to come."""

    def __init__(
        self,
        archive: Archive,
        pool: Pool,
        how: tuple[AnalysisSettings, str, str | None],
        missing: Iterable[Wanted],
        outcome: Outcome,
    ) -> None:
        self._archive, self._pool, self._how = archive, pool, how
        self._left = iter(missing)
        self._outcome = outcome
        self._lost: deque[Wanted] = deque()  # of tasks that were lost again and again
        self._is_alone = False  # the task under way, a lost match
        self._killers = 0  # matches since the last success that were lost when alone, too
        self._together = 1  # matches of the next task
        self.made = _Made(archive, how[1], outcome)
        self.width = pool.capacity()
        self.under_way: dict[Future[TaskResults], list[Wanted]] = {}

    def submit(self) -> bool:
        """Submit tasks for all workers, or a lost match alone; return whether any is under way."""
        if not self.under_way:
            self._is_alone = False
            while self._lost and not self._is_alone:
                self._is_alone = self._submit([self._lost.popleft()])
        while not (self._lost or self._is_alone) and len(self.under_way) < WAITING * self.width:
            if not self._submit(self._left):
                break
        return bool(self.under_way)

    def _submit(self, wanted: Iterable[Wanted]) -> bool:
        """Submit a task of the next matches; return whether there was one."""
        matches, records = [], []
        for match in wanted:
            record = _record_of(self._archive, match, self._outcome)
            if record is not None:
                matches.append(match)
                records.append(record)
            if len(records) == self._together:
                break
        if records:
            task = self._pool.executor.submit(analyse_records, records, *self._how)
            self.under_way[task] = matches
        return bool(records)

    def settle(self) -> None:
        """Wait for tasks, until analyses must be stored, and take their results."""
        patience = KEPT_S if self.made.found else None
        for future in wait(self.under_way, patience, FIRST_COMPLETED).done:
            self._take(self.under_way.pop(future), future)

    def _take(self, matches: list[Wanted], future: Future[TaskResults]) -> None:
        """Take the results of a task; Unavailable if the workers are gone."""
        if future.cancelled():  # by Dask, when the connection to its scheduler is lost
            raise Unavailable(
                "the workers were lost: the scheduler ended, or was too busy to answer"
            )
        error = future.exception()
        if isinstance(error, Unavailable):
            raise error
        if error is not None and not self._is_alone:
            self._lost += matches  # perhaps because of another match
        elif error is not None:
            self._outcome.broken[matches[0].match_id] = _reason(error)
            self._killers += 1
            if self._killers == MOST_KILLERS:
                raise Unavailable(_reason(error))
        else:
            task = future.result()
            self._killers = 0
            self._together = _together(len(matches), task.seconds, self._pool.task_s)
            for wanted, result in zip(matches, task.results, strict=True):
                if isinstance(result, str):
                    self._outcome.broken[wanted.match_id] = result
                else:
                    self.made.found.append((wanted, result))


def _together(matches: int, seconds: float, wanted_s: float) -> int:
    """Return how many matches a task should have, by the time that the last one took."""
    return max(1, min(MOST_TOGETHER, int(wanted_s * matches / max(seconds, 1e-6))))


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
    if isinstance(error, BrokenExecutor):
        return KILLED
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
