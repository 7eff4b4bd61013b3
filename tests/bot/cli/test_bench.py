"""`sixprime bench`: the shape of its object. Figures are for people to compare."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sixprime.bot.cli.lab import bench
from sixprime.bot.cli.lab.bench import Measurement
from sixprime.bot.cli.main import main
from sixprime.engine.bearoff.files import OneSided, TwoSided
from sixprime.engine.lab.measuring import gnubg

pytestmark = pytest.mark.patient

SMALL = {
    "one-sided 2": (OneSided(2), ["-o", "2"]),
    "two-sided 6x1": (TwoSided(6, 1), ["-t", "6x1"]),
}


def measured(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["bench", *words]) == 0
    result = json.loads(capsys.readouterr().out)
    assert isinstance(result, dict)
    return result


def gnubgs(folder: Path, *vectors: str) -> list[str]:
    """Programs that tell of their builds as gnubg does."""
    made = []
    for number, name in enumerate(vectors):
        told = f"GNU Backgammon 9.9\n\nCopyright\n\nPython 3 supported.\n{name} supported.\n"
        made.append(folder / f"gnubg{number}")
        made[-1].write_text(f"#!/bin/sh\ncat <<END\n{told}END\n")
        made[-1].chmod(0o755)
    return [str(program) for program in made]


def test_what_is_no_gnubg_is_not_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "--peer-command", str(tmp_path / "none")]) == 2
    assert "none: no program" in capsys.readouterr().err
    assert main(["bench", "--peer-command", "/bin/true"]) == 2
    assert "/bin/true: not a gnubg" in capsys.readouterr().err


def test_ratios_are_above_one_where_we_are_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    speeds = dict(zip(gnubgs(tmp_path, "SSE/SSE2", "AVX"), (100.0, 150.0), strict=True))
    slow, fast = speeds
    monkeypatch.setattr(gnubg, "GNUBG", slow)
    rows = (
        Measurement("plays_per_second", lambda: 300.0, speeds.__getitem__),
        Measurement("build_s", lambda: {"a": 2.0, "b": 1.0}, lambda _: {"a": 8.0}, False),
        Measurement("alone", lambda: 12345.678),
    )
    monkeypatch.setattr(bench, "MEASUREMENTS", rows)
    assert measured(capsys) == {
        "plays_per_second": 300.0,
        "build_s": {"a": 2.0, "b": 1.0},
        "alone": 12350.0,
    }
    with_peer = measured(capsys, "--peer", "gnubg")
    built = {"name": "gnubg", "command": slow, "version": "GNU Backgammon 9.9", "simd": "SSE/SSE2",
             "features": ["Python 3", "SSE/SSE2"]}  # fmt: skip
    peer = {**built, "plays_per_second": 100.0, "build_s": {"a": 8.0}}
    ratio = {"plays_per_second": 3.0, "build_s": {"a": 4.0}}
    assert (with_peer["peer"], with_peer["ratio"]) == (peer, ratio)
    assert "more_peers" not in with_peer
    both = measured(capsys, "--peer-command", slow, fast)
    assert (both["peer"], both["ratio"]) == (peer, ratio)
    assert isinstance(both["more_peers"], list)
    [more] = both["more_peers"]
    assert (more["peer"]["command"], more["peer"]["simd"]) == (fast, "AVX")
    assert more["ratio"] == {"plays_per_second": 2.0, "build_s": {"a": 4.0}}
    assert measured(capsys, "--only", "alone") == {"alone": 12350.0}


def test_an_unknown_measurement_is_refused_with_those_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["bench", "--only", "speed"]) == 2
    error = capsys.readouterr().err
    assert "no measurement 'speed'" in error
    assert "bearoff_s" in error


def test_every_measurement_of_our_own_gives_positive_figures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "MEASURED_S", 0.01)
    monkeypatch.setattr(bench, "_databases", lambda: SMALL)
    figures = measured(capsys, "--only", "positions_generated_per_second", "bearoff_s")
    assert figures["positions_generated_per_second"]
    assert figures["bearoff_s"] and set(SMALL) == set(dict(figures["bearoff_s"]))  # type: ignore[call-overload]


def test_a_decision_is_timed_at_every_depth(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = bench._mixed_decisions()[:2]
    monkeypatch.setattr(bench, "_mixed_decisions", lambda: few)
    monkeypatch.setattr(bench, "DEPTHS", (0, 1))
    figures = measured(capsys, "--only", "decision_ms")["decision_ms"]
    assert isinstance(figures, dict)
    assert set(figures) == {"play 0-ply", "cube 0-ply", "play 1-ply", "cube 1-ply"}
    assert min(figures.values()) > 0


def test_the_timed_decisions_are_mixed_and_always_the_same() -> None:
    decisions = bench._mixed_decisions()
    assert decisions == bench._mixed_decisions()
    assert len(set(decisions)) == bench.DECISIONS == 200


@pytest.mark.gnubg
def test_gnubg_is_timed_on_the_same_decisions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = bench._mixed_decisions()[:2]
    monkeypatch.setattr(bench, "_mixed_decisions", lambda: few)
    monkeypatch.setattr(bench, "DEPTHS", (0, 1))
    figures = bench._gnubg_decision_ms("")
    assert isinstance(figures, dict)
    assert set(figures) == {"play 0-ply", "cube 0-ply", "play 1-ply", "cube 1-ply"}
    assert min(figures.values()) > 0


@pytest.mark.gnubg
def test_makebearoff_is_timed_on_the_same_databases(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not Path("/usr/games/makebearoff").exists():
        pytest.skip("makebearoff (Debian package gnubg) is not installed")
    monkeypatch.setattr(bench, "_databases", lambda: SMALL)
    figures = measured(capsys, "--only", "bearoff_s", "--peer", "gnubg")
    for key in ("peer", "ratio"):
        part = figures[key]
        assert isinstance(part, dict)
        assert set(part["bearoff_s"]) == set(SMALL)


def test_without_makebearoff_the_peer_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "_databases", lambda: SMALL)
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    assert main(["bench", "--only", "bearoff_s", "--peer", "gnubg"]) == 2
    assert "Debian package gnubg" in capsys.readouterr().err
