"""Work that yields to everything else, where it may."""

from __future__ import annotations

import os
from typing import Any

import pytest

from sixprime.bot.process import workers
from sixprime.bot.process.workers import at_lowest_priority, cores


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
