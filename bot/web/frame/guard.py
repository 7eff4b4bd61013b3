"""Access to the pages: logins, sessions, limits, and the sources that a page may load.

Every request passes here. A foreign `Host` means a rebound name, a foreign `Origin` another site's
page; both are refused. Every change is a POST with the token of its session. Pages load scripts,
styles and pictures from this server only, and nothing inline. Every refusal, here or further in, is
logged. The address of a request is that of the connection, or the one reported by a proxy that the
settings name; see `bot/web/serving.py`.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import secrets
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Iterable, Set
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

import structlog
from starlette.datastructures import FormData, Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sixprime.bot.process.passwordhash import HashCost, hashed, matches
from sixprime.bot.web.frame import texts

log = structlog.get_logger("web")

COOKIE = "sixprime"
SESSION_S = 30 * 86_400.0
MOST_SESSIONS = 1_000
MOST_BODY = 64 * 1024  # of a form
MOST_UPLOAD = 32 * 1024 * 1024
UPLOADS = ("/archive/import",)
BODY_WITHIN_S = 60.0
LOGINS_PER_MINUTE = 6  # from one address
LOGINS_IN_ALL = 60  # a minute
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with `no-referrer`, our own forms would send `Origin: null`
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
OPEN_PATHS = ("/login", "/static/", "/worker.js", "/offline", "/language/")
_INSIDE = re.compile(r"/(?![/\\])[!-~]{0,2000}")  # a path on this server
# SameSite=Strict: a link from another site comes without the cookie, so let the browser ask again
_AGAIN = '<!doctype html><title>Sixprime</title><meta http-equiv="refresh" content="0">'
REFUSED, BROKEN = 400, 500


@dataclass(slots=True)
class Visitor:
    """A session: its rights, and the token of its forms."""

    may_act: bool
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    until: float = field(default_factory=lambda: time.monotonic() + SESSION_S)


class Passwords:
    """The secrets for acting and for watching; without any, everybody may act.

    Passwords are checked slowly and seldom. A token is too long to guess, so it is checked at once,
    even while somebody else tries passwords.
    """

    def __init__(
        self,
        act: str | None = None,
        watch: str | None = None,
        *,
        tokens: Iterable[str] = (),
        cost: HashCost | None = None,
    ) -> None:
        self._hashes = [
            (may_act, hashed(text, secrets.token_bytes(16), cost or HashCost()))
            for may_act, text in ((True, act), (False, watch))
            if text is not None
        ]
        self._tokens = tuple(each.encode() for each in tokens)  # for acting
        self._tries: dict[str, deque[float]] = defaultdict(deque)

    @property
    def needed(self) -> bool:
        """Return whether visitors have to log in."""
        return bool(self._hashes or self._tokens)

    def may_try(self, address: str) -> bool:
        """Return whether this address may try a password now, and count the try."""
        now = time.monotonic()
        for key, tries in list(self._tries.items()):
            while tries and tries[0] < now - 60.0:
                tries.popleft()
            if not tries:
                del self._tries[key]
        mine, everybody = self._tries.get(address, ()), self._tries.get("", ())
        if len(mine) >= LOGINS_PER_MINUTE or len(everybody) >= LOGINS_IN_ALL:
            return False
        self._tries[address].append(now)
        self._tries[""].append(now)
        return True

    def is_token(self, secret: str) -> bool:
        return any(hmac.compare_digest(secret.encode(), each) for each in self._tokens)

    def check(self, password: str) -> Visitor | None:
        """Return a session for the right password."""
        for may_act, known in self._hashes:
            if matches(password[:200], known):
                return Visitor(may_act)
        return None


class Busy(HTTPException):
    """A refusal for lack of capacity; the text says what to do."""


class Guard:
    """ASGI middleware with these rules. `hosts` are the names of this server."""

    def __init__(
        self, app: ASGIApp, *, hosts: Set[str], passwords: Passwords, cookie: str = COOKIE
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._passwords = passwords
        self._cookie = cookie
        self._visitors: dict[str, Visitor] = {}  # by cookie, after a login
        self._token = secrets.token_urlsafe(32)  # of visitors who need no login
        self._knows_proxies = True  # until a foreign proxy shows up

    @property
    def asks_passwords(self) -> bool:
        """Return whether visitors have to log in."""
        return self._passwords.needed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = Request(scope)
        chosen = request.cookies.get(texts.COOKIE, "")
        texts.read_in(texts.preferred(chosen, request.headers.get("accept-language", "")))
        refusal, new = self._admit(request)

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                is_static = request.url.path.startswith("/static/")
                headers.setdefault("cache-control", "no-cache" if is_static else "no-store")
                if new is not None:
                    headers.append("set-cookie", self._set_cookie(new, request))
                _log_refusal(request, message["status"], refusal)
            await send(message)

        try:
            await (refusal or self._app)(scope, _in_time(receive), send_safely)
        except ClientDisconnect:  # in the middle of the answer
            log.info("hung up", path=request.url.path, address=address_of(request))

    def _admit(self, request: Request) -> tuple[Response | None, str | None]:
        """Return a refusal, if any, and the cookie of a new session."""
        request.scope["visitor"] = None
        self._warn_of_proxies(request)
        host = request.headers.get("host", "")
        if host.lower() not in self._hosts:
            return PlainTextResponse(f"{host!r} is not a name of this server: web.names", 421), None
        if request.method not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Only GET and POST.", 405), None
        if request.method == "POST":
            if not _same_origin(request.headers):
                origin = request.headers.get("origin", "another site")
                told = f"From a page of {origin}, but to {host}: a proxy must not change Host."
                return PlainTextResponse(told, 403), None
            most = MOST_UPLOAD if request.url.path in UPLOADS else MOST_BODY
            if not _fits(request, most):
                return PlainTextResponse("Too large, or without its length.", 413), None
        return self._identify(request)

    def _warn_of_proxies(self, request: Request) -> None:
        """Warn once of a proxy that the settings do not name: its visitors share one address."""
        told = ", ".join(request.headers.getlist("x-forwarded-for"))
        if self._knows_proxies and told and address_of(request) not in told:
            self._knows_proxies = False
            log.warning("a proxy that web.proxies does not name", address=address_of(request))

    def _identify(self, request: Request) -> tuple[Response | None, str | None]:
        key, new = request.cookies.get(self._cookie, ""), None
        request.scope["guard"] = self
        if _comes_from_elsewhere(request) and not key:
            return HTMLResponse(_AGAIN), None
        if not self._passwords.needed:
            if not key:
                new = secrets.token_urlsafe(32)
            # one token for all, since tabs opened at once each set a cookie and the last one stays
            request.scope["visitor"] = Visitor(may_act=True, token=self._token)
            return None, new
        visitor = self._visitors.get(key)
        if visitor is not None and visitor.until < time.monotonic():
            del self._visitors[key]
            visitor = None
        request.scope["visitor"] = visitor
        if visitor is None and not request.url.path.startswith(OPEN_PATHS):
            if request.method == "GET":
                asked = f"{request.url.path}?{request.url.query}".rstrip("?")
                return RedirectResponse(_login_before(asked), 303), None
            if "text/html" in request.headers.get("accept", ""):  # a person filled in a form
                return RedirectResponse(_login_before(came_from(request) or "/"), 303), None
            return PlainTextResponse("Log in first.", 403), None
        return None, None

    def _add_session(self, visitor: Visitor) -> str:
        """Store a session and return its key."""
        key = secrets.token_urlsafe(32)
        self._visitors[key] = visitor
        while len(self._visitors) > MOST_SESSIONS:
            del self._visitors[next(iter(self._visitors))]
        return key

    def leave(self, request: Request) -> None:
        self._visitors.pop(request.cookies.get(self._cookie, ""), None)

    async def log_in(self, request: Request, password: str, to: str = "") -> Response | None:
        """Return the answer to a password or token, which leads to `to`; None if it is wrong."""
        address = address_of(request)
        visitor = Visitor(may_act=True) if self._passwords.is_token(password) else None
        if visitor is None:
            if not self._passwords.may_try(address):
                raise Busy(429, texts.gettext("Too many logins. Wait a minute."))
            visitor = await asyncio.to_thread(self._passwords.check, password)
        if visitor is None:
            log.warning("wrong password", address=address)
            return None
        log.info("login", address=address, may_act=visitor.may_act)
        answer = RedirectResponse(to if _INSIDE.fullmatch(to) else "/", 303)
        answer.headers.append("set-cookie", self._set_cookie(self._add_session(visitor), request))
        return answer

    def _set_cookie(self, key: str, request: Request) -> str:
        secure = "; Secure" if request.url.scheme == "https" else ""
        lasting = f"Path=/; Max-Age={SESSION_S:z.0f}; HttpOnly; SameSite=Strict{secure}"
        return f"{self._cookie}={key}; {lasting}"


def _comes_from_elsewhere(request: Request) -> bool:
    """Return whether the visitor followed a link on another site."""
    headers = request.headers
    is_followed = headers.get("sec-fetch-mode") == "navigate" and request.method == "GET"
    return is_followed and headers.get("sec-fetch-site") in ("cross-site", "same-site")


def came_from(request: Request) -> str:
    """Return the path of our page that sent a form; empty if it is unknown."""
    page = urlsplit(request.headers.get("referer", ""))
    to = f"{page.path}?{page.query}".rstrip("?")
    return to if page.netloc == request.headers.get("host") and _INSIDE.fullmatch(to) else ""


def _login_before(to: str) -> str:
    """Return the address of the login page, which then leads to the requested page."""
    return "/login" if to == "/" else f"/login?to={quote(to, safe='/')}"


def _log_refusal(request: Request, status: int, refusal: Response | None) -> None:
    if status >= REFUSED:
        say = log.error if status >= BROKEN else log.warning
        where = {"path": request.url.path, "address": address_of(request)}
        if refusal is not None:
            where["why"] = bytes(refusal.body).decode()
        say("refused", status=status, method=request.method, **where)


def _in_time(receive: Receive) -> Receive:
    """Limit the time for a body to arrive, with 408; waiting for the end may take longer."""
    until = asyncio.get_running_loop().time() + BODY_WITHIN_S
    whole = False

    async def received() -> Message:
        nonlocal whole
        try:
            async with asyncio.timeout_at(None if whole else until):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, "Too slow.") from None
        whole = not message.get("more_body", False)
        return message

    return received


def address_of(request: Request) -> str:
    return request.client.host if request.client else ""


def _fits(request: Request, most: int) -> bool:
    """Return whether the request states a size, and one that is small enough."""
    length = request.headers.get("content-length", "")
    if "transfer-encoding" in request.headers:  # this counts, and not the length
        return False
    return length.isdecimal() and length.isascii() and len(length) < 12 and int(length) <= most


def visitor_of(request: Request) -> Visitor | None:
    """Return the session of a request that has passed the guard."""
    found: Visitor | None = request.scope["visitor"]
    return found


def _same_origin(headers: Headers) -> bool:
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    return urlsplit(origin).netloc == headers.get("host")


@asynccontextmanager
async def allowed_form(
    request: Request, *, most_files: int = 0, watchers: bool = False
) -> AsyncIterator[FormData]:
    """Yield the form of a change, if the session may send it and its token is right.

    Sessions that only watch may send it if `watchers`. Uploaded files are read only after that.
    """
    visitor = visitor_of(request)
    if visitor is not None and not (visitor.may_act or watchers):
        raise HTTPException(403, texts.gettext("You may only watch."))
    async with request.form(max_files=most_files, max_fields=50) as form:
        token = str(form.get("token", ""))
        if visitor is None or not hmac.compare_digest(token.encode(), visitor.token.encode()):
            raise HTTPException(
                403, texts.gettext("This page is too old, so nothing was done. Load it again.")
            )
        log.info("asked", path=request.url.path, address=address_of(request))
        yield form
