"""Asks running processes: by the control sockets of a settings file, or by an HTTP address."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request

from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.control.controlsocket import connected, likely_places
from sixprime.bot.process.outgoing import Deadline, opened
from sixprime.bot.settings.file import control_of, load_config
from sixprime.bot.settings.schema import AUTO
from sixprime.engine.system.errors import ConfigError

WITHIN_S = 5.0
LONGEST_ANSWER = 2**22  # bytes
Status = list[dict[str, Any]]


def socket_places(config: Path, profile: str | None) -> tuple[list[Path], str]:
    """Return the control sockets of this file, likeliest first, and a fault of the file."""
    try:
        named, fault = control_of(config).socket, ""
    except ConfigError as error:
        named, fault = AUTO, f" ({error})"
    if named is None:
        return [], fault
    return likely_places(config, profile) if named == AUTO else [Path(named)], fault


def ask(connection: socket.socket, request: Mapping[str, Any], within_s: float) -> Any:
    """Return the answer to a request; OSError, or ValueError if the process ended before it."""
    with connection:
        connection.settimeout(within_s)
        connection.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(connection.makefile("rb").readline(LONGEST_ANSWER))


def status_of(config: Path) -> Status:
    """Return the bots of every process that plays this file; UsageError if none answers.

    Its control sockets belong to it alone. The address of its metrics may be another process's,
    and then we say so.
    """
    found: Status = []
    for place in socket_places(config, None)[0]:
        try:
            found += ask(connected(place), {"action": "status"}, WITHIN_S)["status"]
        except (OSError, ValueError, KeyError):
            continue  # none there, or it hangs
    if found:
        return found
    settings = load_config(config)
    if settings.metrics.listen is None:
        raise UsageError(f"{config}: no process plays this file, or it runs as another user")
    accounts = {
        (each.account.user, f"{each.server.host}:{each.server.port}") for each in settings.profiles
    }
    status = status_at(settings.metrics.listen)
    if not any((bot.get("account"), bot.get("server")) in accounts for bot in status):
        others = ", ".join(f"{bot.get('account')} at {bot.get('server')}" for bot in status)
        raise UsageError(
            f"no process plays {config}: at {settings.metrics.listen} another one answers,"
            f" which plays {others or 'nothing'}"
        )
    return status


def status_at(address: str) -> Status:
    """Return the bots of the process at this address; UsageError if none answers."""
    try:
        with opened(Request(f"http://{address}/status"), Deadline(WITHIN_S)) as answer:
            status = json.loads(answer.read(LONGEST_ANSWER))
    except (OSError, URLError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        reason = getattr(reason, "strerror", None) or reason
        raise UsageError(f"nothing answers at {address}: {reason}") from error
    if not isinstance(status, list) or not all(
        isinstance(each, dict) and "profile" in each for each in status
    ):
        raise UsageError(f"the server at {address} is not sixprime")
    return status
