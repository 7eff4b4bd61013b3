"""Process pools and Dask clusters."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from concurrent.futures import ProcessPoolExecutor as Processes
from concurrent.futures import ThreadPoolExecutor as Threads
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for_end
from typing import Any

from sixprime.engine.system.cores import usable_cores
from sixprime.engine.system.errors import Unavailable
from sixprime.engine.system.spawning import QuietContext

LOWEST_PRIORITY = 19
DIAL_S = 10.0  # for a scheduler to answer


@dataclass(frozen=True, slots=True)
class Pool:
    """Workers; `end` ends them at once, and callers that wait for them get Unavailable."""

    executor: Executor
    width: int  # calls at the same time
    end: Callable[[], None] = lambda: None

    def spread(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the results of a rollout's calls in order.

        Their last argument, the brain, is not sent: workers use the nets that ship with theirs.
        """
        under_way = [self.executor.submit(function, *call[:-1]) for call in calls]
        return [future.result() for future in under_way]


@contextmanager
def cores(processes: int | None = None, *, yielding: bool = False) -> Iterator[Pool]:
    """Yield processes on this machine, by default one per core; `yielding`: of lowest priority.

    Without semaphores, as without /dev/shm, they are threads, which cannot be ended.
    """
    count = processes or usable_cores()
    context = QuietContext()
    waited, held = context.Pipe(duplex=False)
    executor: Executor
    try:
        executor = Processes(count, context, _begin_worker, (waited, yielding))
    except (OSError, NotImplementedError):
        executor = Threads(count, initializer=at_lowest_priority if yielding else None)
    with executor:
        try:
            yield Pool(executor, count, held.close)
        finally:
            held.close()  # a worker of low priority may take half a minute to end by itself
            executor.shutdown(wait=True, cancel_futures=True)
            waited.close()


def _begin_worker(held: Connection, yielding: bool) -> None:
    """End this worker when its parent is killed or closes its end of the pipe."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    if yielding:
        at_lowest_priority()

    def watch() -> None:
        wait_for_end([parent.sentinel, held])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def at_lowest_priority() -> None:
    """Give this thread the lowest priority, unless a sandbox forbids it."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)


@contextmanager
def cluster(scheduler: str) -> Iterator[Pool]:
    """Yield the Dask cluster at this address; its workers need the same version of Sixprime."""
    try:
        dask: Any = import_module("distributed")
    except ImportError as error:
        raise Unavailable("a cluster needs Dask: pip install 'sixprime[dask]'") from error
    try:
        dask.comm.get_address_host_port(scheduler, strict=True)
        client = dask.Client(scheduler, timeout=DIAL_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Unavailable(f"no Dask scheduler answers at {scheduler}") from error
    try:
        width = max(1, sum(client.nthreads().values()))
        with client.get_executor(pure=False) as executor:
            yield Pool(executor, width)
    finally:
        client.close()
