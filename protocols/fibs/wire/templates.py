"""Templates of the server's lines.

    "{opponent} wants to play {length:match} with you[.]"

`{field}` is a field of the message, its kind taken from the field's type or named after the colon;
`[text]` and `[~text]` may be missing: FIBS writes the first, not the second. A run of blanks reads
as any run of blanks and tabs, except before free text and words that may be empty, where exactly
one blank stands. `{_:rest}` reads anything and keeps nothing. Every pattern is matched against the
whole line; `closed` alone reads a line with another one glued to it.

A pattern reads any line in linear time: it may try again at one place only. All other repetitions
are possessive or bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from typing import Any, TypeVar, dataclass_transform

from sixprime.engine.position import parse_dice
from sixprime.protocols.fibs.wire.messages import Known, Message

NAME = r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}"
NUMBER = r"-?[0-9]{1,15}"  # bounded: int() of a chat-long digit string would raise; 13: ms
BLANKS = r"[ \t]{1,80}+"
UNLIMITED = r"unlim\w{0,20}+"


@dataclass(frozen=True, slots=True)
class Kind:
    """The form of a field in a line: a pattern, and a reader of the text it matches."""

    pattern: str
    read: Callable[[str], Any] = str


def _counted(noun: str, optional: str = "") -> Kind:
    """`1 point`, `2 points`; `optional` is `?` where the noun may be missing."""
    pattern = rf"{NUMBER}(?: {noun}s?){optional}"
    return Kind(pattern, lambda text: int(text.partition(" ")[0]))


def _number_or_none(text: str) -> int | None:
    found = re.search(NUMBER, text)
    return int(found.group()) if found else None


KINDS: dict[str, Kind] = {
    "name": Kind(NAME),
    "name?": Kind(rf"-|{NAME}", lambda text: None if text == "-" else text),
    "word": Kind(r"\S++"),
    "word?": Kind(r"\S*+"),
    "lazy": Kind(r"\S+?"),
    "quoted": Kind(r".*?"),
    "text": Kind(r".*+"),
    "seat": Kind("[OX]"),
    "value": Kind(r"'[^']*+'|[^\s']+?", lambda text: text.strip("'")),
    "rest": Kind(r".*+"),
    "int": Kind(NUMBER, int),
    "flag": Kind("[01]", lambda text: text == "1"),
    "yes": Kind("YES|NO", lambda text: text == "YES"),
    "rating": Kind(r"-?[0-9]{1,12}(?:\.[0-9]{1,12})?", float),
    "points": _counted("point"),
    "points?": _counted("point", "?"),
    "pieces": _counted("piece"),
    "match": Kind(rf"an? (?:new )?{NUMBER}[ -]point match|an {UNLIMITED} match", _number_or_none),
    "matchof": Kind(rf"{NUMBER}[ -]point match|{UNLIMITED} match", _number_or_none),
    "length": Kind(rf"match length: {NUMBER}|{UNLIMITED} match\w{{0,20}}", _number_or_none),
    "dice": Kind("[1-6] and [1-6]", parse_dice),
    "die": Kind("[1-6]", int),
    "steps": Kind(
        r"(?:(?:bar|[0-9]{1,2})(?:-(?:off|home|bar|[0-9]{1,2})){1,4}(?: {1,80}+|(?=\.)|$)){0,4}",
        str.strip,
    ),
    "user15": Kind(NAME),
    "toggle15": Kind(r"[a-z]{1,30}"),
    "variable": Kind(r"[a-z]{1,30}"),
    # the columns of a saved match; their blanks belong to the fields
    "stars": Kind(r"[ *]{0,2}[ \t]{0,80}+", lambda text: text.count("*")),
    "length>10": Kind(rf"{BLANKS}(?:[0-9]{{1,6}}|{UNLIMITED})", _number_or_none),
    "int>17": Kind(rf"{BLANKS}{NUMBER}", int),
    "int>2": Kind(rf"(?:{BLANKS})?{NUMBER}", int),
}

_FREE = frozenset({"text", "word?"})  # kinds behind exactly one blank
_OPEN = frozenset({"word", "word?", "lazy", "quoted", "text", "value", "rest"})  # take any text

_BY_TYPE = {
    "Player": "name",
    "Player | None": "name?",
    "int": "int",
    "bool": "flag",
    "float": "rating",
    "str": "text",
    "Dice": "dice",
}

_TOKEN = re.compile(r"\{(?P<field>\w++)(?::(?P<kind>[^}]++))?\}|(?P<mark>\[~|\[|\])|(?P<blank> ++)")


@dataclass(frozen=True, slots=True)
class TemplateField:
    """A field of the message, and the name of its kind."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class OptionalText:
    """Text that may be missing; `usual` if FIBS writes it."""

    parts: tuple[Part, ...]
    usual: bool


Part = str | TemplateField | OptionalText


