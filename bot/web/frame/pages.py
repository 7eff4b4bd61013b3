"""Pages from templates, and the routes of changes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from sixprime.bot.reports.templating import environment
from sixprime.bot.web.frame.choices import COOKIE, chosen
from sixprime.bot.web.frame.firststart import FirstStart
from sixprime.bot.web.frame.guard import allowed_form, visitor_of
from sixprime.bot.web.frame.texts import (
    LOCALE,
    current,
    languages,
    pgettext,
    shown,
    shown_counting,
)

TEMPLATES = Path(__file__).parents[1] / "templates"
STATIC = Path(__file__).parents[1] / "static"
KEPT = (TEMPLATES / "offline.html", *(STATIC / name for name in ("style.css", "offline.js")))

Handler = Callable[[Request], Awaitable[Response]]


class Pages:
    """Pages from the templates of this folder; every template knows the `shared` fields."""

    def __init__(self, first: FirstStart, *, has_bots: bool, **shared: Any) -> None:
        self.first = first
        self._has_bots = has_bots
        self._templates = environment(TEMPLATES)
        self._templates.globals |= shared
        self._templates.filters["told"] = shown  # of words that are not written in the template
        self._templates.policies["ext.i18n.trimmed"] = True
        self._templates.add_extension("jinja2.ext.i18n")
        self._templates.install_gettext_callables(  # type: ignore[attr-defined]
            shown, shown_counting, newstyle=True, pgettext=pgettext
        )

    def page(self, request: Request, name: str, status: int = 200, **fields: Any) -> Response:
        visitor = visitor_of(request)
        fields |= {
            "token": "" if visitor is None else visitor.token,
            "may_act": visitor is not None and visitor.may_act,
            "may_leave": visitor is not None and request.scope["guard"].asks_passwords,
            "path": request.url.path,
            "has_bots": self._has_bots,
            "needed": (needed := fields.get("needed", ())),
            "first": None if visitor is None else self.first.shown(needed),
            "chosen": chosen(request.cookies.get(COOKIE, "")),
            "language": current(),
            "languages": languages(),
            "worker": worker(current().code),
        }
        return HTMLResponse(self._templates.get_template(name).render(fields), status)


@cache
def worker(code: str) -> str:
    """Return the address of the worker, which is another one whenever the page that it keeps is."""
    files = (*KEPT, *LOCALE.glob(f"{code}.po"))
    digest = sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    return f"/worker.js?kept={code}-{digest[:12]}"


def events(pictures: AsyncIterator[str]) -> Response:
    """Return server-sent events, which nginx must pass on at once."""
    unbuffered = {"x-accel-buffering": "no"}
    return StreamingResponse(pictures, media_type="text/event-stream", headers=unbuffered)


def post(path: str, handler: Handler, most_files: int = 0, *, watchers: bool = False) -> Route:
    """The route of a change, by a session that may act, with its token."""

    async def guarded(request: Request) -> Response:
        async with allowed_form(request, most_files=most_files, watchers=watchers):
            return await handler(request)

    return Route(path, guarded, methods=["POST"])


async def fields_of(request: Request) -> dict[str, str]:
    """Return the fields of a form as texts."""
    return {name: str(value) for name, value in (await request.form()).items()}
