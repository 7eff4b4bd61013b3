"""Workers leave Ctrl-C to the process that started them."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ProcessPoolExecutor

import pytest

from sixprime.engine.system.spawning import QuietContext

pytestmark = pytest.mark.patient


def interrupted() -> str:
    os.kill(os.getpid(), signal.SIGINT)
    return "alive"


def test_a_worker_outlives_ctrl_c_and_its_parent_still_gets_it() -> None:
    with ProcessPoolExecutor(1, QuietContext()) as pool:
        assert pool.submit(interrupted).result() == "alive"
    with pytest.raises(KeyboardInterrupt):
        interrupted()
