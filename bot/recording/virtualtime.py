"""An event loop whose clock jumps to the next timer when nothing is ready: hours take a moment."""

from __future__ import annotations

import asyncio
import selectors
from typing import Any


class _Selector(selectors.DefaultSelector):
    """A selector that never waits, but lets the loop's clock jump."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> Any:
        if timeout:
            self.loop.jump(timeout)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._virtual = 0.0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        """Return seconds since the loop was made."""
        return self._virtual

    def jump(self, seconds: float) -> None:
        """Let time pass at once."""
        self._virtual += seconds
