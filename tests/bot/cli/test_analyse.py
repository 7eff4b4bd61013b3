"""`sixprime analyse`, and records on their way to an analysis and back."""

from __future__ import annotations

import json
from dataclasses import replace
from errno import ENOSPC
from os import strerror
from pathlib import Path

import pytest

from sixprime.bot.analysis.annotation import with_analysis
from sixprime.bot.analysis.matches import turns_of
from sixprime.bot.cli.analyses import settings_of
from sixprime.bot.cli.line.parsing import parse
from sixprime.bot.cli.line.top import SIXPRIME
from sixprime.bot.cli.main import main
from sixprime.bot.reports.text import report
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import Answered, MatchAnalysis
from sixprime.engine.analysis.valuesjson import match_from_json
from sixprime.engine.kernels.evaluation import Brain
from sixprime.protocols.formats.record import Match
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.engine.analyses import analyse_match, analysis_in_record
from tests.support.engine.brains import random_brain

SETTINGS = AnalysisSettings.of("expert")
CUBES = """(;GM[6]PW[anna]PB[ben]MI[length:5]RE[W+2]
;W[31hefe];B[double];W[take];B[61lrqr];W[double];B[drop])
(;GM[6]PW[anna]PB[ben]MI[length:5][game:1][ws:2]RE[B+1R]
;W[61mghg];B[31loab])"""
MONEY = """(;GM[6]PW[anna]PB[ben]MI[length:0]
;W[31hefe];B[double];W[double];B[take];B[61lrqr])"""


@pytest.fixture
def match() -> Match:
    return sgf.read_sgf(CUBES).strictly()[0]


@pytest.fixture
def analysed(match: Match) -> MatchAnalysis:
    return analyse_match(match, SETTINGS, random_brain())


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "match.sgf"
    path.write_text(CUBES)
    return str(path)


def test_a_double_belongs_to_the_turn_of_its_roll(match: Match) -> None:
    first, second, third = turns_of(match, match.games[0])
    assert first.opening
    assert not first.may_double
    assert (second.seat, second.doubled, second.answer) == (1, True, Answered.TAKE)
    assert (second.state.cube, second.stake, second.dice) == (1, 2, (6, 1))
    assert (third.seat, third.answer, third.dice) == (0, Answered.PASS, None)
    assert third.state.cube_owner == 0


def test_a_beaver_doubles_once_more() -> None:
    match = sgf.read_sgf(MONEY).strictly()[0]
    match = replace(match, rules=replace(match.rules, beavers=3))
    _, second = turns_of(match, match.games[0])
    assert (second.answer, second.stake) == (Answered.BEAVER, 4)


def test_every_decision_is_counted_once(analysed: MatchAnalysis) -> None:
    anna, ben = analysed.statistics
    assert (anna.moves, ben.moves) == (2, 2)
    assert (anna.doubles, anna.takes, anna.passes) == (1, 1, 0)
    assert (ben.doubles, ben.takes, ben.passes) == (1, 0, 1)
    assert (anna.cube_decisions, ben.cube_decisions) == (2, 3)
    assert anna.result == -ben.result


def test_progress_counts_turns(match: Match) -> None:
    seen: list[tuple[int, int]] = []
    analyse_match(match, SETTINGS, random_brain(), progress=lambda *each: seen.append(each))
    assert seen == [(done, 5) for done in range(1, 6)]


def test_an_analysis_goes_through_sgf_and_keeps_its_figures(
    match: Match, analysed: MatchAnalysis
) -> None:
    text = sgf.write_sgf(with_analysis(match, analysed))
    again = analysis_in_record(sgf.read_sgf(text).strictly()[0])
    for mine, theirs in zip(analysed.statistics, again.statistics, strict=True):
        assert mine.move_marks == theirs.move_marks
        assert mine.unforced == theirs.unforced
        assert mine.close == theirs.close
        assert mine.errors.emg == pytest.approx(theirs.errors.emg, abs=1e-4)
        assert mine.luck.cost == pytest.approx(theirs.luck.cost, abs=1e-4)


def test_the_record_says_what_was_found(match: Match, analysed: MatchAnalysis) -> None:
    game = with_analysis(match, analysed).games[0]
    assert game.statistics is not None
    assert [len(row) for row in (game.statistics.moves, game.statistics.cube)] == [16, 44]
    assert "DA[E ver 3 0C" in sgf.write_sgf(with_analysis(match, analysed))


def test_the_report_shows_the_worst_error_with_its_board(analysed: MatchAnalysis) -> None:
    text = report(analysed, 1)
    assert "Snowie error rate" in text
    assert "1. game " in text
    assert "2. game " not in text
    assert text.count("BAR") == 1
    assert "Worst errors" not in report(analysed, 0)


