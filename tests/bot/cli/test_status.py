"""`sixprime status` says why a bot does nothing, and asks the process that plays the file."""

from __future__ import annotations

import datetime as dt
import io
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.cli.main import main
from sixprime.bot.cli.operator.status import line_of, overview_of
from sixprime.bot.client.lobby.waiting import Waiting, text_of
from sixprime.bot.client.service import Service
from sixprime.bot.control.controlsocket import listen, own_place, remove
from sixprime.bot.settings.passwords import Secret
from tests.support.bot.scene import config_for

NOON = dt.datetime(2026, 11, 28, 12, tzinfo=dt.timezone(dt.timedelta(hours=1)))
T = 50_000.0
LOADED = "rests with anna, because the server loaded a finished match"


@pytest.mark.parametrize(
    ("waiting", "text"),
    [
        (
            Waiting("rest", LOADED, T - 60, T + 1_080, "forgive anna"),
            "rests with anna until 12:18:00 (18 min), because the server loaded a finished match "
            "(since 11:59:00, 1 min): control forgive anna",
        ),
        (Waiting("idle", "waits for an invitation"), "waits for an invitation"),
        (
            Waiting("limit", "has played enough", T - 7_200, T + 86_400),
            "has played enough until Sun 12:00 (1 d 0 h) (since 10:00, 2 h 0 min)",
        ),
        (
            Waiting("line", "does not dial, because X: refused", None, T + 5, "dial"),
            "does not dial until 12:00:05 (5 s), because X: refused: control dial",
        ),
    ],
)
def test_a_wait_is_told_with_its_times_and_the_order_that_ends_it(
    waiting: Waiting, text: str
) -> None:
    assert text_of(waiting.shown(T), NOON) == text


def test_where_a_page_shows_it_the_text_stays_the_same_while_time_passes() -> None:
    waiting = Waiting("rest", LOADED, T - 60, T + 1_080)
    texts = {
        text_of(waiting.shown(T + s), NOON + dt.timedelta(seconds=s), relative=False)
        for s in (0, 7, 600)
    }
    assert texts == {
        "rests with anna until 12:18:00, because the server loaded a finished match",
    }


def bot_of(account: str, **fields: Any) -> dict[str, Any]:
    """The status of a bot, as a process answers."""
    service = Service(config_for(1, f"account: {{user: {account}}}"), {account: Secret("x")})
    return service.bots[0].status(T) | fields


def test_a_line_tells_it_and_a_refused_login_is_told_as_such() -> None:
    bot = bot_of("anna", waiting=Waiting("rest", LOADED, ends_with="forgive anna").shown(T))
    assert f"; {LOADED}: control forgive anna" in line_of(bot)
    assert all(len(line) <= 80 for line in overview_of([bot]).splitlines())
    assert "control forgive anna" in " ".join(overview_of([bot]).split())
    refused = bot_of("anna", refused=True)
    assert line_of(refused).startswith("anna: refused; ")
    del bot["waiting"]  # an older process
    assert line_of(bot | {"dials_in_s": 65, "offline_why": "lost"}).endswith(
        "dials in 1 min (lost)"
    )


@contextmanager
def metrics_of(bots: list[dict[str, Any]]) -> Iterator[int]:
    """A metrics endpoint that answers with these bots."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(bots).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def control_of(place: Path, bots: list[dict[str, Any]]) -> Iterator[None]:
    """A control socket that answers with these bots."""

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.makefile("rb").readline()
            connection.sendall(json.dumps({"done": True, "status": bots}).encode() + b"\n")

    listener = listen(place)
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    try:
        yield
    finally:
        remove(place, listener)


def test_status_asks_the_processes_of_its_file_whoever_has_the_address_of_the_metrics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "anna.yaml"
    stranger = bot_of("zoe", healthy=True)
    with metrics_of([stranger]) as port:
        file.write_text(
            f"account: {{user: anna}}\nserver: {{host: 127.0.0.1, port: 1}}\n"
            f"metrics: {{listen: '127.0.0.1:{port}'}}"
        )
        words = ["status", "--config", str(file)]
        assert main(words) == 2
        assert f"at 127.0.0.1:{port} another one answers, which plays zoe at 127.0.0.1:1" in (
            capsys.readouterr().err
        )
        with (
            control_of(own_place(file, "anna"), [bot_of("anna", healthy=True)]),
            control_of(own_place(file, "ben"), [bot_of("ben", healthy=False)]),
        ):
            assert main(words) == 1
            out = capsys.readouterr().out
            assert "anna: " in out
            assert "ben: " in out
            assert "zoe" not in out
    with metrics_of([stranger, bot_of("anna", healthy=True)]) as port:
        file.write_text(
            f"account: {{user: anna}}\nserver: {{host: 127.0.0.1, port: 1}}\n"
            f"metrics: {{listen: '127.0.0.1:{port}'}}"
        )
        assert main(words) == 0
    assert "anna: " in capsys.readouterr().out
    file.write_text("account: {user: anna}\nmetrics: {listen: null}")
    assert main(words) == 2
    assert "no process plays this file" in capsys.readouterr().err


DAY = {
    "count": 2,
    "won": 1,
    "lost": 1,
    "points": [6, 5],
    "gain": 1.25,
    "matches": [
        {"id": 9, "started": "2026-11-28T23:30Z", "opponent": "ben", "length": 0, "score": [0, 1],
         "result": "playing", "gain": None},
        {"id": 5, "started": "2026-11-28T22:30Z", "opponent": "ben", "length": 3, "score": [1, 3],
         "result": "lost", "gain": -3.25},
    ],
}  # fmt: skip
PROCESS = {
    "version": "0.2.0",
    "build": "nets a, b; Python 3.11",
    "disk": [{"folder": "/var/lib/sixprime", "free_mib": 12_345}],
    "logged": [],
}


def test_an_operator_sees_the_day_the_log_and_the_next_actions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "Europe/Vienna")
    time.tzset()
    waiting = Waiting("idle", "waits a while", T, T + 12, then="asks carla for a match").shown(T)
    logged = [{"level": "error", "event": "the archive failed", "count": 3, "last": 0.0}]
    bot = bot_of(
        "anna", day=DAY, ratings=[1500.0, 1650.0, 1575.0], waiting=waiting, process=PROCESS,
        logged=logged, to_do=["make room"], unfinished=["carla", "dora"],
    )  # fmt: skip
    lines = [line.rstrip() for line in overview_of([bot, bot | {"profile": "ben"}]).splitlines()]
    expected = """\
  ratings    ▁█▅ 1500 to 1650 in 3 matches
  24 hours   2 matches, 1 won, 1 lost, points 6-5, rating +1.2
             23:30 lost 1-3 (to 3) against ben, rating -3.2
  unfinished 2 matches, with carla, dora
  next       asks carla for a match in 12 s
  log        3 x the archive failed (error, last 01:00)
  to do      make room"""
    assert set(expected.splitlines()) <= set(lines)
    assert lines[-4:] == [
        "Sixprime 0.2.0",
        "  with       nets a, b",
        "  with       Python 3.11",
        "  disk       12345 MiB free at /var/lib/sixprime",
    ]
    assert lines.count("Sixprime 0.2.0") == 1  # both are of one process


def test_a_terminal_without_blocks_shows_figures_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    assert "ratings    1500 to 1650 in 2 matches" in overview_of(
        [bot_of("anna", ratings=[1500.0, 1650.0])]
    )
