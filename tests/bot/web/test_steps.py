"""Plays taken one checker at a time, against the list of legal plays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.bot.web.play.steps import ways
from sixprime.engine.position import Dice, Play, Position, Step
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
