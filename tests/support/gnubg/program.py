"""The real gnubg, for tests marked `gnubg`: tests/conftest.py skips those where there is none."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

GNUBG = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
COMMAND = (GNUBG or "gnubg", "-t", "-q", "-r")


@cache
def version() -> tuple[int, ...]:
    """(1, 7), (1, 8) and so on."""
    words = [*COMMAND[:1], "--version"]
    said = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    found = re.search(r"Backgammon (\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (1, 7)


def typed(commands: str, folder: Path) -> str:
    """What it prints while it carries these out."""
    return subprocess.run(
        COMMAND, input=commands, cwd=folder, text=True, timeout=600, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ).stdout  # fmt: skip


def scripted(script: str, folder: Path, program: str = COMMAND[0]) -> str:
    """What it prints while its own Python runs this."""
    path = folder / "ask.py"
    path.write_text(script)
    return subprocess.run(
        [program, *COMMAND[1:], "-p", str(path)], cwd=folder, text=True, timeout=1800, check=True,
        stdin=subprocess.DEVNULL, capture_output=True,
    ).stdout  # fmt: skip
