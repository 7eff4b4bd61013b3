"""Plays that race each other through their last ply, against a search of all to the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sixprime.engine.kernels import choosing
from sixprime.engine.kernels.choosing import RACE
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import Dice, MatchState, Position
from sixprime.engine.search.cube import CubeContext
from sixprime.engine.search.plies import (
    ALL_ROLLS,
    Evaluation,
    MoveFilter,
    Pass,
    Search,
)
from sixprime.protocols.formats.ids import read_position_id

MONEY = MatchState()
MATCH = MatchState(length=5, score=(3, 1))
SEARCH = Search(load_brain())
EVERY = MoveFilter("every", ((Pass(6, 0, 0.0),), (Pass(6, 0, 0.0), None)))
RACING = MoveFilter("racing", ((Pass(0, 6, 9.0),), (Pass(0, 6, 9.0), None)))
SPOTS: tuple[tuple[str, Dice], ...] = (
    ("4HPwATDgc/ABMA", (4, 3)),
    ("sGfwATDgc/ABMA", (6, 4)),
    ("4HPMwQCMz+AIIQ", (5, 2)),
    ("sLeDARhwb4MBBg", (6, 1)),
)


@pytest.mark.parametrize("match", [MONEY, MATCH])
def test_the_winner_of_a_race_is_the_best_play_with_all_that_the_whole_search_says_of_it(
    match: MatchState,
) -> None:
    dropped = 0
    for name, dice in SPOTS:
        position = read_position_id(name)
        whole = SEARCH.plays(position, match, dice, Evaluation(2, EVERY))
        raced = SEARCH.plays(position, match, dice, Evaluation(2, RACING))
        true = {each.result: each for each in whole if each.plies == 2}
        deep = [each for each in raced if each.plies == 2]
        assert raced[0].result == whole[0].result
        for each in deep:
            assert each.equity == pytest.approx(true[each.result].equity, abs=1e-12)
            assert each.outcomes == pytest.approx(true[each.result].outcomes, abs=1e-6)
        shallow = [each for each in raced if each.result in true and each.plies == 1]
        one = SEARCH.plays(position, match, dice, Evaluation(1, EVERY))
        known = {each.result: each.equity for each in one}
        assert all(each.equity == known[each.result] for each in shallow)
        dropped += len(shallow)
    assert dropped > 8


def test_threads_change_nothing() -> None:
    position, dice = read_position_id(SPOTS[0][0]), SPOTS[0][1]
    two = Search(SEARCH.brain, threads=2).plays(position, MONEY, dice, Evaluation(2, RACING))
    assert two == SEARCH.plays(position, MONEY, dice, Evaluation(2, RACING))


def test_the_play_made_is_searched_to_the_end_though_it_is_hopeless() -> None:
    position, dice = read_position_id(SPOTS[2][0]), SPOTS[2][1]
    worst = SEARCH.plays(position, MONEY, dice, Evaluation())[-1].result
    found = SEARCH.plays(position, MONEY, dice, Evaluation(2), made=worst)
    (made,) = [each for each in found if each.result == worst]
    assert made.plies == found[0].plies == 2
    assert made.equity < found[0].equity - 0.1


def searched(position: Position, dice: Dice) -> tuple[Any, Any, int]:
    """Return a search whose first plays are known after one and after two plies, without a cube."""
    terms = SEARCH.terms(position, CubeContext.of(MONEY), Evaluation(2, cubeful=False))
    search, choice = SEARCH.scratches[0].search(terms), SEARCH.scratches[0].choice
    every, stop, rule = (0, len(ALL_ROLLS)), np.zeros(1, np.int64), np.array((4.0, 0.0, 0.0))
    count, left = choosing.look_first(search, choice, position.array(), (1, 1), dice, rule)
    choosing.look_deeper(search, choice, (0, left, 1), 1, (1, 1), every, stop)
    choosing.settle(search, choice, (count, left), 1, (1, 1), rule)
    choosing.look_deeper(search, choice, (0, left, 1), 2, (1, 1), every, stop)
    return search, choice, left


@pytest.mark.parametrize("done", [4, 9, 21])
def test_what_is_expected_of_the_other_rolls(done: int) -> None:
    search, choice, count = searched(read_position_id(SPOTS[1][0]), SPOTS[1][1])
    shares = ALL_ROLLS[:, 2] / 36
    some = RACE[:done]
    weight = shares[some].sum()
    first, second = choice.order[:2].tolist()
    gains = {}
    for i in (first, second):
        deep, shallow = choice.by_roll[0, i, :, 0], choice.by_roll[1, i, :, 0]
        gains[i] = (deep - shallow)[some] / shares[some]
        mean = np.average(gains[i], weights=shares[some])
        likely = choosing.likely_equity(search, choice, i, 2, (1, 1), done)
        assert likely == pytest.approx(shallow.sum() + mean, abs=1e-12)
        if done == len(RACE):
            assert likely == pytest.approx(choice.searched[i], abs=1e-12)
    ahead = gains[first] - gains[second]
    mean = np.average(ahead, weights=shares[some])
    variance = np.average((ahead - mean) ** 2, weights=shares[some])
    error = np.sqrt(variance / (done - 1) * max(1 - weight, 0.0))
    found = choosing.error_of_gain(choice, ALL_ROLLS, first, second, 2, done)
    assert found == pytest.approx(error, abs=1e-9)
    assert (found > 1e-4) == (done < len(RACE))
    left = choosing.drop_hopeless(search, choice, count, 2, (1, 1), done, 0.01)
    assert 1 <= left <= count
    stay = {*choice.order[:left].tolist()}
    best = max(choice.order[:count], key=lambda i: choice.searched[i])
    for i in choice.order[:count].tolist():
        doubt = 3 * choosing.error_of_gain(choice, ALL_ROLLS, i, best, 2, done)
        assert (i in stay) == (choice.searched[i] >= choice.searched[best] - 0.01 - doubt)


def test_each_roll_races_once() -> None:
    assert sorted(RACE) == list(range(len(ALL_ROLLS)))
