from __future__ import annotations

import json
import lzma
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
from sixprime.engine.position import Position
from sixprime.engine.search.rollout import RolloutSettings
from sixprime.protocols.formats.ids import position_id
from tests.support.engine.brains import random_brain

pytestmark = pytest.mark.patient

BRAIN = random_brain()


SETTINGS = RolloutSettings(trials=36, truncate=1, cubeful=False, seed=5)


def sample(count: int, path: Path) -> chances.Sample:
    reported: list[tuple[int, int]] = []
    found = chances.begun_for(BRAIN, count, 5, path, {})
    chances.roll_out(BRAIN, found, path, SETTINGS, 1, lambda *done: reported.append(done))
    total = len(chances.FAMILIES) * count
    assert reported == [(done, total) for done in range(1, total + 1)]
    return found


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


def test_one_turn_of_rollout_is_one_ply_of_look_ahead(tmp_path: Path) -> None:
    """36 trials of one turn meet each roll once: their mean has no noise left in it."""
    found = sample(3, tmp_path / "some.npz")
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
    path = tmp_path / "some.npz"
    found = sample(2, path)
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


def test_a_set_that_was_stopped_goes_on_and_only_its_rolled_positions_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmarksets, "SAVE_EVERY_S", -1.0)
    path, whole = tmp_path / "some.npz", sample(1, tmp_path / "whole.npz")
    asked = dict.fromkeys(range(3), "ID")
    terminal = (
        "Rollout done\n Current Position: 0.5 0.1 0.0 - 0.5 0.2 0.0 CL +0.1\n"
        " [0.1 0.1 0.0 - 0.1 0.1 0.0 CL 0.1]"
    )

    def stop(done: int, total: int) -> None:
        if done == 2:
            kept.append(len(chances.load_sample(path).boards))
            raise KeyboardInterrupt

    kept = list[int]()
    begun = chances.begun_for(BRAIN, 1, 5, path, {"date": "yesterday"})
    with pytest.raises(KeyboardInterrupt):
        chances.roll_out(BRAIN, begun, path, SETTINGS, 1, stop)
    assert kept == [1]  # a kill at this moment would have cost one position
    assert len(chances.load_sample(path).boards) == 2
    going_on = chances.begun_for(BRAIN, 1, 5, path, {"date": "today"})
    reported: list[int] = []
    chances.roll_out(BRAIN, going_on, path, SETTINGS, 1, lambda done, _: reported.append(done))
    assert reported == list(range(3, len(whole.boards) + 1))
    assert np.array_equal(chances.load_sample(path).chances, whole.chances)
    told: list[str] = []

    def rolled(position: str) -> str:
        told.append(position)
        return terminal

    with pytest.raises(KeyboardInterrupt):
        chances.roll_out_by_gnubg(going_on, path, asked, rolled, 1, stop)
    chances.roll_out_by_gnubg(going_on, path, asked, rolled, 1, lambda done, total: None)
    assert len(told) <= 4  # the third may have begun when the second was reported
    assert chances.load_sample(path).gnubg[:3, 4] == pytest.approx([0.0] * 3)
    assert np.isnan(chances.load_sample(path).gnubg[3:]).all()
    with pytest.raises(LabError, match="other settings"):
        chances.begun_for(BRAIN, 1, 5, path, {"trials": 9})


# --- judges that are not ours


def line(mine: list[int], theirs: list[int], chances_of_mover: list[float], equity: float) -> str:
    """A position whose player on roll has `mine`, as a judge's file has it."""
    mine, theirs = (side + [0] * (25 - len(side)) for side in (mine, theirs))
    place = position_id(Position(tuple(mine), tuple(theirs)))
    found = {"position": place, "mover": chances_of_mover}
    return json.dumps({**found, "equity": equity, "se": 0.01}) + "\n"


LOST = line([2], [3], [0.1, 0, 0, 0, 0], -0.6)  # the next roll ends it
GAMMON = line([1], [15], [0, 0, 0, 0.7, 0], -1.7)  # and there it costs two points
LAST = line([3], [1], [5 / 6, 0, 0, 0, 0], 4 / 6)  # only a double bears off three


def test_players_are_compared_in_the_positions_of_another_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bearoffs that the database knows exactly: all the errors are the judge's."""
    file = tmp_path / "judge.jsonl"
    file.write_text(LOST + GAMMON + LAST)
    assert main(["strength", "chances", "ours", "level:expert", "--judge", str(file)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["judge"] == {"file": str(file), "positions": 3, "error": 0.01}
    assert [row["name"] for row in told["players"]] == ["ours", "level:expert"]
    for row in told["players"]:
        off = row["off"]
        assert off["win"]["rms"] == pytest.approx((0.1**2 / 3) ** 0.5, abs=1e-4)
        assert off["equity"]["rms"] == pytest.approx(((0.4**2 + 0.3**2) / 3) ** 0.5, abs=1e-4)
        assert row["less_than_the_first"]["equity"]["rms"] == 0.0
    packed = tmp_path / "judge.jsonl.xz"
    packed.write_bytes(lzma.compress(file.read_bytes()))
    assert main(["strength", "chances", "--judge", str(packed)]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["players"] == told["players"][:1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (LOST + "{}\n", "line 2"),
        (LOST + LOST.replace("0.1", "NaN"), "line 2: five chances"),
        (LOST.replace("[0.1, ", "["), "line 1: five chances"),
        (LOST.replace('"position": "', '"position": "?'), "line 1: Position ID"),
        ("", "no position"),
    ],
)
def test_a_bad_line_of_a_judge_is_named(
    text: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "judge.jsonl"
    file.write_text(text)
    assert main(["strength", "chances", "--judge", str(file)]) == 2
    assert says in capsys.readouterr().err
    (tmp_path / "judge.xz").write_text(LOST)
    assert main(["strength", "chances", "--judge", str(tmp_path / "judge.xz")]) == 2
    assert main(["strength", "chances", "ours", "gnubg"]) == 2
    assert "only by --judge" in capsys.readouterr().err


def test_intervals_hold_the_truth_as_often_as_they_say_though_neighbours_err_alike() -> None:
    """Games of 25 positions err together; the truth is a root mean square of 1 and of 2."""
    draws, kept, apart = np.random.default_rng(1), 0, 0
    for _ in range(300):
        games = draws.normal(size=(2, 80))
        first, other = np.repeat(games, 25, axis=1) * 0.8 + 0.6 * draws.normal(size=(2, 2000))
        low, high = chances.root_mean_square(first**2).interval
        kept += low <= 1.0 <= high
        low, high = chances.roots_apart((2 * first) ** 2, (first + other) ** 2 / 2).interval
        apart += low <= 1.0 <= high
    assert 0.89 <= kept / 300 <= 0.99
    assert 0.89 <= apart / 300 <= 0.99


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
