"""Pages to play on.

A deed is a POST to a match: it changes the match, keeps it, lets the engine answer, and shows the
table again. Every page works without a script; `board.js` makes it pleasant.
"""

from __future__ import annotations

from typing import Any

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from sixprime.bot.printable import printable
from sixprime.bot.web.frame.pages import Pages, post
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.play.boardmatch import BoardMatch, NotNow
from sixprime.bot.web.play.coach import Coach
from sixprime.bot.web.play.matchstore import MatchStore, NoSuchMatch
from sixprime.bot.web.play.table import DEEDS, TUTORED, shown
from sixprime.engine.position import Variant
from sixprime.engine.search.levels import PRESETS
from sixprime.engine.search.players import WITHOUT_ENGINE
from sixprime.protocols.formats.record import Rules

log = structlog.get_logger("web")

LENGTHS = (0, 1, 3, 5, 7, 9, 11, 15, 21, 25)
LEVELS = (*PRESETS, *WITHOUT_ENGINE)
VARIANTS = (Variant.STANDARD, Variant.NACKGAMMON)
LONGEST_NAME = 30


class PlayViews:
    """Matches to play, and what is done in them."""

    def __init__(self, pages: Pages, store: MatchStore, library: Library, coach: Coach) -> None:
        self._pages = pages
        self._store = store
        self._library = library
        self._coach = coach

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/play", self.matches),
            post("/play", self.begin),
            Route("/play/{key}", self.table),
            post("/play/{key}/{deed}", self.deed),
        ]

    async def matches(self, request: Request) -> Response:
        """Matches to go on with, and a form for a new one."""
        return self._pages.page(
            request,
            "play.html",
            recent=list(self._store.recent()),
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
        await self._coach.think(lambda: self._coach.reply(match))
        return RedirectResponse(f"/play/{self._store.add(match)}", 303)

    async def table(self, request: Request) -> Response:
        """A match."""
        key, match = self._match(request)
        hints = None
        if "hint" in request.query_params:
            hints = await self._coach.think(lambda: self._coach.hints(match))
        return self._table(request, key, match, hints=hints)

    async def deed(self, request: Request) -> Response:
        """Something done in a match."""
        key, match = self._match(request)
        form = await request.form()
        name = request.path_params["deed"]
        if name not in DEEDS:
            raise HTTPException(404)
        if match.tutor and name in TUTORED and "anyway" not in form:
            warning = await self._coach.think(lambda: self._coach.warns(match, name))
            if warning is not None:
                return self._table(request, key, match, warning=warning, warned_of=name)
        try:
            DEEDS[name](match, form)
        except (NotNow, ValueError) as error:
            return self._table(request, key, match, problem=str(error), status=409)
        self._store.save(key, match)
        log.info("deed", match=key, deed=name)
        await self._coach.think(lambda: self._coach.reply(match))
        self._store.save(key, match)
        if match.is_over:
            self._library.keep(match.record)
        if "fragment" in form:
            return self._table(request, key, match)
        return RedirectResponse(f"/play/{key}", 303)

    def _match(self, request: Request) -> tuple[str, BoardMatch]:
        key = request.path_params["key"]
        try:
            return key, self._store.load(key)
        except NoSuchMatch:
            raise HTTPException(404, "There is no such match.") from None

    def _table(
        self, request: Request, key: str, match: BoardMatch, *, status: int = 200, **more: Any
    ) -> Response:
        fields = {"hints": None, "warning": None, "warned_of": "", "problem": ""} | more
        fragment = request.headers.get("x-fragment") == "1"
        name = "_table.html" if fragment else "table.html"
        return self._pages.page(request, name, status, key=key, **shown(match), **fields)
