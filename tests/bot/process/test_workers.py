"""Work that yields to everything else, where it may."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import BrokenExecutor, Executor, Future
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.process import workers
from sixprime.bot.process.workers import SteadyProcesses, at_lowest_priority, cores
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import MatchState, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.rollout import LOOK, RolloutSettings, of_plays
from tests.support.engine.boards import side
from tests.support.engine.brains import random_brain


def test_work_goes_on_where_a_sandbox_forbids_to_lower_its_priority(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def forbidden(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    for name in ("setpriority", "nice"):
        monkeypatch.setattr(os, name, forbidden)
    at_lowest_priority()


@pytest.mark.parametrize(("yielding", "niceness"), [(False, 0), (True, 19)])
def test_only_workers_that_yield_have_the_lowest_priority(yielding: bool, niceness: int) -> None:
    with cores(1, yielding=yielding) as pool:
        assert pool.executor.submit(os.nice, 0).result() == max(os.nice(0), niceness)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), NotImplementedError()])
def test_threads_work_where_the_system_has_no_semaphores(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def processes(*_: Any) -> None:
        raise error  # /dev/shm is missing or full

    monkeypatch.setattr(workers, "Processes", processes)
    with cores(1, yielding=True) as pool:
        assert pool.executor.submit(os.getpid).result() == os.getpid()


def die_until(times: int, folder: Path) -> int:
    """Kill this worker so many times, then return its number of lives."""
    lives = len(list(folder.iterdir()))
    if lives < times:
        (folder / f"{lives}").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return lives


def test_work_goes_on_when_a_worker_is_killed(tmp_path: Path) -> None:
    with cores(1) as pool:
        jobs = [pool.executor.submit(die_until, workers.MOST_TRIES - 1, tmp_path)]
        jobs += [pool.executor.submit(os.getpid) for _ in range(3)]
        assert jobs[0].result() == workers.MOST_TRIES - 1
        assert all(job.result() for job in jobs[1:])


def test_a_call_that_kills_every_worker_ends(tmp_path: Path) -> None:
    with cores(1) as pool, pytest.raises(BrokenExecutor):
        pool.executor.submit(die_until, 100, tmp_path).result()
    assert len(list(tmp_path.iterdir())) == workers.MOST_TRIES


def test_a_call_fails_if_no_other_pool_can_be_made() -> None:
    class Broken(Executor):
        """Its workers are killed at once."""

        def submit(self, *_):  # type: ignore[no-untyped-def,override]
            failed: Future[None] = Future()
            failed.set_exception(BrokenExecutor())
            return failed

    pools = iter([Broken()])

    def make() -> Executor:
        for pool in pools:
            return pool
        raise OSError(28, "No space left on device")

    with SteadyProcesses(make) as executor:
        assert isinstance(executor.submit(os.getpid).exception(timeout=10), OSError)


def test_a_pool_that_is_ended_is_not_made_again() -> None:
    with cores(1) as pool:
        job = pool.executor.submit(time.sleep, 60)
        pool.end()
        assert isinstance(job.exception(), BrokenExecutor)


LATE_RACE = Position(side(1, 2, 3, 4, 5, 6, 8), side(1, 2, 2, 4, 5, 6, 7))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_dask_cluster_of_two_workers_plays_the_same_numbers() -> None:
    distributed = pytest.importorskip("distributed", reason="needs Dask (the extra `dask`)")
    plays = [each.play for each in legal_plays(LATE_RACE, (5, 2))][:3]
    settings = RolloutSettings(
        trials=2 * LOOK + 10, databases=False, truncate=3, stop_at=1.0, stop_after=LOOK
    )
    rollout = of_plays(LATE_RACE, MatchState(), plays, settings)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        workers.cluster(cluster.scheduler_address) as pool,
    ):
        assert pool.width == 2
        there = rollout.run(random_brain(), threads=2, spread=pool.spread)  # the brain is not sent
    assert there == of_plays(LATE_RACE, MatchState(), plays, settings).run(load_brain())
