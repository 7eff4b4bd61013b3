"""How kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def kernel(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Compile a function that works on its caller's arrays, and neither makes nor returns any.

    Then numba need not count references to arrays, which otherwise takes a third of the time of an
    evaluation: every array of a net or a workspace that is touched costs two atomic additions.
    A kernel calls only kernels. What makes arrays for them, once for a whole batch, says
    `@njit(cache=True, nogil=True)` instead.
    """
    compile_: Any = njit  # whose types do not tell of all its options
    return compile_(cache=True, nogil=True, _nrt=False, **options)(function)
