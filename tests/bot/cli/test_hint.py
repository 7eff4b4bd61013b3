"""`sixprime hint`: positions in every form, for people and as JSON, and the picture."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sixprime.bot.cli.main import main
from sixprime.bot.reports.board_svg import draw
from sixprime.engine.position import MatchState, Position
from sixprime.protocols.fibs.wire.board import board_of
from sixprime.protocols.formats.ids import position_id, read_position_id, xgid
from sixprime.protocols.formats.record import Game, Turn
from sixprime.protocols.formats.replay import Moment
from tests.support.engine.reference import random_rolls
from tests.support.formats import xgfiles
from tests.support.formats.played import random_match
from tests.support.formats.xgfiles import Said
from tests.support.places import INTEROP

START = "4HPwATDgc/ABMA"
SVG = "{http://www.w3.org/2000/svg}"


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["hint", *arguments]) == 0
    return capsys.readouterr().out


def test_a_roll_shows_the_board_and_the_best_plays(
    capsys: pytest.CaptureFixture[str], weights: str
) -> None:
    out = asked(capsys, START, "--dice", "31", "--most", "4", "--weights", weights)
    assert f"Position ID {START}" in out
    assert "X to play 3-1" in out
    assert [line.split()[0] for line in out.splitlines()[-4:]] == ["1", "2", "3", "4"]


def test_without_dice_the_cube_action_is_shown(
    capsys: pytest.CaptureFixture[str], weights: str
) -> None:
    out = asked(capsys, START, "--weights", weights, "--level", "expert")
    assert "no double" in out
    assert out.splitlines()[-1] == "No double, take"


@pytest.mark.parametrize(
    ("match", "doing"),
    [
        (MatchState(length=5, score=(4, 0), crawford=True), "X to roll"),
        (MatchState(cube=2, cube_owner=0), "X to roll"),
        (MatchState(cube=2, cube_owner=1), "X to roll or double"),
        (MatchState(doubled=True, to_act=0), "X doubles"),
    ],
)
def test_the_board_says_what_the_rules_let_x_do(
    match: MatchState, doing: str, capsys: pytest.CaptureFixture[str], weights: str
) -> None:
    there = xgid(Position.start(), match)
    out = asked(capsys, there, "--weights", weights, "--level", "expert")
    assert out.splitlines()[5].endswith(f" {doing}")


def test_every_form_of_a_position_is_the_same_position(
    capsys: pytest.CaptureFixture[str], weights: str
) -> None:
    position = read_position_id("sGfwATDgc/ABMA")
    match = MatchState(length=5, score=(1, 2), dice=(6, 4))
    forms = (
        ["sGfwATDgc/ABMA:cAmzABAAEAAE"],
        ["sGfwATDgc/ABMA", "--match", "cAmzABAAEAAE"],
        [xgid(position, match)],
        [xgid(position, match).removeprefix("XGID=")],  # begins with '-', as options do
        [board_of(position, match, opponent="them", seat=1).line()],
    )
    answers = []
    for form in forms:
        words = [*form, "--json", "--weights", weights, "--level", "expert"]
        answer: dict[str, Any] = json.loads(asked(capsys, *words))
        assert (answer["kind"], answer["dice"]) == ("move", [6, 4])
        answers.append(answer["plays"])
    assert all(plays == answers[0] for plays in answers)


CONSOLE = """\
 GNU Backgammon  Position ID: sGfwATDgc/ABMA
                 Match ID   : cAmzABAAEAAE
 +13-14-15-16-17-18------19-20-21-22-23-24-+     O: gnubg
