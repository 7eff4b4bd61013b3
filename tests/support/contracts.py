"""The contracts of b9b16e8: what was asked, what was said, and how it is asked again.

New nets judge anew, so after a promotion `python -m tests.support.contracts` stores the figures and
plays of today. It refuses an answer of another form: keys, lines, kinds of values are the contract.
"""

from __future__ import annotations

import json
import lzma
import shlex
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.support.places import DATA, ROOT

STORED = DATA / "b9b16e8" / "contracts.json.xz"
SIXPRIME = (sys.executable, "-m", "sixprime")
JUDGING = ("hint", "rollout", "analyse")  # commands whose answers depend on the nets


def stored() -> dict[str, Any]:
    contracts: dict[str, Any] = json.loads(lzma.decompress(STORED.read_bytes()))
    return contracts


def answers_of_socket(path: Path, questions: list[str]) -> list[str]:
    """Ask a server of gnubg's protocol on a Unix socket; return its lines."""
    command = [*SIXPRIME, "external", "--listen", str(path), "--level", "expert"]
    server = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        while not path.exists():
            assert server.stderr.readline(), "it ended"
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(path))
            with line.makefile("rw", encoding="ascii") as talk:
                answers = []
                for question in questions:
                    talk.write(f"{question}\n")
                    talk.flush()
                    answers.append(talk.readline())
                return answers
    finally:
        server.terminate()
        server.communicate(timeout=60)


def alike(then: object, now: object) -> bool:
    """Return whether an answer has the kinds of values of another in their places.

    It may have more keys. Lists are as their first values are.
    """
    if isinstance(then, dict) and isinstance(now, dict):
        return all(key in now and alike(value, now[key]) for key, value in then.items())
    if isinstance(then, list) and isinstance(now, list):
        return all(map(alike, then[:1], now[:1]))
    if type(then) in (int, float):
        return type(now) in (int, float)
    return type(now) is type(then)


def lines_of(said: str) -> list[object]:
    """Return an answer's lines: of JSON the values, else the first words as keys."""
    return [
        json.loads(line) if line.startswith("{") else {line.partition(" ")[0]: None}
        for line in said.splitlines()
    ]


def renewed(then: str, now: str, question: str) -> str:
    """Return the new answer if it is like the old one."""
    pairs = zip(lines_of(then), lines_of(now), strict=True)
    if not all(alike(*pair) for pair in pairs):
        raise SystemExit(f"{question}: another form than\n{then}\nin\n{now}")
    return now


def asked_again(contracts: dict[str, Any]) -> dict[str, Any]:
    """Return the contracts with the answers of today's nets."""

    def say(words: str, text: str = "") -> str:
        command = [*SIXPRIME, *shlex.split(words)]
        done = subprocess.run(
            command, cwd=ROOT, input=text, capture_output=True, text=True, check=True
        )
        return done.stdout

    for program in ("decide", "ubgi"):
        for level, (asked, then) in contracts[program].items():
            words = f"{program} --level {level}"
            contracts[program][level] = [asked, renewed(then, say(words, asked), words)]
    with tempfile.TemporaryDirectory() as folder:
        questions = [asked for asked, _ in contracts["external"]]
        contracts["external"] = list(
            map(
                list,
                zip(questions, answers_of_socket(Path(folder) / "six", questions), strict=True),
            )
        )
    for words, (code, then) in contracts["commands"].items():
        if words.startswith(JUDGING):
            contracts["commands"][words] = [code, renewed(then, say(words), words)]
    return contracts


if __name__ == "__main__":
    written = json.dumps(asked_again(stored()), indent=0, sort_keys=True, ensure_ascii=False)
    STORED.write_bytes(lzma.compress(written.encode(), preset=9 | lzma.PRESET_EXTREME))