class Template:
    def __init__(self, message: type[Message], text: str, /, **fixed: object) -> None:
        self.message = message
        self.text = text
        self.fixed = fixed
        declared = {field.name: field for field in fields(message)}
        self._types = {name: str(field.type) for name, field in declared.items()}
        self.parts = self._split(text)
        self._pattern = re.compile(_pattern(self.parts), re.ASCII)
        self.used = {part.name: part.kind for part in _fields(self.parts) if part.name != "_"}
        self.others = {
            name: fixed.get(name, field.default)
            for name, field in declared.items()
            if name not in self.used
        }
        if MISSING in self.others.values():
            raise TypeError(f"{message.__name__}: {text!r} leaves a field open")

    def __repr__(self) -> str:
        return f"Template({self.message.__name__}, {self.text!r})"

    @property
    def number(self) -> str | None:
        """The number that begins a CLIP line; None if the line is prose."""
        found = re.match(r"[0-9]+", self.text)
        return found and found.group()

    @property
    def start(self) -> tuple[int, str] | None:
        """The literal word of every such line, at index 0 or, after a name, 1; None without one."""
        literal = re.match(r"([^\s\[\]{}]+) ", self.text)
        if literal:
            return 0, literal.group(1)
        second = re.match(r"\{\w+(?::name)?\} ([A-Za-z']+)(?![A-Za-z'{])", self.text)
        first = self.parts[0]
        if second and isinstance(first, TemplateField) and first.kind == "name":
            return 1, second.group(1)
        return None

    def parse_line(self, line: str) -> Message | None:
        """Return the message if the whole line is of this form; None otherwise."""
        found = self._pattern.fullmatch(line)
        if found is None:
            return None
        if self.message is Known:
            return Known(line)
        values = {
            name: KINDS[kind].read(found[name])
            for name, kind in self.used.items()
            if found[name] is not None
        }
        return self.message(**{**self.fixed, **values})

    @cached_property
    def closed(self) -> re.Pattern[str] | None:
        """The pattern of such a line up to its full stop; None if it has none.

        No field of a closed line takes any text, so another line begins behind the stop.
        """
        if any(part.kind in _OPEN for part in _fields(self.parts)):
            return None
        parts = _closed(self.parts)
        return None if parts is None else re.compile(_pattern(parts), re.ASCII)

    def _split(self, text: str) -> tuple[Part, ...]:
        levels: list[list[Part]] = [[]]
        marks: list[str] = []
        place = 0
        for token in _TOKEN.finditer(text):
            if token.start() > place:
                levels[-1].append(text[place : token.start()])
            place = token.end()
            if token["mark"] == "]":
                parts = tuple(levels.pop())
                levels[-1].append(OptionalText(parts, marks.pop() == "["))
            elif token["mark"]:
                levels.append([])
                marks.append(token["mark"])
            elif token["blank"]:
                levels[-1].append(token["blank"])
            else:
                name = token["field"]
                levels[-1].append(TemplateField(name, token["kind"] or _BY_TYPE[self._types[name]]))
        levels[-1].append(text[place:])
        (parts_,) = levels
        return tuple(part for part in parts_ if part != "")


def _fields(parts: tuple[Part, ...]) -> Iterator[TemplateField]:
    for part in parts:
        if isinstance(part, TemplateField):
            yield part
        elif isinstance(part, OptionalText):
            yield from _fields(part.parts)


def _closed(parts: tuple[Part, ...]) -> tuple[Part, ...] | None:
    """Return the parts with the last full stop no longer optional; None if there is none."""
    match parts:
        case (*before, OptionalText((".",))):
            return *before, "."
        case (*before, OptionalText() as last):
            needed = _closed(tuple(before))
            return None if needed is None else (*needed, last)
        case (*_, str() as last) if last.endswith((".", "!")):
            return parts
        case _:
            return None


def _pattern(parts: tuple[Part, ...]) -> str:
    pattern = ""
    for part, following in zip(parts, (*parts[1:], ""), strict=True):
        if isinstance(part, OptionalText):
            pattern += f"(?:{_pattern(part.parts)})?"
        elif isinstance(part, TemplateField):
            group = "?:" if part.name == "_" else f"?P<{part.name}>"
            pattern += f"({group}{KINDS[part.kind].pattern})"
        elif part.strip(" "):
            pattern += re.escape(part)
        else:
            free = isinstance(following, TemplateField) and following.kind in _FREE
            pattern += part if free else BLANKS
    return pattern


M = TypeVar("M", bound=Message)


@dataclass_transform(frozen_default=True)
def line(*texts: str, **fixed: object) -> Callable[[type[M]], type[M]]:
    """Declare a message and its lines, FIBS's own first, then those by other servers.

    `fixed` has the fields that these lines leave out.
    """

    def declared(kind: type[M]) -> type[M]:
        more = vars(kind).get("LINES", ())  # of a decorator below this one
        made = kind if more else dataclass(frozen=True, slots=True)(kind)
        made.LINES = (*(Template(made, text, **fixed) for text in texts), *more)  # type: ignore[attr-defined]
        return made

    return declared
