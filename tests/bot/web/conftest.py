"""Fixtures of the tests of the pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest

from sixprime.bot.process.workers import Pool, cores
from sixprime.bot.web.library import actions
from tests.support.web.person import CHROMIUM, Served


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("web")) as made:
        yield made


@pytest.fixture(scope="module", autouse=True)
def _no_browser_outlives_its_module() -> Iterator[None]:
    yield
    CHROMIUM.close()


@pytest.fixture(autouse=True)
def _long_work_at_usual_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let long work of sites in this process run beside other tests, not after all of them."""

    def unyielding(processes: int, *, yielding: bool) -> AbstractContextManager[Pool]:
        assert yielding
        return cores(processes)

    monkeypatch.setattr(actions, "cores", unyielding)
    monkeypatch.setattr(actions, "at_lowest_priority", lambda: None)
