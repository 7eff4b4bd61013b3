"""The engine for notebooks."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

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
from sixprime.engine.position import MatchState
from sixprime.engine.search.decide import NoDecision
from sixprime.engine.search.rollout import RolloutSettings
from sixprime.protocols.formats.ids import BadId, xgid
from tests.brains import random_brain

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


def test_what_a_notebook_shows_is_well_formed() -> None:
    few = RolloutSettings(trials=36, truncate=2)
    seen = study(START, level="expert")
    shown = [
        board(START, "31")._repr_svg_(),
        hint(START, "31", level="expert")._repr_html_(),
        rollout(START, "31", settings=few, plays=2)._repr_html_(),
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
