"""Labels are what a search says, and none is made twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
from sixprime.engine.lab.training import labels
from sixprime.engine.lab.training.labels import Labelling, label, searched
from sixprime.engine.lab.training.refine import ALONE, Shard, read_shard
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import Position
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.levels import Level
from sixprime.engine.search.plies import Evaluation
from tests.support.engine.reference import random_rolls

pytestmark = pytest.mark.train


def shard_of(folder: Path, number: int, boards: np.ndarray) -> Labelling:
    targets, groups = np.zeros((len(boards), 5), np.float32), np.full(len(boards), ALONE, np.int32)
    path = folder / f"shard-{number:06d}.npz"
    np.savez(path, **Shard(boards, targets, groups)._asdict())
    return Labelling(path, folder / f"labelled-{number}.npz")


def boards_of(count: int) -> np.ndarray:
    return np.stack([position.array() for position, _ in random_rolls(seed=54, count=count)])


def test_a_label_is_what_the_engine_says_after_as_many_plies() -> None:
    depth = Evaluation(plies=1, cubeful=False)
    engine = Engine(Level("one", depth, depth))
    boards = boards_of(6)
    for board, chances in zip(boards, searched(boards, load_brain(), 1), strict=True):
        position = Position(tuple(board[0].tolist()), tuple(board[1].tolist()))
        assert chances == pytest.approx(engine.cube(position, cubeful=False).outcomes, abs=1e-6)


def test_a_stopped_run_goes_on_and_searches_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards = boards_of(9)
    parts = (boards[[0, 1, 1, 2]], boards[[2, 3, 4]], boards[[5, 0, 6, 7, 8]])
    jobs = [shard_of(tmp_path, number, part) for number, part in enumerate(parts)]
    met: list[bytes] = []

    def search(part: np.ndarray, *_: object) -> np.ndarray:
        if len(met) == 5:
            raise KeyboardInterrupt
        met.extend(board.tobytes() for board in part)
        return np.full((len(part), 5), 0.5, np.float32)

    monkeypatch.setattr(labels, "searched", search)
    with pytest.raises(KeyboardInterrupt):
        label(jobs, load_brain(), 2, 1, lambda _: None)
    assert [job.labelled.exists() for job in jobs] == [True, True, False]
    met.append(b"another session")
    rows: list[dict[str, float]] = []
    label(jobs, load_brain(), 2, 1, rows.append)
    met.remove(b"another session")
    assert sorted(met) == sorted(board.tobytes() for board in boards)
    assert [len(read_shard(job.labelled).boards) for job in jobs] == [3, 2, 4]
    assert rows[-1]["labels"] == 4
    assert rows[-1]["hours_left"] == 0


def test_shards_of_positions_that_are_all_known_are_empty(tmp_path: Path) -> None:
    boards = boards_of(2)
    jobs = [shard_of(tmp_path, number, boards) for number in (1, 2)]
    label(jobs[:1], load_brain(), 0, 1, lambda _: None)
    rows: list[dict[str, float]] = []
    label(jobs, load_brain(), 0, 1, rows.append)
    assert len(read_shard(jobs[1].labelled).boards) == 0
    assert rows[-1]["labels"] == 0
