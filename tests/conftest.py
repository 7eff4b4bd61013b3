"""Settings of the whole suite."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import settings

from sixprime.bot.cli import main
from sixprime.bot.cli.ready import mark
from sixprime.engine.compiling.place import kernels_folder
from sixprime.engine.compiling.preparations import ON_DEMAND, PREPARATIONS
from tests.support.answers import FAULTS, judging

# kernels compile inside the first example, and CI machines are slow now and then
settings.register_profile("sixprime", deadline=None, max_examples=60)
settings.load_profile("sixprime")


@pytest.fixture(autouse=True)
def _logs_as_by_default() -> Iterator[None]:
    """A command line that a test runs in this process sets up logging for all; take it back."""
    structlog.reset_defaults()
    yield
    structlog.reset_defaults()


@pytest.fixture(autouse=True)
def _json_as_in_its_schema() -> Iterator[None]:
    """Fail a test in which a command printed JSON that its schema does not describe."""
    FAULTS.clear()
    yield
    assert not FAULTS, "\n".join(FAULTS)


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of small nets with random weights."""
    from sixprime.engine.nets.weights import save_brain
    from tests.support.engine.brains import random_nets

    return str(save_brain(tmp_path_factory.mktemp("weights"), random_nets(), {}))


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: while a test waits for a process, its core is free."""
    return (os.cpu_count() or 1) + 1


def pytest_sessionstart() -> None:
    """No command that a test runs should announce what it compiles: that comes on stderr."""
    for each in (*PREPARATIONS, *ON_DEMAND):
        mark(each)
    setattr(main, "work_of", judging(main.work_of))  # noqa: B010 - mypy lets no function change
    # a command that a test starts with an empty cache has its own databases, and our kernels
    os.environ["NUMBA_CACHE_DIR"] = str(kernels_folder().parent)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need the real gnubg are skipped, with the reason, where there is none."""
    if shutil.which("gnubg") or Path("/usr/games/gnubg").exists():
        return
    missing = pytest.mark.skip(reason="needs gnubg (Debian package gnubg), which is not installed")
    for item in items:
        if "gnubg" in item.keywords:
            item.add_marker(missing)
