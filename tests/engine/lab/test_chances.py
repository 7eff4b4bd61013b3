from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.bot.cli.main import main
from sixprime.engine.kernels.cubeless import CubelessPlayer
from sixprime.engine.kernels.evaluation import scratch_for
from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring import benchmarksets, chances
from sixprime.engine.lab.training import selfplay, targets
from sixprime.engine.search.rollout import RolloutSettings
from tests.support.engine.brains import random_brain

pytestmark = pytest.mark.patient

BRAIN = random_brain()


def sample(count: int) -> chances.Sample:
    settings = RolloutSettings(trials=36, truncate=1, cubeful=False, seed=5)
    reported: list[tuple[int, int]] = []
    found = chances.judged(BRAIN, count, settings, 1, lambda *done: reported.append(done))
    total = len(chances.FAMILIES) * count
    assert reported == [(done, total) for done in range(1, total + 1)]
    return chances.Sample(**found, about="{}")


def unasked(count: int) -> NDArray[np.float32]:
    return np.full((count, 5), np.nan, np.float32)


def test_positions_are_drawn_in_contact_and_each_family_from_its_own_games() -> None:
    drawn = {each: chances.drawn(BRAIN, each, 40, seed=3) for each in chances.FAMILIES}
    for boards in drawn.values():
        assert boards.shape == (40, 2, 25)
        assert not selfplay.races(boards).any()
        assert len({board.tobytes() for board in boards}) == 40
    again = chances.drawn(BRAIN, "snake", 40, seed=3)
    assert (again == drawn["snake"]).all()
    assert not (again == chances.drawn(BRAIN, "snake", 40, seed=4)).all()


def test_one_turn_of_rollout_is_one_ply_of_look_ahead() -> None:
    """36 trials of one turn meet each roll once: their mean has no noise left in it."""
    found = sample(3)
    ahead = np.zeros((len(found.boards), 5), np.float32)
    targets.look_ahead_many(CubelessPlayer(BRAIN, scratch_for(BRAIN)), found.boards, ahead)
    assert found.chances == pytest.approx(ahead, abs=1e-4)


def test_the_noise_of_the_rollouts_is_taken_out_of_how_far_off_a_net_is() -> None:
    boards = np.zeros((4, 2, 25), np.int8)
    kinds = np.array([0, 0, 1, 1], np.int8)
    true = np.full((4, 5), 0.5, np.float32)
    noise = np.full((4, 5), 0.003, np.float32)
    found = chances.Sample(boards, kinds, true, noise, unasked(4), unasked(4), "{}")
    seen = true + np.array([[0.005], [-0.005], [0.02], [0.0]], np.float32)
    ordinary, slow = chances.compared(seen, found).values()
    assert ordinary["positions"] == slow["positions"] == 2
    assert ordinary["off"] == pytest.approx([0.004] * 5, abs=1e-5)
    assert ordinary["bias"] == pytest.approx([0.0] * 5, abs=1e-5)
    assert slow["bias"] == pytest.approx([0.01] * 5, abs=1e-5)
    assert ordinary["within_0.015"] == 1.0
    assert slow["within_0.015"] == 0.5


def test_gnubg_is_compared_only_where_it_was_asked_and_without_the_noise_of_either() -> None:
    boards = np.zeros((4, 2, 25), np.int8)
    kinds = np.array([0, 0, 1, 1], np.int8)
    true = np.full((4, 5), 0.5, np.float32)
    gnubg, noise = unasked(4), unasked(4)
    gnubg[0], noise[0] = 0.5 + 0.013, 0.004
    noise_of_ours = np.full((4, 5), 0.003, np.float32)
    found = chances.Sample(boards, kinds, true, noise_of_ours, unasked(4), unasked(4), "{}")
    assert chances.agreement(found) == {}
    told = chances.agreement(found._replace(gnubg=gnubg, gnubg_errors=noise))
    assert list(told) == ["ordinary"]
    assert told["ordinary"]["positions"] == 1
    assert told["ordinary"]["off"] == pytest.approx([0.012] * 5, abs=1e-5)
    asked, theirs = chances.by_gnubg(found._replace(gnubg=gnubg, gnubg_errors=noise))
    assert list(asked) == [True, False, False, False]
    right = chances.compared(gnubg[asked] + np.float32(0.005), theirs)
    assert right["ordinary"]["off"] == pytest.approx([0.003] * 5, abs=1e-5)


@pytest.mark.gnubg
def test_gnubg_rolls_out_some_of_each_family(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "some.npz"
    few = ["--positions", "2", "--trials", "36", "--deep-turns", "0", "--keep", "1"]
    gnubg = ["--gnubg", "1", "--gnubg-trials", "2", "--threads", "2"]
    assert main(["strength", "make-chances", "--out", str(path), *few, *gnubg]) == 0
    capsys.readouterr()
    found = chances.load_sample(path)
    asked = np.isfinite(found.gnubg[:, 0])
    assert list(asked) == [True, False] * len(chances.FAMILIES)
    assert (np.isfinite(found.gnubg) == asked[:, None]).all()
    assert (np.isfinite(found.gnubg_errors) == asked[:, None]).all()
    assert main(["strength", "chances", "--set", str(path)]) == 0
    told = json.loads(capsys.readouterr().out)["our_rollouts_by_gnubg"]
    assert [told[family]["positions"] for family in chances.FAMILIES] == [1] * len(told)


def test_a_set_comes_back_as_it_was_saved_and_a_broken_one_is_refused(tmp_path: Path) -> None:
    found = sample(2)
    path = tmp_path / "some.npz"
    benchmarksets.save_set(path, found)
    again = chances.load_sample(path)
    assert (again.boards == found.boards).all()
    assert (again.chances == found.chances).all()
    assert again.about == found.about
    benchmarksets.save_set(path, found._replace(kinds=found.kinds[:1]))
    with pytest.raises(LabError, match="do not belong to the positions"):
        chances.load_sample(path)
    path.write_bytes(b"PK")
    with pytest.raises(LabError, match="not a set of chances"):
        chances.load_sample(path)


def test_the_command_makes_a_set_and_holds_a_player_against_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "some.npz"
    few = ["--positions", "2", "--trials", "36", "--keep", "1", "--deep-turns", "0"]
    assert main(["strength", "make-chances", "--out", str(path), *few]) == 0
    assert json.loads(capsys.readouterr().out)["positions"] == 2 * len(chances.FAMILIES)
    assert main(["strength", "chances", "ours:1", "--set", str(path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [told[family]["positions"] for family in chances.FAMILIES] == [2] * len(chances.FAMILIES)
    assert told["set"]["trials"] == 36


def test_the_projects_own_set_is_whole_and_the_nets_that_ship_are_not_far_off(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["strength", "chances"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert min(told[family]["positions"] for family in chances.FAMILIES) >= 60
    assert max(told["ordinary"]["off"]) < 0.035
    assert max(told["back_game"]["off"]) < 0.025
    asked = told["our_rollouts_by_gnubg"]
    assert all(asked[family]["positions"] >= 12 for family in chances.FAMILIES)


def test_the_command_refuses_what_makes_no_sense(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["strength", "chances", "random"]) == 2
    assert "does not tell what it thinks" in capsys.readouterr().err
