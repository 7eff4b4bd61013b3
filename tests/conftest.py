"""Settings of the whole suite."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import settings

# kernels compile inside the first example, and CI machines are slow now and then
settings.register_profile("sixprime", deadline=None)
settings.load_profile("sixprime")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need the real gnubg are skipped, with the reason, where there is none."""
    if shutil.which("gnubg") or Path("/usr/games/gnubg").exists():
        return
    missing = pytest.mark.skip(reason="needs gnubg (Debian package gnubg), which is not installed")
    for item in items:
        if "gnubg" in item.keywords:
            item.add_marker(missing)
