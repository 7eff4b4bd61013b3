"""The fit of the cube's nets, to people who follow a known rule."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.engine.lab.people import cubes
from sixprime.engine.lab.people.cubes import Examples, Habit, fit_cube
from sixprime.engine.people.cube import NETS, logits
from sixprime.engine.position import Position

Arrays = dict[str, NDArray[np.float32]]
BOARDS = (Position.start().mine, Position.start().theirs)


def people(count: int, seed: int = 1) -> list[Habit]:
    """Some who double, pass and resign by simple rules, with errors."""
    draw, made = np.random.default_rng(seed), []
    for i in range(count):
        gain, surplus, win = draw.normal(0, 0.3), draw.normal(0, 0.3), draw.uniform(0, 0.1)
        rule = {"double": gain / 0.1, "pass": surplus / 0.1, "resign": 3 - 60 * win}
        take = 1 + surplus
        for net in NETS:
            happened = bool(draw.random() < 1 / (1 + np.exp(-rule[net])))
            made.append(
                Habit(
                    net, f"player {i % 50}", 6.0, happened, BOARDS,
                    (min(take, 1.0) - gain, take, 1.0), (win, 0.0, 0.0, 0.2, 0.0),
                    (5, 5), 1, False, False,
                )
            )  # fmt: skip
    return made


@pytest.fixture(scope="module")
def habits() -> list[Habit]:
    return people(1_500)


@pytest.fixture(scope="module")
def arrays(habits: list[Habit]) -> Arrays:
    return fit_cube(habits)


def test_the_same_seed_gives_the_same_arrays(habits: list[Habit], arrays: Arrays) -> None:
    again, other = fit_cube(habits), fit_cube(habits, seed=9)
    for name, array in arrays.items():
        np.testing.assert_array_equal(again[name], array)
    assert any((other[name] != array).any() for name, array in arrays.items())


def test_the_nets_learn_the_rules(arrays: Arrays) -> None:
    for net in NETS:
        examples = Examples.of([habit for habit in people(1_500, 2) if habit.net == net])
        found = logits(arrays, net, examples.figures(net))
        chances, happened = 1 / (1 + np.exp(-found)), examples.happened
        low, high = chances < 0.2, chances > 0.8
        assert low.sum() > 50
        assert high.sum() > 50
        assert happened[low].mean() < 0.25
        assert happened[high].mean() > 0.75
        assert chances.mean() == pytest.approx(happened.mean(), abs=0.05)


def test_the_wide_net_is_the_mean_of_the_narrow_ones(habits: list[Habit]) -> None:
    some = Examples.of([habit for habit in habits if habit.net == "pass"][:300])
    fits = [cubes.trained("pass", some, seed) for seed in (1, 2)]
    figures = some.figures("pass")
    each = [np.tanh(figures @ a + b) @ c + d for a, b, c, d in fits]
    np.testing.assert_allclose(
        logits(cubes.together("pass", fits), "pass", figures), np.mean(each, axis=0), atol=1e-3
    )


def test_a_player_with_many_matches_counts_like_one_with_some(
    habits: list[Habit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cubes, "MOST_OF_ONE", 10)
    doubles = [habit for habit in habits if habit.net == "double"][:100]
    mine = [habit._replace(player="anna") for habit in doubles[:80]]
    weights = Examples.of(
        [*mine, *(habit._replace(player="ben") for habit in doubles[:10])]
    ).weights
    assert weights[:80].sum() == pytest.approx(weights[80:].sum())


def test_habits_that_nobody_has_can_be_fitted(habits: list[Habit]) -> None:
    never = [habit._replace(happened=False) for habit in habits if habit.net == "pass"][:200]
    examples = Examples.of(never)
    arrays = cubes.together("pass", [cubes.trained("pass", examples, 1)])
    assert logits(arrays, "pass", examples.figures("pass")).max() < -3
