"""Short work of the pages in threads: by turns, in bounds, and only while somebody waits for it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from sixprime.bot.web.frame.guard import Busy, visitor_of
from sixprime.bot.web.frame.texts import gettext

MOST_OF_SESSION = 12  # a browser has six connections
REFUSED_AFTER_S = 1.0  # a refusal at once would be asked for again at once
GIVE_WAY_S = 0.3  # most that work waits for a bot's decision
LOOK_S = 0.01  # between looks at the bots while work waits
T = TypeVar("T")
Rank = tuple[bool, int]  # may not act, and earlier pieces of the session


class WorkPool:
    """Threads that all sessions share.

    Four rules hold for any number of requests:

    - A session has at most MOST_OF_SESSION pieces here; Busy refuses the next one, but not at once.
    - A piece that is only to be read never begins after its request hung up.
    - Pieces of sessions that may act begin before all others. Sessions of a kind take turns.
    - No piece begins while a bot decides, unless the last one began GIVE_WAY_S ago.
    """

    def __init__(
        self, name: str, threads: int, deciding: Callable[[], bool] = lambda: False
    ) -> None:
        self.deciding = deciding  # a bot thinks now
        self.threads = ThreadPoolExecutor(threads, name)
        self._free = threads
        self._waiting: dict[asyncio.Future[None], Rank] = {}  # oldest first
        self._counts: Counter[str] = Counter()  # of pieces, by session
        self._gives_way_until: float | None = None
        self._look: asyncio.TimerHandle | None = None

    async def do(self, request: Request, work: Callable[[], T], *, to_end: bool = False) -> T:
        """Do this in a thread; ClientDisconnect if the request hangs up before it begins.

        A POST is an order, which is carried out all the same, as is work that goes `to_end`.
        """
        async with self._turn(request, to_end=to_end or request.method == "POST"):
            within = copy_context().run  # in the language of the request
            return await asyncio.get_running_loop().run_in_executor(self.threads, within, work)

    def shut_down(self) -> None:
        self.threads.shutdown(wait=False, cancel_futures=True)

    @asynccontextmanager
    async def _turn(self, request: Request, *, to_end: bool) -> AsyncIterator[None]:
        visitor = visitor_of(request)
        assert visitor is not None
        session, hanging_up = visitor.token, asyncio.create_task(_hung_up(request))
        if self._counts[session] >= MOST_OF_SESSION:
            await asyncio.wait([hanging_up], timeout=REFUSED_AFTER_S)
            hanging_up.cancel()
            raise Busy(429, gettext("That is too much at once. Wait for the other answers."))
        turn = asyncio.get_running_loop().create_future()
        self._waiting[turn] = not visitor.may_act, self._counts[session]
        self._counts[session] += 1
        self._begin()
        try:
            awaited = [turn] if to_end else [turn, hanging_up]
            await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
            if not turn.done():
                raise ClientDisconnect
            yield
        finally:
            hanging_up.cancel()
            self._counts[session] -= 1
            self._counts += Counter()  # forgets sessions without work
            self._free += turn.done()
            self._waiting.pop(turn, None)
            self._begin()

    def _begin(self) -> None:
        """Let as many pieces begin as there are free threads."""
        while self._free and self._waiting and not self._gives_way():
            turn = min(self._waiting, key=self._waiting.__getitem__)
            del self._waiting[turn]
            self._free -= 1
            turn.set_result(None)

    def _gives_way(self) -> bool:
        """Return whether a bot decides, but not for long; if so, look again later."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if not self.deciding() or now >= (self._gives_way_until or now + GIVE_WAY_S):
            self._gives_way_until = None
            return False
        self._gives_way_until = self._gives_way_until or now + GIVE_WAY_S
        if self._look is not None:
            self._look.cancel()
        self._look = loop.call_later(LOOK_S, self._begin)
        return True


async def _hung_up(request: Request) -> None:
    with suppress(HTTPException):  # 408
        while (await request.receive())["type"] != "http.disconnect":
            pass
