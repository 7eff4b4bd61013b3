"""SIGINT and SIGTERM, by which a terminal or a supervisor stops a program."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

STOPPING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` for each of these signals while the block runs in an event loop."""
    loop = asyncio.get_running_loop()
    for number in STOPPING:
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in STOPPING:
            loop.remove_signal_handler(number)
