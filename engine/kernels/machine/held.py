"""Many arrays as one argument.

Nets and scratch are more than a hundred arrays, of seven words each. To unpack them at each call
from Python took longer than a play at 0-ply; to copy them from kernel to kernel, a tenth of a
search. A `Held` is the address of a named tuple; kernels read its members as if it were the tuple.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)

from sixprime.engine.kernels.machine.compiled import instruction, kernel

Whole = TypeVar("Whole", bound=tuple[Any, ...])


class HeldType(types.Type):
    """The type of a `Held` in kernels, and of its members that are tuples: an address."""

    def __init__(self, whole: Any) -> None:
        self.whole = whole
        super().__init__(name=f"Held({whole})")

    def member(self, name: str) -> Any:
        """Return the type of a member of the tuple."""
        kind = self.whole[self.whole.fields.index(name)]
        return _held_type(kind) if isinstance(kind, types.BaseNamedTuple) else kind


register_model(HeldType)(models.OpaqueModel)


_TYPES: dict[Any, HeldType] = {}  # by the type of the tuple: to make one takes a millisecond


def _held_type(kind: Any) -> HeldType:
    if kind not in _TYPES:
        _TYPES[kind] = HeldType(kind)
    return _TYPES[kind]


class Held(Generic[Whole]):
    """A named tuple of arrays, `Held`s and such tuples that kernels reach by its address."""

    def __init__(self, whole: Whole) -> None:
        self.whole = whole  # its arrays have to stay alive
        self._numba_type_ = _held_type(typeof(whole))
        self._memory = np.zeros(_words(whole), np.uint64)
        self.address = self._memory.ctypes.data
        put(whole, self.address)

    def __getattr__(self, name: str) -> Any:
        if name == "whole":  # not yet there in a copy
            raise AttributeError(name)
        return getattr(self.whole, name)


def _words(part: Any) -> int:
    """Return the size of a part in a kernel, in units of 8 bytes."""
    if isinstance(part, tuple):
        return sum(map(_words, part))
    return 5 + 2 * part.ndim if isinstance(part, np.ndarray) else 1


def _address(kind: Any, value: Any, context: Any) -> NativeValue:
    number = context.pyapi.object_getattr_string(value, "address")
    address = context.pyapi.long_as_voidptr(number)
    context.pyapi.decref(number)
    return NativeValue(address)


unbox(HeldType)(_address)


@instruction
def store_tuple(typing: Any, whole: Any, address: Any) -> Any:
    """Write a tuple to an address."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = context.get_value_type(signature.args[0]).as_pointer()
        builder.store(args[0], builder.inttoptr(args[1], pointer))
        return context.get_dummy_value()

    return types.void(whole, types.int64), code


@kernel
def put(whole, address):
    store_tuple(whole, address)


def _member_type(_: Any, kind: HeldType, name: str) -> Any:
    return kind.member(name) if name in kind.whole.fields else None


_MEMBERS = {"key": HeldType, "generic_resolve": _member_type}
infer_getattr(type("HeldMembers", (AttributeTemplate,), _MEMBERS))


def _read_member(context: Any, builder: Any, kind: Any, value: Any, name: str) -> Any:
    whole = builder.bitcast(value, context.get_value_type(kind.whole).as_pointer())
    pointer = cgutils.gep_inbounds(builder, whole, 0, kind.whole.fields.index(name))
    if isinstance(pointer.type.pointee, ir.Aggregate) and isinstance(kind.member(name), HeldType):
        return builder.bitcast(pointer, value.type)
    return _read(builder, pointer)


def _read(builder: Any, pointer: Any) -> Any:
    """Load each part of a value; none ever changes, so a loop need not load it again."""
    kind = pointer.type.pointee
    if not isinstance(kind, ir.Aggregate):
        loaded = builder.load(pointer)
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded
    value = ir.Constant(kind, ir.Undefined)
    for place in range(len(kind)):
        part = _read(builder, cgutils.gep_inbounds(builder, pointer, 0, place))
        value = builder.insert_value(value, part, place)
    return value


lower_getattr_generic(HeldType)(_read_member)
