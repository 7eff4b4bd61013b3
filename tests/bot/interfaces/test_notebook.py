"""The engine for notebooks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import sixprime
from sixprime.bot.interfaces import notebook
from sixprime.bot.interfaces.notebook import (
    Engine,
    Position,
    board,
    cube_action,
    hint,
    rollout,
    study,
)
from sixprime.bot.settings.levels import read_level
from sixprime.engine.position import MatchState
from sixprime.engine.search.decide import NoDecision
from sixprime.engine.search.rollout import RolloutSettings
from sixprime.protocols.formats.ids import BadId, xgid
from tests.support.engine.brains import random_brain
from tests.support.places import ROOT

pytestmark = pytest.mark.patient

START = "4HPwATDgc/ABMA"
BRAIN = random_brain()


@pytest.fixture(autouse=True)
def small_nets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "_engine", lambda level: Engine(level, brain=BRAIN))
    monkeypatch.setattr(notebook, "load_brain", lambda: BRAIN)


def test_a_position_may_be_text_or_a_value() -> None:
    state = MatchState(dice=(3, 1))
    first = hint(START, "31", level="expert")
    assert len(first) == 16
    assert first == hint(Position.start(), (3, 1), level="expert")
    assert first == hint(xgid(Position.start(), state), level="expert")
    assert first[0].equity == max(each.equity for each in first)


def test_the_cube_action_is_in_gnubgs_words() -> None:
    assert cube_action(START, level="expert").action == "No double, take"
    assert cube_action(START, match="8AmgACAAIAAE", level="expert").available is False


def test_a_rollout_says_how_sure_it_is() -> None:
    rows = rollout(START, "31", settings=RolloutSettings(trials=36, truncate=2), plays=2)
    assert len(rows) == 2
    assert rows[0][1].equity >= rows[1][1].equity
    assert all(rolled.error > 0 for _, rolled in rows)


@pytest.mark.parametrize("dice", ["7", "71", "3 1"])
def test_nonsense_is_refused_in_words(dice: str) -> None:
    with pytest.raises(ValueError, match="two digits"):
        hint(START, dice)
    with pytest.raises(BadId):
        hint("nonsense", "31")
    with pytest.raises(NoDecision):
        hint(START)


FEW = RolloutSettings(trials=36, truncate=1)
ANY: Any = sixprime  # takes whatever is said, as Python does


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: ANY.hint(START, 31), "from 1 to 6, such as '31' or (3, 1), not 31"),
        (lambda: ANY.board(START, (9, 9)), "such as '31' or (3, 1), not (9, 9)"),
        (lambda: ANY.board(5), "position 5: a Position, an ID or an XGID is needed"),
        (lambda: ANY.board(Position((16,) + (0,) * 24, (0,) * 25)), "has 16 checkers"),
        (lambda: ANY.hint(START, "31", match=5), "match 5: a MatchState or a Match ID is needed"),
        (lambda: ANY.hint(START, "31", match=MatchState(cube=3)), "cube 3: 1, 2, 4, 8 and so on"),
        (lambda: ANY.cube_action(START, match=MatchState(on_roll=2)), "on_roll 2: the seats are"),
        (lambda: ANY.cube_action(START, match=MatchState(cube_owner=7)), "cube_owner 7: the"),
        (lambda: ANY.board(START, match=MatchState(length=-1)), "0-0 to -1: below 0"),
        (lambda: ANY.study(START, level="expert", chances=(0.5, 0.1)), "0.5,0.1: five numbers"),
        (lambda: ANY.study(START, level="expert", chances=(0.5, 0.6, 0, 0, 0)), "no likelier than"),
        (lambda: ANY.rollout(START, "31", plays=0), "plays 0: at least 1 is needed"),
        (lambda: ANY.rollout(START, "31", plays="2"), "plays '2': a whole number is needed"),
        (lambda: ANY.rollout(START, threads=0), "threads 0: at least 1 is needed"),
        (lambda: ANY.rollout(START, settings=36), "settings 36: a RolloutSettings is needed"),
        (lambda: ANY.rollout(START, settings=ANY.RolloutSettings(trials="9")), "trials '9': a"),
        (lambda: ANY.rollout(START, match=MatchState(length=5, score=(7, 1))), "the match is over"),
        (lambda: ANY.Engine(threads=0, brain=BRAIN), "threads 0: at least 1 is needed"),
        (lambda: ANY.Engine(brain=BRAIN).move("4HPwATDgc/ABMA"), "position '4HPwATDgc/ABMA': a Po"),
        (lambda: ANY.Engine(weights="/nowhere"), "/nowhere: no such file"),
        (lambda: ANY.hnit, "module 'sixprime' has no attribute 'hnit'"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named(wrong: Callable[[], Any], said: str) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)) as told:
        wrong()
    assert said in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("level", "said"),
    [
        ((1650,), r"level \(1650,\): a name, a rating or a Level is needed"),
        (5, "5 is out of range, from [0-9]+ to [0-9]+ can be played at"),
        (float("nan"), "nan is out of range, from"),
        ("wolrd-class", "no level 'wolrd-class'"),
    ],
)
def test_a_wrong_level_is_named(level: Any, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    with pytest.raises((TypeError, ValueError), match=said):
        hint(START, "31", level=level)


def test_a_rating_is_a_level_as_it_is_for_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    command = read_level({"target_rating": 1650})
    for rating in (1650, "1650"):
        assert hint(START, "31", level=rating) == hint(START, "31", level=command)
        assert hint(START, "31", level=rating) != hint(START, "31", level="expert")


def test_what_is_printed_reads_as_a_table() -> None:
    plays = str(hint(START, "31", level="expert")).splitlines()
    assert len(plays) == 17
    assert plays[0].split()[:3] == ["play", "equity", "worse"]
    assert len({line.index(".") for line in plays[1:]}) == 1  # one column
    rolled = rollout(START, "31", settings=FEW, plays=2)
    assert str(rolled).splitlines()[1].startswith(rolled[0][0])
    assert [name for name, _ in rolled] == [each.name for _, each in rolled]
    at_score = str(cube_action(START, match="cAngADAAKAAE", level="expert")).splitlines()
    assert [line.split("  ")[0] for line in at_score[1:4]] == [
        "no double", "double, take", "double, pass",
    ]  # fmt: skip
    assert "MWC" in at_score[0]
    assert repr(study(START, level="expert", rolls=False)).startswith(f"<study of {START}: ")
    assert repr(Engine("expert", brain=BRAIN)) == "Engine('expert')"


def test_the_package_lists_what_it_offers_and_nothing_else() -> None:
    assert [name for name in dir(sixprime) if not name.startswith("__")] == sixprime.__all__


@pytest.mark.slow
def test_a_users_script_is_checked_by_its_types(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sixprime\n"
        "best: str = sixprime.hint('4HPwATDgc/ABMA', '31')[0].play\n"
        "rows = sixprime.rollout(best, settings=sixprime.RolloutSettings(trials=36))\n"
        "equity: float = rows[0][1].equity + sixprime.cube_action(best).no_double\n"
        "version: str = sixprime.__version__\n"
        "sixprime.hnit(best)\n"
        "sixprime.hint(best, 31)\n"
    )
    mypy = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(script)]
    place = {**os.environ, "MYPYPATH": str(ROOT)}  # mypy does not look through an editable install
    found = subprocess.run(
        mypy, capture_output=True, text=True, cwd=tmp_path, env=place, check=False
    ).stdout
    assert [line.split(":")[1] for line in found.splitlines() if ": error:" in line] == ["6", "7"]


def test_what_a_notebook_shows_is_well_formed() -> None:
    few = RolloutSettings(trials=36, truncate=2)
    seen = study(START, level="expert")
    shown = [
        board(START, "31")._repr_svg_(),
        hint(START, "31", level="expert")._repr_html_(),
        rollout(START, "31", settings=few, plays=2)._repr_html_(),
        f"<div>{cube_action(START, level='expert')._repr_html_()}</div>",
    ]
    for markup in (*shown, f"<div>{seen._repr_html_()}</div>"):
        ElementTree.fromstring(markup)
    assert shown[1].count("<tr>") == 17
    assert "8/5 6/5" in str(seen)


def test_a_rollout_shows_how_far_it_is_only_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    few = RolloutSettings(trials=36, truncate=1)
    rollout(START, "31", settings=few, plays=1)
    assert capsys.readouterr().out == ""
    rollout(START, "31", settings=few, plays=1, progress=True)
    assert "rolling out" in capsys.readouterr().out
