"""The chances of plays, and the play that one person makes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest

from sixprime.engine.people import Person, chosen, play_chances
from sixprime.engine.position import Dice, MatchState, Position
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.players import shipped_brain
from sixprime.engine.search.plies import Candidate

Decision = tuple[Position, MatchState, Dice, Sequence[Candidate]]
MATCH = MatchState(length=5, score=(2, 1), on_roll=0, to_act=0, cube=2, cube_owner=1)


@cache
def decisions() -> tuple[Decision, ...]:
    """Every play of three games that the engine plays against itself."""
    engine, rolls, made = Engine("expert", brain=shipped_brain()), random.Random(52), []
    for _ in range(3):
        position = Position.start()
        while not position.is_over():
            dice = rolls.randint(1, 6), rolls.randint(1, 6)
            found = engine.move(position, MATCH, dice)
            made.append((position, MATCH, dice, found.candidates))
            position = found.best.result.flipped()
    return tuple(made)


def chosen_plays(person: Person) -> list[int]:
    return [
        chosen(play_chances(*decision, person), decision[0], *decision[2:], person.seed)
        for decision in decisions()
    ]


@pytest.mark.parametrize("pr", [0.5, 3.0, 7.0, 14.0, 30.0])
def test_chances_add_up_to_one(pr: float) -> None:
    for decision in decisions():
        chances = play_chances(*decision, Person(pr))
        assert len(chances) == len(decision[-1])
        assert chances.min() >= 0
        assert chances.sum() == pytest.approx(1, abs=1e-9)


def test_the_order_of_plays_changes_nothing() -> None:
    order, person = random.Random(1), Person(7)
    for position, match, dice, candidates in decisions():
        shuffled = tuple(order.sample(candidates, len(candidates)))
        chances = play_chances(position, match, dice, candidates, person)
        others = play_chances(position, match, dice, shuffled, person)
        by_result = {each.result: i for i, each in enumerate(candidates)}
        places = [by_result[each.result] for each in shuffled]
        np.testing.assert_allclose(others, chances[places], rtol=1e-4, atol=1e-9)
        first = chosen(chances, position, dice, candidates, 3)
        assert places[chosen(chances[places], position, dice, shuffled, 3)] == first


def test_dice_and_seats_may_be_exchanged() -> None:
    person = Person(7)
    seats = MATCH.with_(score=(1, 2), on_roll=1, to_act=1, cube_owner=0)
    for position, match, (first, second), candidates in decisions():
        chances = play_chances(position, match, (first, second), candidates, person)
        others = play_chances(position, seats, (second, first), candidates, person)
        np.testing.assert_allclose(others, chances, atol=1e-9)
        assert chosen(chances, position, (first, second), candidates, 1) == chosen(
            chances, position, (second, first), candidates, 1
        )


def test_a_longer_match_with_as_many_points_to_go_is_the_same() -> None:
    longer, person = MATCH.with_(length=9, score=(6, 5)), Person(7)
    for position, match, dice, candidates in decisions():
        chances = play_chances(position, match, dice, candidates, person)
        others = play_chances(position, longer, dice, candidates, person)
        np.testing.assert_array_equal(others, chances)


def test_a_person_repeats_itself_in_every_thread() -> None:
    person = Person(9, seed=4)
    with ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(chosen_plays, [person] * 3))
    assert runs[0] == runs[1] == runs[2] == chosen_plays(person)


def test_another_seed_is_another_person() -> None:
    first, second = chosen_plays(Person(9, seed=1)), chosen_plays(Person(9, seed=2))
    assert 0.05 < np.mean(np.array(first) != np.array(second)) < 0.6


def test_a_weaker_person_gives_more_away() -> None:
    def loss(pr: float) -> float:
        lost = 0.0
        for decision in decisions():
            equities = np.array([candidate.equity for candidate in decision[-1]])
            lost += float(play_chances(*decision, Person(pr)) @ (equities.max() - equities))
        return lost

    losses = [loss(pr) for pr in (3, 5, 8, 14)]
    assert losses == sorted(losses)
    assert losses[-1] > 1.5 * losses[0]


def test_over_seeds_a_play_is_made_as_often_as_its_chance_says() -> None:
    position, match, dice, candidates = decisions()[0]
    chances = play_chances(position, match, dice, candidates, Person(14))
    tries = 4000
    made = [chosen(chances, position, dice, candidates, seed) for seed in range(tries)]
    shares = np.bincount(made, minlength=len(chances)) / tries
    assert np.abs(shares - chances).max() < 4 * 0.5 / tries**0.5


def test_a_play_without_a_chance_is_never_made() -> None:
    position, _, dice, candidates = decisions()[0]
    chances = np.zeros(len(candidates))
    chances[2] = 1.0
    assert {chosen(chances, position, dice, candidates, seed) for seed in range(50)} == {2}
