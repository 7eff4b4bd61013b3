"""Analyses a whole archive, on every core or on a Dask cluster; can be stopped and resumed.

Each analysis is stored as soon as it is made, so a killed run resumes where it stopped, and nothing
is analysed twice at the same settings. A match that cannot be analysed is reported and skipped.
An analysis depends only on the match, the settings and the nets: not on the machine, the order of
the work, or what else was running.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from concurrent.futures import ProcessPoolExecutor as Processes
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for_end
from pathlib import Path
from typing import Any

from sixprime.bot.analysis.matches import examined
from sixprime.bot.analysis.store import Wanted, Which, keep, packed, unanalysed
from sixprime.bot.archive.archive import Archive
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.nets.weights import load_brain
from sixprime.protocols.formats.recordjson import from_json, to_json

DIAL_S = 10.0  # how long a scheduler may take to answer
WAITING = 3  # matches queued or running, per worker

_ours = threading.local()  # an examiner is not thread-safe


class NoPool(Exception):
    """There are no workers; the text says why, in one line."""


class OtherNets(ValueError):
    """A worker's nets differ from those in the settings."""


@dataclass(slots=True)
class Outcome:
    """How many matches a run analysed, found already analysed, and could not analyse."""

    analysed: int = 0
    there: int = 0  # already
    broken: dict[int, str] = field(default_factory=dict)  # match -> why not


@dataclass(frozen=True, slots=True)
class Pool:
    """The workers; `end` ends them at once, and whoever waits for them gets NoPool."""

    executor: Executor
    width: int  # matches analysed at the same time
    end: Callable[[], None] = lambda: None


def analyse_record(record: str, settings: AnalysisSettings, key: str, weights: str | None) -> bytes:
    """The packed analysis of a match as JSON; ValueError if it cannot be analysed.

    Any process on any machine can do this, if its nets are the ones that `key` was made with.
    """
    if getattr(_ours, "key", None) != (key, weights):
        if settings.key != key:
            raise OtherNets("this worker has another version of Sixprime, or other nets")
        brain = load_brain(None if weights is None else Path(weights))
        _ours.examiner, _ours.key = Examiner(brain, settings), (key, weights)
    return packed(examined(from_json(record), _ours.examiner))


def analyse_archive(
    archive: Archive,
    settings: AnalysisSettings,
    pool: Pool,
    *,
    which: Which | None = None,
    weights: Path | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    outcome: Outcome | None = None,
) -> Outcome:
    """Analyse what has no analysis yet; `outcome`, if given, is filled as the run goes on.

    NoPool if the workers are gone.
    """
    outcome = Outcome() if outcome is None else outcome
    key = settings.key
    missing, outcome.there = unanalysed(archive, key, which)
    path = str(weights) if weights is not None else None
    left = iter(missing)
    under_way: dict[Future[bytes], Wanted] = {}
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
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                _settle(archive, key, under_way.pop(future), future, outcome)
            progress(outcome.analysed + len(outcome.broken), len(missing))
    finally:
        for future in under_way:
            future.cancel()


def _record_of(archive: Archive, wanted: Wanted, outcome: Outcome) -> str | None:
    try:
        text = archive.row(wanted.match_id).record
        return str(text) if text is not None else to_json(archive.match(wanted.match_id))
    except Exception as error:  # noqa: BLE001 - whatever is wrong with one, others follow
        outcome.broken[wanted.match_id] = _reason(error)
        return None


def _settle(
    archive: Archive, key: str, wanted: Wanted, future: Future[bytes], outcome: Outcome
) -> None:
    error = future.exception()
    if isinstance(error, BrokenExecutor | OtherNets):
        raise NoPool(str(error)) from error
    if error is not None:
        outcome.broken[wanted.match_id] = _reason(error)
        return
    keep(archive, wanted, key, future.result())
    outcome.analysed += 1


def _reason(error: BaseException) -> str:
    """What is wrong, with the name of the error if it was not foreseen."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"


# -- who does the work


@contextmanager
def cores(processes: int | None = None, niceness: int = 0) -> Iterator[Pool]:
    """Processes on this machine, by default one for each core we may use."""
    count = processes or len(os.sched_getaffinity(0))
    context = multiprocessing.get_context("spawn")  # numba's threads do not survive a fork
    waited, held = context.Pipe(duplex=False)
    begin = (_begin_worker, (waited, niceness))
    with Processes(count, context, *begin) as executor:
        try:
            yield Pool(executor, count, held.close)
        finally:
            executor.shutdown(wait=True, cancel_futures=True)
            held.close()
            waited.close()


def _begin_worker(held: Connection, niceness: int) -> None:
    """Ends this worker when the process that started it is killed, or lets go of what it holds."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    os.nice(niceness)

    def watch() -> None:
        wait_for_end([parent.sentinel, held])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def cluster(scheduler: str) -> Iterator[Pool]:
    """The Dask cluster at this address; its workers need this same version of Sixprime."""
    try:
        dask: Any = import_module("distributed")
    except ImportError as error:
        raise NoPool("a cluster needs Dask: pip install 'sixprime[dask]'") from error
    try:
        client = dask.Client(scheduler, timeout=DIAL_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise NoPool(f"no Dask scheduler answers at {scheduler}") from error
    try:
        width = max(1, sum(client.nthreads().values()))
        with client.get_executor(pure=False) as executor:
            yield Pool(executor, width)
    finally:
        client.close()
