"""Cubeful games and matches at depth: fair, resumable; gnubg is asked what it is meant to be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sixprime.bot.cli.main import main
from sixprime.engine.lab.calibration.duels import Duel, DuelOpponents, DuelTerms
from sixprime.engine.lab.measuring import cubespots
from sixprime.engine.lab.measuring.contestants import OurPlayer
from sixprime.engine.lab.measuring.gnubg import GnubgPeer
from sixprime.engine.position import MatchState, Position
from tests.support.engine.brains import random_brain

BRAIN = random_brain()


@pytest.mark.gnubg
def test_gnubg_decides_cubes_at_any_score_as_its_own_equities_say() -> None:
    """Its socket reads the scores in another order where a double is to be answered."""
    spots = cubespots.load_spots()
    few = np.flatnonzero(spots.matches[:, 0] > 0)[:40]
    spots = spots._replace(**{name: getattr(spots, name)[few] for name in spots._fields[:-1]})
    views = cubespots.views("gnubg", spots)
    doubles = np.minimum(views.double_take, 1.0) > views.no_double
    with GnubgPeer(cubeful=True) as gnubg:
        for place in range(len(few)):
            board, (_, match) = spots.boards[place], spots.spot(place)
            assert gnubg.doubles(board, match) == doubles[place]
            assert gnubg.takes(board, match) == (views.double_take[place] <= 1.0)


@pytest.mark.gnubg
@pytest.mark.patient
def test_a_game_against_gnubg_is_kept_and_not_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["strength", "matches", "ours", "gnubg", "--pairs", "2"]
    words += ["--resume", str(tmp_path / "duels.json")]
    assert main(words) == 0
    played = json.loads(capsys.readouterr().out)
    monkeypatch.setattr(GnubgPeer, "__init__", lambda *_, **__: pytest.fail("gnubg is started"))
    assert main(words) == 0
    kept = json.loads(capsys.readouterr().out)
    assert played["pairs"] == kept["pairs"] == 2
    assert played["without_luck"] == kept["without_luck"]


def test_both_sides_of_a_pair_are_even_between_equals() -> None:
    pair = DuelOpponents(DuelTerms("ours", "ours", 0, 1)).play(0)
    assert (pair.total, pair.pairs) == (0.0, 1)
    assert pair.adjusted_total == pytest.approx(0.0, abs=1e-9)


@pytest.mark.patient
@pytest.mark.parametrize("length", [0, 2])
def test_luck_is_most_of_a_result_and_has_no_expectation(length: int) -> None:
    seats = OurPlayer(BRAIN, 0), OurPlayer(BRAIN, 0)
    duel = Duel(BRAIN, seats, length)
    found = np.array([duel.result(1, number) for number in range(60)])
    luck = found[:, 0] - found[:, 1]
    assert abs(luck.mean()) < 3 * luck.std() / np.sqrt(len(luck))
    assert luck.std() > 0.2


def test_the_play_is_one_of_the_roll() -> None:
    board = Position.start().array()
    after = OurPlayer(BRAIN, 1).after(board, MatchState(), (3, 1))
    assert after.sum() == board.sum()


def test_who_has_no_opinion_about_cubes_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strength", "matches", "ours", "random"]) == 2
    assert "random" in capsys.readouterr().err
