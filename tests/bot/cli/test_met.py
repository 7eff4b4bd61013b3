"""`sixprime met`, and `--met` where a score matters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sixprime.bot.cli.main import main
from sixprime.bot.settings.levels import described, read_level
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.cube import cubeful_equity
from sixprime.engine.system.errors import ConfigError
from tests.support.gnubg.program import typed

HALF = (0.5, 0.13, 0.0, 0.13, 0.0)


def test_tables_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["met", "list"]) == 0
    assert "kazaross-xg2 (default)" in capsys.readouterr().out
    assert main(["met", "show", "woolsey", "--length", "5", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["before"][0][1] == 0.7
    assert shown["post_crawford"][0][:3] == [0.5, 0.485, 0.3]
    assert main(["met", "show", "--length", "15"]) == 0
    assert "67.74" in capsys.readouterr().out


@pytest.mark.gnubg
def test_all_scores_of_gnubgs_tables_are_those_that_gnubg_shows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its own files, 64 points and more digits than we print: 50,000 numbers."""
    files = sorted(Path("/usr/share/gnubg/met").glob("*.xml"))
    files = [file for file in files if file.stem != "catalog"]
    assert len(files) >= 12
    shows = (f"set matchequitytable {file}\nshow matchequitytable 64\n" for file in files)
    tables = typed("".join(shows), tmp_path).split("Pre-Crawford table:")[1:]
    for file, table in zip(files, tables, strict=True):
        rows = [line.split() for line in table.splitlines()]
        printed = [list(map(float, row[1:])) for row in rows if len(row) == 65]
        assert main(["met", "show", str(file), "--length", "64", "--json"]) == 0
        ours = json.loads(capsys.readouterr().out)
        assert len(printed) == 66
        for row, shown in zip([*ours["before"], *ours["post_crawford"]], printed, strict=True):
            assert [100 * chance for chance in row] == pytest.approx(shown, abs=6e-5), file


def test_a_score_shows_both_players_windows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["met", "score", "0-3", "7", "--json", "--gammons", "0.22,0.19"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [each["cube"] for each in shown["you"]] == [1, 2, 4]
    assert shown["chance"] == pytest.approx(0.30, abs=0.01)
    assert main(["met", "score", "3-5", "7"]) == 0
    assert "gammon value" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["show", "kazaros"], "no match equity table 'kazaros'"),
        (["show", "/nowhere.xml"], "/nowhere.xml: No such file"),
        (["show", "--length", "65"], "1 to 64"),
        (["score", "7-3", "7"], "two numbers below 7"),
        (["score", "3-3", "7", "--crawford"], "--crawford"),
        (["score", "3-3", "7", "--gammons", "a,b"], "--gammons"),
        (["score", "3-3", "7", "--cube", "3"], "power of two"),
        (["score", "6-4", "7", "--crawford", "--cube", "2"], "nobody doubles"),
    ],
)
def test_bad_input_is_answered_in_one_line(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["met", *words]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1


@pytest.mark.patient
def test_hint_judges_a_score_by_the_table_it_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    def worth(*more: str) -> float:
        words = ["hint", "4HPwATDgc/ABMA", "--match", "cInpABAAAAAE", "--level", "expert"]
        assert main([*words, "--json", *more]) == 0
        return float(json.loads(capsys.readouterr().out)["plays"][0]["mwc"])

    assert worth() == worth("--met", "kazaross-xg2")
    assert abs(worth() - worth("--met", "woolsey")) > 1e-4
    assert main(["hint", "4HPwATDgc/ABMA", "--met", "nothing"]) == 2


def test_a_match_carries_its_table_into_every_worth() -> None:
    state = MatchState(length=7, score=(0, 3))
    own = cubeful_equity(HALF, state).mwc
    other = cubeful_equity(HALF, state.with_(met="woolsey")).mwc
    assert own is not None
    assert other is not None
    assert abs(own - other) > 1e-4
    assert Position.start().checked()


def test_a_level_has_a_table() -> None:
    level = read_level({"like": "expert", "met": "woolsey"})
    assert level.met == "woolsey"
    assert read_level(described(level)).met == "woolsey"
    with pytest.raises(ConfigError, match="met: no match equity table 'wolsey'"):
        read_level({"met": "wolsey"})
