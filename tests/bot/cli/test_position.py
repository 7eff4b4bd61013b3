"""`sixprime position`."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sixprime.bot.cli.main import main

START, RACE = "4HPwATDgc/ABMA", "2+4HAADb7gIAAA"
FAST = ["--level", "expert"]


def test_everything_is_printed_drawn_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, drawn = tmp_path / "study.html", tmp_path / "map.svg"
    assert main(["position", START, "--html", str(page), "--map", str(drawn), *FAST]) == 0
    shown = capsys.readouterr().out
    for word in ("wastage", "Thorp", "Ward", "Trice", "one checker", "raccoon", "6-6", "8/5 6/5"):
        assert word in shown
    cells = [each.text for each in ElementTree.parse(drawn).iter() if each.tag.endswith("text")]
    assert len(cells) == 36 + 12
    assert "temperature map" in page.read_text()
    assert "<script src" not in page.read_text()


def test_json_at_a_score_with_somebody_elses_chances(capsys: pytest.CaptureFixture[str]) -> None:
    chances = ["--chances", "0.525,0.149,0.007,0.125,0.005"]
    words = [RACE, "--match", "8Ak6AAAAAAAE", "--json", "--no-rolls", *chances, *FAST]
    assert main(["position", *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["probabilities"] == [0.525, 0.149, 0.007, 0.125, 0.005]
    assert found["pips"] == {"on_roll": 45, "other": 54}
    assert found["races"]["race"]["trials"] == 0
    assert "rolls" not in found
    assert set(found["counts"]) == {"Thorp", "Keith", "Ward", "Trice", "8-9-12"}


def test_a_position_of_hypergammon_is_studied_as_that(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["AABAAQAACgAAAA", "--json", *FAST]
    assert main(["position", *words]) == 0
    standard = json.loads(capsys.readouterr().out)
    assert main(["position", *words, "--variant", "hypergammon-2"]) == 0
    hyper = json.loads(capsys.readouterr().out)
    assert (hyper["pips"], hyper["counts"]) == (standard["pips"], standard["counts"])
    assert hyper["probabilities"][1] > 0.3 > standard["probabilities"][1]  # nobody has borne off
    assert hyper["races"]["race"]["probabilities"][1] > 0
    assert hyper["rolls"][0]["dice"] != []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["AABAAQAACgAAAA", "--variant", "hypergammon-1"], "2 checkers"),
        (["nonsense"], "nonsense"),
        ([START, "--chances", "1,2"], "five numbers"),
        ([START, "--chances", "0.5,0.6,0,0,0"], "no likelier"),
        ([START, "--no-rolls", "--map", "x.svg"], "--no-rolls"),
        ([START, "--map", "/nowhere/x.svg", *FAST], "/nowhere: no such folder"),
        ([START, "--match", "zz"], "zz"),
        ([START, "--met", "kazaros"], "kazaros"),
        (["AAAAAAAAAAAAAA"], "off"),
    ],
)
def test_bad_input_is_answered_in_one_line(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["position", *words]) == 2
    said = capsys.readouterr().err.splitlines()
    assert why in said[-1]
