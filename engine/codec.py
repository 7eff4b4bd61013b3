"""Values as JSON and back, for everything that is stored.

A `Codec` has a layout for each class that is not stored as an object of all its fields. It makes
one writer and one reader per type, from the type's annotations, and keeps them: a match has
thousands of values of few types.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum
from operator import attrgetter, itemgetter
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from sixprime.engine.system.errors import InputError

_SCALARS = frozenset({str, int, float, bool, NoneType})
Convert = Callable[[Any], Any]
Reader = tuple[Convert, frozenset[type]]  # and the JSON types of which values stay as they are
V = TypeVar("V")


@dataclass(frozen=True)
class Layout:
    """The form of one dataclass: an object of its fields, or a row of them."""

    fields: tuple[str, ...] = ()  # in this order; () takes all
    row: bool = False
    word: str = ""  # the value of "kind", which distinguishes classes of a union
    keys: Mapping[str, str] = field(default_factory=dict)  # by field, where they differ
    added: Mapping[str, str] = field(default_factory=dict)  # more entries: paths of attributes
    upgraded: Convert | None = None  # changes the entries before they are read


@dataclass(frozen=True)
class Scalar:
    """The form of a class that is stored as one value of a JSON type."""

    json: type
    pack: Convert
    unpack: Convert


class Codec:
    """Layouts by class, and what to do with defaults and unknown keys."""

    def __init__(
        self,
        layouts: Mapping[type, Layout | Scalar] | None = None,
        *,
        sparse: bool = False,
        lenient: bool = False,
    ) -> None:
        """`sparse` leaves out fields that have their default, `lenient` ignores unknown keys."""
        self.layouts = layouts or {}
        self.sparse = sparse
        self._lenient = lenient
        self._writers: dict[type, Convert] = {}
        self._readers: dict[Any, Reader] = {}

    # --- out

    def plain(self, value: object) -> Any:
        """Return the value as lists, mappings and scalars."""
        kind = type(value)
        if kind in _SCALARS:
            return value
        writer = self._writers.get(kind)
        if writer is None:
            writer = self._writers[kind] = self._make_writer(kind)
        return writer(value)

    def text(self, value: Any, **first: object) -> str:
        """Return a line of JSON; the entries in `first` come before the value's."""
        return line_of({**first, **self.plain(value)})

    def _make_writer(self, kind: type) -> Convert:
        layout = self.layouts.get(kind)
        if isinstance(layout, Scalar):
            return layout.pack
        if is_dataclass(kind):
            return self._writer_of_fields(kind, layout or Layout())
        ways: dict[type, Convert] = {
            Enum: attrgetter("value"),
            tuple: self._items,
            list: self._items,
            dict: lambda value: {key: self.plain(each) for key, each in value.items()},
            dt.date: lambda value: value.isoformat(),  # and a moment
            str: str,
            int: int,  # numpy's, say
            float: float,
        }
        for base, way in ways.items():
            if issubclass(kind, base):
                return way
        raise TypeError(f"no JSON for {kind.__name__}")

    def _items(self, value: tuple[Any, ...] | list[Any]) -> list[Any]:
        if _SCALARS.issuperset(map(type, value)):
            return list(value)
        return [each if type(each) in _SCALARS else self.plain(each) for each in value]

    def _writer_of_fields(self, kind: Any, layout: Layout) -> Convert:
        defaults = {each.name: each for each in fields(kind)}
        names = layout.fields or tuple(defaults)
        values_of = _values_getter(names)
        if layout.row:
            return lambda value: self._items(values_of(value))
        keys = [layout.keys.get(name, name) for name in names]
        first = {"kind": layout.word} if layout.word else {}
        added = [(key, attrgetter(path)) for key, path in layout.added.items()]
        left_out = [_default(defaults[name]) for name in names] if self.sparse else None

        def write(value: Any) -> dict[str, Any]:
            parts: Iterable[tuple[str, Any]] = zip(keys, values_of(value), strict=True)
            if left_out is not None:
                pairs = zip(parts, left_out, strict=True)
                parts = (part for part, default in pairs if part[1] != default)
            plain = first | {
                key: part if type(part) in _SCALARS else self.plain(part) for key, part in parts
            }
            for key, entry in added:
                plain[key] = self.plain(entry(value))
            return plain

        return write

    # --- in

    def value(self, hint: type[V], plain: Any, place: str = "") -> V:
        """Return the value of this type that `plain` stands for; InputError says where it fails."""
        read, kept = self._reader(hint)
        try:
            return cast("V", plain if type(plain) in kept else read(plain))
        except _Misfit as error:
            where = "".join(reversed(error.places))
            path = f"{place}{where}" if place else where.removeprefix(".")
            raise InputError(f"{path}: {error}" if path else str(error)) from error

    def _reader(self, hint: Any) -> Reader:
        """Return the reader of a type, made once."""
        reader = self._readers.get(hint)
        if reader is None:
            reader = self._readers[hint] = self._make_reader(hint)
        return reader

    def _make_reader(self, hint: Any) -> Reader:
        origin, inner = get_origin(hint), get_args(hint)
        layout = self.layouts.get(hint) if isinstance(hint, type) else None
        if origin in (Union, UnionType):
            return self._reader_of_one(inner)
        read: Convert | None = None
        if isinstance(layout, Scalar):
            read = _unpacker(layout)
        elif origin is list or inner[1:] == (Ellipsis,):
            read = self._reader_of_many(inner[0], origin)
        elif origin is tuple:
            read = self._reader_of_row(inner, tuple)
        elif origin is dict:
            read = self._reader_of_mapping(inner[1])
        elif is_dataclass(hint):
            read = self._reader_of_fields(hint, layout or Layout())
        elif isinstance(hint, type) and issubclass(hint, tuple):  # a Step, say
            hints = tuple(get_type_hints(hint).values())
            read = self._reader_of_row(hints, cast("Any", hint)._make)
        return _leaf(hint) if read is None else (read, frozenset())

    def _reader_of_fields(self, kind: Any, layout: Layout) -> Convert:
        hints = get_type_hints(kind)
        own = tuple(each.name for each in fields(kind) if each.init)
        names = layout.fields or own
        in_order = itemgetter(*map(names.index, own)) if set(names) == set(own) else None
        if layout.row:
            assert in_order is not None, f"a row of {kind.__name__} lacks fields"
            hints_of_row = tuple(hints[name] for name in names)
            return self._reader_of_row(hints_of_row, lambda items: kind(*in_order(items)))
        parts = {layout.keys.get(name, name): (name, *self._reader(hints[name])) for name in names}
        whole = [(key, read, kept) for key, (_, read, kept) in parts.items()]

        def read(plain: Any) -> Any:
            _expect(dict, plain)
            if layout.upgraded is not None:
                plain = _upgraded(layout.upgraded, plain)
            if self._lenient and in_order is not None:  # in half the time
                with suppress(KeyError, _Misfit):  # or else one is missing or wrong
                    items = [
                        item if type(item := plain[key]) in kept else read(item)
                        for key, read, kept in whole
                    ]
                    return kind(*in_order(items))
            if not self._lenient and (unknown := plain.keys() - parts.keys() - {"kind"}):
                raise _Misfit(f"no field {min(unknown)!r}")
            values = {}
            try:
                for key, item in plain.items():
                    if key in parts:
                        name, read, kept = parts[key]
                        values[name] = item if type(item) in kept else read(item)
            except _Misfit as error:
                error.places.append(f".{key}")
                raise
            try:
                return kind(**values)
            except TypeError as error:
                raise _Misfit(error) from error

        return read

    def _reader_of_one(self, kinds: tuple[Any, ...]) -> Reader:
        """Choose the class by its word, or by the JSON type that it is stored as."""
        choices = [kind for kind in kinds if kind is not NoneType]
        none = frozenset(kind for kind in kinds if kind is NoneType)
        if len(choices) == 1:
            read, kept = self._reader(choices[0])
            return (lambda plain: None if plain is None and none else read(plain)), kept | none
        by_word: dict[Any, Convert] = {}
        by_type: dict[type, Convert] = {}
        for kind in choices:
            read, kept = self._reader(kind)
            layout = self.layouts.get(kind)
            if isinstance(layout, Layout) and layout.word:
                by_word[layout.word] = read
            by_type |= dict.fromkeys(kept or {_json_type(layout)}, read)

        def choose(plain: Any) -> Any:
            if plain is None and none:
                return None
            word = plain.get("kind") if isinstance(plain, dict) and by_word else None
            read = by_word.get(word) if by_word else by_type.get(type(plain))
            if read is None:
                raise _Misfit(f"no kind {word!r}")
            return read(plain)

        return choose, none

    def _reader_of_many(self, hint: Any, build: Convert) -> Convert:
        read, kept = self._reader(hint)

        def read_many(plain: Any) -> Any:
            _expect(list, plain)
            if kept.issuperset(map(type, plain)):
                return build(plain)
            try:
                return build([item if type(item) in kept else read(item) for item in plain])
            except _Misfit:
                return build(_each(plain, [(read, kept)] * len(plain)))  # says which item

        return read_many

    def _reader_of_row(self, hints: tuple[Any, ...], build: Convert) -> Convert:
        readers = [self._reader(hint) for hint in hints]
        same = frozenset.intersection(*(kept for _, kept in readers))

        def read_row(plain: Any) -> Any:
            _expect(list, plain)
            if len(plain) != len(readers):
                raise _Misfit(f"{len(plain)} items where {len(readers)} belong")
            return build(plain if same.issuperset(map(type, plain)) else _each(plain, readers))

        return read_row

    def _reader_of_mapping(self, hint: Any) -> Convert:
        read_values = self._reader_of_many(hint, list)

        def read_mapping(plain: Any) -> Any:
            _expect(dict, plain)
            return dict(zip(plain, read_values(list(plain.values())), strict=True))

        return read_mapping


