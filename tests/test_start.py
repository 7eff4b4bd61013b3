"""The transcript of docs/start.md, typed by bash: a server, a bot, a match, analysis, a page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.places import ROOT

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs/start.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ (.+)$", PAGE, re.MULTILINE)
ELSEWHERE = ("pipx install", "make demo")  # .ci/release and .ci/run do it
# ours, where the page has the usual ones
SERVER, METRICS, PAGES = "4319", "9319", "127.0.0.1:8719"
TWO_OTHER_WAYS, MOST_COMMANDS = 2, 12  # of installing; commands of all
PATIENCE_S = 900.0
# What a telnet does at the end of its input: it closes at once, whatever the server still says.
TELNET = f"""#!{sys.executable}
import socket, sys
server = socket.create_connection((sys.argv[1], int(sys.argv[2])))
for line in sys.stdin:
    server.sendall(line.encode())
server.close()
"""


class Shell:
    """Types one command after the other in a folder."""

    def __init__(self, folder: Path) -> None:
        (folder / "bin").mkdir()
        telnet = folder / "bin" / "telnet"
        telnet.write_text(TELNET)
        telnet.chmod(0o755)
        path = f"{telnet.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.folder = folder
        self.environment = {**os.environ, "PATH": path, "HOME": str(folder)}
        self.running: list[subprocess.Popen[bytes]] = []

    def type(self, command: str) -> str:
        if command.endswith("&"):
            words = ["bash", "-c", f"exec env {command.removesuffix('&')}"]
            with (self.folder / f"log{len(self.running)}").open("wb") as log:
                started = subprocess.Popen(
                    words, cwd=self.folder, env=self.environment, stdout=log, stderr=log
                )
            self.running.append(started)
            return ""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}{self.logs()}"
        return done.stdout

    def logs(self) -> str:
        return "".join(each.read_text() for each in sorted(self.folder.glob("log*")))

    def wait(self, until: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not until():
            assert time.monotonic() < end, self.logs()
            time.sleep(0.5)


def test_from_nothing_to_an_analysed_match(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    try:
        for line in COMMANDS:
            command = line.replace("4321", SERVER)
            if command.startswith(ELSEWHERE):
                continue
            if "sandbox" in command:
                command = command.removesuffix("&") + f"--listen 127.0.0.1:{SERVER} &"
            if "web" in command:
                command = command.removesuffix("&") + f"--listen {PAGES} &"
            if "telnet" in command:
                shell.wait(lambda: "listening" in shell.logs())
            shell.type(command)
            if "init" in command:  # another bot of this machine may have the usual port
                settings = tmp_path / "sixprime.yaml"
                settings.write_text(settings.read_text().replace("9321", METRICS))
        shell.wait(lambda: PAGES in shell.logs())
        page = urllib.request.urlopen(f"http://{PAGES}/archive/1").read().decode()
    finally:
        for each in shell.running:
            each.kill()
            each.wait()
    assert "house_beginner" in page
    assert "house_beginner" in shell.type("sixprime archive list")
    assert len(COMMANDS) + TWO_OTHER_WAYS <= MOST_COMMANDS
