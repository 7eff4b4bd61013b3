"""The page of a position."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sixprime.bot.web.frame.pages import Pages
from sixprime.bot.web.play.coach import Coach
from sixprime.bot.web.positions.looking import looked_at


class PositionViews:
    """A position by its ID."""

    def __init__(self, pages: Pages, coach: Coach) -> None:
        self._pages = pages
        self._coach = coach

    def routes(self) -> list[Route]:
        """Where it is."""
        return [Route("/position", self.position)]

    async def position(self, request: Request) -> Response:
        """A position by its ID, with the engine's opinion."""
        text, dice = (request.query_params.get(name, "").strip() for name in ("id", "dice"))
        fields = await self._coach.think(lambda: looked_at(self._coach, text[:400], dice[:8]))
        link = f"/position?{urlencode({'id': text, 'dice': dice})}" if text else ""
        return self._pages.page(
            request, "position.html", **fields, asked=text, dice=dice, link=link
        )
