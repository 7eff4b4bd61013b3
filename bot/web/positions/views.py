"""The page of a position."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sixprime.bot.web.frame.pages import Pages, events, fields_of, post
from sixprime.bot.web.frame.tasks import TaskRunner, progress
from sixprime.bot.web.frame.texts import N_, gettext
from sixprime.bot.web.library.origins import Origin
from sixprime.bot.web.play.coach import Coach
from sixprime.bot.web.play.fromhere import match_from
from sixprime.bot.web.play.matchstore import MatchStore
from sixprime.bot.web.play.opponents import level_of, may_play, no_opponent
from sixprime.bot.web.play.owners import begun
from sixprime.bot.web.positions.looking import TRIALS, looked_at, picture, shown
from sixprime.bot.web.positions.rollouts import MOST_S, RolloutTask, roll_out
from sixprime.bot.web.positions.setup import BELOW, BoardSetup, read_setup, without_faults
from sixprime.engine.compiling.preparations import PLAYING, ROLLOUTS
from sixprime.protocols.formats.ids import BadId


class PositionViews:
    def __init__(self, pages: Pages, coach: Coach, rollouts: TaskRunner, store: MatchStore) -> None:
        self._pages = pages
        self._coach = coach
        self._store = store
        self._rollouts = rollouts

    def routes(self) -> list[Route]:
        return [
            Route("/position", self.position),
            Route("/position.svg", self.svg),
            post("/position/rollout", self.rollout),
            post("/position/play", self.play),
        ]

    async def position(self, request: Request) -> Response:
        """Show a position, with the engine's opinion of a pasted one or on request."""
        query = request.query_params
        problem = ""
        try:
            found = read_setup(query)
        except ValueError as error:
            found, problem = without_faults(query), str(error)
        wanted = not problem and ("look" in query or query.get("id"))
        if wanted and "set" not in query:
            await self._pages.first.need(request, PLAYING)
            fields = await self._coach.pool.do(request, lambda: looked_at(self._coach, found))
        else:
            fields = shown(found, problem)
        pasted = query.get("id", "").strip()
        if request.headers.get("x-fragment") == "1":
            return self._pages.page(request, "_position.html", **fields, asked=pasted)
        status = 400 if problem else 200
        return self._pages.page(request, "position.html", status, **fields, asked=pasted)

    async def svg(self, request: Request) -> Response:
        drawn = picture(_setup(request.query_params))
        return Response(drawn, media_type="image/svg+xml")

    async def play(self, request: Request) -> Response:
        """Begin a match that goes on from a position, with the person below."""
        fields = await fields_of(request)
        setup = _setup(fields)
        if fault := setup.fault():
            raise HTTPException(
                400, gettext("Nobody can play this position: %(fault)s.", fault=fault)
            )
        if not may_play(level := level_of(fields)):
            raise HTTPException(400, no_opponent())
        try:
            origin = Origin.at(setup.ids()["XGID"], fields.get("place", ""))
        except BadId as error:
            raise HTTPException(
                400, gettext("Nobody can play this position: %(fault)s.", fault=error)
            ) from None
        match = match_from(level, setup.position, setup.match, BELOW, origin)
        match.clock.charge(None, time.time())
        return begun(request, self._store, match)

    async def rollout(self, request: Request) -> Response:
        """Start a rollout, which goes on as long as the page listens."""
        fields = await fields_of(request)
        setup = _setup(fields)
        trials = fields.get("trials", "")
        if setup.fault() or trials not in {str(each) for each in TRIALS}:
            return PlainTextResponse(setup.fault() or gettext("Choose how many trials."), 400)
        await self._pages.first.need(request, ROLLOUTS)
        task = RolloutTask(N_("A rollout"), page=fields.get("page", ""))
        await self._rollouts.restart(task, partial(roll_out, setup, int(trials)))
        return events(progress(task, MOST_S))


def _setup(fields: Mapping[str, str]) -> BoardSetup:
    try:
        return read_setup(fields)
    except ValueError as error:
        raise HTTPException(400, str(error)) from None
