"""The page of a position."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sixprime.bot.web.frame.pages import Pages, events, post
from sixprime.bot.web.play.coach import Coach
from sixprime.bot.web.positions.looking import NO_OPINION, TRIALS, opinion, picture, shown
from sixprime.bot.web.positions.rollouts import Roller, RollerBusy, Running, progress
from sixprime.bot.web.positions.setup import BadSetup, BoardSetup, read, without_faults


class PositionViews:
    def __init__(self, pages: Pages, coach: Coach, roller: Roller) -> None:
        self._pages = pages
        self._coach = coach
        self._roller = roller

    def routes(self) -> list[Route]:
        return [
            Route("/position", self.position),
            Route("/position.svg", self.svg),
            post("/position/rollout", self.rollout),
        ]

    async def position(self, request: Request) -> Response:
        """A position, with the engine's opinion of one that was pasted or asked about."""
        query = request.query_params
        problem = ""
        try:
            found = read(query)
        except BadSetup as error:
            found, problem = without_faults(query), str(error)
        fields = shown(found, problem)
        wanted = not problem and ("look" in query or query.get("id"))
        if wanted and "set" not in query:
            if fields["fault"]:
                fields["problem"] = fields["fault"]
            else:
                fields |= await self._coach.think(lambda: opinion(self._coach, found))
        fields = NO_OPINION | fields
        pasted = query.get("id", "").strip()
        if request.headers.get("x-fragment") == "1":
            return self._pages.page(request, "_position.html", **fields, asked=pasted)
        status = 400 if problem else 200
        return self._pages.page(request, "position.html", status, **fields, asked=pasted)

    async def svg(self, request: Request) -> Response:
        drawn = picture(_setup(request.query_params))
        return Response(drawn, media_type="image/svg+xml")

    async def rollout(self, request: Request) -> Response:
        """A rollout, with its progress as long as the page listens."""
        form = await request.form()
        fields = {name: str(value) for name, value in form.items()}
        setup = _setup(fields)
        trials = fields.get("trials", "")
        if setup.fault() or trials not in {str(each) for each in TRIALS}:
            return PlainTextResponse(setup.fault() or "Choose how many trials.", 400)
        try:
            page = fields.get("page", "")
            running = await self._roller.begin(setup, int(trials), page)
        except RollerBusy:
            return PlainTextResponse("Another rollout is running. Try again soon.", 409)
        return events(_events(running))


def _setup(fields: Mapping[str, str]) -> BoardSetup:
    try:
        return read(fields)
    except BadSetup as error:
        raise HTTPException(400, str(error)) from None


async def _events(running: Running) -> AsyncIterator[str]:
    async for news in progress(running):
        yield f"data: {json.dumps(news)}\n\n"
