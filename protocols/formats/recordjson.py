"""A Match as JSON, for the archive: `to_json` and `from_json` are inverse to each other.

The layout follows the classes of protocols.formats.record: a field that has its default value is
left out, and where several classes are possible "kind" says which one it is, in the words of
`KINDS`. Version 1 is the only one so far; a version that changes the layout must convert older
ones here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
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
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, tuple):  # a Step too
        return [plain_of(item) for item in value]
    if is_dataclass(value):
        plain = {
            each.name: plain_of(getattr(value, each.name))
            for each in fields(value)
            if getattr(value, each.name) != _default(each)
        }
        word = _WORDS.get(type(value))
        return plain if word is None else {"kind": word, **plain}
    return value


def _default(each: Field[Any]) -> object:
    if each.default_factory is not MISSING:
        return each.default_factory()
    return each.default


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def value_of(hint: Any, plain: Any, path: str) -> Any:
    """The inverse of `plain_of` for a value of type `hint`; BadRecord says where it fails."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _one_of(get_args(hint), plain, path)
    if origin is tuple:
        return _tuple(get_args(hint), plain, path)
    if isinstance(hint, type) and issubclass(hint, tuple):  # a Step, say
        return hint(*_tuple(tuple(_hints(hint).values()), plain, path))
    if is_dataclass(hint) and isinstance(hint, type):
        return _instance(hint, plain, path)
    return _leaf(hint, plain, path)


def _leaf(hint: Any, plain: Any, path: str) -> object:
    if hint in (date, datetime):
        return _moment(hint, plain, path)
    if isinstance(hint, type) and issubclass(hint, Enum):
        try:
            return hint(plain)
        except ValueError as error:
            raise BadRecord(f"{path}: {error}") from error
    if hint is float and type(plain) is int:
        return float(plain)
    if hint not in _SCALARS or type(plain) is not hint:
        raise BadRecord(f"{path}: {plain!r} is not of type {getattr(hint, '__name__', hint)}")
    return plain


def _instance(kind: type, plain: Any, path: str) -> object:
    if not isinstance(plain, dict):
        raise BadRecord(f"{path}: {plain!r} is not an object")
    hints = _hints(kind)  # of fields alone: the classes of a record have nothing else
    values = {}
    for name, item in plain.items():
        if name == "kind":
            continue
        if name not in hints:
            raise BadRecord(f"{path}: no field {name!r}")
        values[name] = value_of(hints[name], item, f"{path}.{name}")
    try:
        return kind(**values)
    except TypeError as error:
        raise BadRecord(f"{path}: {error}") from error


def _one_of(kinds: tuple[Any, ...], plain: Any, path: str) -> object:
    if plain is None and NoneType in kinds:
        return None
    choices = [kind for kind in kinds if kind is not NoneType]
    if len(choices) == 1:
        return value_of(choices[0], plain, path)
    name = plain.get("kind") if isinstance(plain, dict) else None
    for kind in choices:
        if name is not None and _WORDS.get(kind) == name:
            return value_of(kind, plain, path)
    raise BadRecord(f"{path}: no kind {name!r}")


def _tuple(hints: tuple[Any, ...], plain: Any, path: str) -> tuple[Any, ...]:
    if not isinstance(plain, list):
        raise BadRecord(f"{path}: {plain!r} is not a list")
    if len(hints) == 2 and hints[1] is Ellipsis:
        hints = (hints[0],) * len(plain)
    if len(hints) != len(plain):
        raise BadRecord(f"{path}: {len(plain)} items where {len(hints)} belong")
    return tuple(
        value_of(hint, item, f"{path}[{i}]")
        for i, (hint, item) in enumerate(zip(hints, plain, strict=True))
    )


def _moment(hint: Any, plain: Any, path: str) -> object:
    try:
        return hint.fromisoformat(plain)
    except (TypeError, ValueError) as error:
        raise BadRecord(f"{path}: {plain!r} is not a {hint.__name__}") from error
