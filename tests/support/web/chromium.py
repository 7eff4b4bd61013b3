"""Debian's chromium, headless: what a page becomes in a real browser, and what goes wrong there."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path

import pytest

PROGRAM = shutil.which("chromium")
needs_chromium = pytest.mark.skipif(
    PROGRAM is None, reason="needs chromium (Debian package chromium), which is not installed"
)
_CONSOLE = re.compile(r":CONSOLE[:(]\d+\)?\] (.*)")
_WAIT_S = 300


@dataclass(frozen=True, slots=True)
class Shown:
    """A page after its scripts have run."""

    document: str  # as HTML
    console: list[str]  # everything that was said there: a sound page says nothing
    pixels: set[tuple[int, int, int]]  # the colours on the screen


def show(page: Path, picture: Path, *, size: tuple[int, int] = (1100, 2400)) -> Shown:
    """Open a page from disk, with nothing between it and the network but itself."""
    document, said = _run(page, "--dump-dom")
    _, more = _run(page, f"--screenshot={picture}", f"--window-size={size[0]},{size[1]}")
    return Shown(document, _CONSOLE.findall(said) + _CONSOLE.findall(more), colours_of(picture))


def _run(page: Path, *options: str) -> tuple[str, str]:
    assert PROGRAM is not None
    profile = page.parent / "profile"
    command = [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += [f"--user-data-dir={profile}", "--enable-logging=stderr", *options, page.as_uri()]
    done = subprocess.run(command, capture_output=True, timeout=_WAIT_S, check=True)
    return done.stdout.decode(), done.stderr.decode(errors="replace")


def colours_of(picture: Path) -> set[tuple[int, int, int]]:
    """Every colour of a PNG with eight bits a channel."""
    data = picture.read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8
    assert kind in (2, 6)
    channels = 3 if kind == 2 else 4
    packed, at = b"", 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + size]
        at += size + 12
    rows = zlib.decompress(packed)
    stride = width * channels
    above = bytearray(stride)
    found: set[tuple[int, int, int]] = set()
    for y in range(height):
        start = y * (stride + 1)
        above = _unfiltered(rows[start], rows[start + 1 : start + 1 + stride], above, channels)
        reds, greens, blues = (above[i::channels] for i in range(3))
        found.update(zip(reds, greens, blues, strict=True))
    return found


def _unfiltered(kind: int, row: bytes, above: bytearray, channels: int) -> bytearray:
    line = bytearray(row)
    for i in range(len(line) if kind else 0):
        left = line[i - channels] if i >= channels else 0
        corner = above[i - channels] if i >= channels else 0
        guess = (0, left, above[i], (left + above[i]) // 2, _paeth(left, above[i], corner))[kind]
        line[i] = (line[i] + guess) & 255
    return line


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((left, up, corner), key=lambda each: abs(guess - each))
