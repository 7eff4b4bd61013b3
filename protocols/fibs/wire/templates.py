"""One line of text for both directions: a template reads a line and writes it.

    "{opponent} wants to play {length:match} with you[.]"

`{field}` is a field of the message, its kind taken from the field's type or named after the colon;
`[text]` may be missing when we read and is there when we write; `[~text]` may be there when we read
and is left out when we write. A run of blanks reads as any run of blanks and tabs, except before
free text, where exactly one blank stands. `{_:rest}` reads anything and keeps nothing.
Every pattern is matched against the whole line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields
from itertools import product
from typing import Any

from sixprime.protocols.fibs.wire.messages import Message

NAME = r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}"
NUMBER = r"-?[0-9]{1,12}"  # bounded: int() of a chat-long digit string would raise


@dataclass(frozen=True, slots=True)
class Kind:
    """How a field stands in a line: as a pattern, from text, to text."""

    pattern: str
    read: Callable[[str], Any]
    write: Callable[[Any], str]


def _plain(pattern: str) -> Kind:
    return Kind(pattern, str, str)


def _padded(pattern: str, layout: str) -> Kind:
    return Kind(pattern, str, lambda value: format(value, layout))


def _counted(noun: str, optional: str = "") -> Kind:
    """`1 point`, `2 points`; `optional` is `?` where the noun may be missing."""

    def write(value: int) -> str:
        return f"{value} {noun}" if value == 1 else f"{value} {noun}s"

    pattern = rf"{NUMBER}(?: {noun}s?){optional}"
    return Kind(pattern, lambda text: int(text.partition(" ")[0]), write)


def _number_or_none(text: str) -> int | None:
    found = re.search(NUMBER, text)
    return int(found.group()) if found else None


def _match(length: int | None) -> str:
    return "an unlimited match" if length is None else f"a {length} point match"


def _match_of(length: int | None) -> str:
    return "unlimited match" if length is None else f"{length} point match"


def _two_numbers(text: str) -> tuple[int, int]:
    one, two = re.findall(r"[0-9]", text)
    return int(one), int(two)


KINDS: dict[str, Kind] = {
    "name": _plain(NAME),
    "name?": Kind(
        rf"-|{NAME}", lambda text: None if text == "-" else text, lambda value: value or "-"
    ),
    "word": _plain(r"\S+"),
    "lazy": _plain(r"\S+?"),
    "quoted": _plain(r".*?"),
    "text": _plain(r".*"),
    "seat": _plain("[OX]"),
    "value": Kind(
        r"'[^']*'|[^\s']+?",
        lambda text: text.strip("'"),
        lambda value: value if value.isdigit() else f"'{value}'",
    ),
    "rest": Kind(r".*", str, lambda value: ""),
    "int": Kind(NUMBER, int, str),
    "flag": Kind("[01]", lambda text: text == "1", lambda value: "1" if value else "0"),
    "yes": Kind("YES|NO", lambda text: text == "YES", lambda value: "YES" if value else "NO"),
    "rating": Kind(r"-?[0-9]{1,12}(?:\.[0-9]{1,12})?", float, lambda value: f"{value:.2f}"),
    "points": _counted("point"),
    "points?": _counted("point", "?"),
    "pieces": _counted("piece"),
    "users": _counted("user"),
    "games": Kind(
        rf"(?:no|{NUMBER}) saved games?",
        lambda text: _number_or_none(text) or 0,
        lambda value: f"{value or 'no'} saved game{'' if value == 1 else 's'}",
    ),
    "match": Kind(
        rf"an? {NUMBER}[ -]point match|an unlim\w* match",
        _number_or_none,
        _match,
    ),
    "matchof": Kind(rf"{NUMBER}[ -]point match|unlim\w* match", _number_or_none, _match_of),
    "theirmatch": Kind(
        rf"their {NUMBER}[ -]point match|their unlim\w* match",
        _number_or_none,
        lambda value: "their unlimited match" if value is None else f"their {value}-point match",
    ),
    "length": Kind(
        rf"match length: {NUMBER}|unlim\w* match\w*",
        _number_or_none,
        lambda value: "unlimited matchlength" if value is None else f"match length: {value}",
    ),
    "dice": Kind("[1-6] and [1-6]", _two_numbers, lambda dice: f"{dice[0]} and {dice[1]}"),
    "die": Kind("[1-6]", int, str),
    "steps": Kind(
        r"(?:(?:bar|[0-9]{1,2})(?:-(?:off|home|bar|[0-9]{1,2})){1,4}(?: +|(?=\.)|$)){0,4}",
        str.strip,
        lambda text: f"{text} ",
    ),
    "user15": _padded(NAME, "<15"),
    "user>15": _padded(NAME, ">15"),
    "toggle15": _padded(r"[a-z]{1,30}", "<15"),
    "variable": _padded(r"[a-z]{1,30}", ""),
    # the columns of a saved match; their blanks belong to the fields
    "stars": Kind(r"[ *]{0,2}[ \t]*", lambda text: text.count("*"), lambda n: f"{'*' * n:>2}"),
    "length>10": Kind(
        r"[ \t]+(?:[0-9]{1,6}|unlim\w*)",
        _number_or_none,
        lambda value: f"{'unlimited' if value is None else value:>10}",
    ),
    "int>17": Kind(rf"[ \t]+{NUMBER}", int, lambda value: f"{value:>17}"),
    "int>2": Kind(rf"[ \t]*{NUMBER}", int, lambda value: f"{value:>2}"),
}

_BY_TYPE = {
    "Player": "name",
    "Player | None": "name?",
    "int": "int",
    "bool": "flag",
    "float": "rating",
    "str": "text",
    "Dice": "dice",
}

_TOKEN = re.compile(r"\{(?P<field>\w+)(?::(?P<kind>[^}]+))?\}|(?P<mark>\[~|\[|\])|(?P<blank> +)")


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class _Option:
    """Text that may be missing; `said` tells whether we write it."""

    parts: tuple[_Part, ...]
    said: bool


_Part = str | _Field | _Option


class Template:
    """One way to say one message."""

    def __init__(self, message: type[Message], text: str, /, **fixed: object) -> None:
        self.message = message
        self.text = text
        self.fixed = fixed
        declared = {field.name: field for field in fields(message)}  # type: ignore[arg-type]
        self._types = {name: str(field.type) for name, field in declared.items()}
        self._parts = self._split(text)
        self._pattern = re.compile(_pattern(self._parts), re.ASCII)
        self._used = {part.name: part.kind for part in _fields(self._parts) if part.name != "_"}
        self._others = {
            name: fixed.get(name, field.default)
            for name, field in declared.items()
            if name not in self._used
        }
        if MISSING in self._others.values():
            raise TypeError(f"{message.__name__}: {text!r} leaves a field open")

    def __repr__(self) -> str:
        return f"Template({self.message.__name__}, {self.text!r})"

    @property
    def start(self) -> tuple[int, str] | None:
        """The literal word every such line has at place 0 or, behind a name, 1; None: no such."""
        literal = re.match(r"([^\s\[\]{}]+) ", self.text)
        if literal:
            return 0, literal.group(1)
        second = re.match(r"\{\w+(?::name)?\} ([A-Za-z']+)(?![A-Za-z'{])", self.text)
        first = self._parts[0]
        if second and isinstance(first, _Field) and first.kind is KINDS["name"]:
            return 1, second.group(1)
        return None

    def read(self, line: str) -> Message | None:
        """The message, if the whole line is of this form."""
        found = self._pattern.fullmatch(line)
        if found is None:
            return None
        values = {
            name: kind.read(found[name])
            for name, kind in self._used.items()
            if found[name] is not None
        }
        return self.message(**{**self.fixed, **values})

    def fits(self, message: Message) -> bool:
        """Can this template say that message without losing anything?"""
        return (
            type(message) is self.message
            and all(getattr(message, name) == value for name, value in self._others.items())
            and not any(
                getattr(message, name) is None and kind is KINDS["int"]
                for name, kind in self._used.items()
            )
        )

    def write(self, message: Message) -> str:
        """The line, in the form that FIBS uses."""
        return "".join(_written(self._parts, message, iter(())))

    def spellings(self, message: Message) -> Iterator[str]:
        """Every form of the line: each optional text there or not."""
        options = sum(1 for part in self._parts if isinstance(part, _Option))
        for choice in product((True, False), repeat=options):
            yield "".join(_written(self._parts, message, iter(choice)))

    def _split(self, text: str) -> tuple[_Part, ...]:
        levels: list[list[_Part]] = [[]]
        marks: list[str] = []
        place = 0
        for token in _TOKEN.finditer(text):
            if token.start() > place:
                levels[-1].append(text[place : token.start()])
            place = token.end()
            if token["mark"] == "]":
                parts = tuple(levels.pop())
                levels[-1].append(_Option(parts, marks.pop() == "["))
            elif token["mark"]:
                levels.append([])
                marks.append(token["mark"])
            elif token["blank"]:
                levels[-1].append(token["blank"])
            else:
                levels[-1].append(self._field(token["field"], token["kind"]))
        levels[-1].append(text[place:])
        (parts_,) = levels
        return tuple(part for part in parts_ if part != "")

    def _field(self, name: str, kind: str | None) -> _Field:
        return _Field(name, KINDS[kind or _BY_TYPE[self._types[name]]])


def _fields(parts: tuple[_Part, ...]) -> Iterator[_Field]:
    for part in parts:
        if isinstance(part, _Field):
            yield part
        elif isinstance(part, _Option):
            yield from _fields(part.parts)


def _pattern(parts: tuple[_Part, ...]) -> str:
    pattern = ""
    for part, following in zip(parts, (*parts[1:], ""), strict=True):
        if isinstance(part, _Option):
            pattern += f"(?:{_pattern(part.parts)})?"
        elif isinstance(part, _Field):
            group = "?:" if part.name == "_" else f"?P<{part.name}>"
            pattern += f"({group}{part.kind.pattern})"
        elif part.strip(" "):
            pattern += re.escape(part)
        else:
            free = isinstance(following, _Field) and following.kind is KINDS["text"]
            pattern += part if free else r"[ \t]+"
    return pattern


def _written(parts: tuple[_Part, ...], message: Message, choices: Iterator[bool]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, _Option):
            if next(choices, part.said):
                yield from _written(part.parts, message, iter(()))
        elif isinstance(part, _Field):
            value = "" if part.name == "_" else getattr(message, part.name)
            yield part.kind.write(value)
        else:
            yield part
