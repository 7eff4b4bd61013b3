"""The figures that people see in plays, against the rules and against positions by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.engine.people.choosing import facts_of, spots_of
from sixprime.engine.people.figures import (
    CONTEXT,
    FIGURES,
    FIRST_MINE,
    FIRST_SIGHT,
    FIRST_STEP,
    ROLLS,
    SIGHTS,
    STEPS,
    PlayRows,
    see_board,
    see_spots,
)
from sixprime.engine.position import ROLLS as EACH_ROLL
from sixprime.engine.position import Chances, Dice, MatchState, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.plies import Candidate

NOBODY: Chances = (0.5, 0.0, 0.0, 0.0, 0.0)


def board(mine: dict[int, int], theirs: dict[int, int]) -> Position:
    """Return a board from counts by point, 25 the bar; each side's own numbering."""
    sides = [tuple(side.get(point, 0) for point in range(1, 26)) for side in (mine, theirs)]
    return Position(sides[0], sides[1])


def sights(position: Position) -> NDArray[np.float32]:
    out = np.empty(SIGHTS, np.float32)
    see_board(*position.array(), ROLLS, out)
    return out


def hitting_rolls(position: Position) -> int:
    """Count the rolls of 36 with a legal play by the player on roll that hits."""
    count = 0
    for high, low in EACH_ROLL:
        plays = legal_plays(position, (high, low))
        if any(each.result.theirs[24] > position.theirs[24] for each in plays):
            count += 1 if high == low else 2
    return count


@pytest.mark.parametrize(
    ("distance", "shots"),
    [(1, 11), (2, 12), (3, 14), (4, 15), (5, 15), (6, 17), (7, 6), (8, 6), (9, 5), (11, 2),
     (12, 3), (15, 1), (24 - 1, 0)],
)  # fmt: skip
def test_a_lone_blot_is_hit_by_the_shots_of_every_textbook(distance: int, shots: int) -> None:
    place = 25 - (24 - distance)  # my point that faces the one so far before their rear checker
    position = board({place: 1, 1: 2} if place != 1 else {1: 1}, {24: 1, 1: 2})
    assert round(float(sights(position)[0]) * 36) == shots


def random_positions(count: int) -> list[Position]:
    """Return positions of random games, nobody on the bar."""
    draws = random.Random(5)
    found: list[Position] = []
    while len(found) < count:
        position = Position.start()
        for _ in range(draws.randint(4, 60)):
            dice = draws.randint(1, 6), draws.randint(1, 6)
            position = draws.choice(legal_plays(position, dice)).result.flipped()
            if position.is_over():
                break
        else:
            if position.mine[24] == position.theirs[24] == 0:
                found.append(position)
    return found


def test_shots_agree_with_the_legal_plays() -> None:
    same, positions = 0, random_positions(60)
    for position in positions:
        theirs = round(float(sights(position)[0]) * 36)
        mine = round(float(sights(position)[2]) * 36)
        by_rules = hitting_rolls(position.flipped()), hitting_rolls(position)
        assert theirs >= by_rules[0]  # a roll may have to be played elsewhere
        assert mine >= by_rules[1]
        same += (theirs, mine) == by_rules
    assert same >= 0.9 * len(positions)


def test_the_bar_lets_only_entering_checkers_hit() -> None:
    hit = sights(board({5: 1, 22: 2, 6: 2}, {25: 1, 5: 2}))[0] * 36
    assert round(float(hit)) == 11 + 2 + 2  # any 5, 4-1 and 3-2; a 6 cannot enter
    two = sights(board({5: 1, 22: 2, 6: 2}, {25: 2, 5: 2}))[0] * 36
    assert round(float(two)) == 11
    closed = board(dict.fromkeys(range(1, 7), 2) | {10: 1}, {25: 1, 18: 1})
    assert sights(closed)[0] == 0


def seen(position: Position, dice: Dice, results: list[Position]) -> NDArray[np.float32]:
    candidates = [
        Candidate((), result, -0.01 * i, None, NOBODY, 0) for i, result in enumerate(results)
    ]
    spots: PlayRows = spots_of(
        position, facts_of(position, MatchState(length=7), dice, 6.0), candidates
    )
    figures = np.full((len(results), FIGURES), np.nan, np.float32)
    context = np.full((1, CONTEXT), np.nan, np.float32)
    see_spots(spots, figures, context)
    assert np.isfinite(figures).all()
    assert np.isfinite(context).all()
    return figures


def test_the_opening_makes_a_point() -> None:
    start = Position.start()
    made = [each.result for each in legal_plays(start, (3, 1))]
    five = made.index(board({24: 2, 13: 5, 8: 2, 6: 4, 5: 2}, {24: 2, 13: 5, 8: 3, 6: 5}))
    row = seen(start, (3, 1), made)[five]
    steps = row[FIRST_STEP:FIRST_MINE]
    assert len(steps) == STEPS
    assert steps[[0, 9, 10, 12, 14, 19]].tolist() == [0, 0, 0, 1, 0, 1]
    assert row[FIRST_SIGHT + 4] == 2  # points at home: 6 and 5
    assert row[FIRST_SIGHT + SIGHTS + 4] == 1  # one more than before
    assert row[FIRST_SIGHT] == 0  # no shot


def test_a_loose_hit_is_told_from_a_point_on_the_blot() -> None:
    position = board({8: 2, 6: 3, 24: 2, 13: 5}, {20: 1, 6: 5, 13: 5})
    results = [each.result for each in legal_plays(position, (3, 1))]
    hits = [result for result in results if result.theirs[24] == 1]
    figures = seen(position, (3, 1), hits)[:, FIRST_STEP:FIRST_MINE]
    for result, steps in zip(hits, figures, strict=True):
        assert steps[0] == steps[1] == 1
        assert steps[2] == (result.mine[4] >= 2)
        assert steps[3] == (result.mine[4] == 1)
    assert {0.0, 1.0} == set(figures[:, 2].tolist())
