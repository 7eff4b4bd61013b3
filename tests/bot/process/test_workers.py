"""Work that yields to everything else, where it may."""

from __future__ import annotations

import os
from typing import Any

import pytest

from sixprime.bot.process import workers
from sixprime.bot.process.workers import at_lowest_priority, cores
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
