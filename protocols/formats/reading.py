"""What reading a file gives: its matches, and remarks on what could not be taken as it stands.

`MatchReader` is what protocols.formats.readers registers: see there for how to add a format.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sixprime.protocols.formats.record import BadMatchFile, Match, decode

HEAD = 65_536  # bytes enough to recognise a text


@dataclass(frozen=True, slots=True)
class Remark:
    """What is illegal, missing or unclear in a file, and what was made of it."""

    line: int  # counts from 1; 0 in a file without lines, or where none is meant
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as it was read."""

    matches: tuple[Match, ...]
    remarks: tuple[Remark, ...] = ()
    what: str = ""  # the format, in words

    def strictly(self) -> list[Match]:
        """The matches, if nothing had to be remarked on; else BadMatchFile."""
        for remark in self.remarks:
            raise BadMatchFile(remark.line, remark.text)
        return list(self.matches)


@dataclass(frozen=True, slots=True)
class MatchReader:
    """A format that can be read."""

    name: str  # one word, for `--from`
    what: str  # what people call it: "an XG text export"
    suffixes: tuple[str, ...]  # in lower case, with their dot
    looks_like: Callable[[bytes], bool]  # is it this format, by its first HEAD bytes at least?
    read: Callable[[bytes], Reading]  # tolerant; BadMatchFile if nothing can be kept


def read_with(remarks: Sequence[Remark]) -> str:
    """How a file was read, in a line."""
    if not remarks:
        return "read"
    return f"read with {len(remarks)} remark{'s' * (len(remarks) > 1)}; {remarks[0]}"


def head_of(data: bytes) -> str:
    """The beginning of a text file, to recognise it by."""
    return decode(data[:HEAD])
