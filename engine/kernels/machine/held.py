"""Many arrays as one argument from Python.

Nets and scratch are more than a hundred arrays: to unpack them at each call took longer than a
play at 0-ply. `Held` unpacks a tuple of them once, and `opened` gives it to a kernel.
"""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numba import typeof, types
from numba.extending import NativeValue, models, register_model, unbox

from sixprime.engine.kernels.machine.compiled import instruction, kernel

Whole = TypeVar("Whole", bound=tuple[Any, ...])


class HeldType(types.Type):
    """The type of a `Held` in kernels: the address of a tuple of the type `whole`."""

    def __init__(self, whole: Any) -> None:
        self.whole = whole
        super().__init__(name=f"Held({whole})")


register_model(HeldType)(models.OpaqueModel)


class Held(Generic[Whole]):
    """A tuple of arrays, and tuples of them, for calls from Python."""

    def __init__(self, whole: Whole) -> None:
        self.whole = whole  # its arrays have to stay alive
        self._numba_type_ = HeldType(typeof(whole))
        self._memory = np.zeros(_words(whole), np.uint64)
        self.address = self._memory.ctypes.data
        put(whole, self.address)


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


@instruction
def opened(typing: Any, held: Any) -> Any:
    """Return the tuple of a `Held`, in a `kernel`: nobody counts references to its arrays."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = context.get_value_type(signature.return_type).as_pointer()
        return builder.load(builder.bitcast(args[0], pointer))

    return held.whole(held), code


@kernel
def put(whole, address):
    store_tuple(whole, address)
