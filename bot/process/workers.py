"""Process pools and Dask clusters."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from concurrent.futures import ProcessPoolExecutor as Processes
from concurrent.futures import ThreadPoolExecutor as Threads
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for_end
from typing import Any, TypeVar

from sixprime.engine.system.cores import usable_cores
from sixprime.engine.system.errors import Unavailable
from sixprime.engine.system.faults import fault_of
from sixprime.engine.system.spawning import QuietContext

LOWEST_PRIORITY = 19
MOST_TRIES = 4  # of a call whose worker is killed
TASK_S = 1.0  # of a cluster, whose scheduler takes a while for each call
AHEAD = 2  # calls that wait for a worker
KILLED = "a worker was killed; is there too little memory?"
DIAL_S = 10.0  # for a scheduler to answer

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Pool:
    """Workers; `end` ends them at once, and callers that wait for them get Unavailable."""

    executor: Executor
    width: int  # calls at the same time, at first
    end: Callable[[], None] = lambda: None
    task_s: float = 0.0  # a good length of a call that many small ones can share
    joined: Callable[[], int] | None = None  # counts workers that may come and go

    def capacity(self) -> int:
        """Return the number of calls at the same time now."""
        return self.width if self.joined is None else self.joined()

    def spread(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the results of a rollout's calls in order.

        Their last argument, the brain, is not sent: workers use the nets that ship with theirs.
        """
        under_way = [self.executor.submit(function, *call[:-1]) for call in calls]
        return [future.result() for future in under_way]

    def in_order(self, calls: Iterable[Callable[[], Result]]) -> Iterator[Result]:
        """Yield the results in the order of the calls, of which few are made ahead; Unavailable."""
        ahead: deque[Future[Result]] = deque()
        try:
            for call in calls:
                ahead.append(self.executor.submit(call))
                if len(ahead) > self.width + AHEAD:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        except BrokenExecutor as error:
            raise Unavailable(KILLED) from error
        finally:
            for future in ahead:
                future.cancel()


class PoolEnded(Unavailable, BrokenExecutor):
    """Somebody ended the workers."""


class SteadyProcesses(Executor):
    """A process pool that is made again when a worker is killed, and repeats the lost calls.

    A call that was lost too often fails with the pool's BrokenExecutor.
    """

    def __init__(self, make: Callable[[], Executor]) -> None:
        self._make = make
        self._pool = make()
        self._lock = threading.Lock()
        self._is_ending = False

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._try(future, partial(function, *args, **named), MOST_TRIES)
        return future

    def _try(self, future: Future[Any], call: Callable[[], Any], tries: int) -> None:
        pool = self._pool

        def settle(tried: Future[Any]) -> None:
            if tried.cancelled():
                future.cancel()
            error = None if tried.cancelled() else tried.exception()
            is_lost = isinstance(error, BrokenExecutor) and tries > 1
            if is_lost and not (self._is_ending or future.cancelled()):
                error = fault_of(partial(self._renew, pool))
                if error is None:
                    self._try(future, call, tries - 1)
                    return
            if isinstance(error, BrokenExecutor) and self._is_ending:
                error = PoolEnded("the workers were ended")
            if future.set_running_or_notify_cancel():
                if error is None:
                    future.set_result(tried.result())
                else:
                    future.set_exception(error)

        _submitted(pool, call).add_done_callback(settle)

    def _renew(self, broken: Executor) -> None:
        with self._lock:
            if self._pool is broken:
                self._pool = self._make()

    def end(self) -> None:
        """Make no other pool."""
        self._is_ending = True

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.end()
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def _submitted(pool: Executor, call: Callable[[], Any]) -> Future[Any]:
    """Submit a call; the future of one that a broken pool refuses has failed."""
    try:
        return pool.submit(call)
    except BrokenExecutor as error:
        failed: Future[Any] = Future()
        failed.set_exception(error)
        return failed


@contextmanager
def cores(processes: int | None = None, *, yielding: bool = False) -> Iterator[Pool]:
    """Yield processes on this machine, by default one per core; `yielding`: of lowest priority.

    Without semaphores, as without /dev/shm, they are threads, which cannot be ended.
    """
    count = processes or usable_cores()
    context = QuietContext()
    waited, held = context.Pipe(duplex=False)
    executor: Executor
    end: Callable[[], None] = held.close
    try:
        executor = steady = SteadyProcesses(
            partial(Processes, count, context, _begin_worker, (waited, yielding))
        )
    except (OSError, NotImplementedError):
        executor = Threads(count, initializer=at_lowest_priority if yielding else None)
    else:

        def end() -> None:
            steady.end()
            held.close()

    with executor:
        try:
            yield Pool(executor, count, end)
        finally:
            end()  # a worker of low priority may take half a minute to end by itself
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
        joined = partial(_threads, client)
        with client.get_executor(pure=False) as executor:
            yield Pool(executor, joined(), task_s=TASK_S, joined=joined)
    finally:
        client.close()


def _threads(client: Any) -> int:
    """Return the number of threads in a cluster; 1 if its scheduler does not answer."""
    with suppress(OSError, TimeoutError):
        return max(1, int(sum(client.nthreads().values())))
    return 1
