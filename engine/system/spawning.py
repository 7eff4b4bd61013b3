"""Worker processes that ignore Ctrl-C."""

from __future__ import annotations

import signal
from multiprocessing.context import SpawnContext, SpawnProcess


class QuietProcess(SpawnProcess):
    """A process without Ctrl-C, which a terminal sends to its parent as well."""

    def start(self) -> None:
        before = signal.pthread_sigmask(
            signal.SIG_BLOCK, {signal.SIGINT}
        )  # the child inherits the mask
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class QuietContext(SpawnContext):
    """A context that spawns, since numba's threads do not survive a fork."""

    Process = QuietProcess
