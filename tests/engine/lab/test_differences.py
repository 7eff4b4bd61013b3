"""What two players differ in, and what that is worth."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sixprime.bot.cli.main import main
from sixprime.engine.kernels.evaluation import scratch_for
from sixprime.engine.lab.measuring import differences
from sixprime.engine.lab.measuring.contestants import OurPlayer, RandomPlayer
from sixprime.engine.lab.measuring.games import GameTerms
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import Position
from sixprime.engine.rules import legal_plays
from tests.support.engine.brains import random_brain
from tests.support.engine.reference import random_rolls

pytestmark = pytest.mark.patient

BRAIN = random_brain()
WORK = scratch_for(BRAIN)
TERMS = GameTerms(seed=3, block=4, differences=True)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "TRIALS", 2)
    monkeypatch.setattr(differences, "DEEP_TURNS", 0)


def points(**checkers: int) -> tuple[int, ...]:
    return tuple(checkers.get(f"p{place}", 0) for place in range(1, 26))


def test_a_player_does_not_differ_from_itself() -> None:
    tally = differences.play_block(OurPlayer(BRAIN), OurPlayer(BRAIN), TERMS, 0, 2, BRAIN)
    assert tally.decisions > 20
    assert tally.different == 0
    assert (tally.score().mean, tally.score().half_width) == (0.0, 0.0)


@pytest.mark.usefixtures("quick")
def test_the_better_one_gains_whichever_seat_it_has() -> None:
    shipped = load_brain()
    good, bad = OurPlayer(shipped), OurPlayer(BRAIN)
    for first, second, sign in ((good, bad, 1), (bad, good, -1)):
        found = differences.play_block(first, second, TERMS, 0, 2, shipped).score()
        assert sign * found.mean > 0.2


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_a_block_is_the_same_whenever_it_is_played() -> None:
    players = OurPlayer(BRAIN), RandomPlayer()
    once, again = (differences.play_block(*players, TERMS, 7, 1, BRAIN) for _ in range(2))
    assert once == again
    assert differences.play_block(*players, TERMS, 8, 1, BRAIN) != once


def test_what_is_better_by_how_much_is_what_the_database_says() -> None:
    # one checker each: 27 of 36 rolls bear one off the 6 point, all one off the 2 point
    theirs = points(p1=1)
    far, near = (np.array([points(**{f"p{pip}": 1}), theirs], np.int8) for pip in (6, 2))
    assert differences.better_by(BRAIN, near, far, 1) == pytest.approx(0.0, abs=1e-6)
    theirs = points(p6=1)  # after a miss the next roll does it
    far, near = (np.array([points(**{f"p{pip}": 1}), theirs], np.int8) for pip in (6, 2))
    expected = 2 * (9 / 36) * (9 / 36)
    found = differences.better_by(BRAIN, near, far, 1)
    assert found == pytest.approx(expected, abs=0.01)
    assert differences.better_by(BRAIN, far, near, 1) == pytest.approx(-found, abs=1e-9)


def test_where_nobody_is_asked_the_play_is_legal_and_wins_if_one_does() -> None:
    seen = set()
    for position, dice in random_rolls(12, 80):
        if position.is_over() or position.checkers != 15:
            continue
        board, open_ = differences.obvious(BRAIN, position.array(), np.array(dice, np.int8), WORK)
        plays = [play.result for play in legal_plays(position, dice)]
        assert Position.from_array(board) in plays
        assert not (open_ and len(plays) == 1)
        seen.add(open_)
    assert seen == {True, False}
    last = np.array([points(p1=2), points(p1=2)], np.int8)
    board, open_ = differences.obvious(BRAIN, last, np.array((2, 1), np.int8), WORK)
    assert (board[0].sum(), open_) == (0, False)


@pytest.mark.usefixtures("quick")
def test_the_command_tells_how_often_they_differ(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["strength", "games", "ours", "random", "--games", "4", "--differences"]
    assert main(command) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["games"] == 4
    assert 0 < told["different"] <= told["decisions"]
    assert told["points_per_game"] > 0
    assert told["differences"] == {"trials": 2, "deep_turns": 0}
    assert "results" not in told


@pytest.mark.parametrize("other", ["--reduce", "--one-point"])
def test_the_command_refuses_what_it_cannot_do(
    other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["strength", "games", "ours", "random", "--differences", other]) == 2
    assert "--differences" in capsys.readouterr().err
