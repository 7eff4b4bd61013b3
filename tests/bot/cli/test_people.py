"""`sixprime levels likeness` and `learn`: what they print, refuse and write."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sixprime.bot.analysis.store import Wanted, keep, packed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.cli.collection import learning
from sixprime.bot.cli.main import main
from sixprime.bot.settings.levels import described, load_levels, read_level
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.likeness import portraits
from sixprime.engine.likeness.decisions import decisions_of
from sixprime.engine.likeness.plays import first_sight, prs_of
from sixprime.engine.people import Person
from sixprime.engine.people.choosing import TRAITS
from sixprime.engine.people.cube import PORTRAIT
from sixprime.engine.system.errors import ConfigError
from sixprime.protocols.formats.record import Player
from tests.support.archive.collected import SETTINGS, analysed, analyses, archive
from tests.support.archive.imported import add, played
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


@pytest.mark.usefixtures("archive")
def test_few_matches_are_refused_with_what_to_do(
    tmp_path: Path, analyses: list[MatchAnalysis], capsys: pytest.CaptureFixture[str]
) -> None:
    player = analyses[0].players[0]
    assert main(["levels", "learn", player, "--database", address(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "too few for a portrait" in error
    assert "pr " in error


def test_a_portrait_is_a_level_that_settings_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Archive(settings_in(tmp_path))) as archive:
        for match in played(60, 10):
            anna = replace(match, players=(Player("anna"), Player("ben")))
            key = add(archive, anna)
            assert key is not None
            keep(archive, SETTINGS.key, [(Wanted(key, 0), packed(analysed(anna)))])
    out = tmp_path / "level.yaml"
    words = ["levels", "learn", "anna", "--database", address(tmp_path)]
    assert main([*words, "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["matches"] == 10
    assert "better than" in out.read_text()
    person = load_levels(out)["anna"].person
    assert person is not None
    assert person.portrait is not None
    assert len(person.portrait) == TRAITS + PORTRAIT
    assert main(words) == 0
    assert capsys.readouterr().out == out.read_text(), "the same matches, the same portrait"
    level = read_level(described(load_levels(out)["anna"]))
    assert (level.person, level.cube_person) == (person, person)


def test_a_portrait_of_another_length_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"portrait: .*learn it again"):
        read_level({"pr": 6, "portrait": [0.1, 0.2]})
    with pytest.raises(ConfigError, match="portrait"):
        read_level({"portrait": [0.0] * (TRAITS + PORTRAIT)})


def test_the_file_says_how_good_the_portrait_is() -> None:
    gain = portraits.Gain(100, 0.0123, 0.004)
    portrait = portraits.Portrait(6.0, (0.0,), 12, gain, gain)
    said = learning.said("anna", portrait)
    assert "12 matches" in said
    assert "+0.0123 ± 0.0040" in said
