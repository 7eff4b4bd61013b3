"""Tasks of an analysis: how many matches they have, and what a lost one costs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import closing
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.analysis import jobs
from sixprime.bot.analysis.jobs import (
    MOST_TOGETHER,
    Outcome,
    TaskResults,
    analyse_archive,
    analyse_records,
)
from sixprime.bot.archive.archive import Archive
from sixprime.bot.process.timeleft import SURE_S, TimeLeft
from sixprime.bot.process.workers import KILLED, Pool
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.system.errors import Unavailable
from tests.support.archive.imported import add, played
from tests.support.archive.told import settings_in

FAST = AnalysisSettings.of("beginner")
MATCHES = played(500, 6)
IDS = range(1, len(MATCHES) + 1)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with closing(Archive(settings_in(tmp_path))) as found:
        for match in MATCHES:
            assert add(found, match)
        yield found


class Workers(Executor):
    """Calls are made one by one, when somebody waits for them."""

    def __init__(self, archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
        self.number_of = {archive.row(each).record: each for each in IDS}
        self.tasks: list[list[int]] = []  # matches of each
        self.most = 0  # tasks under way at the same time
        self.lose: Callable[[list[int]], bool] = lambda matches: False
        self._waiting: dict[Future[TaskResults], Callable[[], TaskResults]] = {}
        monkeypatch.setattr(jobs, "wait", self._wait)
        monkeypatch.setattr(jobs, "KEPT_S", 0.0)

    def submit(self, function, records, *how):  # type: ignore[no-untyped-def,override]
        assert function is analyse_records
        future: Future[TaskResults] = Future()
        self._waiting[future] = partial(self._made, records, how)
        self.most = max(self.most, len(self._waiting))
        return future

    def _made(self, records: list[str], how: Any) -> TaskResults:
        matches = [self.number_of[each] for each in records]
        self.tasks.append(matches)
        if self.lose(matches):
            raise BrokenExecutor
        return analyse_records(records, *how)._replace(seconds=0.25 * len(records))

    def _wait(
        self, futures: Collection[Future[TaskResults]], _patience: object, _when: object
    ) -> Any:
        future = next(iter(futures))
        try:
            future.set_result(self._waiting.pop(future)())
        except BrokenExecutor as error:
            future.set_exception(error)
        return SimpleNamespace(done={future})


@pytest.fixture
def workers(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> Workers:
    return Workers(archive, monkeypatch)


def test_a_task_here_has_one_match(archive: Archive, workers: Workers) -> None:
    assert analyse_archive(archive, FAST, Pool(workers, 1)).analysed == len(MATCHES)
    assert workers.tasks == [[each] for each in IDS]


def test_a_task_of_a_cluster_has_matches_for_its_time(
    archive: Archive, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "WAITING", 1)
    pool = Pool(workers, 1, task_s=1.0)
    assert analyse_archive(archive, FAST, pool).analysed == len(MATCHES)
    assert workers.tasks == [[1], [2, 3, 4, 5], [6]]


@given(
    st.integers(1, MOST_TOGETHER), st.floats(0.0, 1e4, allow_subnormal=False), st.floats(0.0, 10.0)
)
def test_a_task_has_at_least_one_match_and_takes_no_longer_than_wanted(
    matches: int, seconds: float, wanted_s: float
) -> None:
    together = jobs._together(matches, seconds, wanted_s)
    assert 1 <= together <= MOST_TOGETHER
    assert together == 1 or together * seconds / matches <= wanted_s * (1 + 1e-9)


def test_workers_that_join_are_noticed(
    archive: Archive, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "WAITING", 1)
    joined = iter([1, 1, 3])
    pool = Pool(workers, 1, joined=lambda: next(joined, 3))
    assert analyse_archive(archive, FAST, pool).analysed == len(MATCHES)
    assert workers.most == 3


def test_matches_that_were_lost_with_another_are_tried_alone(
    archive: Archive, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fourth kills its worker, and each match under way with it."""
    workers.lose = lambda matches: 4 in matches or (matches[0] > 1 and len(workers.tasks) <= 3)
    outcome = analyse_archive(archive, FAST, Pool(workers, 1))
    assert outcome == Outcome(len(MATCHES) - 1, 0, {4: KILLED})
    assert workers.tasks == [[1], [2], [3], [4], [2], [3], [4], [5], [6]]


def test_a_whole_task_that_was_lost_is_tried_match_by_match(
    archive: Archive, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "WAITING", 1)
    workers.lose = lambda matches: 4 in matches
    outcome = analyse_archive(archive, FAST, Pool(workers, 1, task_s=1.0))
    assert outcome == Outcome(len(MATCHES) - 1, 0, {4: KILLED})
    assert workers.tasks[:6] == [[1], [2, 3, 4, 5], [2], [3], [4], [5]]


def test_a_run_ends_where_every_worker_is_killed(archive: Archive, workers: Workers) -> None:
    workers.lose = lambda matches: matches != [1]
    outcome = Outcome()
    with pytest.raises(Unavailable, match="too little memory"):
        analyse_archive(archive, FAST, Pool(workers, 1), outcome=outcome)
    assert outcome.analysed == 1
    assert len(outcome.broken) == jobs.MOST_KILLERS


def test_the_time_left_is_told_by_the_pace_since_the_first_result() -> None:
    now = 0.0
    left = TimeLeft(lambda: now)
    assert left.after(0, 100) is None
    now = 60.0  # to begin at all
    assert left.after(1, 100) is None
    now += SURE_S - 1.0
    assert left.after(5, 100) is None
    now = 70.0
    assert left.after(21, 100) == pytest.approx(79 * 10.0 / 20)
    assert left.after(100, 100) == 0.0
