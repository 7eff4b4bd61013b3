"""No text of a server, an opponent or a file makes a pattern try again and again: linear, by shape.

A pattern may have one repetition without a limit that gives back what it took. Each position at
which that one stops costs what follows it; so whatever repeats there without a limit has to begin
behind a character that it cannot swallow, or be the free text at the end.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

import sixprime.protocols
from sixprime.protocols.fibs.wire.lines import LONGEST, Lines
from sixprime.protocols.fibs.wire.messages import LineTooLong
from sixprime.protocols.fibs.wire.parse import _AS_THEY_ARE
from sixprime.protocols.fibs.wire.tables import NUMBERED, PROSE

parser = importlib.import_module("re._parser")
compiler = importlib.import_module("re._compiler")
op = importlib.import_module("re._constants")
REPEATS = op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT
BOUND = 100  # a repetition with a limit below costs a constant


class Endless(NamedTuple):
    """A repetition without a limit."""

    body: Any
    gives_back: bool
    nested: bool


def pieces(tree: Any, *, needed: bool, atomic: bool, repeated: bool) -> Iterator[str | Endless]:
    """The needed characters, and the repetitions without a limit, in their order."""
    for kind, value in tree:
        if kind is op.ATOMIC_GROUP and [each for each, _ in value] == [op.MAX_REPEAT]:
            kind, value = op.POSSESSIVE_REPEAT, value[0][1]  # means the same
        if kind is op.LITERAL and needed:
            yield chr(value)
        elif kind in REPEATS:
            least, most, body = value
            endless = most is op.MAXREPEAT or most > BOUND
            kept = atomic or kind is op.POSSESSIVE_REPEAT
            if endless:
                yield Endless(body, not kept, repeated and not kept)
            inside = {"atomic": kept, "repeated": repeated or endless}
            yield from pieces(body, needed=needed and least > 0, **inside)
        elif kind is op.SUBPATTERN:
            yield from pieces(value[3], needed=needed, atomic=atomic, repeated=repeated)
        elif kind is op.ATOMIC_GROUP:  # where it gives back inside, that is over at its end
            yield from pieces(value, needed=needed, atomic=atomic, repeated=repeated)
            yield ""
        elif kind is op.BRANCH:
            for way in value[1]:
                yield from pieces(way, needed=False, atomic=atomic, repeated=repeated)


def takes(body: Any, char: str) -> bool:
    return compiler.compile(body).fullmatch(char) is not None


def faults(pattern: re.Pattern[Any]) -> list[str]:
    """What could make it slow."""
    found: list[str] = []
    between: list[str] | None = None  # characters since the repetition that gives back
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    shape = list(pieces(tree, needed=True, atomic=False, repeated=False))
    for place, piece in enumerate(shape):
        if piece == "":
            between = None
        elif isinstance(piece, str):
            if between is not None:
                between.append(piece)
        else:
            last = place == len(shape) - 1 and not piece.gives_back and takes(piece.body, "x")
            if piece.nested:
                found.append("a repetition inside one without a limit")
            if between is not None and not last:
                if piece.gives_back:
                    found.append("two repetitions that give back")
                elif all(takes(piece.body, char) for char in between):
                    found.append("nothing separates a repetition from the one before")
            if piece.gives_back:
                between = []
    return found


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    for module in pkgutil.walk_packages(sixprime.protocols.__path__, "sixprime.protocols."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, re.Pattern):
                yield f"{module.name}.{name}", value
    for row in (*(row for rows in NUMBERED.values() for row in rows), *PROSE):
        yield row.text, row._pattern
        if row.closed is not None:
            yield f"closed {row.text}", row.closed
    for message, pattern in _AS_THEY_ARE:
        yield message.__name__, pattern


def test_every_pattern_is_linear() -> None:
    slow = {name: why for name, pattern in patterns() if (why := faults(pattern))}
    assert slow == {}


@pytest.mark.parametrize(
    "slow",
    [
        r"The only possible move is[ \t]+(.*?)(?:[ \t]+\.)?",
        r"\s*([^:]*?)\s*:",
        r"(\S.*?) is X - (\S.*?) is O",
        r"(?:a+)+b",
        r"(.*),\s*\.\s*x\s*$",
    ],
)
def test_slow_patterns_are_recognised(slow: str) -> None:
    assert faults(re.compile(slow))


def test_no_line_is_longer_than_a_server_needs() -> None:
    lines = Lines()
    wire = b"The only possible move is" + b" " * 60_000 + b"x\nnext\n"
    too_long, following = lines.feed(wire)
    assert isinstance(too_long, LineTooLong)
    assert following == "next"
    assert LONGEST <= 4_096
