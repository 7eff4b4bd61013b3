"""The page of the running bots."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from sixprime.bot.web.bots.livebots import ACTIONS, LiveBots, TooManySpectators
from sixprime.bot.web.frame.pages import Pages, post
from sixprime.engine.search.levels import PRESETS


class BotViews:
    """The bots of this process, as they change."""

    def __init__(self, pages: Pages, live: LiveBots) -> None:
        self._pages = pages
        self._live = live

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/bots", self.bots),
            Route("/bots/live", self.watch),
            post("/bots/{action}", self.order),
        ]

    async def bots(self, request: Request) -> Response:
        """The bots of this process."""
        return self._bots(request, "", done=True)

    def _bots(self, request: Request, told: str, *, done: bool) -> Response:
        bots, status = self._live.bots(), 200 if done else 409
        return self._pages.page(
            request, "bots.html", status, bots=bots, told=told, done=done, levels=tuple(PRESETS)
        )

    async def watch(self, request: Request) -> Response:
        """The bots as they change."""
        try:
            return StreamingResponse(self._live.pictures(), media_type="text/event-stream")
        except TooManySpectators:
            raise HTTPException(503, "Too many spectators.") from None

    async def order(self, request: Request) -> Response:
        """An order to a bot."""
        action = request.path_params["action"]
        if action not in ACTIONS:
            raise HTTPException(404)
        by = f"browser {request.client.host if request.client else ''}"
        done, told = await self._live.order(action, await request.form(), by)
        return self._bots(request, told, done=done)
