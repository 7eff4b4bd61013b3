"""`sixprime bearoff check` and `entry`, beside gnubg's bearoffdump, and builds that go on."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.cli.main import main
from sixprime.engine.bearoff import iterating
from sixprime.engine.bearoff.databases import cached
from sixprime.engine.bearoff.entries import index_of, number_of_entries, open_database, position_at
from sixprime.engine.bearoff.files import Hypergammon, Kind, OneSided, TwoSided, write_database

DUMP = shutil.which("bearoffdump") or shutil.which("bearoffdump", path="/usr/games")
KINDS: dict[str, Kind] = {
    "one": OneSided(4),
    "normal": OneSided(3, normal=True),
    "two": TwoSided(3, 3),
    "cubeless": TwoSided(4, 2, cubeful=False),
    "hyper": Hypergammon(1),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("databases")
    for name, kind in KINDS.items():
        write_database(kind, folder / f"{name}.bd")
    return {name: folder / f"{name}.bd" for name in KINDS}


@given(name=st.sampled_from([*KINDS]), part=st.floats(0, 1))
def test_an_entry_has_one_position_and_a_position_one_entry(
    name: str, part: float, files: dict[str, Path]
) -> None:
    database = open_database(files[name])
    index = int(part * (number_of_entries(database) - 1))
    assert index_of(database, position_at(database, index)) == index


@pytest.mark.gnubg
@pytest.mark.skipif(DUMP is None, reason="there is no bearoffdump")
@pytest.mark.parametrize("name", ["one", "two", "hyper"])
def test_entries_are_those_of_bearoffdump(
    name: str, files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert DUMP is not None
    database = open_database(files[name])
    last = number_of_entries(database) - 1
    for index in range(1, last, last // 7):  # bearoffdump takes no 0
        words = [DUMP, "-n", str(index), str(files[name])]
        theirs = subprocess.run(words, text=True, capture_output=True, check=True).stdout
        assert main(["bearoff", "entry", str(files[name]), str(index), "--json"]) == 0
        ours = json.loads(capsys.readouterr().out)
        assert ours["entry"] == index
        if name == "one":  # it shows the side as the opponent's
            mean, deviation, epc = (
                float(re.findall(rf"{row}\t +\S+\t +(\S+)", theirs)[0])
                for row in ("Mean", "Std dev", "EPC")
            )
            told = (ours["mean"], ours["deviation"], ours["effective_pips"])
            assert told == pytest.approx((mean, deviation, epc), abs=6e-4)
            continue
        assert f"Position ID: {ours['position']}" in theirs
        rows = {"owned": "Owned cube", "centred": "Centered cube", "against": "Opponent owns cube"}
        for field, row in rows.items():
            (equity,) = re.findall(rf"{row} +: +(\S+)", theirs)
            assert ours[field] == pytest.approx(float(equity), abs=6e-5)
        again = ["bearoff", "entry", str(files[name]), ours["position"], "--json"]
        assert main(again) == 0
        assert json.loads(capsys.readouterr().out) == ours


def test_a_file_of_any_kind_is_named_and_shown(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    for name, kind in KINDS.items():
        assert main(["bearoff", "check", str(files[name])]) == 0
        assert f": {kind.called} (" in capsys.readouterr().out
        assert main(["bearoff", "entry", str(files[name]), "1"]) == 0
        assert "entry 1, Position ID " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["entry", "two.bd", "400"], "entries are numbered 0 to 399"),
        (["entry", "two.bd", "4HPwATDgc/ABMA"], "a side has 3 checkers on 3 points"),
        (["entry", "two.bd", "x"], "x"),
        (["entry", "none.bd", "1"], "No such file"),
        (["check", "text.bd"], "not a bearoff database"),
        (["check", "short.bd"], "cut off"),
        (["check", "wrong.bd"], "its checksum is wrong"),
    ],
)
def test_what_is_no_entry_is_refused_in_one_line(
    words: list[str],
    why: str,
    files: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = files["two"].parent
    monkeypatch.chdir(folder)
    whole = files["one"].read_bytes()
    (folder / "text.bd").write_text("no database, but longer than the header of one is\n")
    (folder / "short.bd").write_bytes(whole[:-1])
    (folder / "wrong.bd").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert main(["bearoff", *words]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1


# --- hypergammon without FILE


def test_hyper_says_where_the_database_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path))
    for how in (" in ", " already there"):
        assert main(["bearoff", "hyper", "--checkers", "1"]) == 0
        said = capsys.readouterr().err.splitlines()[-1]
        assert "hypergammon-1.bd: 18,968 bytes" in said
        assert how in said


def test_a_killed_build_goes_on_and_ends_with_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path))
    monkeypatch.setattr(iterating, "SAVE_EVERY_S", 0.0)
    whole = iterating.iterated(1, lambda done, total: None, 1)
    sweeps: list[int] = []

    def killing(done: int, total: int) -> None:
        sweeps.append(done)
        if len(sweeps) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cached(Hypergammon(1), killing)
    (state,) = tmp_path.rglob("*.state")
    resumed: list[int] = []
    contents = cached(Hypergammon(1), lambda done, total: resumed.append(done))
    assert bytes(contents[40:]) == whole.tobytes()
    assert resumed[0] == sweeps[3]  # the sweep that was not saved is done again
    assert not state.exists()


def test_a_broken_state_is_begun_anew(tmp_path: Path) -> None:
    state = tmp_path / "broken.state"
    whole = iterating.iterated(1, lambda done, total: None, 1)
    for broken in (b"", b"nonsense", b"\x93NUMPY\x01\x00"):
        state.write_bytes(broken)
        assert (iterating.iterated(1, lambda done, total: None, 1, state) == whole).all()
