"""A message that kernels are being compiled; imports nothing heavy by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def announced(say: Callable[[], None]) -> Iterator[None]:
    """Call `say` once, before the first kernel that is compiled within the block."""
    from sixprime.engine.compiling.kept import compiling

    said: list[str] = []

    def once(kernel: str) -> None:
        said.append(kernel)
        if len(said) == 1:
            say()

    compiling.append(once)
    try:
        yield
    finally:
        compiling.remove(once)
