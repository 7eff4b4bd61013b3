"""Rivals keep their differences and get their mean from nets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
from sixprime.engine.lab.training.refine import ALONE, Shard, read_shard, rewrite, shifted
from sixprime.engine.nets.evaluate import Evaluator
from tests.support.engine.brains import random_brain
from tests.support.engine.reference import random_rolls

GROUPS = np.array([0, 0, 0, ALONE, 7, 7], np.int32)


def test_a_group_has_the_mean_of_the_judge_and_its_own_differences() -> None:
    draws = np.random.default_rng(1)
    targets, judged = (
        np.sort(draws.uniform(0.3, 0.4, (6, 5)), axis=1)[:, ::-1].astype(np.float32)
        for _ in range(2)
    )
    found = shifted(targets, judged, GROUPS)
    assert (found[3] == targets[3]).all()
    for group in (slice(0, 3), slice(4, 6)):
        assert found[group, 0].mean() == pytest.approx(judged[group, 0].mean(), abs=1e-6)
        apart = found[group, 0] - found[group, 0].mean()
        assert apart == pytest.approx(targets[group, 0] - targets[group, 0].mean(), abs=1e-6)


def test_chances_stay_chances() -> None:
    draws = np.random.default_rng(2)
    found = shifted(
        draws.random((6, 5)).astype(np.float32), draws.random((6, 5)).astype(np.float32), GROUPS
    )[GROUPS != ALONE]
    win, gammon, backgammon, lost, lost_backgammon = found.T
    assert (found >= 0).all()
    assert ((backgammon <= gammon) & (gammon <= win) & (win <= 1)).all()
    assert ((lost_backgammon <= lost) & (lost <= 1 - win + 1e-6)).all()


def test_a_folder_keeps_its_boards_and_groups(tmp_path: Path) -> None:
    positions = [p for p, _ in random_rolls(5, 40) if p.checkers == 15][:6]
    boards = np.stack([position.array() for position in positions])
    shard = Shard(boards, np.full((6, 5), 0.2, np.float32), GROUPS)
    np.savez(tmp_path / "shard-000001.npz", **shard._asdict())
    judge = Evaluator(random_brain())

    def anew(shard: Shard) -> Shard:
        return shard._replace(targets=shifted(shard.targets, judge.array(boards), shard.groups))

    assert rewrite(tmp_path, tmp_path / "out", "-a", anew) == 1
    found = read_shard(tmp_path / "out" / "shard-000001-a.npz")
    assert (found.boards == boards).all()
    assert (found.groups == GROUPS).all()
    assert (found.targets[0] != 0.2).any()
    assert (found.targets[3] == np.float32(0.2)).all()
