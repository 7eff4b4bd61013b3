"""A Match as JSON, for the archive: `to_json` and `from_json` are inverse to each other.

The layout follows the classes of protocols.formats.record: a field that has its default value is
left out, and where several classes are possible "kind" says which one it is, in the words of
`KINDS`. Version 1 is the only one so far; a version that changes the layout must convert older
ones here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from sixprime.engine.analysis.values import EvalContext, RolloutResult
from sixprime.protocols.formats.record import (
    BadRecord,
    Cube,
    Interruption,
    Match,
    Resignation,
    SetBoard,
    Turn,
)

VERSION = 1
# The "kind" of each class in a union. Never change a word: stored matches use them.
KINDS: Mapping[str, type] = {
    "Turn": Turn,
    "Cube": Cube,
    "Resignation": Resignation,
    "Interruption": Interruption,
    "Setup": SetBoard,
    "Settings": EvalContext,
    "Rollout": RolloutResult,
}
_WORDS = {kind: word for word, kind in KINDS.items()}
_SCALARS = (str, int, float, bool)


def to_json(match: Match) -> str:
    """One line of text."""
    return json.dumps(
        {"version": VERSION, **plain_of(match)}, ensure_ascii=False, separators=(",", ":")
    )


def from_json(text: str) -> Match:
    """The match that `to_json` wrote; BadRecord says where the text is not one."""
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRecord(f"not JSON: {error}") from error
    if not isinstance(plain, dict) or plain.get("version") != VERSION:
        raise BadRecord(f"not a match record of version {VERSION}")
    del plain["version"]
    match = value_of(Match, plain, "match")
    assert isinstance(match, Match)
    return match


def plain_of(value: object) -> Any:
    """A match, or anything in it, as lists, mappings and scalars that json can write."""
    if value is None or type(value) in _SCALARS:  # as most are
        return value
    if isinstance(value, tuple):  # a Step too
        return [plain_of(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if is_dataclass(value):
        kind: Any = type(value)
        plain = {
            name: plain_of(item)
            for name, default in _defaults(kind)
            if (item := getattr(value, name)) != default
        }
        word = _WORDS.get(kind)
        return plain if word is None else {"kind": word, **plain}
    raise TypeError(f"no JSON for {value!r}")


@cache
def _defaults(kind: Any) -> list[tuple[str, object]]:
    return [
        (each.name, each.default if each.default_factory is MISSING else each.default_factory())
        for each in fields(kind)
    ]


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def value_of(hint: Any, plain: Any, path: str) -> Any:
    """The inverse of `plain_of` for a value of type `hint`; BadRecord says where it fails."""
    try:
        return _reader(hint)(plain)
    except _Misfit as error:
        where = "".join(reversed(error.places))
        raise BadRecord(f"{path}{where}: {error}") from error


Reader = Callable[[Any], Any]


class _Misfit(Exception):
    """A value is not of its type; `places` lead to it, innermost first."""

    def __init__(self, why: object) -> None:
        super().__init__(str(why))
        self.places: list[str] = []


@cache
def _reader(hint: Any) -> Reader:
    """A function that reads values of this type, made once per type."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _one_of(get_args(hint))
    if origin is tuple:
        return _tuple(get_args(hint))
    if isinstance(hint, type) and issubclass(hint, tuple):  # a Step, say
        items = _tuple(tuple(_hints(hint).values()))
        return lambda plain: hint(*items(plain))
    if is_dataclass(hint) and isinstance(hint, type):
        return _instance(hint)
    return _leaf(hint)


def _leaf(hint: Any) -> Reader:
    if hint in (date, datetime):
        return _moment(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _member(hint)
    known = hint in _SCALARS

    def read(plain: Any) -> Any:
        if known and type(plain) is hint:
            return plain
        if hint is float and type(plain) is int:
            return float(plain)
        raise _Misfit(f"{plain!r} is not of type {getattr(hint, '__name__', hint)}")

    return read


def _member(kind: type[Enum]) -> Reader:
    def read(plain: Any) -> Enum:
        try:
            return kind(plain)
        except ValueError as error:
            raise _Misfit(error) from error

    return read


def _instance(kind: type) -> Reader:
    hints = _hints(kind)  # of fields alone: the classes of a record have nothing else

    def read(plain: Any) -> object:
        if not isinstance(plain, dict):
            raise _Misfit(f"{plain!r} is not an object")
        values = {}
        for name, item in plain.items():
            if name == "kind":
                continue
            if name not in hints:
                raise _Misfit(f"no field {name!r}")
            try:
                values[name] = _reader(hints[name])(item)
            except _Misfit as error:
                error.places.append(f".{name}")
                raise
        try:
            return kind(**values)
        except TypeError as error:
            raise _Misfit(error) from error

    return read


def _one_of(kinds: tuple[Any, ...]) -> Reader:
    choices = [kind for kind in kinds if kind is not NoneType]
    optional = len(choices) < len(kinds)
    words = {_WORDS[kind]: kind for kind in choices if kind in _WORDS}

    def read(plain: Any) -> object:
        if plain is None and optional:
            return None
        if len(choices) == 1:
            return _reader(choices[0])(plain)
        name = plain.get("kind") if isinstance(plain, dict) else None
        if not isinstance(name, str) or name not in words:
            raise _Misfit(f"no kind {name!r}")
        return _reader(words[name])(plain)

    return read


def _tuple(hints: tuple[Any, ...]) -> Reader:
    any_number = len(hints) == 2 and hints[1] is Ellipsis

    def read(plain: Any) -> tuple[Any, ...]:
        if not isinstance(plain, list):
            raise _Misfit(f"{plain!r} is not a list")
        kinds = (hints[0],) * len(plain) if any_number else hints
        if len(kinds) != len(plain):
            raise _Misfit(f"{len(plain)} items where {len(kinds)} belong")
        found: list[Any] = []
        try:
            for kind, item in zip(kinds, plain, strict=True):
                found.append(_reader(kind)(item))
        except _Misfit as error:
            error.places.append(f"[{len(found)}]")
            raise
        return tuple(found)

    return read


def _moment(kind: Any) -> Reader:
    def read(plain: Any) -> object:
        try:
            return kind.fromisoformat(plain)
        except (TypeError, ValueError) as error:
            raise _Misfit(f"{plain!r} is not a {kind.__name__}") from error

    return read
