"""The inverse of `parse`: the line that a server sends, from a message."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any

from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.login import LoginPrompt, PasswordPrompt
from sixprime.protocols.fibs.wire.messages import Known, Message
from sixprime.protocols.fibs.wire.tables import NUMBERED, PROMPTS, PROSE
from sixprime.protocols.fibs.wire.templates import OptionalText, Part, Template, TemplateField


def _counted(noun: str) -> Callable[[int], str]:
    return lambda value: f"{value} {noun}" if value == 1 else f"{value} {noun}s"


WRITTEN: dict[str, Callable[[Any], str]] = {  # by the name of a kind; others as str() has it
    "name?": lambda value: value or "-",
    "value": lambda value: value if value.isdigit() else f"'{value}'",
    "rest": lambda value: "",
    "flag": lambda value: "1" if value else "0",
    "yes": lambda value: "YES" if value else "NO",
    "rating": lambda value: f"{value:.2f}",
    "points": _counted("point"),
    "points?": _counted("point"),
    "pieces": _counted("piece"),
    "match": lambda value: "an unlimited match" if value is None else f"a {value} point match",
    "matchof": lambda value: "unlimited match" if value is None else f"{value} point match",
    "length": lambda value: "unlimited matchlength" if value is None else f"match length: {value}",
    "dice": lambda dice: f"{dice[0]} and {dice[1]}",
    "steps": lambda text: f"{text} ",
    "user15": lambda value: f"{value:<15}",
    "toggle15": lambda value: f"{value:<15}",
    "stars": lambda count: f"{'*' * count:>2}",
    "length>10": lambda value: f"{'unlimited' if value is None else value:>10}",
    "int>17": lambda value: f"{value:>17}",
    "int>2": lambda value: f"{value:>2}",
}


def produce(message: Message) -> str:
    """The line, in the form that FIBS uses, without line end; prompts end in a blank.

    ValueError if no server says such a thing.
    """
    row = next(_rows_for(message), None)
    if row is not None:
        return "".join(_written(row.parts, message, iter(())))
    if isinstance(message, FibsBoard):
        return message.line()
    if isinstance(message, LoginPrompt):
        return PROMPTS[0]
    if isinstance(message, PasswordPrompt):
        return f"{message.text} "
    for kept in ("line", "text", "beginning"):
        if hasattr(message, kept):
            return str(getattr(message, kept))
    raise ValueError(f"no line says {message!r}")


def spellings(message: Message) -> Iterator[str]:
    """Every form of the line that the tables know: each optional text there or not."""
    for row in _rows_for(message):
        options = sum(1 for part in row.parts if isinstance(part, OptionalText))
        for choice in product((True, False), repeat=options):
            yield "".join(_written(row.parts, message, iter(choice)))


def _rows_for(message: Message) -> Iterator[Template]:
    """Those that can say the message without losing anything."""
    for row in _rows_by_message().get(type(message), ()):
        same = all(getattr(message, name) == value for name, value in row.others.items())
        lost = any(
            getattr(message, name) is None and kind == "int" for name, kind in row.used.items()
        )
        if same and not lost:
            yield row


@cache
def _rows_by_message() -> dict[type[Message], list[Template]]:
    found: dict[type[Message], list[Template]] = defaultdict(list)
    for row in (*(row for rows in NUMBERED.values() for row in rows), *PROSE):
        if row.message is not Known:  # has its line as it is
            found[row.message].append(row)
    return found


def _written(parts: tuple[Part, ...], message: Message, choices: Iterator[bool]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, OptionalText):
            if next(choices, part.usual):
                yield from _written(part.parts, message, iter(()))
        elif isinstance(part, TemplateField):
            value = "" if part.name == "_" else getattr(message, part.name)
            yield WRITTEN.get(part.kind, str)(value)
        else:
            yield part
