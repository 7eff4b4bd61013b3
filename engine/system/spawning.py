"""Processes of ours that compute beside this one; Ctrl-C is not for them."""

from __future__ import annotations

import signal
from multiprocessing.context import SpawnContext, SpawnProcess


class QuietProcess(SpawnProcess):
    """A terminal sends Ctrl-C to all its processes: the one that started this one answers it."""

    def start(self) -> None:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which it inherits
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class QuietContext(SpawnContext):
    """Spawns: numba's threads do not survive a fork."""

    Process = QuietProcess