def test_the_command_reports_writes_json_and_sgf(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, file: str, weights: str
) -> None:
    out = tmp_path / "out.sgf"
    always = ["analyse", file, "--level", "expert", "--weights", weights]
    assert main([*always, "--sgf", str(out)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "anna" in told
    assert sgf.read_sgf(out.read_text()).strictly()[0].games[0].statistics is not None
    assert main([*always, "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert match_from_json(json.loads(line)).players == ("anna", "ben")
    for label, name, form in (
        ("PR, as XG counts it", "pr", "{:.2f}"),
        ("Absolute FIBS rating by errors", "absolute_rating", "{:.1f}"),
        ("Checker rating", "checker_rating", "{}"),
        ("Rating", "rating", "{}"),
    ):
        shown = [form.format(each[name]) for each in json.loads(line)["figures"]]
        assert f" {label} {' '.join(shown)} " in told


def test_a_disk_that_fills_meanwhile_does_not_take_the_report_along(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    file: str,
    weights: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(path: Path, text: str) -> None:
        raise OSError(ENOSPC, strerror(ENOSPC))

    monkeypatch.setattr("sixprime.bot.cli.collection.analyse.write_whole", full)
    always = ["analyse", file, "--level", "expert", "--weights", weights]
    assert main([*always, "--html", str(tmp_path / "out.html")]) == 1
    said = capsys.readouterr()
    assert "Snowie error rate" in said.out
    assert "out.html: No space left on device" in said.err


def test_a_level_says_how_many_threads_look(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, weights: str
) -> None:
    asked: list[int] = []

    class Asked(Examiner):
        def __init__(self, brain: Brain, settings: AnalysisSettings, threads: int = 1) -> None:
            asked.append(threads)
            super().__init__(brain, settings, threads)

    monkeypatch.setattr("sixprime.bot.cli.collection.analyse.Examiner", Asked)
    levels = tmp_path / "levels.yaml"
    levels.write_text("levels: {mine: {plies: 0, threads: 3}}\n")
    always = ["analyse", file, "--weights", weights, "--levels-file", str(levels)]
    assert main([*always, "--level", "mine"]) == 0
    assert main([*always, "--level", "mine", "--threads", "2"]) == 0
    assert asked == [3, 2]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["missing.sgf"], "missing.sgf: No such file"),
        (["FILE", "--level", "expret"], "did you mean 'expert'?"),
        (["FILE", "--bad", "0.5"], "must rise"),
        (["FILE", "FILE", "--sgf", "out.sgf"], "--sgf is for one match"),
        (["FILE", "--weights", "missing.npz"], "missing.npz: No such file"),
        (["FILE", "--sgf", "missing/out.sgf"], "--sgf: missing is not a folder"),
        (["FILE", "--html", "missing/out.html"], "--html: missing is not a folder"),
        (["FILE", "--sgf", "."], "--sgf: . is a folder"),
        (["FILE", "--threads", "0"], "--threads 0: 1 to 256 are possible"),
    ],
)
def test_wrong_options_are_one_clear_line(
    capsys: pytest.CaptureFixture[str], file: str, arguments: list[str], complaint: str
) -> None:
    assert main(["analyse", *(file if word == "FILE" else word for word in arguments)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert complaint in line


def test_luck_is_judged_as_deep_as_asked() -> None:
    words = ["analyse", "match.sgf", "--level", "expert"]
    assert settings_of(parse(words, SIXPRIME)[1]).luck.plies == 0
    deep = settings_of(parse([*words, "--luck-plies", "1"], SIXPRIME)[1])
    assert (deep.luck.plies, deep.checker.plies) == (1, 0)


def test_a_broken_file_is_told_with_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.sgf"
    broken.write_text("(;GM[6]PW[a]PB[b]MI[length:3]\n;W[99hefe])")
    assert main(["analyse", str(broken)]) == 2
    assert "line 2" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_does_not_keep_the_others_from_being_analysed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, file: str, weights: str
) -> None:
    broken = tmp_path / "broken.sgf"
    broken.write_text("(;GM[6]PW[a]PB[b]MI[length:3]\n;W[99hefe])")
    always = ["--level", "expert", "--weights", weights, "--json"]
    assert main(["analyse", str(broken), file, str(tmp_path / "none.mat"), *always]) == 1
    said = capsys.readouterr()
    assert [json.loads(line)["file"] for line in said.out.splitlines()] == [file]
    assert said.err.splitlines() == [
        f"sixprime analyse: {broken}: line 2: no dice show `99` (read as SGF)",
        f"sixprime analyse: {tmp_path / 'none.mat'}: No such file or directory",
    ]
