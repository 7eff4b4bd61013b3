"""What a server said in a run: kept in a file, played again, and shrunk to what matters.

A tape is a text. `D` begins a connection; then each line has the seconds since that and what the
server said: `S 1.25 text` a line, `R 1.25 'bytes'` anything else, `E 1.25` the server hangs up.
"""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from tests.support.adversary.judge import Violation
from tests.support.adversary.stage import MANNERS, Line, Stage, Told
from tests.support.places import ROOT

T = TypeVar("T")
Tape = list[tuple[int, Told]]  # the number of the connection, and what was said when
FOLDER = ROOT / "tests" / "adversary" / "found"


def tape_of(stage: Stage) -> Tape:
    """Line by line."""
    return [
        (number, (at, piece))
        for number, connection in enumerate(stage.tape)
        for at, data in connection
        for piece in (_pieces(data) if data is not None else [None])
    ]


def _pieces(data: bytes) -> list[bytes]:
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


_CHAT = re.compile(rb"((?:9 \S+ -?\d+|(?:1[2-6]|20) [\w-]+|1[7-9]) )([^\r\n]*)(\r?\n)")
_HINT = re.compile(rb"\b(roll|move|join)\b", re.IGNORECASE)  # such talk is reason for a look


def hushed(tape: Tape) -> Tape:
    """The same, but people say nothing, in as many bytes: where a flood is cut matters."""
    told: Tape = []
    begins = True
    for number, (at, data) in tape:
        chat = _CHAT.fullmatch(data) if data is not None and begins else None
        if chat is not None:
            text = (
                b"join".ljust(len(chat[2]), b".") if _HINT.search(chat[2]) else len(chat[2]) * b"x"
            )
            told.append((number, (at, chat[1] + text + chat[3])))
        else:
            told.append((number, (at, data)))
        begins = data is None or data.endswith((b"\n", b": "))
    return told


class Taped:
    """Says what is on the tape, whatever it hears; then nobody answers any more."""

    def __init__(self, tape: Tape) -> None:
        numbered = groupby(tape, key=lambda told: told[0])
        self._connections = [[told for _, told in group] for _, group in numbered]
        self._line: Line | None = None
        self.over = False

    def connected(self, line: Line) -> bool:
        if not self._connections:
            return False
        self._line = line
        loop = asyncio.get_running_loop()
        told = self._connections.pop(0)
        for at, group in groupby(told, key=lambda each: each[0]):
            loop.call_later(at, self._say, line, [data for _, data in group])
        return True

    def _say(self, line: Line, told: list[bytes | None]) -> None:
        line.tell(b"".join(data for data in told if data is not None))
        if None in told:
            line.hang_up()

    def hears(self, command: str) -> None:
        pass

    def lost(self) -> None:
        pass


def played(tape: Tape, most_s: float, manners: str = MANNERS) -> Stage:
    """A run against the tape."""
    stage = Stage(lambda: Taped(tape), manners)
    stage.play(most_s)
    return stage


def shrunk(tape: Tape, violation: Violation, manners: str = MANNERS, most_plays: int = 400) -> Tape:
    """As little of it as still breaks the promise: connections, then ever smaller parts."""
    left = most_plays

    def breaks(part: Tape) -> bool:
        nonlocal left
        left -= 1
        found = played(part, violation.at + 1, manners).judge.violations
        return any(_alike(each, violation) for each in found)

    numbers = sorted({number for number, _ in tape})
    whole = _least(
        numbers, lambda some: breaks([t for t in tape if t[0] in some]), lambda: left > 0
    )
    few = [told for told in tape if told[0] in whole]
    return _least(few, breaks, lambda: left > 0)


def _alike(one: Violation, other: Violation) -> bool:
    """The same promise, broken in the same way but for numbers."""
    kinds = (re.sub(r"[0-9.]+", "#", each.how[:60]) for each in (one, other))
    return one.promise == other.promise and len(set(kinds)) == 1


def _least(
    items: list[T], fails: Callable[[list[T]], bool], goes_on: Callable[[], bool]
) -> list[T]:
    """Delta debugging: leave out ever smaller parts."""
    size = len(items) // 2
    while size and goes_on():
        start, smaller = 0, False
        while start < len(items) and goes_on():
            rest = items[:start] + items[start + size :]
            if rest and fails(rest):
                items, smaller = rest, True
            else:
                start += size
        if not (smaller and size > 1):
            size //= 2
    return items


def write(tape: Tape, path: Path, remark: str) -> None:
    """Keep it."""
    lines = [f"# {remark}"]
    for _, group in groupby(tape, key=lambda told: told[0]):
        lines.append("D")
        lines += [_written(at, data) for _, (at, data) in group]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))


def _written(at: float, data: bytes | None) -> str:
    if data is None:
        return f"E {at:.2f}"
    text = data[:-2]
    plain = (
        data.endswith(b"\r\n") and text.isascii() and text.decode("ascii", "replace").isprintable()
    )
    return f"S {at:.2f} {text.decode()}" if plain else f"R {at:.2f} {data!r}"


def read(path: Path) -> Tape:
    """A tape that was kept."""
    return list(_told(path.read_text().splitlines()))


def _told(lines: Iterable[str]) -> Iterable[tuple[int, Told]]:
    number = 0
    for line in lines:
        kind, _, rest = line.partition(" ")
        at, _, text = rest.partition(" ")
        if kind == "D":
            number += 1
        elif kind == "S":
            yield number, (float(at), text.encode() + b"\r\n")
        elif kind == "R":
            yield number, (float(at), ast.literal_eval(text))
        elif kind == "E":
            yield number, (float(at), None)
