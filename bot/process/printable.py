"""Text from the wire or a file made safe to print, streams without a reader, counts in English."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TextIO


def printable(text: str) -> str:
    """Replace control characters, and characters that turn the direction of text.

    Files that people open need it too: browsers, editors and spreadsheets obey some of them.
    """
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)


def named(player: str) -> str:
    """Return the name of a player for a page; some files lack it."""
    return printable(player).strip() or "unnamed"


def counted(number: int, noun: str) -> str:
    """Count a noun given in the singular: `1 match`, `2 matches`."""
    ending = "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}{'' if number == 1 else ending}"


def discard(stream: TextIO) -> None:
    """Send the rest of a stream nowhere: its reader is gone, or the disk is full."""
    with suppress(OSError, ValueError):  # it may have no file descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
