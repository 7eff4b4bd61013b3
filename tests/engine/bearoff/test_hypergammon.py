"""Hypergammon databases: byte for byte makehyper's, and refused when they are not whole."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from sixprime.bot.cli.main import main
from sixprime.engine.bearoff.databases import NotCovered
from sixprime.engine.bearoff.files import BadDatabase, Hypergammon, build, contents_of
from sixprime.engine.bearoff.hypergammon import HypergammonDatabase, hypergammon
from sixprime.engine.position import MatchState, Position, Variant
from sixprime.engine.search.decide import NoDecision, check

pytestmark = pytest.mark.patient

MAKEHYPER = Path("/usr/games/makehyper")
DIGESTS = {1: "a7c5848c841b2a5742f03b1bdaa01990", 2: "c76269ce0aac667a015dc3b85ea31921"}
FOUR_TIMES = "d922abd3d39e0a37bfe49503c291123e"  # makehyper -c 3, after 17 minutes


@pytest.mark.parametrize("checkers", DIGESTS)
def test_a_database_is_byte_for_byte_makehypers(checkers: int) -> None:
    kind = Hypergammon(checkers)
    contents = contents_of(kind, build(kind))
    assert hashlib.md5(contents.data).hexdigest() == DIGESTS[checkers]


@pytest.mark.slow
def test_three_checkers_are_makehypers_after_four_iterations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It needs two hours for all of them."""
    monkeypatch.setattr("sixprime.engine.bearoff.iterating.SMALLEST_CHANGE", 2.0)
    kind = Hypergammon(3)
    assert hashlib.md5(contents_of(kind, build(kind)).data).hexdigest() == FOUR_TIMES


@pytest.mark.gnubg
def test_makehyper_still_writes_these_bytes(tmp_path: Path) -> None:
    if not MAKEHYPER.exists():
        pytest.skip("needs makehyper (Debian package gnubg)")
    file = tmp_path / "hyper1.bd"
    command = [str(MAKEHYPER), "-n", "-c", "1", "-f", str(file)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    assert hashlib.md5(file.read_bytes()).hexdigest() == DIGESTS[1]


def test_a_row_shared_out_to_threads_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.engine.bearoff.iterating.ALONE", 1)
    kind = Hypergammon(1)
    contents = contents_of(kind, build(kind, threads=3))
    assert hashlib.md5(contents.data).hexdigest() == DIGESTS[1]


def test_a_lone_checker_on_each_ace_point_wins_a_gammon() -> None:
    side = (1, *([0] * 24))
    figures = hypergammon(1).figures(Position(side, side, 1))
    assert figures.chances == pytest.approx((1, 1, 0, 0, 0), abs=1e-6)
    assert figures.jacoby == pytest.approx(1, abs=1e-6)
    assert figures.owned == pytest.approx(2, abs=1e-6)


def test_a_position_of_another_game_is_refused() -> None:
    with pytest.raises(NotCovered, match="15 checkers"):
        hypergammon(1).figures(Position.start(Variant.STANDARD))


def test_nobody_waits_minutes_for_a_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sixprime.engine.bearoff.databases.cache_folder", lambda: tmp_path)
    hypergammon.cache_clear()
    with pytest.raises(
        NoDecision, match=r"needs its database: sixprime bearoff hyper --checkers 3"
    ):
        check(Position.start(Variant.HYPERGAMMON), MatchState())
    assert not list(tmp_path.iterdir())
    assert main(["hint", "AACAAAAAAgAAAA", "--level", "beginner", "--variant=hypergammon-3"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "needs its database: sixprime bearoff hyper --checkers 3" in line


def test_a_damaged_file_is_refused() -> None:
    kind = Hypergammon(1)
    contents = contents_of(kind, build(kind))
    contents[1000] ^= 1
    with pytest.raises(BadDatabase, match="checksum"):
        HypergammonDatabase(contents)
    with pytest.raises(BadDatabase, match="cut off"):
        HypergammonDatabase(contents[:-1])
