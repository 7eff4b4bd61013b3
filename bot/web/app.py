"""The pages and what can be done on them, as one Starlette application.

A deed is a POST to a match: it changes the match, keeps it, lets the engine answer, and shows the
table again. Every page works without a script; `board.js` makes it pleasant.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Set
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import jinja2
import structlog
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from sixprime.bot.printable import printable
from sixprime.bot.web.boardmatch import BoardMatch, NotNow
from sixprime.bot.web.coach import Coach
from sixprime.bot.web.guard import Guard, Passwords, visitor_of
from sixprime.bot.web.library import Library, NotArchived
from sixprime.bot.web.livebots import ACTIONS, LiveBots, TooManySpectators
from sixprime.bot.web.matchstore import MatchStore, NoSuchMatch
from sixprime.bot.web.positions import looked_at
from sixprime.bot.web.table import DEEDS, TUTORED, shown
from sixprime.engine.position import Variant
from sixprime.engine.search.levels import PRESETS
from sixprime.engine.search.players import WITHOUT_ENGINE
from sixprime.protocols.formats.record import Rules

log = structlog.get_logger("web")

HERE = Path(__file__).parent
LENGTHS = (0, 1, 3, 5, 7, 9, 11, 15, 21, 25)
LEVELS = (*PRESETS, *WITHOUT_ENGINE)
VARIANTS = (Variant.STANDARD, Variant.NACKGAMMON)
LONGEST_NAME = 30

Handler = Callable[[Request], Awaitable[Response]]


class Site:
    """Everything the pages need."""

    def __init__(
        self, store: MatchStore, library: Library, coach: Coach, live: LiveBots | None = None
    ) -> None:
        self.live = live
        self.store = store
        self.library = library
        self.coach = coach
        self._pages = jinja2.Environment(
            loader=jinja2.FileSystemLoader(HERE / "templates"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._pages.filters["plain"] = printable

    def page(self, request: Request, name: str, status: int = 200, **fields: Any) -> Response:
        """A page; only strings that we drew ourselves are markup."""
        visitor = visitor_of(request)
        fields |= {
            "token": "" if visitor is None else visitor.token,
            "may_act": visitor is not None and visitor.may_act,
            "path": request.url.path,
            "has_bots": self.live is not None,
        }
        return HTMLResponse(self._pages.get_template(name).render(fields), status)

    async def home(self, request: Request) -> Response:
        """The first page."""
        return RedirectResponse("/play" if self.live is None else "/bots", 303)

    # --- running bots

    def _live(self) -> LiveBots:
        if self.live is None:
            raise HTTPException(404, "No bots run here.")
        return self.live

    async def bots(self, request: Request) -> Response:
        """The bots of this process."""
        return self._bots(request, "", done=True)

    def _bots(self, request: Request, told: str, *, done: bool) -> Response:
        bots, status = self._live().bots(), 200 if done else 409
        return self.page(
            request, "bots.html", status, bots=bots, told=told, done=done, levels=tuple(PRESETS)
        )

    async def watch(self, request: Request) -> Response:
        """The bots as they change."""
        try:
            return StreamingResponse(self._live().pictures(), media_type="text/event-stream")
        except TooManySpectators:
            raise HTTPException(503, "Too many spectators.") from None

    async def order(self, request: Request) -> Response:
        """An order to a bot."""
        action = request.path_params["action"]
        if action not in ACTIONS:
            raise HTTPException(404)
        by = f"browser {request.client.host if request.client else ''}"
        done, told = await self._live().order(action, await request.form(), by)
        return self._bots(request, told, done=done)

    # --- playing

    async def matches(self, request: Request) -> Response:
        """Matches to go on with, and a form for a new one."""
        return self.page(
            request,
            "play.html",
            recent=list(self.store.recent()),
            lengths=LENGTHS,
            levels=LEVELS,
            variants=[variant.value for variant in VARIANTS],
        )

    async def begin(self, request: Request) -> Response:
        """A new match."""
        form = await request.form()
        try:
            length, level = int(str(form["length"])), str(form["level"])
            variant = Variant(str(form["variant"]))
        except (KeyError, ValueError):
            raise HTTPException(400, "No such match.") from None
        if length not in LENGTHS or level not in LEVELS or variant not in VARIANTS:
            raise HTTPException(400, "No such match.")
        name = printable(str(form.get("name", "")))[:LONGEST_NAME].strip() or "You"
        rules = Rules(jacoby=length == 0, variant=variant)
        match = BoardMatch.new(length, level, rules, name=name, tutor="tutor" in form)
        await self.coach.think(lambda: self.coach.reply(match))
        return RedirectResponse(f"/play/{self.store.add(match)}", 303)

    async def table(self, request: Request) -> Response:
        """A match."""
        key, match = self._match(request)
        hints = None
        if "hint" in request.query_params:
            hints = await self.coach.think(lambda: self.coach.hints(match))
        return self._table(request, key, match, hints=hints)

    async def deed(self, request: Request) -> Response:
        """Something done in a match."""
        key, match = self._match(request)
        form = await request.form()
        name = request.path_params["deed"]
        if name not in DEEDS:
            raise HTTPException(404)
        if match.tutor and name in TUTORED and "anyway" not in form:
            warning = await self.coach.think(lambda: self.coach.warns(match, name))
            if warning is not None:
                return self._table(request, key, match, warning=warning, warned_of=name)
        try:
            DEEDS[name](match, form)
        except (NotNow, ValueError) as error:
            return self._table(request, key, match, problem=str(error), status=409)
        self.store.save(key, match)
        log.info("deed", match=key, deed=name)
        await self.coach.think(lambda: self.coach.reply(match))
        self.store.save(key, match)
        if match.is_over:
            self.library.keep(match.record)
        if "fragment" in form:
            return self._table(request, key, match)
        return RedirectResponse(f"/play/{key}", 303)

    def _match(self, request: Request) -> tuple[str, BoardMatch]:
        key = request.path_params["key"]
        try:
            return key, self.store.load(key)
        except NoSuchMatch:
            raise HTTPException(404, "There is no such match.") from None

    def _table(
        self, request: Request, key: str, match: BoardMatch, *, status: int = 200, **more: Any
    ) -> Response:
        fields = {"hints": None, "warning": None, "warned_of": "", "problem": ""} | more
        fragment = request.headers.get("x-fragment") == "1"
        name = "_table.html" if fragment else "table.html"
        return self.page(request, name, status, key=key, **shown(match), **fields)

    # --- positions and the archive

    async def position(self, request: Request) -> Response:
        """A position by its ID, with the engine's opinion."""
        text, dice = (request.query_params.get(name, "").strip() for name in ("id", "dice"))
        fields = await self.coach.think(lambda: looked_at(self.coach, text[:400], dice[:8]))
        link = f"/position?{urlencode({'id': text, 'dice': dice})}" if text else ""
        return self.page(request, "position.html", **fields, asked=text, dice=dice, link=link)

    async def archive(self, request: Request) -> Response:
        """The archived matches."""
        found = self.library.listed(request.query_params)
        return self.page(request, "archive.html", **found)

    async def archived(self, request: Request) -> Response:
        """One of them, step by step."""
        try:
            step = request.query_params.get("step", "0")
            number = int(step) if step.isdigit() and len(step) < 7 else 0
            fields = self.library.replayed(int(request.path_params["id"]), number)
        except NotArchived as error:
            raise HTTPException(404, str(error)) from None
        return self.page(request, "match.html", **fields)

    async def download(self, request: Request) -> Response:
        """A match file."""
        try:
            name, kind, data = self.library.exported(
                int(request.path_params["id"]), request.path_params["format"]
            )
        except NotArchived as error:
            raise HTTPException(404, str(error)) from None
        disposition = f'attachment; filename="{name}"'
        return Response(data, media_type=kind, headers={"content-disposition": disposition})

    # --- logging in

    async def login(self, request: Request) -> Response:
        """The password, please."""
        if request.method == "GET":
            return self.page(request, "login.html", problem="")
        form = await request.form()
        answer = request.scope["guard"].log_in(request, str(form.get("password", "")))
        return answer or self.page(request, "login.html", 403, problem="That is not the password.")

    async def logout(self, request: Request) -> Response:
        """Good-bye."""
        request.scope["guard"].leave(request)
        return RedirectResponse("/login", 303)

    async def failed(self, request: Request, error: Exception) -> Response:
        """A page that says what is wrong."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        detail = error.detail if isinstance(error, HTTPException) else "Something went wrong."
        if "visitor" not in request.scope:
            return PlainTextResponse(detail, status)
        return self.page(request, "failed.html", status, detail=detail)


def acting(handler: Handler) -> Handler:
    """For whatever changes something: the session may act, and the form carries its token."""

    async def guarded(request: Request) -> Response:
        visitor = visitor_of(request)
        form = await request.form(max_files=0, max_fields=50)
        token = str(form.get("token", ""))
        if visitor is None or not _equal(token, visitor.token):
            log.warning("refused", path=request.url.path, why="no token of this session")
            raise HTTPException(403, "This page is too old. Load it again.")
        if not visitor.may_act:
            log.warning("refused", path=request.url.path, why="may only watch")
            raise HTTPException(403, "You may only watch.")
        return await handler(request)

    return guarded


def _equal(one: str, other: str) -> bool:
    from hmac import compare_digest

    return compare_digest(one.encode(), other.encode())


def application(site: Site, hosts: Set[str], passwords: Passwords) -> Starlette:
    """The whole application."""

    @asynccontextmanager
    async def living(_: Starlette) -> Any:
        site.coach.warm_up()
        watching = None if site.live is None else asyncio.create_task(site.live.watch())
        yield
        if watching is not None:
            watching.cancel()
        site.coach.close()

    def post(path: str, handler: Handler) -> Route:
        return Route(path, acting(handler), methods=["POST"])

    routes = [
        Route("/", site.home),
        Route("/play", site.matches),
        post("/play", site.begin),
        Route("/play/{key}", site.table),
        post("/play/{key}/{deed}", site.deed),
        Route("/bots", site.bots),
        Route("/bots/live", site.watch),
        post("/bots/{action}", site.order),
        Route("/position", site.position),
        Route("/archive", site.archive),
        Route("/archive/{id:int}", site.archived),
        Route("/archive/{id:int}.{format}", site.download),
        Route("/login", site.login, methods=["GET", "POST"]),
        post("/logout", site.logout),
        Mount("/static", StaticFiles(directory=HERE / "static")),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, hosts=hosts, passwords=passwords)],
        exception_handlers={HTTPException: site.failed, Exception: site.failed},
        lifespan=living,
    )
