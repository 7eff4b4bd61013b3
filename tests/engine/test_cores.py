"""Systems that do not say which cores a process may use."""

from __future__ import annotations

import os

import pytest

from sixprime.engine.cores import usable_cores
from tests.places import ROOT


def test_where_affinity_is_unknown_all_cores_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")  # macOS has none
    assert usable_cores() == (os.cpu_count() or 1)


def test_nothing_else_asks_for_what_only_linux_has() -> None:
    asking = {
        path.name
        for room in ("bot", "engine", "protocols")
        for path in (ROOT / room).rglob("*.py")
        if "sched_" in path.read_text(encoding="utf-8")
    }
    assert asking == {"cores.py"}
