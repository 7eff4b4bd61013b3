"""JSON Schemas of types, made from their annotations; the comments of fields describe them.

A TypedDict, a dataclass or a NamedTuple is an object of its fields. In `Annotated[X, ...]` a codec
says how X is written; other types, and tuples of database columns, add their fields to X's.
"""

from __future__ import annotations

import datetime as dt
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from sixprime.engine.codec import Codec, Layout, Scalar

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = Codec()
_SCALARS: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    dt.date: {"type": "string", "format": "date"},
    dt.datetime: {"type": "string", "format": "date-time"},
    object: {},
}


class Schemas:
    """Schemas of types; a class has a name, by which other schemas refer to it."""

    def __init__(self) -> None:
        self.named: dict[str, Schema] = {}
        self._names: dict[Any, str] = {}

    def of(self, hint: Any, codec: Codec = _PLAIN) -> Schema:
        """Return the schema of a type as the codec writes it."""
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated and isinstance(arguments[1], Codec):
            more = arguments[2:]
            return self.of(Annotated[arguments[0], *more] if more else arguments[0], arguments[1])
        if hint in _SCALARS:
            return dict(_SCALARS[hint])
        makers: dict[Any, Callable[[], Schema]] = {
            Literal: lambda: {"enum": list(arguments)},
            Union: lambda: _either([self.of(each, codec) for each in arguments]),
            UnionType: lambda: _either([self.of(each, codec) for each in arguments]),
            tuple: lambda: self._items(arguments, codec),
            list: lambda: self._items((*arguments, ...), codec),
            dict: lambda: self._mapping(arguments[0], arguments[1], codec),
        }
        return makers[origin]() if origin in makers else self._class(hint, codec)

    def _class(self, hint: Any, codec: Codec) -> Schema:
        if isinstance(hint, type) and issubclass(hint, Enum):
            return {"enum": [each.value for each in hint]}
        layout = codec.layouts.get(hint)
        if isinstance(layout, Scalar):
            return dict(_SCALARS[layout.json])
        return self._reference(hint, codec)

    def _items(self, parts: tuple[Any, ...], codec: Codec) -> Schema:
        if parts[1:] == (...,):
            return {"type": "array", "items": self.of(parts[0], codec)}
        return _row([self.of(each, codec) for each in parts])

    def _mapping(self, keys: Any, values: Any, codec: Codec) -> Schema:
        value = self.of(values, codec)
        if get_origin(keys) is Literal:
            return _object(dict.fromkeys(get_args(keys), value), get_args(keys))
        return {"type": "object", "additionalProperties": value}

    def _reference(self, hint: Any, codec: Codec) -> Schema:
        is_row = _is_row(hint, codec)
        key = hint, id(_PLAIN if codec is _ROWS and not is_row else codec)
        if key not in self._names:
            plain = _class_of(hint).__name__
            other = f"{plain}Row" if is_row else f"Recorded{plain}"
            name = other if plain in self.named else plain
            assert name not in self.named, name
            self._names[key], self.named[name] = name, {}
            about = inspect.cleandoc(_class_of(hint).__doc__ or "").split("\n\n")[0]
            says = {"description": " ".join(about.split())} if about else {}
            self.named[name] = says | self._whole(hint, codec)
        return {"$ref": f"#/$defs/{self._names[key]}"}

    def _whole(self, hint: Any, codec: Codec) -> Schema:
        """Return the schema of a class: its fields, and fields that are added to them."""
        if _is_row(hint, codec):
            parts = [schema | {"title": name} for name, schema, _ in self._fields(hint, codec)]
            return _row(parts)
        found, needed = dict[str, Schema](), list[str]()
        for part in get_args(hint) or (hint,):
            for name, schema, is_needed in self._fields(part, codec):
                found[name] = schema
                needed += [name] if is_needed else []
        return _object(found, needed)

    def _fields(self, hint: Any, codec: Codec) -> Iterator[tuple[str, Schema, bool]]:
        """Yield the fields, and whether each is always there."""
        if isinstance(hint, tuple):  # columns of a database
            for column in hint:
                kind = column.type.python_type
                yield column.name, self.of(kind | None if column.nullable else kind), True
            return
        hints, comments = get_type_hints(hint, include_extras=True), comments_of(hint)
        layout = codec.layouts.get(hint)
        layout = layout if isinstance(layout, Layout) else Layout()
        optional = _optional(hint, hints, codec)
        if layout.word:
            yield "kind", {"const": layout.word}, True
        for name in layout.fields or _names_of(hint, hints):
            kind = hints[name]
            kind = get_args(kind)[0] if get_origin(kind) is NotRequired else kind
            says = {"description": comments[name]} if comments.get(name) else {}
            within = _ROWS if codec is _PLAIN and is_dataclass(hint) else codec
            schema = self.of(kind, within)
            yield layout.keys.get(name, name), schema | says, name not in optional
        for name, path in layout.added.items():
            yield name, self.of(_attribute(hint, path), codec), True


_ROWS = Codec()  # `asdict` of a dataclass leaves a NamedTuple in it a row


def _class_of(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _is_row(hint: Any, codec: Codec) -> bool:
    layout = codec.layouts.get(hint)
    if isinstance(layout, Layout):
        return layout.row
    return codec is not _PLAIN and isinstance(hint, type) and issubclass(hint, tuple)


def _names_of(hint: Any, hints: Mapping[str, Any]) -> list[str]:
    return [each.name for each in fields(hint)] if is_dataclass(hint) else list(hints)


def _optional(hint: Any, hints: Mapping[str, Any], codec: Codec) -> frozenset[str]:
    if codec.sparse and is_dataclass(hint):
        return frozenset(
            each.name
            for each in fields(hint)
            if each.default is not MISSING or each.default_factory is not MISSING
        )
    return frozenset(name for name, kind in hints.items() if get_origin(kind) is NotRequired)


def _attribute(hint: Any, path: str) -> Any:
    """Return the type of an attribute of an attribute ..., a property's too."""
    for name in path.split("."):
        found = getattr(hint, name, None)
        source, key = (found.fget, "return") if isinstance(found, property) else (hint, name)
        hint = get_type_hints(source)[key]
    return hint


@cache
def comments_of(kind: type) -> dict[str, str]:
    """Return the comments at the end of the lines of a class's fields."""
    module = sys.modules[kind.__module__]
    declared = rf"^class {kind.__name__}\b(?:\((.*)\))?:\n((?:    .*\n|\n)+)"
    [(bases, body)] = re.findall(declared, inspect.getsource(module), re.M)
    found: dict[str, str] = {}
    for base in map(vars(module).get, bases.split(", ")):
        found |= comments_of(base) if is_typeddict(base) else {}
    return found | {
        name: re.sub(r"\bNone\b", "null", says)
        for name, says in re.findall(r"^    (\w+): .+?  # (.+)$", body, re.M)
    }


def _object(properties: Mapping[str, Schema], needed: Any) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(needed),
        "additionalProperties": False,
    }


def _row(parts: list[Schema]) -> Schema:
    if parts and all(part == parts[0] for part in parts):
        return {"type": "array", "items": parts[0]} | _length(parts)
    return {"type": "array", "prefixItems": parts, "items": False} | _length(parts)


def _length(parts: list[Schema]) -> Schema:
    return {"minItems": len(parts), "maxItems": len(parts)}


def _either(parts: list[Schema]) -> Schema:
    """Return the schema of a union, short if all its parts are scalars."""
    if all(part.keys() == {"type"} for part in parts):
        return {"type": [part["type"] for part in parts]}
    return {"anyOf": parts}
