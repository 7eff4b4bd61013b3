"""The pages that show a match: each is told when the match goes on, whoever moved."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import suppress

from sixprime.bot.web.frame.guard import Busy
from sixprime.bot.web.frame.tasks import MOST_SPECTATORS, STILL_THERE_S


class Spectators:
    def __init__(self) -> None:
        self._marks: dict[str, str] = {}  # of the matches that somebody looks at
        self._told: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def tell(self, key: str, mark: str) -> None:
        """Tell all pages of a match its new mark."""
        if key in self._told:
            self._marks[key] = mark
            for told in self._told[key]:
                told.set()

    def marks(self, key: str, mark: str) -> AsyncIterator[str]:
        """Return the marks of a match as server-sent events, from now on."""
        if sum(map(len, self._told.values())) >= MOST_SPECTATORS:
            raise Busy(503, "Too many spectators.")
        return self._marks_of(key, mark)

    async def _marks_of(self, key: str, mark: str) -> AsyncIterator[str]:
        told = asyncio.Event()
        self._told[key].add(told)
        self._marks.setdefault(key, mark)
        try:
            while True:
                yield f"data: {self._marks[key]}\n\n"
                told.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(told.wait(), STILL_THERE_S)
        finally:
            self._told[key].discard(told)
            if not self._told[key]:
                del self._told[key], self._marks[key]
