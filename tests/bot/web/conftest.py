"""Fixtures of the tests of the pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.web.person import Served


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("web")) as made:
        yield made
