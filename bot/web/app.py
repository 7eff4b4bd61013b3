"""All pages as one Starlette application."""

from __future__ import annotations

import asyncio
from collections.abc import Set
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from sixprime.bot.reports.export.paper import can_draw
from sixprime.bot.web.bots.livebots import LiveBots
from sixprime.bot.web.bots.views import BotViews
from sixprime.bot.web.frame.appviews import AppViews
from sixprime.bot.web.frame.firststart import FirstStart, NotReady
from sixprime.bot.web.frame.guard import COOKIE, HEADERS, Busy, Guard, Passwords, came_from
from sixprime.bot.web.frame.pages import STATIC, Pages, post
from sixprime.bot.web.frame.tasks import TaskRunner
from sixprime.bot.web.frame.texts import N_, gettext, shown
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.library.views import LibraryViews
from sixprime.bot.web.me.training import TrainingStore
from sixprime.bot.web.me.views import MeViews
from sixprime.bot.web.play.coach import Coach
from sixprime.bot.web.play.matchstore import MatchStore
from sixprime.bot.web.play.opponents import PEOPLE, engines
from sixprime.bot.web.play.views import PlayViews
from sixprime.bot.web.positions.views import PositionViews
from sixprime.engine.compiling.preparations import PLAYING

DETAILS = {  # for people, by the words of Starlette
    "Not Found": N_("There is no such page."),
    "Method Not Allowed": N_("This is done by a button, not by an address."),
}


@dataclass(frozen=True, slots=True)
class Site:
    store: MatchStore
    library: Library
    coach: Coach
    live: LiveBots | None = None
    first: FirstStart = field(default_factory=FirstStart)


class LoginViews:
    """The first page, login and logout, and the error page."""

    def __init__(self, pages: Pages, home: str) -> None:
        self._pages = pages
        self._home = home

    def routes(self) -> list[Route]:
        return [
            Route("/", self.home),
            Route("/login", self.login, methods=["GET", "POST"]),
            post("/logout", self.logout, watchers=True),
            Route("/first", self.first_start),
        ]

    async def home(self, request: Request) -> Response:
        return RedirectResponse(self._home, 303)

    async def login(self, request: Request) -> Response:
        if request.method != "POST":
            to = request.query_params.get("to", "")
            return self._pages.page(request, "login.html", problem="", to=to)
        form = await request.form(max_files=0, max_fields=5)
        password, to = str(form.get("password", "")), str(form.get("to", ""))
        try:
            answer = await request.scope["guard"].log_in(request, password, to)
        except Busy as error:
            words = {"problem": error.detail, "to": to}
            return self._pages.page(request, "login.html", error.status_code, **words)
        return answer or self._pages.page(
            request, "login.html", 403, problem=gettext("That is not the password."), to=to
        )

    async def logout(self, request: Request) -> Response:
        request.scope["guard"].leave(request)
        return RedirectResponse("/login", 303)

    async def first_start(self, request: Request) -> Response:
        """Tell pages how far the preparations are; null at their end."""
        return JSONResponse(self._pages.first.shown(request.query_params.getlist("needs")))

    async def not_ready(self, request: Request, error: Exception) -> Response:
        """Show a page that goes on by itself when the preparations that it needs are done."""
        assert isinstance(error, NotReady)
        return self._pages.page(request, "waiting.html", error.status_code, needed=error.keys)

    async def failed(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        detail = (
            error.detail if isinstance(error, HTTPException) else gettext("Something went wrong.")
        )
        detail = shown(DETAILS.get(detail, detail))
        wants_page = "text/html" in request.headers.get("accept", "")  # a script does not
        if request.scope.get("visitor") is None or not wants_page:
            return PlainTextResponse(detail, status, headers=HEADERS)
        back = came_from(request) if request.method == "POST" else ""
        answer = self._pages.page(request, "failed.html", status, detail=detail, back=back)
        answer.headers.update(HEADERS)  # an unexpected failure does not pass the guard again
        return answer


def application(
    site: Site, hosts: Set[str], passwords: Passwords, *, cookie: str = COOKIE
) -> Starlette:
    tasks, rollouts = TaskRunner("archive"), TaskRunner("rollout", daemon=True)
    looking = site.coach.beside()

    @asynccontextmanager
    async def living(_: Starlette) -> Any:
        site.first.begin()
        warming = asyncio.create_task(_warm(site))
        site.library.begin()
        watching = None if site.live is None else asyncio.create_task(site.live.watch())
        yield
        warming.cancel()
        await site.first.stop()
        if watching is not None:
            watching.cancel()
        rollouts.stop()
        tasks.stop()
        for pool in (site.coach.pool, looking.pool, site.library.pool):
            pool.shut_down()

    training = TrainingStore(site.store.folder / "training")
    shared = {
        "people": PEOPLE,
        "engines": engines(),
        "trained": training.places,
        "has_pictures": can_draw(),
    }
    pages = Pages(site.first, has_bots=site.live is not None, **shared)
    logins = LoginViews(pages, "/play" if site.live is None else "/bots")
    rooms: list[
        LoginViews | AppViews | PlayViews | PositionViews | LibraryViews | MeViews | BotViews
    ] = [
        logins,
        AppViews(pages),
        PlayViews(pages, site.store, site.library, site.coach, looking),
        PositionViews(pages, looking, rollouts, site.store),
        LibraryViews(pages, site.library, tasks),
        MeViews(pages, site.library, training),
        *([] if site.live is None else [BotViews(pages, site.live)]),
    ]
    return Starlette(
        routes=[
            *(route for room in rooms for route in room.routes()),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[
            Middleware(Guard, hosts=hosts, passwords=passwords, cookie=cookie),
            # SameSite=Strict: no other site learns the size of a page, so BREACH cannot work
            Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=5),
        ],
        exception_handlers={
            NotReady: logins.not_ready,
            HTTPException: logins.failed,
            Exception: logins.failed,
        },
        lifespan=living,
    )


async def _warm(site: Site) -> None:
    await site.first.made(PLAYING)
    site.coach.warm_up()
