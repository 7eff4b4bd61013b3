"""The result of reading a file: its matches, and remarks on its faults.

protocols.readers lists the `MatchReader` of every format, and explains how to add one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from sixprime.protocols.formats.record import BadMatchFile, Match, decode, one_line

T = TypeVar("T")

HEAD = 65_536  # bytes enough to recognise a text
MOST_REMARKS = 1_000  # of one file


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
        self.extend([Remark(line, one_line(text), made)])

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
        lambda data: read(decode(data)),
    )


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
