"""`sixprime doctor` and `sixprime config check` find faults before a bot plays."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.cli.main import main
from sixprime.bot.cli.ready import mark
from sixprime.bot.sandbox.state.times import server_time
from sixprime.engine.compiling.preparations import PLAYING

WORD = "swordfish"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def greeting(text: bytes) -> Iterator[int]:
    """A server that says this to each caller, and hangs up."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                line, _ = server.accept()
            except OSError:
                return
            with line:
                line.sendall(text)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join()


class Place:
    """A folder with settings that are right."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "bot.yaml"
        self.password = folder / "password"
        self.password.write_text(WORD)
        self.password.chmod(0o600)
        self.lines = {
            "account": f"{{user: anna, password_env: null, password_file: {self.password}}}",
            "archive": f"{{database: 'sqlite:///{folder / 'archive.db'}', folder: null}}",
            "metrics": f"{{listen: '127.0.0.1:{free_port()}'}}",
        }
        self.write()

    def write(self, **lines: str) -> None:
        self.file.write_text("".join(f"{k}: {v}\n" for k, v in (self.lines | lines).items()))

    def doctor(self, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
        """Return the findings by their names; the exit code agrees with them."""
        code = main(["doctor", "--config", str(self.file), "--json", *more])
        found = json.loads(capsys.readouterr().out)
        assert code == (0 if all(each["right"] for each in found) else 1)
        return {each["what"]: each for each in found}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def wrong(findings: dict[str, Any]) -> list[str]:
    return [what for what, finding in findings.items() if not finding["right"]]


def test_everything_is_right(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    with greeting(b"welcome\r\nlogin: ") as port:
        place.write(server=f"{{host: 127.0.0.1, port: {port}}}")
        findings = place.doctor(capsys, "--connect")
    assert wrong(findings) == []
    assert {"settings", "password of anna", "metrics.listen", "clock", "engine"} < set(findings)
    assert f"disk of {place.folder}" in findings
    assert not (place.folder / "archive.db").exists()


def test_lines_say_what_to_do(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.password.unlink()
    assert main(["doctor", "--config", str(place.file)]) == 1
    out = capsys.readouterr().out
    assert "FAULT password of anna: account.password_file" in out
    assert "      set account.password_file\n" in out
    assert WORD not in out


def test_a_file_of_everybody_is_no_secret(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.password.chmod(0o644)
    assert wrong(place.doctor(capsys)) == ["password of anna"]
    place.password.chmod(0o666)
    assert wrong(place.doctor(capsys)) == ["settings", "password of anna"]
    assert main(["config", "check", str(place.file)]) == 2
    assert "account.password_file" in capsys.readouterr().err


def test_a_port_may_be_held(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    with greeting(b"") as port:
        place.write(metrics=f"{{listen: '127.0.0.1:{port}'}}")
        assert wrong(place.doctor(capsys)) == ["metrics.listen"]


def test_an_archive_may_be_something_else(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    (place.folder / "archive.db").write_text("a letter to my aunt, " * 100)
    assert wrong(place.doctor(capsys)) == ["archive"]


def test_a_clock_may_be_slow(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    os.utime(place.file, (time.time() + 3_600,) * 2)
    assert wrong(place.doctor(capsys)) == ["clock"]


def test_kernels_may_be_missing(
    place: Place,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr("sixprime.bot.cli.ready.kernels_folder", lambda: tmp_path)
    assert wrong(place.doctor(capsys)) == ["engine"]
    for key in PLAYING:  # a bot needs no others
        mark(key)
    assert wrong(place.doctor(capsys)) == []


def test_another_server_may_answer(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    with greeting(b"HTTP/1.1 400 Bad Request\r\n") as port:
        place.write(server=f"{{host: 127.0.0.1, port: {port}}}")
        assert wrong(place.doctor(capsys, "--connect")) == ["server"]
        assert wrong(place.doctor(capsys)) == []  # it calls nobody unless it is asked to


def test_the_server_shows_that_our_clock_is_wrong(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    now = time.time()
    for ahead_s, fault in ((0, False), (-3_700, True), (3_700, True)):
        with greeting(
            f"\r\n{server_time(now + ahead_s, 'Europe/Vienna')}\r\n\r\nlogin: ".encode()
        ) as port:
            place.write(server=f"{{host: 127.0.0.1, port: {port}}}")
            what = f"clock beside 127.0.0.1:{port}"
            findings = place.doctor(capsys, "--connect")
        assert wrong(findings) == [what] * fault
        if fault:
            way = "behind" if ahead_s > 0 else "ahead"
            assert findings[what]["says"] == f"it is 1 h 1 min {way}"


@pytest.mark.parametrize(
    "words", ["( Sat Foo 99 99:99:99 2016 UTC )", "( Sat Feb 30 00:00:00 2016 UTC )"]
)
def test_a_time_that_cannot_be_is_none(
    place: Place, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    with greeting(f"{words}\nlogin: ".encode()) as port:
        place.write(server=f"{{host: 127.0.0.1, port: {port}}}")
        assert wrong(place.doctor(capsys, "--connect")) == []


def test_the_folder_of_the_log_is_looked_at_too(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = place.folder / "logs" / "of" / "anna"
    (place.folder / "logs").write_text("a file in place of a folder")
    place.write(logging=f"{{file: '{logs / 'bot.log'}'}}")
    findings = place.doctor(capsys)
    assert wrong(findings) == [f"disk of {logs}"]
    assert "chown" in findings[f"disk of {logs}"]["do"]
    (place.folder / "logs").unlink()
    monkeypatch.setattr("sixprime.bot.cli.operator.doctor.free_mib", lambda _: 7)
    findings = place.doctor(capsys)
    assert set(wrong(findings)) == {f"disk of {place.folder}", f"disk of {logs}"}


def test_settings_may_be_wrong(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    place.write(player="{level: expret}")
    assert wrong(place.doctor(capsys)) == ["settings"]


def test_check_refuses_a_socket_that_others_could_use(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place.folder.chmod(0o755)
    place.write(control=f"{{socket: {place.folder / 'control'}}}")
    assert main(["config", "check", str(place.file)]) == 2
    assert "control.socket: others can enter" in capsys.readouterr().err
    place.folder.chmod(0o700)
    assert main(["config", "check", str(place.file)]) == 0


def test_check_misses_the_extra_of_the_pages(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sixprime.bot.cli.settingsfaults.find_spec", lambda name: None)
    place.write(web="{listen: '127.0.0.1:8760'}")
    assert main(["config", "check", str(place.file)]) == 2
    assert "web.listen: starlette is missing: pip install" in capsys.readouterr().err
