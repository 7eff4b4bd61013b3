"""The result of reading a file: its matches, and remarks on its faults.

protocols.readers lists the `MatchReader` of every format, and explains how to add one.

Invariant: a file being read never becomes more than `MOST` of anything in memory, however small it
is on disk. Readers count with `count` before they keep, so one that is too large is refused early.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from sixprime.engine.system.errors import shortened
from sixprime.protocols.formats.record import BadMatchFile, Match, decode, one_line

T = TypeVar("T")

HEAD = 65_536  # bytes enough to recognise a text
MIB = 2**20
MOST = {  # of one file; a long match has 100 games, 5,000 actions and 40,000 candidates
    "bytes": 32 * MIB,  # on disk
    "bytes unpacked": 32 * MIB,
    "lines": 1_000_000,
    "values": 1_000_000,  # of JSON
    "positions": 5_000,
    "games": 5_000,
    "actions": 100_000,
    "candidates": 200_000,  # of plays, in analyses
    "bytes of record": 32 * MIB,  # as the archive stores them
}
MOST_REMARKS = 1_000  # of one file


class TooLarge(BadMatchFile):
    """A file with more than any that is read; split it."""


_counted: ContextVar[Counter[str] | None] = ContextVar("counted", default=None)


@contextmanager
def counted_file() -> Iterator[None]:
    """Count all that the block reads as one file; TooLarge, even if the block left it out."""
    counts = Counter[str]()
    token = _counted.set(counts)
    try:
        yield
    except BadMatchFile:
        _check(counts)
        raise
    finally:
        _counted.reset(token)
    _check(counts)


def count(what: str, more: int = 1) -> None:
    """Count things of the file being read; TooLarge. Outside of a file nothing is counted."""
    counts = _counted.get()
    if counts is not None:
        counts[what] += more
        if counts[what] > MOST[what]:
            _check(counts)


def _check(counts: Counter[str]) -> None:
    for what, number in counts.items():
        if number > MOST[what]:
            raise TooLarge(0, f"more than {MOST[what]:,} {what} in one file: split it")


@dataclass(frozen=True, slots=True)
class Remark:
    """A fault in a file: something illegal, missing or unclear."""

    line: int  # counts from 1; 0 in a file without lines, or for the file as a whole
    text: str  # one printable line
    made: str = ""  # the reader's remedy

    def __str__(self) -> str:
        text = f"{self.text}; {self.made}" if self.made else self.text
        return f"line {self.line}: {text}" if self.line else text


class Remarks:
    """The remarks on a file while it is being read."""

    def __init__(self) -> None:
        self._kept: list[Remark] = []
        self._others = 0

    def add(self, line: int, text: str, made: str = "") -> None:
        self.extend([Remark(line, one_line(shortened(text)), made)])

    def extend(self, remarks: Iterable[Remark]) -> None:
        kept = list(remarks)
        room = MOST_REMARKS - len(self._kept)
        self._kept += kept[:room]
        self._others += len(kept[room:])

    @contextmanager
    def instead(self, made: str) -> Iterator[None]:
        """Turn BadMatchFile into a remark with this remedy."""
        try:
            yield
        except TooLarge:
            raise
        except BadMatchFile as error:
            self.add(error.line, error.reason, made)

    def until_broken(self, items: Iterator[T], made: str) -> Iterator[T]:
        """Yield the items until one raises BadMatchFile, which ends them with a remark."""
        with self.instead(made):
            yield from items

    def all(self) -> tuple[Remark, ...]:
        more = [Remark(0, f"and {self._others} more")] if self._others else []
        return (*self._kept, *more)

    def reading(self, matches: Iterable[Match], line: int, why: str) -> Reading:
        """Return the matches; without one, raise the first remark, or `why`, as BadMatchFile."""
        found = tuple(matches)
        if not found:
            first = next(iter(self._kept), Remark(line, why))
            raise BadMatchFile(first.line, first.text)
        return Reading(found, self.all())


@dataclass(frozen=True, slots=True)
class Reading:
    matches: tuple[Match, ...]
    remarks: tuple[Remark, ...] = ()
    what: str = ""  # the format, in words

    def strictly(self) -> list[Match]:
        """Return the matches if there are no remarks; else raise BadMatchFile."""
        for remark in self.remarks:
            what = f" (read as {self.what})" if self.what else ""
            raise BadMatchFile(remark.line, remark.text + what)
        return list(self.matches)


@dataclass(frozen=True, slots=True)
class MatchReader:
    name: str  # one word, for `--from`
    what: str  # in words: "an XG text export"
    suffixes: tuple[str, ...]  # in lower case, with their dot
    looks_like: Callable[[bytes], bool]  # tells the format by its first HEAD bytes
    read: Callable[[bytes], Reading]  # tolerant; BadMatchFile if nothing can be kept


def text_reader(
    name: str,
    what: str,
    suffixes: tuple[str, ...],
    begins: Callable[[str], object],
    read: Callable[[str], Reading],
) -> MatchReader:
    """Return the reader of a text format; `begins` recognises it by `head_of` the file."""
    return MatchReader(
        name,
        what,
        suffixes,
        lambda data: bool(begins(head_of(data))),
        lambda data: read(_text_of(data)),
    )


def _text_of(data: bytes) -> str:
    count("lines", data.count(b"\n") + data.count(b"\r"))
    return decode(data)


def one_by_one(
    read: Callable[[str, int], Reading], begins: re.Pattern[str]
) -> Callable[[str], Reading]:
    """Return a reader of files put together, which calls `read` for each of them.

    `read` gets the text of one file, and the number of its first line.
    """

    def read_all(text: str) -> Reading:
        text = re.sub(r"\r\n?", "\n", text)
        others = [found.start() for found in begins.finditer(text)][1:]
        if not others:
            return read(text, 1)
        matches: list[Match] = []
        remarks, line = Remarks(), 1
        for begin, end in pairwise((0, *others, len(text))):
            with remarks.instead("left out"):
                reading = read(text[begin:end], line)
                matches += reading.matches
                remarks.extend(reading.remarks)
            line += text.count("\n", begin, end)
        return remarks.reading(matches, 0, "no match in it")

    return read_all


def read_with(remarks: Sequence[Remark]) -> str:
    """Return a line that says how well a file was read."""
    if not remarks:
        return "read"
    plural = "" if len(remarks) == 1 else "s"
    return f"read with {len(remarks)} remark{plural}; {remarks[0]}"


def head_of(data: bytes) -> str:
    """Return the beginning of a text file, by which it is recognised."""
    return re.sub(r"\r\n?", "\n", decode(data[:HEAD]))
