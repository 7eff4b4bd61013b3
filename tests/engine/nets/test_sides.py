"""Races side by side: against databases, against sums written down plainly, and as files."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sixprime.engine.bearoff import leaving
from sixprime.engine.bearoff.databases import OneSided, OneSidedDatabase, one_sided
from sixprime.engine.kernels import races
from sixprime.engine.kernels.bearoff.ranks import HOME, ONE, rank_of
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.nets.weights import (
    BadWeights,
    digest,
    load_brain,
    load_sides,
    reaching,
    save_brain,
    save_sides,
    shipped,
    version_of,
)
from sixprime.engine.position import Position
from tests.support.engine.brains import net_alone, random_nets

NUMBERS = np.arange(32)


@cache
def by_net() -> Brain:
    return net_alone(load_brain())


def ends_of(sides: list[tuple[int, ...]], brain: Brain | None = None) -> NDArray[np.float32]:
    brain = load_brain() if brain is None else brain
    out = np.zeros((len(sides), races.ENDS, 32), np.float32)
    races.ends_of(brain, np.array(sides, np.int8), races.side_scratch(brain.sides), out)
    return out


def side_of(draws: random.Random, points: int, checkers: int = 15) -> tuple[int, ...]:
    places = [draws.randrange(points) for _ in range(checkers)]
    return tuple(places.count(place) for place in range(25))


def outcomes_by_hand(mine: NDArray[np.float32], theirs: NDArray[np.float32]) -> list[float]:
    """All pairs of rolls, mine first: who ends first, and what the other has done by then."""
    win = gammon = backgammon = lost = lost_backgammon = 0.0
    later = [[float(end[n:].sum()) for n in range(33)] for end in (*theirs, *mine)]
    for n in range(32):
        win += mine[0, n] * later[0][n]
        gammon += mine[0, n] * later[1][n]
        backgammon += mine[0, n] * later[2][n]
        lost += theirs[0, n] * later[4][n + 1]
        lost_backgammon += theirs[0, n] * later[5][n + 1]
    return [win, gammon, backgammon, lost, lost_backgammon]


def test_chances_are_those_of_all_pairs_of_rolls() -> None:
    draws = random.Random(1)
    for _ in range(60):
        reach = draws.randrange(2, 23)
        mine = side_of(draws, reach, draws.choice((15, 15, 9)))
        theirs = side_of(draws, 24 - reach, draws.choice((15, 15, 4)))
        if not any(mine[HOME:]) and not any(theirs[HOME:]):
            continue
        found = Evaluator().outcomes(Position(mine, theirs))
        ends = ends_of([mine, theirs])
        assert found == pytest.approx(outcomes_by_hand(*ends), abs=2e-4)


def test_the_net_knows_the_rolls_of_a_database_that_it_has_not_at_hand() -> None:
    draws = random.Random(2)
    database = OneSidedDatabase.built(OneSided(8))
    sides = [side_of(draws, 8, draws.choice((15, 15, 11, 7))) for _ in range(400)]
    sides = [side for side in sides if any(side[HOME:])]
    found = ends_of(sides, by_net())
    for end, known in ((races.ALL, database.distribution), (races.FIRST, database.first_off)):
        true = np.array([known(side) for side in sides])
        off = np.abs((found[:, end] - true) @ NUMBERS)
        assert off.mean() < 0.02
        assert off.max() < 0.15
        assert np.abs(found[:, end] - true).sum(1).mean() < 0.04


@pytest.mark.parametrize(
    ("side", "rolls"),
    [
        ((0, 0, 0, 2, 2, 10, 0, 0, 0, 0, 1, *(0,) * 14), 1.7708),
        ((0, 0, 0, 3, 2, 9, 0, 0, 0, 0, 0, 0, 1, *(0,) * 12), 2.0809),
    ],
)
def test_the_first_checker_off_waits_for_the_last_one_far_out(
    side: tuple[int, ...], rolls: float
) -> None:
    """The numbers come from a plain recursion over all plays, which takes minutes."""
    assert ends_of([side])[0, races.FIRST] @ NUMBERS == pytest.approx(rolls, abs=0.02)


def test_of_two_plays_the_net_finds_the_faster() -> None:
    """In positions that no game of ours taught; a tenth of a roll is a blunder."""
    draws = random.Random(3)
    database = OneSidedDatabase.built(OneSided(8))
    lost = []
    for _ in range(200):
        some = [side_of(draws, 8, 15) for _ in range(2)]
        some = [side for side in some if any(side[HOME:])]
        if len(some) == 2:
            seen = ends_of(some, by_net())[:, 0] @ NUMBERS
            true = [float(database.distribution(side) @ NUMBERS) for side in some]
            lost.append(true[int(seen.argmin())] - min(true))
    assert np.mean(lost) < 0.002


def test_sides_at_home_and_those_of_a_larger_database_are_exact() -> None:
    draws = random.Random(4)
    home = side_of(draws, 6)
    assert ends_of([home])[0, 0] == pytest.approx(one_sided().distribution(home), abs=1e-6)
    assert ends_of([home])[0, 1] == pytest.approx(one_sided().first_off(home), abs=1e-6)
    near = side_of(draws, 8)
    assert ends_of([near])[0, 0] == pytest.approx(one_sided(8).distribution(near), abs=1e-6)
    database = OneSidedDatabase.built(OneSided(7))
    mine, theirs = side_of(draws, 7), side_of(draws, 7)
    further = (*side_of(draws, 9)[:8], 1, *(0,) * 16)
    exact = Evaluator(reaching(by_net(), database))
    position = Position(mine, theirs)
    assert exact.outcomes(position) == pytest.approx(database.outcomes(position), abs=1e-6)
    ends = ends_of([further])
    found = exact.outcomes(Position(mine, further)).win
    pace = np.cumsum(ends[0, 0][::-1])[::-1]
    assert found == pytest.approx(float(database.distribution(mine) @ pace), abs=2e-5)


def test_the_last_checkers_leave_as_their_table_says() -> None:
    mine = (5, 5, 3, *(0,) * 15, 1, 0, 0, 1, 0, 0, 0)
    rank = rank_of(np.array(mine[18:], np.int8), HOME, load_brain().binomials)
    tail = np.append(leaving.tails()[rank], 0).astype(float) / ONE
    assert ends_of([mine])[0, 2] == pytest.approx(tail[:-1] - tail[1:], abs=1e-6)
    fewer = (4, *mine[1:])
    assert list(ends_of([fewer])[0, 1:, 0]) == [1.0, 1.0]  # no gammon any more


@given(st.lists(st.integers(0, 23), min_size=1, max_size=15))
def test_chances_of_any_side_are_chances(places: list[int]) -> None:
    side = tuple(places.count(place) for place in range(25))
    ends = ends_of([side])[0]
    assert (ends >= 0).all()
    assert ends.sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-4)


def test_the_file_comes_back_as_it_was_saved_and_damage_is_refused(tmp_path: Path) -> None:
    net = load_sides()
    path = save_sides(tmp_path, net, {"made": "here"})
    assert path.name == f"races-{digest(path)}.npz"
    for array, wanted in zip(load_sides(path), net, strict=True):
        assert np.array_equal(array, wanted)
    assert shipped("races").stat().st_size < 300_000
    with pytest.raises(BadWeights, match=r"brain.*missing|side\.table is missing"):
        load_sides(shipped())
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BadWeights):
        load_sides(path)
    with pytest.raises(BadWeights, match="1 tails"):
        load_sides(
            save_sides(
                tmp_path,
                net._replace(
                    **{k: v[:1] for k, v in net._asdict().items() if k[0] in "wb" and v.ndim > 1}
                ),
                {},
            )
        )


def test_the_net_of_a_side_that_lies_beside_nets_goes_with_them(tmp_path: Path) -> None:
    brain = save_brain(tmp_path, random_nets(), {})
    alone = version_of(brain)
    assert np.array_equal(load_brain(brain).sides.b3, load_brain().sides.b3)
    sides = load_sides()
    save_sides(tmp_path, sides._replace(b3=sides.b3 + 1), {})
    assert not np.array_equal(load_brain(brain).sides.b3, load_brain().sides.b3)
    assert version_of(brain) != alone
    save_sides(tmp_path, sides, {})
    with pytest.raises(BadWeights, match="one at most"):
        load_brain(brain)
