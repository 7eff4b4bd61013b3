"""The first start after an installation: pages are served while kernels are still compiled.

Only work that needs a kernel waits for it, and what is waited for is compiled first.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import structlog
from starlette.requests import Request

from sixprime.bot.process.printable import duration
from sixprime.bot.web.frame.guard import Busy
from sixprime.bot.web.frame.tasks import how_far
from sixprime.bot.web.frame.texts import gettext
from sixprime.engine.compiling.preparations import ON_DEMAND, PREPARATIONS, TYPICAL_S
from sixprime.engine.system.errors import Unavailable

log = structlog.get_logger("web")

Prepare = Callable[[str], Awaitable[None]]  # does it in another process


class NotReady(Busy):
    """A page waits for the preparations with these keys, and says so meanwhile."""

    def __init__(self, keys: Sequence[str]) -> None:
        super().__init__(202, "The engine is being compiled.")
        self.keys = keys


class FirstStart:
    """Preparations under way in other processes, by the keys of PREPARATIONS and ON_DEMAND."""

    def __init__(
        self, missing: Iterable[str] = (), prepare: Prepare | None = None, width: int = 1
    ) -> None:
        self._missing = list(missing)
        self._todo = [key for key in self._missing if key in PREPARATIONS]  # the next one first
        self._prepare = prepare
        self._width = width  # preparations at a time
        self._running: dict[str, asyncio.Task[None]] = {}
        self._ended: list[str] = []
        self._begun = self._latest = time.monotonic()  # the start, and the end of the latest one
        self._changed = asyncio.Event()

    def begin(self) -> None:
        """Start the first preparations."""
        self._begun = self._latest = time.monotonic()
        self._arrange()

    async def stop(self) -> None:
        """End the processes."""
        self._todo.clear()
        running = list(self._running.values())
        self._arrange()
        await asyncio.gather(*running, return_exceptions=True)

    async def need(self, request: Request, keys: Iterable[str]) -> None:
        """Wait for these, before all others; NotReady tells a person who looks at a page."""
        if self.has(keys := [*keys]):
            return
        needed = [key for key in keys if key in self._missing]
        rest = [key for key in self._todo if key not in needed]
        self._todo = needed + rest
        self._arrange()
        if request.method == "GET" and "x-fragment" not in request.headers:
            raise NotReady(needed)
        await self.made(needed)

    async def made(self, keys: Iterable[str]) -> None:
        """Wait until none of these is missing."""
        while not self.has(keys):
            await self._changed.wait()

    def has(self, keys: Iterable[str]) -> bool:
        """Return whether none of these is missing."""
        return set(keys).isdisjoint(self._missing)

    def shown(self, needed: Iterable[str] = ()) -> dict[str, Any] | None:
        """Return the state for a page that needs these; None if nothing is to be done."""
        if not self._todo:
            return None
        done, total = len(self._ended), len(self._ended) + len(self._todo)
        awaited = [key for key in needed if key in self._todo]
        left = self._left(awaited or self._todo)
        return {
            "what": "; ".join(gettext((PREPARATIONS | ON_DEMAND)[key]) for key in self._running),
            "done": done,
            "total": total,
            "says": gettext("this page in about %(left)s", left=duration(left))
            if awaited
            else how_far(done, total, left),
            "waits": bool(awaited),
        }

    def _left(self, keys: Iterable[str]) -> float:
        """Return the seconds until these are done, by the pace so far."""
        spent = sum(TYPICAL_S.get(key, 0.0) for key in self._ended)
        rest = sum(TYPICAL_S.get(key, 0.0) for key in keys)
        pace = (self._latest - self._begun) / spent if spent else 1.0 / self._width
        return max(1.0, rest * pace - (time.monotonic() - self._latest))

    def _arrange(self) -> None:
        """Run the first of those to do, and no others."""
        wanted = self._todo[: self._width]
        for key in [key for key in self._running if key not in wanted]:
            self._running.pop(key).cancel()
        for key in wanted:
            if key not in self._running:
                self._running[key] = asyncio.create_task(self._run(key))

    async def _run(self, key: str) -> None:
        assert self._prepare is not None
        try:
            await self._prepare(key)
        except (OSError, Unavailable) as error:  # then it is compiled where it is needed
            log.error("preparation failed", key=key, why=str(error))
        del self._running[key]
        self._todo.remove(key)
        self._missing.remove(key)
        self._ended.append(key)
        self._latest = time.monotonic()
        self._changed.set()
        self._changed = asyncio.Event()
        self._arrange()
