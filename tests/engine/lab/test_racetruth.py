"""Gathered races are worth what a one-sided database says, or one ply of look-ahead into it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
from sixprime.engine.bearoff.databases import OneSided, OneSidedDatabase
from sixprime.engine.lab.training import racetruth
from sixprime.engine.lab.training.refine import ALONE, Shard
from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.position import Position
from tests.support.engine.boards import side
from tests.support.engine.brains import random_brain
from tests.support.engine.reference import legal_results

POINTS = 8


HOME = side(1, 2, 2, 3, 4, 5, 6)
NEAR = side(3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 7, 7, 8, 8, 8)
NEARER = side(1, 3, 4, 5, 5, 6, 6, 6, 7)
FAR = side(2, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 8, 8, 9, 10)


def boards(*pairs: tuple[tuple[int, ...], tuple[int, ...]]) -> racetruth.Boards:
    return np.array(pairs, np.int8)


def gathered(*pairs: tuple[tuple[int, ...], tuple[int, ...]]) -> Shard:
    count = len(pairs)
    return Shard(boards(*pairs), np.zeros((count, 5), np.float32), np.full(count, ALONE, np.int32))


def test_a_race_teaches_from_both_sides_and_with_sides_paired_anew() -> None:
    races = boards((NEAR, NEARER), (HOME, NEAR), (HOME, HOME), (FAR, HOME))
    found = racetruth.taught(races, POINTS, np.random.default_rng(1))
    seen = {tuple(map(tuple, board.tolist())) for board in found}
    assert {(NEAR, NEARER), (NEARER, NEAR), (HOME, NEAR), (NEAR, HOME)} <= seen
    assert {(FAR, HOME), (HOME, FAR)} <= seen
    assert (HOME, HOME) not in seen  # the bearoff database knows
    assert len(found) >= 6
    assert all(one in (HOME, NEAR, NEARER, FAR) for pair in seen for one in pair)
    assert not any(FAR in pair for pair in seen - {(FAR, HOME), (HOME, FAR)})


def test_sides_paired_anew_are_about_equally_long() -> None:
    draws = np.random.default_rng(2)
    many = np.zeros((400, 2, 25), np.int8)
    for board in many:
        for one in board:
            np.add.at(one, draws.integers(0, 8, 15), 1)
    found = racetruth.paired_anew(many, draws)
    gaps = np.diff(found @ racetruth.PIPS).ravel()
    assert 5 < gaps.std() < 15
    assert abs(gaps.mean()) < 3
    sides = {tuple(one) for one in many.reshape(-1, 25).tolist()}
    assert {tuple(one) for one in found.reshape(-1, 25).tolist()} <= sides


def test_what_races_are_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(racetruth, "DECIDED", 1.0)
    brain = racetruth.within(random_brain(), POINTS)
    database = OneSidedDatabase.built(OneSided(POINTS))
    shard = gathered((NEAR, NEARER), (FAR, NEAR))
    found = racetruth.truth_of(shard, brain, np.random.default_rng(3), threads=2)
    assert (found.groups == ALONE).all()
    assert len(found.boards) == len(found.targets) == len(found.groups)
    for board, target in zip(found.boards, found.targets, strict=True):
        position = Position.from_array(board)
        if database.covers(position):
            assert target == pytest.approx(database.outcomes(position), abs=1e-6)
        else:
            assert target == pytest.approx(_one_ply(position, Evaluator(brain)), abs=1e-5)


def test_most_races_that_are_decided_teach_nothing() -> None:
    brain = racetruth.within(random_brain(), POINTS)
    open_, decided = (NEAR, NEAR), (side(1), NEAR)
    shard = gathered(*[open_, decided] * 200)
    found = racetruth.truth_of(shard, brain, np.random.default_rng(4), threads=1)
    seen = [tuple(map(tuple, board.tolist())) for board in found.boards]
    assert seen.count(open_) >= 400  # turned, too
    assert 10 < seen.count(decided) < 60


def _one_ply(position: Position, judge: Evaluator) -> list[float]:
    """The mean over the rolls of the chances after the best play."""
    total = np.zeros(5)
    for die1 in range(1, 7):
        for die2 in range(1, 7):
            after = [result.flipped() for result in legal_results(position, (die1, die2))]
            said = judge.array(np.stack([each.array() for each in after])).astype(float)
            win, gammon, backgammon, lost, lost_backgammon = said.T
            equity = 2 * win - 1 + gammon + backgammon - lost - lost_backgammon
            best = said[equity.argmin()]
            total += (1 - best[0], best[3], best[4], best[1], best[2])
    return list(total / 36)
