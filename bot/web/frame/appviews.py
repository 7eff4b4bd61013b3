"""The pages as an app: its worker, the page that it shows without a server, and its language."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from sixprime.bot.web.frame.guard import came_from
from sixprime.bot.web.frame.pages import STATIC, Pages
from sixprime.bot.web.frame.texts import COOKIE, languages

CHOSEN_S = 365 * 86_400


class AppViews:
    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    def routes(self) -> list[Route]:
        return [
            Route("/worker.js", self.worker),
            Route("/offline", self.offline),
            Route("/language/{code}", self.choose),
        ]

    async def worker(self, request: Request) -> Response:
        """Send the worker from here, as it may only serve pages below its own address."""
        return FileResponse(STATIC / "worker.js", media_type="text/javascript")

    async def offline(self, request: Request) -> Response:
        return self._pages.page(request, "offline.html")

    async def choose(self, request: Request) -> Response:
        """Let the browser remember a language; nothing changes on the server."""
        code = request.path_params["code"]
        if code not in languages():
            raise HTTPException(404)
        answer = RedirectResponse(came_from(request) or "/", 303)
        answer.set_cookie(COOKIE, code, CHOSEN_S, samesite="strict")
        return answer
