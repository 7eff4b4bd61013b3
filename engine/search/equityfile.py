"""Match equity tables from gnubg's XML files: explicit numbers, Zadeh's model, or mec's.

A file gives the same table as in gnubg 1.07: a formula for the scores up to the Crawford game holds
for matches of up to `length` points, and the usual continuation gives longer ones. A length of -1,
as in gnubg's own zadeh.xml and mec.xml, continues all of them. Our own table `zadeh` is the formula
itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeVar
from xml.parsers import expat

import numpy as np

from sixprime.engine.search.equitymodels import (
    REACH,
    Mec,
    MecAfter,
    PostCrawford,
    PreCrawford,
    Table,
    Zadeh,
    ZadehAfter,
    extended_after,
    extended_before,
)
from sixprime.engine.system.errors import InputError
from sixprime.engine.system.wholefiles import read_whole

LARGEST = 1_000_000  # bytes
SEATS = {"0": (0,), "1": (1,), "both": (0, 1)}
TABLES = ("pre-crawford-table", "post-crawford-table")
TEXTS = ("name", "description", "length", "me", "parameter")
KNOWN = frozenset({"met", "info", "row", "parameters", *TABLES, *TEXTS})

AFTER: Mapping[str, tuple[Callable[..., PostCrawford], dict[str, str]]] = {
    "zadeh": (
        ZadehAfter,
        {
            "gammon-rate-trailer": "gammons",
            "free-drop-2-away": "free_drop_2_away",
            "free-drop-4-away": "free_drop_4_away",
        },
    ),
    "mec": (
        MecAfter,
        {
            "gammon-rate": "gammons",
            "win-rate": "win",
            "free-drop-2-away": "free_drop_2_away",
            "free-drop-4-away": "free_drop_4_away",
        },
    ),
}
BEFORE: Mapping[str, tuple[Callable[..., PreCrawford], dict[str, str]]] = {
    "zadeh": (
        Zadeh,
        {
            "gammon-rate-leader": "leader_gammons",
            "gammon-rate-trailer": "trailer_gammons",
            "delta": "lost_use",
            "delta-bar": "lost_use_at_one",
        },
    ),
    "mec": (Mec, {"gammon-rate": "gammons", "win-rate": "win"}),
}


T = TypeVar("T")


class BadEquityTable(InputError):
    """A table is unknown, invalid, or too short for the match; the text is one line."""


class Read(NamedTuple):
    """The table of a file, with its name."""

    name: str
    before: Table
    after: Table


@dataclass
class Part:
    """One of the tables of a file."""

    line: int
    kind: str
    player: str
    rows: list[list[float]] = field(default_factory=list)
    row_lines: list[int] = field(default_factory=list)
    parameters: dict[str, float] = field(default_factory=dict)


def read_table(path: Path) -> Read:
    """Read the table of a file; BadEquityTable or OSError."""
    return parsed(read_whole(path, LARGEST))


def parsed(data: bytes) -> Read:
    """Parse a table in gnubg's XML; BadEquityTable."""
    found = _Parser(data)
    length = found.length
    posts = {player: part for part in found.after for player in SEATS.get(part.player, ())}
    for part in found.after:
        if part.player not in SEATS:
            raise BadEquityTable(f"line {part.line}: player={part.player!r} is not 0, 1 or both")
    if found.before is None or set(posts) != {0, 1}:
        missing = "pre-crawford-table" if found.before is None else "post-crawford-table"
        raise BadEquityTable(f"it has no {missing} for {'a' if found.before else 'the'} player")
    after = np.stack([_after(posts[seat], seat, length) for seat in (0, 1)])
    return Read(found.name, _before(found.before, after, length), after)


def _after(part: Part, seat: int, length: int | None) -> Table:
    if part.kind != "explicit":
        own = part if _is_for(part, seat) else replace(part, parameters={})
        row: Table = _model(own, AFTER).after()[seat]
        return row
    if length is None or len(part.rows) != 1 or len(part.rows[0]) < length - 1:
        raise BadEquityTable(f"line {part.line}: one row of {length or 'length'} numbers is needed")
    return extended_after(part.rows[0], length)


