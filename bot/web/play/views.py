"""Pages to play on.

A deed is a POST to a match: it changes and stores the match, lets the engine answer, and shows the
table again. Every page works without a script.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Mapping
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

import structlog
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from sixprime.bot.process.printable import printable
from sixprime.bot.web.frame.boardview import board
from sixprime.bot.web.frame.guard import visitor_of
from sixprime.bot.web.frame.pages import Pages, events, post
from sixprime.bot.web.frame.texts import N_, gettext
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.play.boardmatch import (
    DICE_TOO,
    ENGINE,
    HANDS,
    SIDES,
    UNNAMED,
    YOU,
    BoardMatch,
)
from sixprime.bot.web.play.coach import Coach, is_due, ratings
from sixprime.bot.web.play.matchstore import MatchStore
from sixprime.bot.web.play.movelist import games_listed
from sixprime.bot.web.play.opponents import level_of, may_play, no_opponent, preparations
from sixprime.bot.web.play.owners import begun, is_own
from sixprime.bot.web.play.spectators import Spectators
from sixprime.bot.web.play.table import DEEDS, is_waiting, shown
from sixprime.bot.web.play.tutor import GRADES, Tutor
from sixprime.engine.bearoff.hypergammon import needs
from sixprime.engine.compiling.preparations import ANALYSIS, PLAYING
from sixprime.engine.position import Variant, variant_named
from sixprime.engine.ratings import LEAST_PR, MOST_PR
from sixprime.engine.search.decide import NoDecision
from sixprime.engine.search.levels import UnknownLevel
from sixprime.protocols.formats.record import (
    MOST_AUTOMATIC_DOUBLES,
    Match,
    Rules,
    day_in,
    match_between,
    number_in,
    one_line,
)

log = structlog.get_logger("web")

LENGTHS = (0, 1, 3, 5, 7, 9, 11, 15, 21, 25)
LONGEST_NAME = 30
FACTS, LONGEST_FACT = ("event", "round", "place", "annotator"), 60
MOST_CARDS = 12  # of matches to go on with
MOVED_ON = N_("The match had gone on. This is the current board.")
BEAVERS = 3  # in a row, where they are allowed


class PlayViews:
    def __init__(
        self, pages: Pages, store: MatchStore, library: Library, coach: Coach, looking: Coach
    ) -> None:
        self._pages = pages
        self._store = store
        self._library = library
        self._coach = coach
        self._looking = looking  # of visitors who may not act
        self._spectators = Spectators()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def routes(self) -> list[Route]:
        return [
            Route("/play", self.matches),
            post("/play", self.new_match),
            Route("/play/{key}", self.table),
            Route("/play/{key}/live", self.watch),
            post("/play/{key}/{deed}", self.deed),
        ]

    async def matches(self, request: Request) -> Response:
        """Show open matches, and a form for a new one."""
        recent = list(self._store.recent())
        own = [(key, match) for key, match in recent if is_own(request, match)]
        still_open = [(key, match) for key, match in own if not match.is_over][:MOST_CARDS]
        return self._pages.page(
            request,
            "play.html",
            open_matches=[(key, match, board(*match.seen())) for key, match in still_open],
            over_matches=[(key, match) for key, match in own if match.is_over],
            others=[(key, match) for key, match in recent if not is_own(request, match)],
            has_archive=self._library.archive is not None,
            lengths=LENGTHS,
            most_automatic=MOST_AUTOMATIC_DOUBLES,
            prs=(LEAST_PR, MOST_PR),
            variants=await asyncio.to_thread(_playable),  # a database is checked
            ratings=ratings(),
            grades=tuple(GRADES),
        )

    async def new_match(self, request: Request) -> Response:
        match = _match_of({name: str(value) for name, value in (await request.form()).items()})
        if missing := needs(match.record.rules.variant):
            raise HTTPException(400, f"{missing[0].upper()}{missing[1:]}.")
        if self._pages.first.has(_needed(match)):  # or else its page lets the engine begin
            await self._coach.pool.do(request, lambda: self._coach.reply(match))
        match.clock.charge(None, time.time())
        return begun(request, self._store, match)

    async def table(self, request: Request) -> Response:
        key, match = self._match(request)
        hinted = "hint" in request.query_params
        await self._pages.first.need(request, _needed(match, hinted=hinted))
        # the engine still thinks, or the server was killed, or the archive was away
        if is_due(match) or self._is_missing(match):
            async with self._alone(key):
                match = self._match(request)[1]
                match.clock.charge(None, time.time())
                await self._reply(request, key, match)
        hints = None
        if hinted:
            coach = self._coach if _may_act(request) else self._looking
            hints = await coach.pool.do(request, lambda: coach.hints(match))
        return await self._table(request, key, match, hints=hints)

    async def watch(self, request: Request) -> Response:
        """Send the match's mark whenever the match goes on."""
        if request.method == "HEAD":
            raise HTTPException(405)
        key, match = self._match(request)
        return events(self._spectators.marks(key, match.mark))

    async def deed(self, request: Request) -> Response:
        """Carry out a deed; deeds in one match wait for each other."""
        form = await request.form()
        name = request.path_params["deed"]
        if name not in DEEDS:
            raise HTTPException(404)
        async with self._alone(request.path_params["key"]):
            return await self._do(request, name, form)

    async def _do(self, request: Request, name: str, form: FormData) -> Response:
        key, match = self._match(request)
        await self._pages.first.need(request, _needed(match))
        if form.get("seen", match.mark) != match.mark:  # another tab or click came first
            return await self._table(
                request, key, match, problem=MOVED_ON, moved_on=True, status=409
            )
        try:
            if name == "play":  # a script sends the whole play, and nothing to confirm it
                DEEDS[name](match, form)
                name = "confirm"
            judged = None
            if match.tutor is not None:
                judged = await self._coach.pool.do(request, lambda: self._coach.judged(match, name))
                warning = None if "anyway" in form else match.tutor.warned(judged)
                if warning is not None:
                    self._save(key, match)
                    again = {each: str(form[each]) for each in ("first", "second") if each in form}
                    return await self._table(
                        request, key, match, warning=warning, warned_of=name, again=again
                    )
            thinking = match.seat if is_waiting(match.asks) else None
            DEEDS[name](match, form)
            match.clock.charge(thinking, time.time())
            if judged is not None:
                match.note_loss(judged.what, judged.loss)
        except KeyError:
            raise HTTPException(400, "A field of the form is missing.") from None
        except ValueError as error:
            return await self._table(request, key, match, problem=str(error), status=409)
        self._save(key, match)
        log.info("deed", match=key, deed=name)
        await self._reply(request, key, match)
        if "fragment" in form:
            return await self._table(request, key, match)
        return RedirectResponse(f"/play/{key}", 303)

    def _save(self, key: str, match: BoardMatch) -> None:
        self._store.save(key, match)
        self._spectators.tell(key, match.mark)

    def _alone(self, key: str) -> asyncio.Lock:
        """Return the lock for changes to a match."""
        return self._locks.setdefault(key, asyncio.Lock())

    async def _reply(self, request: Request, key: str, match: BoardMatch) -> None:
        """Let the engine act if it is its turn, and archive a finished match."""
        try:
            if is_due(match):
                await self._coach.pool.do(request, lambda: self._coach.reply(match), to_end=True)
                match.clock.charge(ENGINE, time.time())
        except (UnknownLevel, NoDecision) as error:  # by another version, or without its database
            raise HTTPException(
                409, gettext("This match cannot go on: %(why)s.", why=error)
            ) from None
        if self._is_missing(match):
            work = partial(self._library.keep, match.record)
            match.archived = await self._library.pool.do(request, work, to_end=True)
        self._save(key, match)

    async def _looked_back(self, request: Request, match: BoardMatch) -> dict[str, Any] | None:
        """Return the figures and worst errors of a match that is over and archived."""
        if match.archived is None or match.hands:
            return None
        await self._pages.first.need(request, ANALYSIS)
        work = partial(self._library.looked_back, match.archived, YOU)
        try:
            return await self._library.pool.do(request, work)
        except HTTPException:  # removed from the archive
            return None

    def _is_missing(self, match: BoardMatch) -> bool:
        """Return whether the match is over but not in the archive."""
        return match.is_over and match.archived is None and self._library.archive is not None

    def _match(self, request: Request) -> tuple[str, BoardMatch]:
        key = request.path_params["key"]
        return key, self._store.open_match(key)

    async def _table(
        self, request: Request, key: str, match: BoardMatch, *, status: int = 200, **more: Any
    ) -> Response:
        after = await self._looked_back(request, match)
        choices = {
            "chances": _chosen(
                request, "chances", match.tutor is not None or not _may_act(request)
            ),
            "clock": _chosen(request, "clock", False),
        }
        chances = None
        if choices["chances"]:
            coach = self._coach if _may_act(request) else self._looking
            chances = await coach.pool.do(request, lambda: coach.chances(match))
        fields = {
            "hints": None,
            "after": after,
            "chances": chances,
            "choices": choices,
            "running": _running(match),
            "warning": None,
            "warned_of": "",
            "again": {},
            "problem": "",
            "moved_on": False,
        } | more
        fragment = request.headers.get("x-fragment") == "1"
        name = "_table.html" if fragment else "table.html"
        status = 200 if fragment else status  # a browser's console would complain
        table = shown(match, may_act=_may_act(request))
        if after is not None:
            table["games"] = games_listed(after["replayed"])
        return self._pages.page(request, name, status, key=key, **table, **fields)