"""


def test_what_gnubg_shows_is_read_from_a_file_and_from_standard_input(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    weights: str,
    tmp_path: Path,
) -> None:
    options = ["--json", "--weights", weights, "--level", "expert"]
    path = tmp_path / "board.txt"
    path.write_text(CONSOLE)
    wanted = asked(capsys, "sGfwATDgc/ABMA:cAmzABAAEAAE", *options)
    assert asked(capsys, str(path), *options) == wanted
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CONSOLE.encode())))
    assert asked(capsys, "-", *options) == wanted


IDS, XGIDS = (
    ("sGfwATDgc/ABMA:cAmzABAAEAAE", "4HPwATDgc/ABMA:cAmzABAAEAAE"),
    (xgid(Position.start(), MatchState()), xgid(Position.start(), MatchState(dice=(3, 1)))),
)


@pytest.mark.parametrize(
    ("text", "both"),
    [
        (f"{CONSOLE}GNUID={IDS[1]}\n", IDS),
        (f"{CONSOLE}{XGIDS[1]}\n", (IDS[0], XGIDS[1])),
        ("\n +13-14-15-16-17-18------19-20\n".join(XGIDS), XGIDS),  # as XG exports them
    ],
)
def test_of_two_positions_in_a_file_both_are_named(
    text: str, both: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "boards.txt"
    path.write_text(text)
    assert main(["hint", str(path)]) == 2
    assert f"two positions, {both[0]} and {both[1]}: paste one" in capsys.readouterr().err


def test_the_cube_as_json(capsys: pytest.CaptureFixture[str], weights: str) -> None:
    answer = json.loads(asked(capsys, START, "--json", "--weights", weights, "--level", "expert"))
    assert answer["kind"] == "cube"
    assert list(answer["equities"]) == ["no_double", "double_take", "double_pass"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["4HPwATDgc/ABM"], "13 characters"),
        (["match.mat"], "match.mat: No such file"),
        (["hello world"], "no position in 'hello world': paste a Position ID, a GNUID or an XGID"),
        ([START, "--dice", "71"], "two numbers from 1 to 6"),
        ([START, "--dice", "-31"], "two numbers from 1 to 6"),
        ([START, "--match", "x"], "1 characters"),
        ([START, "--level", "exprt"], "did you mean 'expert'?"),
        ([START, "--threads", "0"], "1 to 256"),
        ([START, "--weights", "/nowhere.npz"], "no such file"),
        (["board:You:them:5"], "a broken FIBS board"),
        ([position_id(Position((0,) * 25, (1,) + (0,) * 24))], "over"),
        ([f"{START}:cAoAAAAAAAAE"], "the game is over"),
        ([START, "--svg", "/nowhere/a.svg"], "No such file"),
    ],
)
def test_nonsense_ends_with_one_clear_line(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str], weights: str
) -> None:
    if "--weights" not in arguments:
        arguments = [*arguments, "--weights", weights]
    assert main(["hint", *arguments]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1
    assert "Traceback" not in said


def test_the_picture_is_written_to_a_file(
    capsys: pytest.CaptureFixture[str], weights: str, tmp_path: Path
) -> None:
    path = tmp_path / "board.svg"
    asked(capsys, START, "--svg", str(path), "--weights", weights, "--level", "expert")
    assert ElementTree.parse(path).getroot().tag == f"{SVG}svg"


KINDS = ("checker", "off")


def checkers(tree: ElementTree.Element) -> int:
    """Drawn ones, and those that a number stands for."""
    drawn = [each for each in tree.iter() if each.get("class", "").split(" ")[0] in KINDS]
    return len(drawn)


def test_every_checker_is_drawn_or_counted() -> None:
    for position, dice in random_rolls(31, 100):
        if position.checkers != 15:
            continue
        tree = ElementTree.fromstring(draw(position, MatchState(), dice))
        piled = sum(max(count - 5, 0) for count in (*position.mine, *position.theirs))
        assert checkers(tree) == 30 - piled


def test_titles_are_escaped() -> None:
    assert "<b>" not in draw(Position.start(), title="<b>&")


def test_a_file_is_a_position_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], weights: str
) -> None:
    match = random_match(4, interruptions=False)
    position, state = read_position_id("4HPwATCwZ+ABMA"), MatchState()
    turn = Turn(0, (3, 1))
    records = [
        xgfiles.head_record(replace(match, length=0)),
        xgfiles.game_record(Game(), Position.start()),
        xgfiles.move_record(Moment(turn, position, state), Said()),
    ]
    path = tmp_path / "saved.xgp"
    path.write_bytes(xgfiles.file_of(records))
    out = asked(capsys, str(path), "--weights", weights)
    assert f"Position ID {position_id(position)}" in out
    assert "to play 3-1" in out


def test_a_file_without_a_position_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "over.mat"
    path.write_bytes((INTEROP / "external-match-3pt.mat").read_bytes())
    assert main(["hint", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "the last game is over" in error
