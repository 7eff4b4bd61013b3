"""The decision benchmark: made the same again, judged consistently, scored fairly."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from sixprime.bot.cli.main import main
from sixprime.engine.kernels.cubeless import CubelessPlayer, expect_many
from sixprime.engine.kernels.evaluation import Brain, judge_many, scratch_for
from sixprime.engine.kernels.moves import generate
from sixprime.engine.kernels.network import OUTPUTS, POINTS
from sixprime.engine.lab import LabError
from sixprime.engine.lab.measuring import benchmarksets, decisions
from sixprime.engine.lab.measuring.contestants import OurPlayer, RandomPlayer
from sixprime.engine.lab.measuring.decisions import FULL, KINDS, ODD, Benchmark, DecisionPlan
from sixprime.engine.position import MAX_CHECKERS, Position
from tests.support.engine.brains import random_brain

pytestmark = pytest.mark.patient

MAKING = DecisionPlan(counts=(3, 2, 2), odd=1, seed=5, trials=4, deep_turns=0, most=2)


class Judge(RandomPlayer):
    """A player who has read the set."""

    def __init__(self, benchmark: Benchmark) -> None:
        super().__init__()
        self.benchmark = benchmark

    def choose(self, boards: NDArray[np.int8], dice: NDArray[np.int8]) -> NDArray[np.int8]:
        starts, costs = self.benchmark.starts, self.benchmark.costs
        best = [
            starts[i] + int(costs[starts[i] : starts[i + 1]].argmin()) for i in range(len(boards))
        ]
        return self.benchmark.results[best]


@pytest.fixture(scope="module")
def brain() -> Brain:
    return random_brain()


@pytest.fixture(scope="module")
def made(brain: Brain) -> Benchmark:
    return decisions.make(brain, MAKING, [RandomPlayer(3)], about={"date": "today"})


def same(one: Benchmark, other: Benchmark) -> bool:
    arrays: list[tuple[Any, Any]] = list(zip(one, other, strict=True))
    return all(np.array_equal(a, b) for a, b in arrays)


def equity(brain: Brain, board: NDArray[np.int8]) -> float:
    """The plain 0-ply equity of the player on roll."""
    chances = np.empty((1, OUTPUTS), np.float32)
    judge_many(brain, board[None], MAX_CHECKERS, scratch_for(brain), chances)
    return float(chances[0] @ POINTS) - 1


def best_equity(brain: Brain, board: NDArray[np.int8], high: int, low: int) -> float:
    """What a roll is worth to its mover at 0-ply, the slow way."""
    work = scratch_for(brain)
    copy = board.copy()
    count = generate(copy, high, low, work.rolled)
    results = work.rolled.results[:count].copy() if count else board[None]
    return max(-equity(brain, np.ascontiguousarray(result[::-1])) for result in results)


def test_a_set_has_each_kind_as_often_as_asked(made: Benchmark) -> None:
    played, odd = np.split(np.bincount(made.kinds, minlength=len(KINDS)), [3])
    assert played.tolist() == [3, 2, 2]
    assert len(odd) == len(ODD)
    assert set(odd) == {0, 1}  # of some families' rolls most can be played in one way only
    for board, kind in zip(made.boards, made.kinds, strict=True):
        race = Position.from_array(board).is_race()
        assert race == (KINDS[kind] in ("race", "bearoff"))


def test_every_decision_has_all_its_plays_and_one_that_costs_nothing(made: Benchmark) -> None:
    for i in range(len(made.boards)):
        costs = made.costs[made.starts[i] : made.starts[i + 1]]
        assert len(costs) >= 2
        assert costs.min() <= 0
    assert json.loads(made.about)["making"]["seed"] == 5


def test_the_plays_of_the_players_are_judged_to_the_full_depth(made: Benchmark) -> None:
    chosen = RandomPlayer(3).choose(made.boards, made.dice)
    for i, board in enumerate(chosen):
        plays = slice(made.starts[i], made.starts[i + 1])
        taken = (made.results[plays] == board).all(axis=(1, 2))
        depth = made.depths[plays]
        assert depth[taken] == FULL or (depth < FULL).all()  # or there was nothing to compare


def test_only_disputed_contact_is_judged_to_the_full_depth(brain: Brain) -> None:
    making = replace(MAKING, counts=(12, 2, 0), odd=0)
    other = OurPlayer(random_brain(2))
    sparing, thorough = (
        decisions.make(brain, replace(making, disputed=disputed), [OurPlayer(brain), other])
        for disputed in (True, False)
    )
    assert np.array_equal(sparing.results, thorough.results)
    ours = OurPlayer(brain).choose(sparing.boards, sparing.dice)
    theirs = other.choose(sparing.boards, sparing.dice)
    alike = (ours == theirs).all(axis=(1, 2)) & (sparing.kinds == 0)
    assert 0 < alike.sum() < 12
    for i, agreed in enumerate(alike):
        plays = slice(sparing.starts[i], sparing.starts[i + 1])
        if agreed:
            assert (sparing.depths[plays] < FULL).all()
        else:
            assert np.array_equal(sparing.costs[plays], thorough.costs[plays])


def test_where_nobody_can_differ_all_is_judged_to_the_full_depth(brain: Brain) -> None:
    made = decisions.make(brain, replace(MAKING, counts=(3, 0, 0), odd=0))
    depths = [made.depths[a:b] for a, b in itertools.pairwise(made.starts)]
    in_question = [each for each in depths if (each >= 2).sum() > 1]  # more than one was left
    assert in_question
    assert all((each == FULL).any() for each in in_question)


def test_the_same_settings_make_the_same_set_with_any_number_of_threads(
    brain: Brain, made: Benchmark
) -> None:
    again = decisions.make(brain, MAKING, [RandomPlayer(3)], threads=2, about={"date": "today"})
    assert same(made, again)


def test_one_ply_is_the_average_over_the_rolls(brain: Brain) -> None:
    board = Position.start().array()
    worths = np.empty(1)
    expect_many(CubelessPlayer(brain, scratch_for(brain)), board[None], 1, worths)
    slow = sum(
        best_equity(brain, board, high, low) / (36 if high == low else 18)
        for high in range(1, 7)
        for low in range(1, high + 1)
    )
    assert worths[0] == pytest.approx(slow, abs=1e-5)


def test_two_plies_are_the_average_over_what_one_ply_says_of_the_replies(brain: Brain) -> None:
    board = Position.start().array()
    work = scratch_for(brain)
    total = 0.0
    for high in range(1, 7):
        for low in range(1, high + 1):
            dice = np.array([[high, low]], np.int8)
            reply = np.ascontiguousarray(OurPlayer(brain).choose(board[None], dice)[:, ::-1])
            worths = np.empty(1)
            expect_many(CubelessPlayer(brain, work), reply, 1, worths)
            total -= worths[0] / (36 if high == low else 18)
    expect_many(CubelessPlayer(brain, work), board[None], 2, worths)
    assert worths[0] == pytest.approx(total, abs=1e-5)


@given(st.lists(arrays(np.float64, (6, 2), elements=st.floats(-3, 3)), min_size=2, max_size=5))
def test_of_any_trials_some_play_costs_nothing(worths: list[NDArray[np.float64]]) -> None:
    costs, errors = decisions.compared(worths)
    assert costs.min() <= 1e-12
    assert (errors >= 0).all()


def test_costs_are_what_plays_are_worth_less_where_that_is_sure() -> None:
    worths = [np.full((trials, 2), worth) for trials, worth in ((9, 0.5), (9, 0.75), (4, -1.0))]
    costs, errors = decisions.compared(worths)
    assert costs.tolist() == [0.25, 0.0, 1.75]
    assert errors.tolist() == [0.0, 0.0, 0.0]


def test_luck_in_trials_makes_no_play_seem_worse() -> None:
    draws = np.random.default_rng(8)
    found = [decisions.compared(list(draws.normal(size=(4, 8, 2)))) for _ in range(4000)]
    costs = np.array([each[0] for each in found])
    assert costs.mean(axis=0) == pytest.approx(np.zeros(4), abs=0.02)


def test_who_knows_the_answers_loses_nothing_and_others_do(brain: Brain, made: Benchmark) -> None:
    assert (decisions.losses(Judge(made), made) <= 0).all()
    assert decisions.losses(RandomPlayer(4), made).sum() > 0
    lost = decisions.losses(OurPlayer(brain), made)
    scores = decisions.by_kind(lost, made.kinds)
    assert set(scores) == {"all", *(KINDS[kind] for kind in made.kinds)}
    assert scores["all"].mean == pytest.approx(lost.mean())


def test_a_set_comes_back_as_it_was_saved(made: Benchmark, tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    benchmarksets.save_set(path, made)
    assert same(made, decisions.load_benchmark(path))
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(LabError, match="not a set"):
        decisions.load_benchmark(path)
    with pytest.raises(LabError, match="no such file"):
        decisions.load_benchmark(tmp_path / "none.npz")


def test_the_command_compares_players_on_a_set(
    made: Benchmark, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "set.npz"
    benchmarksets.save_set(path, made)
    assert main(["strength", "decisions", "random", "random", "--set", str(path)]) == 0
    told = json.loads(capsys.readouterr().out)
    first, second = told["players"]
    assert first["lost_meq"] == second["lost_meq"]
    assert second["less_than_the_first_meq"]["all"]["mean"] == 0
    assert main(["strength", "decisions", "random", "--set", str(tmp_path / "no.npz")]) == 2
