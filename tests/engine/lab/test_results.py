"""The correction that results of games ask for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch", reason="training needs the extra `train`")

from sixprime.bot.cli.main import main  # noqa: E402
from sixprime.engine.lab.training import model, selfplay  # noqa: E402
from sixprime.engine.lab.training.refine import ALONE, read_shard  # noqa: E402
from tests.support.engine.brains import random_brain  # noqa: E402

pytestmark = pytest.mark.patient


def chances(number: int, seed: int) -> NDArray[np.float32]:
    draws = np.random.default_rng(seed)
    win = draws.uniform(0.05, 0.95, number)
    gammon, lost = (
        win * draws.uniform(0.05, 0.6, number),
        (1 - win) * draws.uniform(0.05, 0.6, number),
    )
    return np.stack([win, gammon, gammon / 20, lost, lost / 20], 1).astype(np.float32)


def flipped(said: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.stack([1 - said[:, 0], said[:, 3], said[:, 4], said[:, 1], said[:, 2]], 1)


def ends(true: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    """Results of a game each, drawn by these chances."""
    draw = np.random.default_rng(seed).uniform(size=(len(true), 1)).astype(np.float32)
    won = draw < true[:, :1]
    mine = won & (draw < true[:, 1:3])
    theirs = ~won & (1 - draw < true[:, 3:5])
    return np.concatenate([won, mine, theirs], 1).astype(np.float32)


def test_one_who_is_too_sure_is_put_right() -> None:
    true = chances(400_000, 1)
    logits = np.log(true / (1 - true))
    logits[:, 0] *= 1.2
    said = (1 / (1 + np.exp(-logits))).astype(np.float32)
    correction = model.fit(said, ends(true, 2))
    before = np.abs(said[:, 0] - true[:, 0]).mean()
    after = np.abs(correction.corrected(said)[:, 0] - true[:, 0]).mean()
    assert before > 0.02
    assert after < before / 4
    gammons = np.abs(correction.corrected(said)[:, 1] - true[:, 1]).mean()
    assert gammons < 0.006


def test_both_sides_are_told_the_same_and_all_chances_fit_together() -> None:
    said = chances(100_000, 3)
    correction = model.fit(said, ends(chances(100_000, 4), 5))  # something, no matter what
    found = correction.corrected(said)
    assert np.abs(found - said).max() > 0.01
    assert found == pytest.approx(flipped(correction.corrected(flipped(said))), abs=1e-5)
    win, gammon, backgammon, lost, lost_backgammon = found.T
    assert (gammon <= win).all()
    assert (lost <= 1 - win).all()
    assert (backgammon <= gammon).all()
    assert (lost_backgammon <= lost).all()


def test_what_cannot_happen_stays_so() -> None:
    said = chances(2000, 6)
    correction = model.fit(said, ends(chances(2000, 7), 8))
    said[:, 3:] = 0.0  # the opponent has borne off
    assert (correction.corrected(said)[:, 3:] == 0.0).all()
    sure = np.array([[1, 1, 0, 0, 0], [0, 0, 0, 1, 0]], np.float32)
    assert (correction.corrected(sure) == sure).all()


def test_games_are_played_to_their_results() -> None:
    said, ended = selfplay.played(random_brain(), 3, 9)
    assert said.shape == ended.shape
    assert np.isin(ended[:, 0], (0.0, 1.0)).mean() > 0.5  # the rest ends at a database, or is cut
    assert len(np.unique(ended[:, 0])) > 1


def test_the_command_writes_shards_that_differ_in_their_targets_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(selfplay, "CHUNK", 4000)
    run, out = tmp_path / "run", tmp_path / "out"
    run.mkdir()
    assert main(["train", "correct", str(run), "--out", str(out)]) == 2
    assert "no checkpoint" in capsys.readouterr().err
    (run / "checkpoint.pt").write_bytes(b"shapes")
    boards = np.zeros((50, 2, 25), np.int8)
    targets, groups = chances(50, 10), np.full(50, ALONE, np.int32)
    np.savez(run / "shard-000001.npz", boards=boards, targets=targets, groups=groups)
    assert main(["train", "correct", str(run), "--games", "20", "--out", str(run)]) == 2
    assert main(["train", "correct", str(run), "--games", "20", "--out", str(out)]) == 0
    found = read_shard(out / "shard-000001.npz")
    assert (found.boards == boards).all()
    assert (found.groups == groups).all()
    assert 0 < np.abs(found.targets - targets).max() < 0.5
    assert (out / "checkpoint.pt").read_bytes() == b"shapes"
