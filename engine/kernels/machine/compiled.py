"""Decorators that compile kernels."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from sixprime.engine.compiling.kept import compiled

instruction: Any = intrinsic  # a function that writes LLVM's instructions itself


def kernel(function: Any) -> Any:
    """Compile a function that works on its caller's arrays, and neither makes nor returns any.

    Then numba need not count references to arrays, which would take a third of the time of an
    evaluation: two atomic additions for every array of a net or scratch that is touched.
    A kernel calls only kernels. A function that makes arrays for them, once for a whole batch, is
    an `array_kernel`.
    """
    return compiled(function, _nrt=False)


def fusing_kernel(function: Any) -> Any:
    """`kernel` that may multiply and add in one step, which rounds once instead of twice."""
    return compiled(function, _nrt=False, fastmath={"contract"})


def array_kernel(function: Any) -> Any:
    """Compile a function that makes arrays."""
    return compiled(function)


@instruction
def stay_whole(typing: Any) -> Any:
    """Keep the kernel that says so out of its callers, where LLVM would compile it again.

    It takes microseconds, so a call more costs nothing; copies of it doubled the time to compile.
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), code