class _Misfit(Exception):
    """A value is not of its type; `places` lead to it, innermost first."""

    def __init__(self, why: object) -> None:
        super().__init__(str(why))
        self.places: list[str] = []


def line_of(tree: Any) -> str:
    """Return lists, mappings and scalars as one line of JSON."""
    return json.dumps(tree, ensure_ascii=False, check_circular=False, separators=(",", ":"))


def tree_of(text: str | bytes) -> Any:
    """Return the value in a JSON text; InputError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}") from error


def _values_getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _default(each: Any) -> object:
    return each.default if each.default_factory is MISSING else each.default_factory()


def _json_type(layout: Layout | Scalar | None) -> type:
    if isinstance(layout, Scalar):
        return layout.json
    return list if layout is not None and layout.row else dict


def _expect(kind: type, plain: Any) -> None:
    if type(plain) is not kind:
        raise _Misfit(f"{plain!r} is not {'a list' if kind is list else 'an object'}")


def _each(plain: list[Any], readers: list[Reader]) -> list[Any]:
    """Read the items of a list, each with its reader."""
    values: list[Any] = []
    try:
        for item, (read, kept) in zip(plain, readers, strict=True):
            values.append(item if type(item) in kept else read(item))
    except _Misfit as error:
        error.places.append(f"[{len(values)}]")
        raise
    return values


def _upgraded(upgrade: Convert, plain: dict[str, Any]) -> dict[str, Any]:
    try:
        return cast("dict[str, Any]", upgrade(plain))
    except LookupError as error:
        raise _Misfit(f"no field {error}") from error


def _unpacker(layout: Scalar) -> Convert:
    def read(plain: Any) -> Any:
        try:
            return layout.unpack(plain)
        except (LookupError, TypeError, ValueError) as error:
            raise _Misfit(error) from error

    return read


def _leaf(hint: Any) -> Reader:
    """Return the reader of a scalar, a moment or a member of an Enum."""
    if hint in (dt.date, dt.datetime):
        return _moment(hint), frozenset()
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _unpacker(Scalar(object, attrgetter("value"), hint)), frozenset()

    def read(plain: Any) -> Any:
        if hint is float and type(plain) is int:
            return float(plain)
        raise _Misfit(f"{plain!r} is not of type {getattr(hint, '__name__', hint)}")

    return read, frozenset({hint} & _SCALARS)


def _moment(kind: Any) -> Convert:
    def read(plain: Any) -> Any:
        try:
            return kind.fromisoformat(plain)
        except (TypeError, ValueError) as error:
            raise _Misfit(f"{plain!r} is not a {kind.__name__}") from error

    return read