def _may_act(request: Request) -> bool:
    visitor = visitor_of(request)
    return visitor is not None and visitor.may_act


def _chosen(request: Request, name: str, usual: bool) -> bool:
    """Return whether the visitor wants this part of the panel, which a cookie remembers."""
    return {"on": True, "off": False}.get(request.cookies.get(name, ""), usual)


def _running(match: BoardMatch) -> float | None:
    """Return the seconds of the person's turn so far; None if no time runs."""
    since = match.clock.since
    return None if since is None or not is_waiting(match.asks) else time.time() - since


def _needed(match: BoardMatch, *, hinted: bool = False) -> tuple[str, ...]:
    """Return the preparations without which the page of a match waits."""
    advised = PLAYING if hinted or match.tutor is not None else ()
    record = match.record
    return *preparations(match.level, record.length, record.rules.variant), *advised


def _playable() -> list[str]:
    return [variant.called for variant in Variant if not needs(variant)]


def _match_of(form: Mapping[str, str]) -> BoardMatch:
    try:
        length, level = int(form["length"]), level_of(form)
        variant = variant_named(form["variant"])
    except (KeyError, ValueError):
        raise HTTPException(400, "Choose a length and a game from the lists.") from None
    if length not in LENGTHS:
        raise HTTPException(400, "Choose a length and a game from the lists.")
    if not may_play(level):
        raise HTTPException(400, no_opponent())
    name = printable(form.get("name", ""))[:LONGEST_NAME].strip()
    by_hand = "by_hand" in form or level == DICE_TOO
    if level in (HANDS, DICE_TOO):
        return BoardMatch.begun_with(level, _by_hand(form, length, variant, name), by_hand=by_hand)
    grade = form.get("grade", "doubtful")
    tutor = None
    if "tutor" in form and grade in GRADES:
        tutor = Tutor(grade, "tutor_plays" in form, "tutor_cube" in form)
    rules = _rules(form, length, variant)
    return BoardMatch.new(length, level, rules, name=name or UNNAMED, tutor=tutor, by_hand=by_hand)


