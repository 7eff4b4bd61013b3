"""Who may do what in the browser, and what a page may load.

Every request passes here. A foreign `Host` is a rebound name, a foreign `Origin` another site's
page; neither gets an answer. Whatever changes something is a POST with the token of its session.
Pages load scripts, styles and pictures from this server only, and nothing inline.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import defaultdict, deque
from collections.abc import Set
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sixprime.bot.passwordhash import HashCost, hashed, matches

log = structlog.get_logger("web")

COOKIE = "sixprime"
SESSION_S = 30 * 86_400.0
MOST_SESSIONS = 1_000
MOST_BODY = 64 * 1024
MOST_UPLOAD = 32 * 1024 * 1024
UPLOADS = ("/archive/import",)
LOGINS_PER_MINUTE = 6  # from one address
LOGINS_IN_ALL = 60  # a minute
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with none, our own forms would come with `Origin: null`
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
OPEN_PATHS = ("/login", "/static/")


@dataclass(slots=True)
class Visitor:
    """A session: who looks, and the token of its forms."""

    may_act: bool
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    until: float = field(default_factory=lambda: time.monotonic() + SESSION_S)


class Passwords:
    """The passwords of those who may act and of those who may only watch; none: everybody acts."""

    def __init__(self, act: str | None = None, watch: str | None = None) -> None:
        self._hashes = [
            (may_act, hashed(text, secrets.token_bytes(16), HashCost()))
            for may_act, text in ((True, act), (False, watch))
            if text is not None
        ]
        self._tries: dict[str, deque[float]] = defaultdict(deque)

    @property
    def needed(self) -> bool:
        """Does anybody have to log in?"""
        return bool(self._hashes)

    def may_try(self, address: str) -> bool:
        """May this address try a password now? If so, it is counted."""
        since = time.monotonic() - 60.0
        for key in (address, ""):
            tries = self._tries[key]
            while tries and tries[0] < since:
                tries.popleft()
        for key in [key for key, tries in self._tries.items() if not tries]:
            del self._tries[key]
        mine, everybody = self._tries.get(address, ()), self._tries.get("", ())
        if len(mine) >= LOGINS_PER_MINUTE or len(everybody) >= LOGINS_IN_ALL:
            return False
        now = time.monotonic()
        self._tries[address].append(now)
        self._tries[""].append(now)
        return True

    def check(self, password: str) -> Visitor | None:
        """A session for the right password."""
        for may_act, known in self._hashes:
            if matches(password[:200], known):
                return Visitor(may_act)
        return None


class Guard:
    """ASGI middleware; see the module's docstring. `hosts` are the names that we answer to."""

    def __init__(self, app: ASGIApp, *, hosts: Set[str], passwords: Passwords) -> None:
        self._app = app
        self._hosts = hosts
        self._passwords = passwords
        self._visitors: dict[str, Visitor] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = Request(scope)
        refusal, new = self._admit(request)

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
                if new is not None:
                    headers.append("set-cookie", _cookie(new, request))
            await send(message)

        if refusal is not None:
            log.warning("refused", path=request.url.path, status=refusal.status_code)
        await (refusal or self._app)(scope, receive, send_safely)

    def _admit(self, request: Request) -> tuple[Response | None, str | None]:
        """Why not, and the cookie of a session that begins."""
        if request.headers.get("host", "") not in self._hosts:
            return PlainTextResponse("Not a name of this server.", 421), None
        if request.method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Only GET and POST.", 405), None
        if request.method == "POST":
            if not _same_origin(request.headers):
                return PlainTextResponse("From another site.", 403), None
            length = request.headers.get("content-length", "")
            most = MOST_UPLOAD if request.url.path in UPLOADS else MOST_BODY
            if not length.isdigit() or len(length) > 12 or int(length) > most:
                return PlainTextResponse("Too large.", 413), None
        return self._know(request)

    def _know(self, request: Request) -> tuple[Response | None, str | None]:
        key = request.cookies.get(COOKIE, "")
        visitor, new = self._visitors.get(key), None
        if visitor is not None and visitor.until < time.monotonic():
            visitor = self._visitors.pop(key, None) and None
        if visitor is None and not self._passwords.needed:
            visitor = Visitor(may_act=True)
            new = self.enter(visitor)
        request.scope["visitor"] = visitor
        request.scope["guard"] = self
        if visitor is None and not request.url.path.startswith(OPEN_PATHS):
            if request.method == "GET":
                return RedirectResponse("/login", 303), None
            return PlainTextResponse("Log in first.", 403), None
        return None, new

    def enter(self, visitor: Visitor) -> str:
        """Keep a session; returns its key."""
        key = secrets.token_urlsafe(32)
        self._visitors[key] = visitor
        while len(self._visitors) > MOST_SESSIONS:
            del self._visitors[next(iter(self._visitors))]
        return key

    def leave(self, request: Request) -> None:
        """End a session."""
        self._visitors.pop(request.cookies.get(COOKIE, ""), None)

    async def log_in(self, request: Request, password: str) -> Response | None:
        """The answer to a password; None if it is wrong."""
        address = request.client.host if request.client else ""
        if not self._passwords.may_try(address):
            log.warning("too many logins", address=address)
            return PlainTextResponse("Too many logins. Wait a minute.", 429)
        visitor = await asyncio.to_thread(self._passwords.check, password)
        log.info("login", address=address, right=visitor is not None)
        if visitor is None:
            return None
        answer = RedirectResponse("/", 303)
        answer.headers.append("set-cookie", _cookie(self.enter(visitor), request))
        return answer


def visitor_of(request: Request) -> Visitor | None:
    """The session of a request that has passed the guard."""
    found: Visitor | None = request.scope["visitor"]
    return found


def _same_origin(headers: Headers) -> bool:
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    return urlsplit(origin).netloc == headers.get("host")


def _cookie(key: str, request: Request) -> str:
    secure = "; Secure" if request.url.scheme == "https" else ""
    return f"{COOKIE}={key}; Path=/; Max-Age={SESSION_S:.0f}; HttpOnly; SameSite=Strict{secure}"
