"""The pages of the archive."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sixprime.bot.web.frame.pages import Pages
from sixprime.bot.web.library.library import Library, NotArchived


class LibraryViews:
    """The archived matches."""

    def __init__(self, pages: Pages, library: Library) -> None:
        self._pages = pages
        self._library = library

    def routes(self) -> list[Route]:
        """Where they are."""
        return [
            Route("/archive", self.archive),
            Route("/archive/{id:int}", self.archived),
            Route("/archive/{id:int}.{format}", self.download),
        ]

    async def archive(self, request: Request) -> Response:
        """The archived matches."""
        found = self._library.listed(request.query_params)
        return self._pages.page(request, "archive.html", **found)

    async def archived(self, request: Request) -> Response:
        """One of them, step by step."""
        try:
            step = request.query_params.get("step", "0")
            number = int(step) if step.isdigit() and len(step) < 7 else 0
            fields = self._library.replayed(int(request.path_params["id"]), number)
        except NotArchived as error:
            raise HTTPException(404, str(error)) from None
        return self._pages.page(request, "match.html", **fields)

    async def download(self, request: Request) -> Response:
        """A match file."""
        try:
            name, kind, data = self._library.exported(
                int(request.path_params["id"]), request.path_params["format"]
            )
        except NotArchived as error:
            raise HTTPException(404, str(error)) from None
        disposition = f'attachment; filename="{name}"'
        return Response(data, media_type=kind, headers={"content-disposition": disposition})
