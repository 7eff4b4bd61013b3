"""`sixprime levels likeness` and `learn`: what they print, refuse and write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.cli.main import main
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.likeness.decisions import decisions_of
from sixprime.engine.likeness.plays import first_sight, prs_of
from sixprime.engine.people import Person
from tests.support.archive.collected import analyses, archive
from tests.support.archive.told import settings_in

__all__ = ["analyses", "archive"]  # fixtures


def address(tmp_path: Path) -> str:
    return str(settings_in(tmp_path).database)


def rows_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    assert main(["levels", "likeness", *words, "--json"]) == 0
    return {row["name"]: row for row in json.loads(capsys.readouterr().out)["rows"]}


@pytest.mark.usefixtures("archive")
def test_the_archive_is_asked_for_people_of_each_players_pr(
    tmp_path: Path, analyses: list[MatchAnalysis], capsys: pytest.CaptureFixture[str]
) -> None:
    rows = rows_of(["--database", address(tmp_path)], capsys)
    engine, prs = first_sight(), prs_of(analyses)
    decisions = [each for analysis in analyses for each in decisions_of(analysis, engine, prs)]
    plays = [each for each in decisions if each.what == "play"]
    assert rows["plays"]["decisions"] == len(plays)
    lost = sum(
        float(each.chances(Person(each.pr), Person(each.pr)) @ each.losses) for each in plays
    )
    assert rows["plays"]["level"]["loss"] == pytest.approx(lost / len(plays))


@pytest.mark.usefixtures("archive")
def test_a_level_may_be_named_and_stronger_people_lose_less(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = ["--database", address(tmp_path)]
    rows = [rows_of([*database, "--level", level], capsys) for level in ("pr 3", "pr 12", "casual")]
    losses = [each["plays"]["level"]["loss"] for each in rows]
    assert losses[0] < losses[1]
    assert losses[2] > 0
    assert main(["levels", "likeness", *database, "--level", "expert"]) == 2
    assert "choose by chance" in capsys.readouterr().err


@pytest.mark.usefixtures("archive")
def test_the_table_and_the_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "likeness.svg"
    words = ["levels", "likeness", "--database", address(tmp_path), "--plot", str(picture)]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "play with contact" in shown
    assert picture.read_text().count("<polyline") == 3
    assert main([*words[:-1], "likeness.gif"]) == 2
    assert ".svg or .png" in capsys.readouterr().err


def test_files_are_analysed_and_bad_ones_are_skipped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.mat"
    bad.write_text("nothing")
    good = "tests/data/interop/external-match-3pt.mat"
    assert main(["levels", "likeness", str(bad), good, "--json"]) == 1
    read = capsys.readouterr()
    assert json.loads(read.out)["rows"][0]["decisions"] > 20
    assert "bad.mat" in read.err
