"""`sixprime compare`: another program's analysis beside ours."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sixprime.bot.analysis.annotation import with_analysis
from sixprime.bot.analysis.comparing import compared, cube_action, roll_out
from sixprime.bot.analysis.recorded import analysis_in_record
from sixprime.bot.cli.main import main
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis, What
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.search.rollout import RolloutSettings
from sixprime.protocols import readers
from sixprime.protocols.formats import mat
from sixprime.protocols.formats.record import Match, Turn
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.engine.analyses import analyse_match
from tests.support.formats import xgfiles
from tests.support.formats.xgfiles import Said
from tests.support.places import INTEROP


@pytest.fixture(scope="module")
def match() -> Match:
    (match,) = mat.read_mat((INTEROP / "external-match-3pt.mat").read_text()).strictly()
    return replace(match, games=match.games[:2])


@pytest.fixture(scope="module")
def ours(match: Match) -> MatchAnalysis:
    return analyse_match(match, AnalysisSettings.of("expert"))


def test_an_analysis_agrees_with_itself(match: Match, ours: MatchAnalysis) -> None:
    again = analysis_in_record(
        sgf.read_sgf(sgf.write_sgf(with_analysis(match, ours))).strictly()[0]
    )
    decisions = compared(again, ours)
    assert {each.what for each in decisions} == {What.PLAY, What.DOUBLE}
    assert all(each.agreed for each in decisions)
    assert max(each.size for each in decisions) < 1e-4
    assert all(abs(each.theirs.equity - each.ours.equity) < 1e-3 for each in decisions)


def worse(match: Match, ours: MatchAnalysis) -> tuple[bytes, int, int]:
    """An .xg file in which XG takes our worst candidate of one turn for the best."""
    turns = [
        (number, index, turn, turn.move.candidates)
        for number, game in enumerate(ours.games)
        for index, turn in enumerate(game.turns)
        if turn.move is not None
    ]
    number, index, turn, ranked = max(
        turns, key=lambda each: each[3][0].equity - each[3][-1].equity if each[3] else 0.0
    )
    first, last = ranked[0], ranked[-1]
    assert turn.roll is not None
    plays = [
        (last.play, 3, (*last.probabilities, first.equity)),
        (first.play, 3, (*first.probabilities, last.equity)),
    ]
    return xgfiles.match_file(match, {(number, turn.roll): Said(plays)}), number, index


def test_a_rollout_says_who_is_right(match: Match, ours: MatchAnalysis) -> None:
    data, number, index = worse(match, ours)
    (told,) = readers.read_match_file("a.xg", data).matches
    (decision,) = compared(analysis_in_record(told), ours)
    assert (decision.game, decision.turn, decision.agreed) == (number, index, False)
    assert decision.theirs.cost == pytest.approx(decision.ours.cost, abs=1e-5)
    assert decision.size > 0.05
    settings = RolloutSettings(trials=72, truncate=5)
    ruling = roll_out(decision, settings, load_brain())
    assert ruling.winner == "ours"
    assert ruling.better < 0
    swapped = replace(decision, theirs=decision.ours, ours=decision.theirs)
    assert roll_out(swapped, settings, load_brain()).winner == "theirs"


def test_the_command_tells_both_opinions(
    match: Match, ours: MatchAnalysis, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.xg"
    path.write_bytes(worse(match, ours)[0])
    assert main(["compare", str(path), "--level", "expert"]) == 0
    text = capsys.readouterr().out
    assert "a.xg: eXtreme Gammon and Sixprime (expert)" in text
    assert "1 decision, the same best in 0 (0.0 %)" in text
    assert "XGID=" in text
    again = ["compare", str(path), "--level", "expert", "--json", "--rollout", "--trials", "36"]
    assert main(again) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["plays"]["decisions"] == 1
    assert found["disagreements"][0]["rollout"]["trials"] == 36


def test_a_match_without_analysis_is_refused_in_a_line_and_the_next_is_compared(
    match: Match, ours: MatchAnalysis, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plain.mat"
    bare = replace(match, games=tuple(replace(g, actions=tuple(
        replace(a, analysis=None) if isinstance(a, Turn) else a for a in g.actions
    )) for g in match.games))  # fmt: skip
    path.write_text(mat.write_mat(bare))
    other = tmp_path / "a.xg"
    other.write_bytes(worse(match, ours)[0])
    assert main(["compare", str(path), str(other), "--level", "expert"]) == 1
    said = capsys.readouterr()
    error = said.err.strip().splitlines()[-1]
    assert error == f"sixprime compare: {path}: it carries no analysis to compare ours with"
    assert "a.xg: eXtreme Gammon and Sixprime (expert)" in said.out


@pytest.mark.parametrize(
    ("equities", "action"),
    [
        ((0.5, 0.4, 1.0), "no double"),
        ((0.5, 0.7, 1.0), "double, take"),
        ((0.8, 1.2, 1.0), "double, pass"),
        ((1.1, 1.5, 1.0), "too good"),
        ((0.5, 0.5, 1.0), "double, take"),
    ],
)
def test_the_cube_action_follows_from_three_equities(
    equities: tuple[float, float, float], action: str
) -> None:
    assert cube_action(equities) == action


def test_the_page_shows_what_the_file_said_beside_ours(
    match: Match, ours: MatchAnalysis, tmp_path: Path
) -> None:
    path, out = tmp_path / "a.xg", tmp_path / "a.html"
    path.write_bytes(worse(match, ours)[0])
    assert main(["analyse", str(path), "--level", "expert", "--html", str(out)]) == 0
    assert out.read_text().count("eXtreme Gammon found:") in (1, 2)  # in the match, among errors
    plain = tmp_path / "b.html"
    (tmp_path / "b.mat").write_text(mat.write_mat(match))
    assert (
        main(["analyse", str(tmp_path / "b.mat"), "--level", "expert", "--html", str(plain)]) == 0
    )
    assert "found:" not in plain.read_text()
