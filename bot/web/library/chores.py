"""Long tasks: one at a time, off the event loop, visible to all, stoppable."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from enum import Enum
from secrets import token_hex
from typing import Any

import structlog

from sixprime.bot.process.printable import printable

log = structlog.get_logger("web")

LOOK_S = 0.25
STILL_THERE_S = 15.0
MOST_WATCHERS = 100
MOST_RESULTS = 500  # kept about one chore


class Busy(Exception):
    """Another chore is under way, or there are too many spectators."""


class ChoreFailed(Exception):
    """The chore failed; the text says why."""


class ChoreState(Enum):
    GOING = "going"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ChoreResult:
    """What became of one file or match."""

    of: str
    what: str
    bad: bool = False
    match_id: int | None = None


@dataclass(slots=True)
class Chore:
    """A task under way, or its result; the worker fills it, everybody may read it."""

    name: str
    total: int
    done: int = 0
    summary: str = ""
    state: ChoreState = ChoreState.GOING
    results: list[ChoreResult] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    rolled: list[str] = field(default_factory=list)  # decisions: match/mark
    id: str = field(default_factory=lambda: token_hex(8))
    stopping: bool = False
    at_once: Callable[[], None] = lambda: None  # interrupts the worker's waiting

    def add(self, result: ChoreResult) -> None:
        if len(self.results) < MOST_RESULTS:
            self.results.append(result)

    def progress(self, done: int, total: int) -> None:
        self.done, self.total = done, total

    def shown(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "state": self.state.value,
            "done": self.done,
            "total": self.total,
            "seconds": int(time.monotonic() - self.began),
            "summary": printable(self.summary),
            "told": len(self.results),
            "rolled": list(self.rolled),
        }


class Chores:
    def __init__(self) -> None:
        self._watchers = 0
        self.last: Chore | None = None

    @property
    def going(self) -> Chore | None:
        last = self.last
        return last if last is not None and last.state is ChoreState.GOING else None

    def begin(self, chore: Chore, work: Callable[[Chore], None]) -> None:
        """Start a chore; Busy while another is under way."""
        if self.going is not None:
            raise Busy(f"{self.going.name} is under way. Wait for it, or stop it.")
        self.last = chore
        threading.Thread(target=self._do, args=(chore, work), name="chore").start()

    def _do(self, chore: Chore, work: Callable[[Chore], None]) -> None:
        state = ChoreState.FAILED
        try:
            work(chore)
            state = ChoreState.STOPPED if chore.stopping else ChoreState.DONE
        except ChoreFailed as error:
            chore.summary = str(error)
        except Exception as error:  # whatever it was, the next chore can run
            chore.summary = "It failed; the log says why."
            log.error("chore failed", name=chore.name, exc_info=error)
        finally:
            chore.state = state
            log.info("chore ended", **chore.shown())

    def stop(self) -> bool:
        """Stop the chore under way; returns whether there was one."""
        chore = self.going
        if chore is None:
            return False
        chore.stopping = True
        chore.at_once()
        return True

    def close(self) -> None:
        self.stop()

    def pictures(self) -> AsyncIterator[str]:
        """The state of the chore whenever it changes, as server-sent events."""
        if self._watchers >= MOST_WATCHERS:
            raise Busy("Too many spectators.")
        return self._pictures()

    async def _pictures(self) -> AsyncIterator[str]:
        self._watchers += 1
        try:
            sent, at = "", time.monotonic()
            while True:
                chore = self.last
                shown = json.dumps(None if chore is None else chore.shown())
                if shown != sent:
                    sent, at = shown, time.monotonic()
                    yield f"data: {shown}\n\n"
                elif time.monotonic() - at > STILL_THERE_S:
                    at = time.monotonic()
                    yield ": still there\n\n"
                await asyncio.sleep(LOOK_S)
        finally:
            self._watchers -= 1
