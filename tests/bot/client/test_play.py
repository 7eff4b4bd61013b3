"""`sixprime play` as a process: it logs in, tells its state, stops on signals, keeps its secret."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from sixprime.bot.cli.main import main
from sixprime.bot.sandbox.loadtest.clients import PASSWORD
from tests.support.bot.scene import hall
from tests.support.bot.settings import ENTRY, SETTINGS
from tests.support.places import ROOT

pytestmark = pytest.mark.patient


def arguments_of(pid: int) -> str:
    """What `ps` shows."""
    return Path(f"/proc/{pid}/cmdline").read_text()


async def played(folder: Path, source: str, *, shown: str, form: str = "console") -> str:
    """Run it until the log shows something, stop it by SIGTERM; the whole log."""
    async with hall(folder, "anna", house=("simple",)) as server:
        config = folder / "bot.yaml"
        text = SETTINGS.replace("PORT", str(server.port)).replace("FORMAT", form)
        text = text.replace("FOLDER", str(folder))
        config.write_text(text.replace("PASSWORD", source))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", ENTRY, "play", "--config", str(config)),
            stderr=asyncio.subprocess.PIPE,
            stdin=asyncio.subprocess.DEVNULL,
            env={**os.environ, "THE_PASSWORD": PASSWORD},
        )
        assert process.stderr is not None
        log = ""
        async with asyncio.timeout(60):
            while line := (await process.stderr.readline()).decode():
                log += line
                if shown in line:
                    assert PASSWORD not in arguments_of(process.pid)
                    process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0, log
        return log


def test_a_bot_plays_until_sigterm_and_leaves_its_match_saved(tmp_path: Path) -> None:
    log = asyncio.run(played(tmp_path, "password_env: THE_PASSWORD", shown="line='move "))
    assert "match begins" in log
    assert "leaving" in log
    assert "match saved" in log
    kept = {path.suffix for path in (tmp_path / "matches").glob("*.unfinished.*")}
    assert kept == {".fibs", ".mat", ".sgf"}
    assert PASSWORD not in log
    assert PASSWORD.encode() not in (tmp_path / "archive.db").read_bytes()
    assert "\x1b" not in log


def test_a_password_in_a_file_shows_nowhere_at_debug_level(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(PASSWORD + "\n")
    source = f"password_env: null, password_file: {tmp_path / 'secret'}"
    log = asyncio.run(played(tmp_path, source, shown="logged in", form="json"))
    assert '"event": "logging in"' in log
    assert PASSWORD not in log


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--config", "/none.yaml"], "/none.yaml: No such file or directory"),
        (["--config", "config/fibs.yaml", "--profile", "x"], "no profile 'x'"),
        (["--config", "config/fibs.yaml"], "no password for your_bot"),
    ],
)
def test_what_is_missing_is_told_in_one_line(
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("SIXPRIME_PASSWORD", raising=False)
    assert main(["play", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_a_database_that_is_away_is_no_mistake_in_the_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """deploy/sixprime.service starts again what ends with 1, and not what ends with 2."""
    monkeypatch.setenv("SIXPRIME_PASSWORD", PASSWORD)
    monkeypatch.setattr("sixprime.bot.archive.database.BUSY_S", 0.1)
    config = tmp_path / "bot.yaml"
    address = f"sqlite:///{tmp_path}/archive.db"
    config.write_text(
        "server: {host: 127.0.0.1, port: 1}\naccount: {user: anna}\n"
        f"archive: {{database: '{address}'}}\nmetrics: {{listen: null}}\n"
    )
    with closing(sqlite3.connect(tmp_path / "archive.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert main(["play", "--config", str(config)]) == 1
    assert capsys.readouterr().err == f"sixprime play: {address}: database is locked\n"
    (tmp_path / "archive.db").write_bytes(b"no database" * 100)
    assert main(["play", "--config", str(config)]) == 2


def test_status_tells_when_nobody_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--address", "127.0.0.1:1"]) == 2
    assert "nothing answers at 127.0.0.1:1" in capsys.readouterr().err


@pytest.mark.parametrize("said", [b"220 another server\r\n", b"HTTP/1.0 200 OK\r\n\r\n[1]"])
def test_another_server_at_the_address_is_told_in_one_line(
    said: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(said)

        answering = threading.Thread(target=answer)
        answering.start()
        assert main(["status", "--address", f"127.0.0.1:{server.getsockname()[1]}"]) == 2
        answering.join()
    assert re.fullmatch(r"sixprime status: .+ at 127\.0\.0\.1:.+\n", capsys.readouterr().err)
