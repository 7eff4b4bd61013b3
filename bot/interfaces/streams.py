"""Requests as lines of a blocking stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO


def lines_of(requests: IO[bytes], most: int) -> Iterator[bytes]:
    """Yield every line, cut to `most` bytes."""
    while line := requests.readline(most):
        rest = line
        while len(rest) == most and not rest.endswith(b"\n"):
            rest = requests.readline(most)
        yield line
