"""The web server: on a socket of its own, or in the event loop of running bots."""

from __future__ import annotations

import socket
from contextlib import nullcontext
from pathlib import Path

import uvicorn

from sixprime.bot.archive.archive import Archive
from sixprime.bot.settings.passwords import first_line
from sixprime.bot.settings.schema import WebSettings
from sixprime.bot.web.app import Site, application
from sixprime.bot.web.bots.livebots import LiveBots
from sixprime.bot.web.frame.connections import options, places
from sixprime.bot.web.frame.firststart import FirstStart
from sixprime.bot.web.frame.guard import Passwords
from sixprime.bot.web.library.library import Library
from sixprime.bot.web.play.coach import Coach
from sixprime.bot.web.play.matchstore import MatchStore
from sixprime.engine.system.endpoint import Endpoint
from sixprime.engine.system.errors import ConfigError, Unavailable

LOOPBACK = ("127.0.0.1", "::1", "localhost")
SHORTEST_TOKEN = 32
SHORTEST_PASSWORD = 8


def listen(settings: WebSettings) -> socket.socket:
    """Open the socket; Unavailable if the settings or the machine do not allow it."""
    address = Endpoint.parse(settings.listen or "")
    host = address.host
    for name in (host, *settings.names, *settings.proxies):
        if _is_elsewhere(name) and settings.password_file is None and settings.token_file is None:
            raise Unavailable(f"{name}: beyond this machine a password is needed")
    if settings.proxies and not settings.password_file and not settings.token_file:
        raise Unavailable("proxies: behind one a password is needed")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server(address, family=family)
    except OSError as error:
        raise Unavailable(f"{settings.listen}: {error.strerror or error}") from error


def server(
    settings: WebSettings,
    listener: socket.socket,
    archive: Archive | None,
    matches: Path,
    live: LiveBots | None = None,
    first: FirstStart | None = None,
) -> uvicorn.Server:
    """Return a server for that socket, alone or with the bots."""
    site = Site(MatchStore(matches), Library(archive), Coach(), live, first or FirstStart())
    if live is not None:
        site.coach.pool.deciding = live.are_deciding
    host = Endpoint.parse(settings.listen or "").host
    names = (host, *(LOOPBACK if host in LOOPBACK else ()))
    port = listener.getsockname()[1]
    hosts = {
        *(name.lower() for name in settings.names),
        *(Endpoint(name, port).in_url for name in names),
    }
    app = application(site, hosts, _passwords(settings), cookie=f"sixprime-{port}")
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=2,
        proxy_headers=bool(settings.proxies), forwarded_allow_ips=list(settings.proxies),
        **options(places(settings.proxies)),
    )  # fmt: skip
    made = uvicorn.Server(config)
    if live is not None:  # the bots' service handles signals
        made.capture_signals = nullcontext  # type: ignore[method-assign,assignment]
    return made


def _is_elsewhere(name: str) -> bool:
    host = name if name in LOOPBACK else name.rpartition(":")[0].strip("[]") or name
    return host not in LOOPBACK


def _passwords(settings: WebSettings) -> Passwords:
    token = _secret(settings.token_file, "token_file", SHORTEST_TOKEN)
    return Passwords(
        _secret(settings.password_file, "password_file", SHORTEST_PASSWORD),
        _secret(settings.watch_password_file, "watch_password_file", SHORTEST_PASSWORD),
        tokens=() if token is None else (token,),
    )


def _secret(path: Path | None, setting: str, shortest: int) -> str | None:
    if path is None:
        return None
    try:
        text = first_line(path, setting)
    except ConfigError as error:
        raise Unavailable(str(error)) from error
    if not text:
        raise Unavailable(f"{path}: the first line is empty, and should be a secret")
    if len(text) < shortest:
        raise Unavailable(
            f"{path}: fewer than {shortest} characters can be guessed: openssl rand -hex 24 >{path}"
        )
    return text
