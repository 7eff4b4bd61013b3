"""`sixprime analyse` of a part of a match: the same figures as in the whole, and no others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.bot.analysis.matches import examined
from sixprime.bot.cli.main import main
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.portion import EVERY_FACET, Facet, Only
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import TurnAnalysis, What, decisions
from sixprime.protocols.formats.sgf.match import read_sgf
from tests.support.engine.brains import random_brain
from tests.support.places import INTEROP

FILE = INTEROP / "oldmoves-2games.sgf"
MATCH = read_sgf(FILE.read_text()).strictly()[0]
EXAMINER = Examiner(random_brain(), AnalysisSettings.of("expert"))
WHOLE = examined(MATCH, EXAMINER)
QUICK = ("--level", "expert")


def told(turn: TurnAnalysis) -> dict[tuple[object, int], Any]:
    """Return the judgements of a turn: of each decision, and of its roll."""
    found: dict[tuple[object, int], Any] = {
        (what, seat): verdict for what, seat, verdict in decisions(turn)
    }
    if turn.luck is not None:
        found["luck", turn.seat] = turn.luck
    return found


def part_of(what: object) -> Facet:
    return Facet.LUCK if what == "luck" else Facet.PLAYS if what is What.PLAY else Facet.CUBE


@given(
    player=st.sampled_from((None, "anna", "ben")),
    game=st.sampled_from((None, 1, 2)),
    turn=st.none() | st.integers(1, 34),
    since=st.none() | st.tuples(st.integers(1, 2), st.integers(1, 34)),
    parts=st.sets(st.sampled_from(list(Facet)), min_size=1),
)
def test_a_part_says_what_the_whole_says_of_it(
    player: str | None,
    game: int | None,
    turn: int | None,
    since: tuple[int, int] | None,
    parts: set[Facet],
) -> None:
    wanted = Facet(0)
    for part in parts:
        wanted |= part
    only = Only(player, game, turn, since, wanted)
    found = examined(MATCH, EXAMINER, only=only)
    errors = 0
    for number, (whole, cut) in enumerate(zip(WHOLE.games, found.games, strict=True), 1):
        for at, (before, after) in enumerate(zip(whole.turns, cut.turns, strict=True), 1):
            here = game in (None, number) and turn in (None, at)
            here = here and (since is None or (number, at) >= since)
            asked = {
                key: value
                for key, value in told(before).items()
                if here and player in (None, WHOLE.players[key[1]]) and part_of(key[0]) in wanted
            }
            shown = told(after)
            assert shown.items() >= asked.items()
            for what, seat in shown.keys() - asked.keys():
                # an answer cannot be judged without the double before it, nor a double alone
                assert what in (What.DOUBLE, What.ANSWER)
                assert any(key[0] in (What.DOUBLE, What.ANSWER) for key in asked)
                assert player != WHOLE.players[seat]
            errors += sum(value.error < 0 for key, value in asked.items() if key[0] != "luck")
    assert len(only.errors_of(found)) == errors


def analysed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["analyse", str(FILE), *QUICK, *words]) == 0
    return capsys.readouterr().out


def test_the_report_leaves_out_what_a_part_cannot_tell(
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = analysed(capsys, "--most", "0")
    plays = analysed(capsys, "--most", "0", "--only", "plays")
    assert plays.startswith("7 points: plays ")
    assert re.findall(r"^\w.*", plays, re.MULTILINE)[1:] == ["Checker play"]
    section = whole[whole.index("Checker play") : whole.index("\nLuck")]
    assert section.split() == plays[plays.index("Checker play") :].split()
    both = analysed(capsys, "--most", "0", "--only", "cube,plays", "--player", "ben")
    assert both.splitlines()[0].split() == ["7", "points:", "plays", "and", "cube,", *["ben"] * 2]
    assert "Luck" not in both
    for told in ("Snowie", "result", "FIBS", "MWC against"):
        assert told in whole
        assert told not in both
    (of_both,) = re.findall(r"\nOverall *\n  Error total .*", whole)
    (of_one,) = re.findall(r"\nOverall *\n  Error total .*", both)
    assert of_both.split()[-2:] == of_one.split()[-2:]


def test_from_a_turn_on(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(analysed(capsys, "--from", "2.4", "--json"))
    assert [turn["move"] for turn in found["games"][0]["turns"]] == [None] * len(
        WHOLE.games[0].turns
    )
    second = [turn["move"] is None for turn in found["games"][1]["turns"]]
    assert second[:3] == [True] * 3
    assert not any(second[3:7])


def test_another_table_judges_by_its_equities(capsys: pytest.CaptureFixture[str]) -> None:
    usual = json.loads(analysed(capsys, "--json", "--only", "cube"))
    zadeh = json.loads(analysed(capsys, "--json", "--only", "cube", "--met", "zadeh"))
    cubes = [
        [turn["cube_analysis"]["mwc"] for game in found["games"] for turn in game["turns"]
         if turn["cube_analysis"]]
        for found in (usual, zadeh)
    ]  # fmt: skip
    assert len(cubes[0]) == len(cubes[1]) > 10
    assert all(one != two for one, two in zip(*cubes, strict=True))
    assert usual["settings"] != zadeh["settings"]


def test_a_part_becomes_a_page_and_a_file_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, sgf = tmp_path / "part.html", tmp_path / "part.sgf"
    analysed(capsys, "--game", "2", "--only", "plays", "--html", str(page), "--sgf", str(sgf))
    (match,) = read_sgf(sgf.read_text()).strictly()
    first, second = (
        [action for action in game.actions if getattr(action, "analysis", None) is not None]
        for game in match.games
    )
    assert all(not action.analysis.candidates for action in first)  # type: ignore[union-attr]
    assert any(action.analysis.candidates for action in second)  # type: ignore[union-attr]
    assert "game 2" in page.read_text().lower()


@pytest.mark.parametrize("suffix", ["sgf", "mat"])
def test_a_game_of_a_match_without_names_is_analysed_at_its_score(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = FILE.read_text()
    if suffix == "sgf":
        text = re.sub(r"P[BW]\[\w+\]", "", text[text.index("(;", 5) :])
    else:
        mat = (INTEROP / "oldmoves-2games.mat").read_text()
        part = mat[mat.index(" Game 2") :].replace("anna : 4", "     : 4")
        text = " 7 point match\n\n" + part.replace("ben : 0", "    : 0")
    path = tmp_path / f"game.{suffix}"
    path.write_text(text)
    assert main(["analyse", str(path), *QUICK, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["players"] == ["player 1", "player 2"]
    assert [each["score"] for each in found["games"]] == [[4, 0]]
    assert len(found["games"][0]["turns"]) == len(WHOLE.games[1].turns)
    assert main(["analyse", str(path), *QUICK, "--player", "player 1", "--most", "0"]) == 0
    head = capsys.readouterr().out.splitlines()[0]
    assert head.split() == ["7", "points:", *["player", "1"] * 2]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--only", "moves"], "moves is not one of plays, cube, luck"),
        (["--only", ""], "names nothing"),
        (["--from", "2"], "2 is not a game and a turn, such as 2.8"),
        (["--from", "0.1"], "0.1 is not a game and a turn"),
        (["--game", "0"], "at least 1"),
    ],
)
def test_parts_that_are_none_are_refused(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["analyse", str(FILE), *words])
    assert why in capsys.readouterr().err


def test_a_player_of_another_match_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", str(FILE), *QUICK, "--player", "ana"]) == 1
    said = capsys.readouterr()
    assert said.err.rstrip().endswith("ana does not play here, did you mean 'anna'?")
    assert "Checker" not in said.out


def test_the_words_of_a_choice() -> None:
    assert Only().in_words() == ""
    only = Only("ben", 2, 3, (1, 2), Facet.LUCK | Facet.CUBE)
    assert only.in_words() == "cube and luck, game 2, turn 3, from game 1, turn 2 on, ben"
    assert Only(parts=EVERY_FACET) == Only()
