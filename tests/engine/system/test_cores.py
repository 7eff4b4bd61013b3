"""Systems that do not say which cores a process may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sixprime.engine.system import cores as where
from sixprime.engine.system.cores import usable_cores
from tests.support.places import ROOT


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


@pytest.mark.parametrize(
    ("quotas", "cores"),
    [({}, 8), ({"a/b": "max 100000"}, 8), ({"a/b": "50000 100000"}, 1), ({"": "150000 100000"}, 2),
     ({"a": "300000 100000", "a/b": "max 100000"}, 3), ({"a/b": "?"}, 8)],
)  # fmt: skip
def test_a_container_or_service_uses_as_many_cores_as_its_quota_pays(
    quotas: dict[str, str], cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = tmp_path / "ours"
    ours.write_text("1:name=systemd:/x\n0::/a/b\n")
    for group, quota in quotas.items():
        (tmp_path / group).mkdir(parents=True, exist_ok=True)
        (tmp_path / group / "cpu.max").write_text(quota)
    monkeypatch.setattr(where, "OUR_GROUP", ours)
    monkeypatch.setattr(where, "GROUPS", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert where.usable_cores() == cores
