"""Plays taken one checker at a time, against the list of legal plays."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.bot.web.play.steps import ways
from sixprime.engine.position import OFF, Dice, Play, Position, Step
from sixprime.engine.rules import legal_plays
from sixprime.engine.system.errors import InputError
from tests.support.web.person import played_on


def walked(position: Position, dice: Dice) -> set[Position]:
    """Every result of taking steps until none may follow, and no other stage may end a play."""
    open_ways = ways(position, dice)
    results: set[Position] = set()
    seen: set[int] = set()
    waiting: list[Play] = [()]
    while waiting:
        begun = waiting.pop()
        stage = open_ways.stage(begun)
        if stage in seen:
            continue
        seen.add(stage)
        steps = open_ways.steps[stage]
        assert open_ways.is_whole(begun) or steps
        if not steps:
            results.add(position.after(begun))
        waiting += [(*begun, step) for step in steps]
    assert seen == set(range(len(open_ways.steps)))
    return results


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 90), st.integers(1, 6), st.integers(1, 6))
def test_steps_lead_to_every_legal_play_and_to_no_other(
    seed: int, turns: int, first: int, second: int
) -> None:
    position = played_on(seed, turns)
    dice = first, second
    legal = legal_plays(position, dice)
    assert walked(position, dice) == {each.result for each in legal}
    assert all(ways(position, dice).is_whole(each.play) for each in legal)  # as it is written


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 90), st.integers(1, 6), st.integers(1, 6))
def test_each_step_uses_a_die_that_moves_so_far(
    seed: int, turns: int, first: int, second: int
) -> None:
    open_ways = ways(played_on(seed, turns), (first, second))
    assert sorted(open_ways.left[0]) == sorted([first, second] * (2 if first == second else 1))
    for stage, steps in enumerate(open_ways.steps):
        for (start, end), to in steps.items():
            left = Counter(open_ways.left[stage])
            left.subtract(open_ways.left[to])
            (used,) = left.elements()
            assert min(left.values()) >= 0
            assert used == start - end or (end == OFF and used > start)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 60), st.integers(1, 6), st.integers(1, 6))
def test_a_step_that_is_not_offered_is_refused(
    seed: int, turns: int, first: int, second: int
) -> None:
    position, dice = played_on(seed, turns), (first, second)
    open_ways = ways(position, dice)
    for start in range(1, 26):
        for end in range(start):
            step = Step(start, end)
            if step not in open_ways.steps[0]:
                with pytest.raises(InputError):
                    open_ways.stage((step,))


@pytest.mark.parametrize(
    ("mine", "dice", "steps"),
    [
        ({6: 1, 2: 1}, (6, 5), {Step(6, 0), Step(6, 1)}),
        ({3: 2}, (6, 1), {Step(3, 0), Step(3, 2)}),
        ({25: 1, 6: 1}, (2, 1), {Step(25, 23), Step(25, 24)}),
    ],
)
def test_a_bearoff_and_the_bar(mine: dict[int, int], dice: Dice, steps: set[Step]) -> None:
    side = tuple(mine.get(place, 0) for place in range(1, 26))
    theirs = (*(0,) * 12, 2, *(0,) * 12)
    assert set(ways(Position(side, theirs), dice).steps[0]) == steps


@pytest.mark.parametrize(
    ("mine", "dice", "is_forced"),
    [
        ({6: 1}, (6, 5), True),  # by one die or by two, it is off
        ({6: 1, 2: 1}, (6, 5), False),  # 6/1 and 2/off leave one
        ({24: 1}, (3, 1), False),  # the blot on 21 is hit or is not
        ({13: 1}, (1, 1), True),  # it cannot pass
    ],
)
def test_a_play_is_forced_if_all_ways_end_alike(
    mine: dict[int, int], dice: Dice, *, is_forced: bool
) -> None:
    side = tuple(mine.get(place, 0) for place in range(1, 26))
    theirs = tuple({4: 1, 13: 2}.get(place, 0) for place in range(1, 26))  # on my 21 and 12
    assert ways(Position(side, theirs), dice).is_forced is is_forced
