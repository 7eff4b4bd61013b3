"""The chances with the cube, and the choices that one person makes."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from sixprime.engine.game import Answer
from sixprime.engine.people import Person
from sixprime.engine.people.cube import (
    PORTRAIT,
    RESIGNS,
    CubeSpot,
    answer_chances,
    answers,
    double_chance,
    doubles,
    resign_chances,
    resigns,
)
from sixprime.engine.position import Chances, MatchState, Position, turned_chances
from sixprime.engine.search.decide import Engine
from sixprime.engine.search.players import shipped_brain

MATCHES = (
    MatchState(length=7, score=(2, 4), on_roll=0, to_act=0),
    MatchState(length=5, score=(4, 2), on_roll=1, to_act=1),
    MatchState(length=9, score=(3, 0), on_roll=0, to_act=0, cube=2, cube_owner=0),
    MatchState(length=0, on_roll=1, to_act=1, beavers=1),
    MatchState(length=0, on_roll=1, to_act=1, jacoby=True, cube=4, cube_owner=1),
)
PRS = (0.0, 1.0, 4.0, 9.0, 20.0, 100.0)
STRANGE = Person(6, portrait=(0.3, -0.2) + (0.1,) * PORTRAIT)


class Judged(NamedTuple):
    equities: tuple[float, float, float]
    beavers: int = 0


@cache
def spots() -> tuple[CubeSpot, ...]:
    """Every position of some games between engines, at several scores."""
    engine, rolls, made = Engine("expert", brain=shipped_brain()), random.Random(5), []
    for match in MATCHES:
        position, seat = Position.start(), match.on_roll
        while not position.is_over():
            advice = engine.cube(position, match)
            made.append(CubeSpot(position, match, advice.decision, advice.outcomes))
            dice = rolls.randint(1, 6), rolls.randint(1, 6)
            position = engine.move(position, match.with_(dice=dice)).best.result.flipped()
            assert match.on_roll == seat
    return tuple(made)


def mirrored(match: MatchState) -> MatchState:
    """The same match with exchanged seats."""
    owner = None if match.cube_owner is None else 1 - match.cube_owner
    first, second = match.score
    return match.with_(
        score=(second, first), on_roll=1 - match.on_roll, to_act=1 - match.to_act, cube_owner=owner
    )


@pytest.mark.parametrize("person", [*(Person(pr) for pr in PRS), STRANGE])
def test_chances_are_chances(person: Person) -> None:
    for spot in spots():
        assert 0 <= double_chance(spot, person) <= 1
        for turns in (1, 2, 3):
            chances = answer_chances(spot, replace(person, pr=max(person.pr, 0.5)), turns)
            assert min(chances.values()) >= 0
            assert sum(chances.values()) == pytest.approx(1)
        for seat in (0, 1):
            resigning = resign_chances(spot.position, spot.match, spot.outcomes, seat, person)
            assert min(resigning) >= 0
            assert sum(resigning) == pytest.approx(1)


def test_seats_and_points_already_won_do_not_matter() -> None:
    person = Person(8, seed=3)
    for spot in spots():
        match = mirrored(spot.match)
        if match.length:
            match = match.with_(length=match.length + 4, score=tuple(p + 4 for p in match.score))
        other = spot._replace(match=match)
        assert double_chance(other, person) == double_chance(spot, person)
        assert answer_chances(other, person) == answer_chances(spot, person)
        assert (doubles(other, person), answers(other, person)) == (
            doubles(spot, person),
            answers(spot, person),
        )
        for seat in (0, 1):
            here = spot.position, spot.match, spot.outcomes, seat, person
            there = spot.position, match, spot.outcomes, 1 - seat, person
            assert resign_chances(*here) == resign_chances(*there)
            assert resigns(*here) == resigns(*there)


def test_who_resigns_sees_its_own_side() -> None:
    person = Person(8)
    for spot in spots():
        turned = spot.match.with_(on_roll=1 - spot.match.on_roll)
        flipped = spot.position.flipped(), turned, turned_chances(spot.outcomes)
        for seat in (0, 1):
            here = resign_chances(spot.position, spot.match, spot.outcomes, seat, person)
            assert resign_chances(*flipped, seat, person) == pytest.approx(here, abs=1e-9)


def choices(person: Person) -> list[object]:
    return [
        choice
        for spot in spots()
        for choice in (
            doubles(spot, person),
            answers(spot, person),
            resigns(spot.position, spot.match, spot.outcomes, spot.match.on_roll, person),
        )
    ]


def test_a_person_repeats_itself_and_another_seed_is_another_person() -> None:
    assert choices(Person(12, seed=1)) == choices(Person(12, seed=1))
    assert choices(Person(12, seed=1)) != choices(Person(12, seed=2))


def test_over_seeds_each_choice_is_made_as_often_as_its_chance_says() -> None:
    seeds = range(1500)
    spot = max(spots(), key=lambda spot: min(answer_chances(spot, Person(12)).values()))
    chances = answer_chances(spot, Person(12))
    made = [answers(spot, Person(12, seed)) for seed in seeds]
    for answer, chance in chances.items():
        assert made.count(answer) / len(seeds) == pytest.approx(chance, abs=0.05)
    assert min(chances.values()) > 0.01, "a spot for every answer"
    spot = min(spots(), key=lambda spot: abs(double_chance(spot, Person(12)) - 0.5))
    share = np.mean([doubles(spot, Person(12, seed)) for seed in seeds])
    assert share == pytest.approx(double_chance(spot, Person(12)), abs=0.05)


def test_people_mostly_know_clear_cubes() -> None:
    for pr in (3.0, 6.0, 12.0):
        chances: dict[str, list[float]] = {"right": [], "wrong": [], "pass": [], "take": []}
        for spot in spots():
            no_double, take, passed = spot.decision.equities
            gain = min(take, passed) - no_double
            if gain > 0.05 or gain < -0.2:
                kind = "right" if gain > 0 else "wrong"
                chances[kind].append(double_chance(spot, Person(pr)))
            if abs(take - passed) > 0.3:
                kind = "pass" if take > passed else "take"
                chances[kind].append(answer_chances(spot, Person(pr))[Answer.PASS])
        means = {kind: np.mean(some) for kind, some in chances.items()}
        assert means["right"] > 0.2
        assert means["wrong"] < 0.1
        assert means["pass"] > 0.6
        assert means["take"] < 0.1


def test_weaker_people_lose_more_with_the_cube() -> None:
    def lost(pr: float) -> float:
        sums = 0.0
        for spot in spots():
            no_double, take, passed = spot.decision.equities
            gain = min(take, passed) - no_double
            chance = double_chance(spot, Person(pr))
            sums += (1 - chance) * max(gain, 0) + chance * max(-gain, 0)
            passes = answer_chances(spot, Person(pr))[Answer.PASS]
            sums += passes * max(passed - take, 0) + (1 - passes) * max(take - passed, 0)
        return sums

    losses = [lost(pr) for pr in (3, 6, 12)]
    assert losses == sorted(losses)
    assert losses[-1] > 1.5 * losses[0]


def test_only_money_with_beavers_is_beavered() -> None:
    beavered = []
    for spot in spots():
        equities = spot.decision.equities
        allowed, forbidden = (
            answer_chances(spot._replace(decision=Judged(equities, beavers)), Person(5))
            for beavers in (1, 0)
        )
        assert forbidden[Answer.BEAVER] == 0
        assert allowed[Answer.PASS] == forbidden[Answer.PASS]
        if equities[1] < -0.3:
            beavered.append(allowed[Answer.BEAVER])
    assert np.mean(beavered) > 0.8


LOST: Chances = (1e-6, 0.0, 0.0, 0.97, 0.0)


def test_a_gammon_is_offered_only_where_it_counts() -> None:
    board = Position.start()
    decided = MatchState(length=3, score=(1, 2), on_roll=0, to_act=0, crawford=True)
    open_match = MatchState(length=5, score=(1, 2), on_roll=0, to_act=0)
    jacoby = MatchState(length=0, on_roll=0, to_act=0, jacoby=True)
    for match, games in ((decided, 1), (open_match, 2), (jacoby, 1)):
        chances = resign_chances(board, match, LOST, 0, Person(6))
        assert chances[games] > 0
        assert sum(chances[1:]) == chances[games]


def test_with_some_hope_nobody_resigns() -> None:
    hope: Chances = (RESIGNS + 0.01, 0.0, 0.0, 0.2, 0.0)
    for match in MATCHES:
        seat = match.on_roll
        assert resign_chances(Position.start(), match, hope, seat, Person(9))[0] == 1


def test_a_portrait_moves_its_own_kind_of_decision() -> None:
    eager = Person(6, portrait=(0.0,) * 5 + (2.0, 0.0, 0.0, 0.0))
    timid = Person(6, portrait=(0.0,) * 5 + (0.0, 0.0, 2.0, 0.0))
    plain = Person(6, portrait=(0.0,) * 9)
    for spot in spots():
        usual = double_chance(spot, Person(6)), answer_chances(spot, Person(6))
        assert (double_chance(spot, plain), answer_chances(spot, plain)) == usual
        assert double_chance(spot, eager) > usual[0] or usual[0] > 0.999
        assert answer_chances(spot, eager) == usual[1]
        assert double_chance(spot, timid) == usual[0]
        assert answer_chances(spot, timid)[Answer.PASS] >= usual[1][Answer.PASS]
