"""What gnubg's `cmark` marks in a match is rolled out, and nothing else."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from sixprime.bot.analysis.rollouts import Spot, marked, rolled_out
from sixprime.bot.cli.main import main
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import RolloutResult
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.search.rollout import RolloutSettings
from sixprime.protocols.formats.ids import match_id, position_id
from sixprime.protocols.formats.notation import format_play
from sixprime.protocols.formats.sgf import match as sgf
from tests.support.engine.analyses import analyse_match
from tests.support.gnubg.program import typed
from tests.support.places import INTEROP

pytestmark = pytest.mark.patient

ANALYSED = INTEROP / "money-analysed.sgf"
MARKS = """set confirm save off
load match analysed.sgf
first game
next roll
cmark move set rollout 1 3
next
next
next
cmark cube set rollout
next roll
cmark move set rollout 2
cmark match show
save match marked.sgf
"""
LITTLE = RolloutSettings(trials=36, truncate=2)


@pytest.mark.gnubg
def test_what_gnubg_lists_as_marked_is_rolled_out(tmp_path: Path) -> None:
    shutil.copy(ANALYSED, tmp_path / "analysed.sgf")
    told = typed(MARKS, tmp_path)
    listed = told[told.rindex("Game 1\n") :]
    (match,) = sgf.read_sgf((tmp_path / "marked.sgf").read_text()).strictly()
    analysis = analyse_match(match, AnalysisSettings.of("beginner"))
    spots = marked(match, analysis)
    ours = []
    for spot in spots:
        turn = analysis.games[spot.game].turns[spot.turn]
        plays = [format_play(turn.position, play) for play in spot.plays]
        ours.append((spot.turn + 1, plays if spot.is_play else "Cube"))
    theirs: list[tuple[int, object]] = []
    for number, text in re.findall(r"Move (\d+)\n((?:.*marked\n)+)", listed):
        plays = re.findall(r"\((.+)\) marked", text)
        theirs.append((int(number), plays or "Cube"))
    assert ours == theirs
    assert [is_play for _, _, is_play, _ in spots] == [True, False, True]

    found = rolled_out(analysis, spots, load_brain(), LITTLE).games
    for number, game in enumerate(found):
        for index, turn in enumerate(game.turns):
            places = {spot.is_play for spot in spots if spot[:2] == (number, index)}
            if turn.cube_analysis is not None:
                assert isinstance(turn.cube_analysis.by, RolloutResult) is (False in places)
            if turn.move is not None:
                by = {isinstance(each.by, RolloutResult) for each in turn.move.candidates}
                assert by <= {True in places}
    first = found[0].turns[0].move
    assert first is not None
    rolled = {format_play(found[0].turns[0].position, each.play) for each in first.candidates}
    assert rolled == {"24/21 13/9", "24/20 13/10"}  # the marked ones; the first was made


def test_a_marked_decision_gets_the_figures_of_the_command_rollout(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (match,) = sgf.read_sgf(ANALYSED.read_text().replace("MR[]", "MR[1 3]", 1)).strictly()
    analysis = analyse_match(match, AnalysisSettings.of("beginner"))
    (spot,) = marked(match, analysis)
    cube = next(
        Spot(0, i, is_play=False)
        for i, turn in enumerate(analysis.games[0].turns)
        if turn.cube_analysis is not None
    )
    games = rolled_out(analysis, [spot, cube], load_brain(), LITTLE).games
    for each in (spot, cube):
        game, turn = games[each.game], games[each.game].turns[each.turn]
        state = analysis.state(game, turn, rolled=each.is_play)
        where = f"{position_id(turn.position)}:{match_id(state)}"
        dice = "".join(map(str, turn.dice or ())) if each.is_play else ""
        words = ["--trials", "36", "--truncate", "2", "--most", "99", "--json"]
        assert main(["rollout", where, *words, *(["--dice", dice] if dice else [])]) == 0
        found = json.loads(capsys.readouterr().out)["candidates"]
        said = {it["name"]: it["equity"] for it in found}
        if each.is_play:
            assert turn.move is not None
            ours = {format_play(turn.position, it.play): it.equity for it in turn.move.candidates}
            assert ours.keys() == {"24/21 13/9", "24/20 13/10"}  # the first was made
        else:
            assert turn.cube_analysis is not None
            no_double, double_take, _ = turn.cube_analysis.equities
            ours = {"no double": no_double, "double, take": double_take}
        assert ours == pytest.approx({name: said[name] for name in ours}, abs=1e-6)


def test_marks_are_shown_and_faults_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = ANALYSED.read_text()
    assert "MR[]" in text
    files = {
        "marked": text.replace("MR[]", "MR[1 3]", 1),
        "none": text,
        "wrong": text.replace("MR[]", "MR[1 3]", 1).replace("[lpad E", "[lpaf E", 1),
    }
    for name, content in files.items():
        (tmp_path / f"{name}.sgf").write_text(content)
    command = ["analyse", *(str(tmp_path / f"{name}.sgf") for name in files)]
    command += ["--rollout-marked", "--trials", "6", "--level", "beginner", "--most", "0"]
    assert main(command) == 1
    told = capsys.readouterr()
    assert told.out.count("Marked decisions (1)") == 1
    assert "6 trials, ±" in told.out
    assert told.err.splitlines() == [
        f"sixprime analyse: {tmp_path}/none.sgf: no decision in it is marked to be rolled out",
        f"sixprime analyse: {tmp_path}/wrong.sgf: "
        "game 1, turn 1: 13/9 24/19 is marked, but not legal",
    ]