def _before(part: Part, after: Table, length: int | None) -> Table:
    if part.kind != "explicit":
        known = _model(part, BEFORE).before(after)
        return extended_before(known[1 : (length or 0) + 1, 1 : (length or 0) + 1])
    if length is None or len(part.rows) < length:
        raise BadEquityTable(f"line {part.line}: {len(part.rows)} rows, not {length or 'length'}")
    for line, row in zip(part.row_lines, part.rows, strict=True):
        if len(row) < length:
            raise BadEquityTable(f"line {line}: {len(row)} numbers in a row, not {length}")
    return extended_before(np.array([row[:length] for row in part.rows[:length]]))


def _is_for(part: Part, seat: int) -> bool:
    """Return whether the parameters are for this seat; gnubg reads `both` for player 0 alone."""
    return part.player != "both" or seat == 0


def _model(part: Part, known: Mapping[str, tuple[Callable[..., T], dict[str, str]]]) -> T:
    if part.kind not in known:
        kinds = ", ".join(("explicit", *known))
        raise BadEquityTable(f"line {part.line}: type={part.kind!r} is none of {kinds}")
    make, names = known[part.kind]
    for name in part.parameters:
        if name not in names:
            raise BadEquityTable(
                f"line {part.line}: no parameter {name!r}; there are {', '.join(names)}"
            )
    return make(**{names[name]: value for name, value in part.parameters.items()})


class _Parser:
    """A walk through the XML, whose results are in the attributes."""

    def __init__(self, data: bytes) -> None:
        self.name = ""
        self.length: int | None = None
        self.before: Part | None = None
        self.after: list[Part] = []
        self._part: Part | None = None
        self._text = ""
        self._parameter = ""
        self._expat = expat.ParserCreate()
        self._expat.StartElementHandler = self._begin
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._characters
        self._expat.EntityDeclHandler = self._entity
        try:
            self._expat.Parse(data, True)
        except expat.ExpatError as error:
            raise BadEquityTable(
                f"line {error.lineno}: {expat.errors.messages[error.code]}"
            ) from error
        except LookupError as error:  # in an encoding that Python lacks
            raise self._wrong(str(error)) from error

    def _wrong(self, why: str) -> BadEquityTable:
        return BadEquityTable(f"line {self._expat.CurrentLineNumber}: {why}")

    def _entity(self, *_: object) -> None:
        raise self._wrong("entities are not read")

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        if tag not in KNOWN:
            raise self._wrong(f"<{tag}> is unknown")
        self._text = ""
        if tag in TABLES:
            kind, player = attributes.get("type", "explicit"), attributes.get("player", "both")
            self._part = Part(self._expat.CurrentLineNumber, kind, player)
            if tag == TABLES[1]:
                self.after.append(self._part)
            elif self.before is not None:
                raise self._wrong("a second pre-crawford-table")
            else:
                self.before = self._part
        elif tag in ("row", "parameters", "me", "parameter") and self._part is None:
            raise self._wrong(f"<{tag}> outside a table")
        elif tag == "row" and self._part is not None:
            if len(self._part.rows) == REACH:
                raise self._wrong(f"more than {REACH} rows")
            self._part.rows.append([])
            self._part.row_lines.append(self._expat.CurrentLineNumber)
        elif tag == "parameter":
            self._parameter = attributes.get("name", "")

    def _characters(self, text: str) -> None:
        self._text += text

    def _end(self, tag: str) -> None:
        text, part = self._text.strip(), self._part
        if tag in TABLES:
            self._part = None
        elif tag == "name":
            self.name = text
        elif tag == "length":
            number = self._number(text, -1, REACH)
            if not number.is_integer():
                raise self._wrong(f"{text[:20]} is not a length")
            self.length = int(number) if number >= 1 else None
        elif tag == "me" and part is not None:
            if not part.rows or len(part.rows[-1]) == REACH:
                raise self._wrong("<me> outside a row, or too many of them")
            part.rows[-1].append(self._number(text, 0, 1))
        elif tag == "parameter" and part is not None:
            part.parameters[self._parameter] = self._number(text, 0, 1)

    def _number(self, text: str, least: float, most: float) -> float:
        try:
            value = float(text)
        except ValueError:
            raise self._wrong(f"{text[:20]!r} is not a number") from None
        if not least <= value <= most:
            raise self._wrong(f"{text[:20]} is not between {least:g} and {most:g}")
        return value
