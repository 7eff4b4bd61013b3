"""Makes text from the wire or a file safe to print, and printing safe when nobody reads it.

Also counts things in English.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TextIO


def printable(text: str) -> str:
    """The text without characters that steer: controls, and those that turn its direction.

    Also for files that people open: a browser, an editor or a spreadsheet obeys some of them, too.
    """
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)


def named(player: str) -> str:
    """The name of a player on a page; some files leave it out."""
    return printable(player).strip() or "unnamed"


def counted(number: int, noun: str) -> str:
    """`1 match`, `2 matches`; the noun is that of one."""
    ending = "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}{'' if number == 1 else ending}"


def discard(stream: TextIO) -> None:
    """Its reader or terminal is gone, or the disk full: write the rest nowhere, also at exit."""
    with suppress(OSError, ValueError):  # it may have no file descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
