"""The net of one side learns what a database says, and the same in torch and in the kernels."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra `train`")
from sixprime.engine.bearoff.databases import OneSided, OneSidedDatabase
from sixprime.engine.kernels.bearoff.ranks import HOME
from sixprime.engine.kernels.moves import roll_results
from sixprime.engine.kernels.races import ALL, ENDS, FIRST, LEARNED, ends_of, side_scratch
from sixprime.engine.lab.measuring import races
from sixprime.engine.lab.measuring.contestants import OurPlayer
from sixprime.engine.lab.measuring.decisions import losses
from sixprime.engine.lab.training import sides
from sixprime.engine.lab.training.sideends import Judge, SideBoards, within
from sixprime.engine.lab.training.targets import walk
from sixprime.engine.nets import weights
from sixprime.engine.position import PLACES, Position
from tests.support.engine.boards import side
from tests.support.engine.brains import random_nets
from tests.support.engine.reference import legal_results

POINTS = 7
NUMBERS = np.arange(32)
START = side(6, 6, 6, 6, 6, 8, 8, 8, 13, 13, 13, 13, 13, 24, 24)


def walked(count: int, seed: int) -> SideBoards:
    out = np.zeros((count, PLACES), np.int8)
    walk(np.array([START], np.int8), seed, 3, roll_results(), out)
    return out


def taught() -> Judge:
    return Judge.of(within(weights.load_brain(), POINTS))


def test_sides_of_a_walk_have_a_checker_outside_and_lose_pips_and_checkers() -> None:
    found = walked(3000, 1)
    assert (found[:, HOME:].sum(1) > 0).all()
    assert (found.sum(1) <= 15).all()
    assert 0.5 < (found.sum(1) == 15).mean() < 0.95
    assert len(np.unique(found, axis=0)) > 1000
    assert (found @ np.arange(1, 26)).max() < 167


def test_a_side_beyond_the_database_gets_the_mean_of_its_best_successors() -> None:
    judge, database = taught(), OneSidedDatabase.built(OneSided(POINTS))
    for far in (side(1, 2, 2, 3, 4, 5, 6, 8), side(3, 4, 4, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8)):
        wanted = np.zeros((LEARNED, 32))
        for dice in ((a, b) for a in range(1, 7) for b in range(1, 7)):
            after = [each.mine for each in legal_results(Position(far, (0,) * PLACES), dice)]
            for end in (ALL, FIRST):
                known = (database.distribution, database.first_off)[end]
                if all(not any(each[POINTS:]) for each in after):
                    ends = [np.asarray(known(each)) for each in after]
                else:
                    ends = list(judge.ends(np.array(after, np.int8))[:, end])
                    kept = np.zeros((len(after), ENDS, 32), np.float32)
                    ends_of(judge.brain, np.array(after, np.int8), judge.scratch, kept)
                    ends = list(kept[:, end])
                best = min(ends, key=lambda chances: float(chances @ NUMBERS))
                wanted[end, 1:] += best[:-1] / 36
        found = judge.ends(np.array([far], np.int8))[0]
        assert found[ALL] == pytest.approx(wanted[ALL], abs=1e-4)
        if sum(far) == 15:
            assert found[FIRST] == pytest.approx(wanted[FIRST], abs=1e-4)
        else:
            assert found[FIRST, 0] == 1.0


def test_kernels_say_what_torch_says() -> None:
    import torch

    judge, some = taught(), walked(400, 2)
    some = some[np.argsort(sides.tails_of(some), kind="stable")]
    estimates = sides.fitted_estimates(some, judge.ends(some))
    model = sides.SideModel((32, 16, 16), estimates, 3)
    with torch.no_grad():
        means, figures = model(some)
        wanted = [sides.logs_of(figures, means, end).exp().numpy() for end in (ALL, FIRST)]
    brain = weights.brain_of(random_nets(), sides=model.net())
    found = np.zeros((len(some), ENDS, 32), np.float32)
    ends_of(brain, some, side_scratch(brain.sides), found)
    assert found[:, ALL] == pytest.approx(wanted[ALL], abs=5e-3)
    full = some.sum(1) == 15
    assert found[full, FIRST] == pytest.approx(wanted[FIRST][full], abs=5e-3)


def test_learning_reduces_the_loss() -> None:
    judge, some = taught(), walked(500, 4)
    near = some[~some[:, POINTS:].any(1)]
    known = judge.ends(near)
    model = sides.SideModel((32, 16, 16), sides.fitted_estimates(near, known), 3)
    before = sides.loss_of(model, near, known, 20.0).item()
    sides.learn(model, sides.SideRun(), lambda draws: (near, known), (3e-3, 60), 0)
    assert sides.loss_of(model, near, known, 20.0).item() < before / 2


@pytest.mark.slow
def test_the_judge_of_races_finds_no_fault_with_a_player_that_has_its_database() -> None:
    judge = taught()
    drawn = races.drawn(judge, races.RacePlan(ordinary=3, bearoffs=12, points=POINTS, seed=1))
    benchmark = drawn.benchmark
    assert np.bincount(benchmark.kinds).tolist() == [3, 12]
    near = np.logical_not(benchmark.results[:, :, POINTS:].any((1, 2)))
    assert (benchmark.costs >= 0).all()
    player = OurPlayer(judge.brain)
    lost = losses(player, benchmark)
    known_plays = [near[first:end].all() for first, end in pairwise(benchmark.starts)]
    assert lost[known_plays] == pytest.approx(0.0, abs=1e-6)
    assert races.scored(player, drawn)["bearoffs"].mean < 0.01
    known = OneSidedDatabase.built(OneSided(POINTS))
    for board, chances in zip(drawn.best, drawn.chances, strict=True):
        position = Position.from_array(board)
        if known.covers(position):
            assert chances == pytest.approx(known.outcomes(position), abs=1e-5)


def test_a_run_goes_on_after_its_last_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = sides.SideRun(
        points=POINTS, starts=5, walked=600, far=20, rounds=2, steps=3, layers=(32, 8, 8), batch=32
    )
    starts = np.array([[START, START]], np.int8)
    monkeypatch.setattr(sides, "race_starts", lambda *_: starts)
    rows: list[dict[str, float]] = []
    whole = sides.SideTrainer(run, tmp_path / "a", random_nets())
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    wanted = whole.train(rows.append)
    assert [row["round"] for row in rows] == [1, 2]
    first = sides.SideTrainer(replace(run, rounds=1), tmp_path / "b", random_nets())
    first.train(rows.append)
    again = sides.SideTrainer(run, tmp_path / "b", random_nets()).train(rows.append)
    for array, other in zip(wanted, again, strict=True):
        assert np.array_equal(array, other)
