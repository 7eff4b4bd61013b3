"""Serves the application on a socket: alone, or in the event loop of running bots."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

import uvicorn

from sixprime.bot.settings.schema import WebSettings
from sixprime.bot.web.app import Site, application
from sixprime.bot.web.guard import Passwords

LOOPBACK = ("127.0.0.1", "::1", "localhost")


class CannotServe(Exception):
    """The pages cannot be served; the text says why."""


def listen(settings: WebSettings) -> socket.socket:
    """The socket; CannotServe where the settings or the machine do not allow it."""
    host, port = address_of(settings)
    if host not in LOOPBACK and settings.password_file is None:
        raise CannotServe(f"{host}: beyond this machine a password is needed")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise CannotServe(f"{settings.listen}: {error.strerror or error}") from error


def address_of(settings: WebSettings) -> tuple[str, int]:
    """Host and port to listen on."""
    host, _, port = (settings.listen or "").rpartition(":")
    return host.strip("[]"), int(port)


def server(
    site: Site, settings: WebSettings, listener: socket.socket, *, alone: bool
) -> uvicorn.Server:
    """Ready to run on that socket."""
    host, _ = address_of(settings)
    names = (host, *(LOOPBACK if host in LOOPBACK else ()))
    hosts = {*settings.names, *_with_port(names, listener.getsockname()[1])}
    passwords = Passwords(
        _first_line(settings.password_file), _first_line(settings.watch_password_file)
    )
    config = uvicorn.Config(
        application(site, hosts, passwords), log_config=None, access_log=False,
        server_header=False, limit_concurrency=500, timeout_graceful_shutdown=2, ws="none",
    )  # fmt: skip
    made = uvicorn.Server(config)
    if not alone:  # signals are the business of whoever runs the bots
        made.capture_signals = nullcontext  # type: ignore[method-assign,assignment]
    return made


def _with_port(names: Iterable[str], port: int) -> set[str]:
    return {f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names}


def _first_line(path: Path | None) -> str | None:
    if path is None:
        return None
    try:
        text = path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CannotServe(f"{path}: {getattr(error, 'strerror', None) or 'no text'}") from error
    if not text:
        raise CannotServe(f"{path}: the first line is empty, and should be a password")
    return text
