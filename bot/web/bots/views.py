"""The pages of the running bots."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sixprime.bot.web.bots.cards import level_shown
from sixprime.bot.web.bots.drawing import EMPTY
from sixprime.bot.web.bots.livebots import ACTIONS, LiveBots
from sixprime.bot.web.frame.guard import address_of
from sixprime.bot.web.frame.pages import Pages, events, post
from sixprime.bot.web.frame.texts import gettext
from sixprime.engine.ratings import PEOPLE as WORDS
from sixprime.engine.search.levels import PRESETS

PEOPLE = tuple(f"pr {pr}" for pr in WORDS)


class BotViews:
    def __init__(self, pages: Pages, live: LiveBots) -> None:
        self._pages = pages
        self._live = live

    def routes(self) -> list[Route]:
        return [
            Route("/bots", self.bots),
            Route("/bots/live", self.watch),
            post("/bots/{action}", self.order),
        ]

    async def bots(self, request: Request) -> Response:
        return await self._bots(request, request.query_params.get("profile"), "", done=True)

    async def _bots(
        self, request: Request, profile: str | None, answer: str, *, done: bool
    ) -> Response:
        known = self._live.profiles()
        if profile is None and len(known) == 1:
            (profile,) = known
        if profile is not None and profile not in known:
            raise HTTPException(404, gettext("There is no such bot."))
        fields = {
            "told": answer,
            "done": done,
            "levels": [(level, level_shown(level)) for level in (*PEOPLE, *PRESETS)],
            "empty_board": EMPTY,
        }
        fields |= {"profile": profile, "others": len(known) - 1}
        cards = await self._live.cards(profile)
        name = "bots.html" if profile is None else "bot.html"
        return self._pages.page(request, name, 200 if done else 409, bots=cards, **fields)

    async def watch(self, request: Request) -> Response:
        if request.method == "HEAD":
            raise HTTPException(405)
        profile = request.query_params.get("profile")
        try:
            return events(self._live.pictures(address_of(request), profile))
        except KeyError:
            raise HTTPException(404, gettext("There is no such bot.")) from None

    async def order(self, request: Request) -> Response:
        """Carry out an order to one bot, or to all."""
        action = request.path_params["action"]
        if action not in ACTIONS:
            raise HTTPException(404)
        form = await request.form()
        by = f"browser {address_of(request)}"
        done, answer = await self._live.order(action, form, by)
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"done": done, "told": answer}, 200 if done else 409)
        profile = str(form.get("profile", "")) or None
        known = profile in self._live.profiles()
        return await self._bots(request, profile if known else None, answer, done=done)
