"""How kernels are compiled."""

from __future__ import annotations

from typing import Any

from numba import njit
from numba.extending import intrinsic

_njit: Any = njit  # its type stubs leave out some options
instruction: Any = intrinsic  # a function that writes LLVM's instructions itself


def kernel(function: Any) -> Any:
    """Compile a function that works on its caller's arrays, and neither makes nor returns any.

    Then numba need not count references to arrays, which would take a third of the time of an
    evaluation: two atomic additions for every array of a net or a workspace that is touched.
    A kernel calls only kernels. What makes arrays for them, once for a whole batch, is marked
    `@njit(cache=True, nogil=True)` instead.
    """
    return _njit(cache=True, nogil=True, _nrt=False)(function)


def fusing_kernel(function: Any) -> Any:
    """`kernel` that may multiply and add in one step, which rounds once instead of twice."""
    return _njit(cache=True, nogil=True, _nrt=False, fastmath={"contract"})(function)
