"""Long work of the pages: one task at a time, in a thread, visible to all, stoppable."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from secrets import token_hex
from typing import Any, TypeVar

import structlog

from sixprime.bot.process.printable import duration, printable
from sixprime.bot.process.timeleft import TimeLeft
from sixprime.bot.web.frame.guard import Busy
from sixprime.bot.web.frame.texts import gettext, shown
from sixprime.engine.system.errors import SixprimeError
from sixprime.engine.system.faults import fault_of

log = structlog.get_logger("web")

SURE_S = 2.0  # of results, before the time left is told
POLL_S = 0.25  # between looks at a task
STILL_THERE_S = 15.0  # until spectators get a line although nothing has changed
MOST_SPECTATORS = 100  # of a runner
MOST_RESULTS = 500  # kept about one task


class TaskEnded(SixprimeError):
    """The work ended early: somebody stopped it, or it failed as the text says."""


class TaskState(Enum):
    GOING = "going"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TaskResult:
    """The outcome for one file or match."""

    of: str
    what: str
    bad: bool = False
    match_id: int | None = None


@dataclass
class LongTask:
    """Work under way, or its result; its thread fills it, everybody may read it."""

    name: str
    total: int = 0
    page: str = ""  # the tab that started it
    done: int = 0
    summary: str = ""
    state: TaskState = TaskState.GOING
    results: list[TaskResult] = field(default_factory=list)
    rolled: list[str] = field(default_factory=list)  # decisions: match/mark
    id: str = field(default_factory=lambda: token_hex(8))
    started: float = field(default_factory=time.monotonic)
    stopping: bool = False
    interrupt: Callable[[], None] = lambda: None  # ends the thread's waiting
    ended: threading.Event = field(default_factory=threading.Event)
    rest: TimeLeft = field(default_factory=lambda: TimeLeft(sure_s=SURE_S))

    def stop(self) -> None:
        """Ask the thread to end soon."""
        self.stopping = True
        self.interrupt()

    def add(self, result: TaskResult) -> None:
        if len(self.results) < MOST_RESULTS:
            self.results.append(result)

    def progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total

    def spread(self, function: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the results of a rollout's calls, counting trials; TaskEnded when stopped."""
        results = []
        for call in calls:
            if self.stopping:
                raise TaskEnded
            results.append(function(*call))
            self.done += len(results[-1])
        return results

    def shown(self) -> dict[str, Any]:
        """Return the state as pages show it."""
        return {
            "id": self.id,
            "name": self.name,
            "state": self.state.value,
            "done": self.done,
            "total": self.total,
            "says": self._says(),
            "seconds": int(time.monotonic() - self.started),
            "summary": printable(self.summary),
            "told": len(self.results),
            "rolled": list(self.rolled),
        }

    def _says(self) -> str:
        """Return the progress in words, with the time left as soon as it can be told."""
        left = self.rest.after(self.done, self.total)
        if left is None:
            seconds = int(time.monotonic() - self.started)
            return gettext(
                "%(done)s of %(total)s, %(seconds)s s",
                done=self.done,
                total=self.total,
                seconds=seconds,
            )
        return how_far(self.done, self.total, left)


def how_far(done: int, total: int, left: float) -> str:
    return gettext(
        "%(done)s of %(total)s, about %(left)s left", done=done, total=total, left=duration(left)
    )


T = TypeVar("T", bound=LongTask)


class TaskRunner:
    """Runs one task at a time; `last` is the task under way, or the latest one that ended."""

    def __init__(self, name: str, *, daemon: bool = False) -> None:
        self._name = name
        self._daemon = daemon  # the process may end without waiting for the thread
        self._spectators = 0
        self.last: LongTask | None = None

    @property
    def going(self) -> LongTask | None:
        last = self.last
        return last if last is not None and last.state is TaskState.GOING else None

    def start(self, task: T, work: Callable[[T], None]) -> T:
        """Start a task; Busy while another is under way."""
        if self.going is not None:
            raise Busy(
                409,
                gettext(
                    "%(task)s is under way. Wait for it, or stop it.", task=shown(self.going.name)
                ),
            )
        self.last = task
        within = copy_context().run  # in the language of whoever starts it
        threading.Thread(
            target=within, args=(self._work, task, work), name=self._name, daemon=self._daemon
        ).start()
        return task

    async def restart(self, task: T, work: Callable[[T], None]) -> T:
        """Start a task in place of one that the same page started; Busy if another page's runs."""
        while (last := self.going) is not None:
            if last.page == task.page:  # its hanging up may reach us after its next request
                last.stop()
            if not last.stopping:
                break
            await asyncio.to_thread(last.ended.wait)
        return self.start(task, work)

    def _work(self, task: T, work: Callable[[T], None]) -> None:
        fault = fault_of(partial(work, task))  # it must not stop the next task
        state = TaskState.DONE if fault is None else TaskState.FAILED
        if fault is None or isinstance(fault, TaskEnded):
            state = TaskState.STOPPED if task.stopping else state
            task.summary = str(fault or "") or task.summary
        else:
            task.summary = gettext("It failed; the log says why.")
            log.error("task failed", name=task.name, exc_info=fault)
        task.state = state
        task.ended.set()
        log.info("task ended", **LongTask.shown(task))

    def stop(self) -> bool:
        """Stop the task under way; return whether there was one."""
        task = self.going
        if task is not None:
            task.stop()
        return task is not None

    def pictures(self) -> AsyncIterator[str]:
        """The state of the latest task whenever it changes, as server-sent events."""
        if self._spectators >= MOST_SPECTATORS:
            raise Busy(503, gettext("Too many spectators."))
        return self._pictures()

    async def _pictures(self) -> AsyncIterator[str]:
        self._spectators += 1
        try:
            async for picture in _changes(lambda: self.last.shown() if self.last else None):
                yield picture
        finally:
            self._spectators -= 1


async def progress(task: LongTask, most_s: float) -> AsyncIterator[str]:
    """The state of a task until it ends; it also ends after a time, and when nobody listens."""
    until = time.monotonic() + most_s

    def is_over() -> bool:
        if time.monotonic() > until:
            task.stop()
        return task.ended.is_set()

    try:
        async for picture in _changes(task.shown, is_over):
            yield picture
    finally:
        task.stop()


async def _changes(
    shown: Callable[[], Any], is_over: Callable[[], bool] = lambda: False
) -> AsyncIterator[str]:
    sent, at = "", time.monotonic()
    while True:
        over, picture = is_over(), json.dumps(shown())  # in this order the last picture is whole
        if picture != sent:
            sent, at = picture, time.monotonic()
            yield f"data: {picture}\n\n"
        elif time.monotonic() - at > STILL_THERE_S:
            at = time.monotonic()
            yield ": still there\n\n"
        if over:
            return
        await asyncio.sleep(POLL_S)
