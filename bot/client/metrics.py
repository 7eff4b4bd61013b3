"""The figures for Prometheus, health checks and `sixprime status`.

There is one registry per process, labelled by profile. A bot is healthy while there is progress, or
at least agreement with the server about who is playing; see `protocols/fibs/progress.py`.
"""

from __future__ import annotations

import asyncio
import json
import platform
from collections.abc import Callable
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from sixprime.bot.process.listeners import Clients, Places
from sixprime.bot.process.release import installed
from sixprime.engine.system.endpoint import Endpoint
from sixprime.protocols.fibs.states import Failure

UNHEALTHY_AFTER_S = 1_800.0
REQUEST_WITHIN_S = 5.0
MOST_CLIENTS = 32
LONGEST_REQUEST = 8_192
TEXT = "text/plain; version=0.0.4; charset=utf-8"
JSON = "application/json"

LOST = "lost"  # reason for the end of a connection, if nobody gave one
ERRORS = ("moves refused", "stuck", "cannot leave", "archive", "unexpected", "thinking", "engine")

Status = Callable[[], list[dict[str, Any]]]  # one JSON mapping a profile


class BotMetrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("version", "python")
        build = Gauge("sixprime_build_info", "what runs", labels, registry=self.registry)
        build.labels(installed(), platform.python_version()).set(1)
        self.state = self._gauge("state", "1 for the state that a bot is in", "state")
        self.waiting = self._gauge("waiting", "1 for the reason to do nothing now", "reason")
        self.rating = self._gauge("rating", "as the server shows it")
        self.experience = self._gauge("experience", "as the server shows it")
        self.matches = self._counter("matches", "won, lost or saved", "result")
        self.moves = self._counter("moves", "plays sent")
        self.reconnects = self._counter("reconnects", "connections that ended", "why")
        self.refused = self._counter("refused", "commands that the server refused", "why")
        self.errors = self._counter("errors", "things that should not have happened", "what")
        self.unknown_lines = self._counter("unknown_lines", "lines that were not understood")
        self.declined = self._counter("declined", "invitations declined", "reason")
        self.deciding = Histogram(
            "sixprime_decision_seconds",
            "thinking time of a decision, by the level that made it",
            ("profile", "level"),
            buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30),
            registry=self.registry,
        )

    def _gauge(self, name: str, what: str, *labels: str) -> Gauge:
        return Gauge(f"sixprime_{name}", what, ("profile", *labels), registry=self.registry)

    def _counter(self, name: str, what: str, *labels: str) -> Counter:
        return Counter(f"sixprime_{name}", what, ("profile", *labels), registry=self.registry)

    def expect(self, profile: str) -> None:
        """Start counters at zero: alarms see no increase of one that begins at 1."""
        for result in ("won", "lost", "saved"):
            self.matches.labels(profile, result)
        for why in (LOST, *(each.name for each in Failure)):
            self.reconnects.labels(profile, why)
        for what in ERRORS:
            self.errors.labels(profile, what)
        self.moves.labels(profile)
        self.unknown_lines.labels(profile)

    def text(self) -> bytes:
        """Write the metrics in Prometheus's text format."""
        return generate_latest(self.registry)


class MetricsServer:
    """A tiny HTTP server: GET /metrics, /health, /status."""

    def __init__(self, metrics: BotMetrics, status: Status) -> None:
        self._metrics = metrics
        self._status = status

    def answer(self, path: str) -> tuple[int, str, bytes]:
        """Return status code, content type and body."""
        if path == "/metrics":
            return 200, TEXT, self._metrics.text()
        status = self._status()
        if path == "/status":
            return 200, JSON, json.dumps(status).encode()
        if path == "/health":
            healthy = all(each["healthy"] for each in status)
            return (200 if healthy else 503), JSON, json.dumps({"healthy": healthy}).encode()
        return 404, "text/plain", b"/metrics, /health or /status\n"

    async def serve(self, address: Endpoint) -> asyncio.Server:
        """Listen; OSError if the port is taken."""
        clients = Clients(Places("metrics", MOST_CLIENTS), self._talk, REQUEST_WITHIN_S)
        return await asyncio.start_server(clients.serve, *address, limit=LONGEST_REQUEST)

    async def _talk(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, _: asyncio.Timeout
    ) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        method, path, *_rest = [*request.split(" ", 2), "", ""]
        code, kind, body = self.answer(path.partition("?")[0])
        if method not in ("GET", "HEAD"):
            code, kind, body = 405, "text/plain", b""
        head = f"HTTP/1.1 {code} {'OK' if code == 200 else 'No'}\r\nContent-Type: {kind}\r\n"
        head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + (body if method == "GET" else b""))
        await writer.drain()
