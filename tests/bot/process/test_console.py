"""A reader of our stderr that stops, stops nothing of ours."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from sixprime.bot.process import console
from sixprime.bot.process.console import MOST_LINES, Console

STOP, GO = b"\x13", b"\x11"  # Ctrl-S, Ctrl-Q


@contextmanager
def stderr_to(place: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with os.fdopen(place, "w", encoding="utf-8") as stream, monkeypatch.context() as patched:
        patched.setattr("sys.stderr", stream)
        yield


def in_time(work: Callable[[], object]) -> bool:
    """Did it end at all?"""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(30)
    return not thread.is_alive()


def fill(pipe: int) -> None:
    """Write until nothing more fits."""
    os.set_blocking(pipe, False)
    with suppress(BlockingIOError):
        while os.write(pipe, b"." * 4095 + b"\n"):
            pass
    with suppress(BlockingIOError):
        while os.write(pipe, b"\n"):
            pass
    os.set_blocking(pipe, True)


def test_lines_wait_for_a_pipe_to_be_read_and_of_too_many_the_latest_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(console, "PATIENCE_S", 0.01)
    reading, writing = os.pipe()
    fill(writing)
    ours = Console()

    def write() -> None:
        for number in range(2 * MOST_LINES):
            ours.write(f"{number}\n")

    with os.fdopen(reading, "rb") as read, stderr_to(writing, monkeypatch):
        assert in_time(write)
        lines = (line for line in read if line.strip(b".\n"))
        found = [int(line) for line in islice(lines, MOST_LINES)]
        assert found == [0, *range(MOST_LINES + 1, 2 * MOST_LINES)]


def test_a_terminal_may_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "PATIENCE_S", 0.01)
    terminal, ours = os.openpty()
    assert termios.tcgetattr(ours)[0] & termios.IXON
    shown = Console()
    with os.fdopen(terminal, "r+b", buffering=0) as person, stderr_to(ours, monkeypatch):
        person.write(STOP)
        for word in ("one\n", "two\n"):
            assert in_time(partial(shown.write, word))
        person.write(GO)
        text = b""
        while b"two" not in text:
            text += person.read(99)
        assert text.split() == [b"one", b"two"]


@pytest.mark.patient
def test_a_process_goes_on_and_ends_though_nobody_reads_what_it_says(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "sixprime", "sandbox", "--listen", "127.0.0.1:0"]
    with (
        os.fdopen(reading, "rb", buffering=0) as said,
        os.fdopen(writing, "wb") as full,
        subprocess.Popen(command, stderr=full, cwd=tmp_path) as server,
    ):
        text = b""
        while not (found := re.search(rb"listening on 127.0.0.1:(\d+)\n", text)):
            text += said.read(4096)
        fill(writing)
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", int(found[1])), timeout=60) as guest:
                assert guest.recv(100)
        server.send_signal(signal.SIGTERM)
        try:
            assert server.wait(60) == 0
        finally:
            server.kill()
