"""Safe text from the wire or a file, streams without a reader, counts and times in English."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TextIO


def printable(text: str) -> str:
    """Replace control characters, and characters that turn the direction of text.

    Files that people open need it too: browsers, editors and spreadsheets obey some of them.
    """
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)


class Sentence(str):
    """An English text for people; the pages translate its template."""

    template: str
    fields: Mapping[str, object]

    __slots__ = ("fields", "template")

    def __new__(cls, template: str, /, **fields: object) -> Sentence:
        made = super().__new__(cls, template % fields if fields else template)
        made.template, made.fields = template, fields
        return made


def reworded(text: str, change: Callable[[str], str]) -> str:
    """Change a text, or the fields of a sentence, which stays one."""
    if not isinstance(text, Sentence):
        return change(text)
    fields = {
        name: reworded(field, change) if isinstance(field, str) else field
        for name, field in text.fields.items()
    }
    return Sentence(text.template, **fields)


def named(player: str) -> str:
    """Return the name of a player for a page; some files lack it."""
    return printable(player).strip() or "unnamed"


def counted(number: int, noun: str) -> str:
    """Count a noun given in the singular: `1 match`, `2 matches`."""
    ending = "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}{'' if number == 1 else ending}"


def duration(seconds: float) -> str:
    """Format a time, such as 3 d 4 h."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{rest} s"


def discard(stream: TextIO) -> None:
    """Send the rest of a stream nowhere: its reader is gone, or the disk is full."""
    with suppress(OSError, ValueError):  # it may have no file descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


_FORMULA = ("=", "+", "-", "@")  # first characters of formulas in a spreadsheet, also after blanks


def csv_cell(value: object) -> object:
    """Return a CSV cell; names from the wire must not become formulas."""
    if not isinstance(value, str):
        return "" if value is None else value
    text = printable(value).replace("\n", "?")
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