def _rules(form: Mapping[str, str], length: int, variant: Variant) -> Rules:
    money = length == 0
    automatic = number_in(form.get("automatic_doubles") or "0")
    if automatic is None or automatic > MOST_AUTOMATIC_DOUBLES:
        most = MOST_AUTOMATIC_DOUBLES
        raise HTTPException(400, f"At most {most} automatic doubles can begin a game.")
    return Rules(
        jacoby=money and "jacoby" in form,
        beavers=BEAVERS if money and "beavers" in form else 0,
        automatic_doubles=automatic if money else 0,
        variant=variant,
    )


def _by_hand(form: Mapping[str, str], length: int, variant: Variant, name: str) -> Match:
    """Return a match of two people, with the facts of the form."""
    words = {each: one_line(form.get(each, ""))[:LONGEST_FACT] for each in FACTS}
    other = one_line(form.get("other", ""))[:LONGEST_NAME]
    first, second = name or SIDES[0], other or SIDES[1]
    if first == second:
        raise HTTPException(400, "The players need different names.")
    now = dt.datetime.now(dt.UTC)
    day = day_in(form.get("date", ""))
    is_live = day is None or day == now.date()
    return match_between(
        (first, second),
        length,
        rules=_rules(form, length, variant),
        date=day or now.date(),
        started=now if is_live else None,
        **words,
    )
