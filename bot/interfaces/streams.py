"""Requests on a blocking stream: each line is answered before the next is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO


def lines_of(requests: IO[bytes], most: int) -> Iterator[bytes]:
    """Every line, cut to `most` bytes; the rest of a longer one is skipped."""
    while line := requests.readline(most):
        rest = line
        while len(rest) == most and not rest.endswith(b"\n"):
            rest = requests.readline(most)
        yield line
