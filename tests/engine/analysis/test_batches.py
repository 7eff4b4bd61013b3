"""Looking at a whole game at once finds what looking at its decisions one by one does."""

from __future__ import annotations

import numpy as np
import pytest

from sixprime.engine.analysis.batches import Batches
from sixprime.engine.position import MatchState, Position
from sixprime.engine.search.plies import Evaluation, Search
from tests.support.engine.brains import random_brain
from tests.support.engine.reference import random_rolls

SEARCH = Search(random_brain())
BATCHES = Batches(SEARCH)
LOOK = Evaluation()
KEEP = 3
STATES = (
    MatchState(),
    MatchState(cube=2, cube_owner=1, jacoby=True),
    MatchState(length=7, score=(2, 4)),
    MatchState(length=5, score=(3, 1), cube=2, cube_owner=0),
)
SOME = [
    (position, STATES[number % len(STATES)], dice)
    for number, (position, dice) in enumerate(random_rolls(17, 40))
    if not position.is_over() and not position.is_hypergammon()  # that is known exactly
]
NODES = BATCHES.nodes([(position, state) for position, state, _ in SOME])


def test_cube_decisions_are_the_same() -> None:
    together = list(BATCHES.see_all(NODES, LOOK))
    assert len(together) == len(SOME)
    for (position, state, _), seen in zip(SOME, together, strict=True):
        alone = SEARCH.see(position, state, LOOK)
        assert seen[1:] == alone[1:]
        assert seen.outcomes == pytest.approx(alone.outcomes, abs=1e-7)


@pytest.mark.parametrize("made", [0, -1])
def test_plays_are_the_same_with_the_one_that_was_made(made: int) -> None:
    alone = [SEARCH.plays(position, state, dice, LOOK) for position, state, dice in SOME]
    results = [plays[made].result for plays in alone]
    together = BATCHES.all_with_plays(NODES, [dice for *_, dice in SOME], results, LOOK, KEEP)
    for plays, result, looked in zip(alone, results, together, strict=True):
        assert looked.legal == len(plays)
        assert looked.made is not None
        told = [each.equity for each in looked.candidates]
        assert told[:KEEP] == pytest.approx([each.equity for each in plays[:KEEP]], abs=1e-7)
        assert len(told) == min(len(plays), KEEP) + (looked.made == KEEP)
        own = next(each for each in plays if each.result == result)
        assert looked.candidates[looked.made].play == own.play
        assert looked.candidates[looked.made].probabilities == pytest.approx(own.outcomes, abs=1e-7)


def test_a_result_that_no_play_leads_to_was_not_made() -> None:
    nodes = BATCHES.nodes([(Position.start(), STATES[0])])
    (looked,) = BATCHES.all_with_plays(nodes, [(3, 1)], [Position.start()], LOOK, KEEP)
    assert looked.made is None
    assert len(looked.candidates) == KEEP


def test_rolls_are_worth_what_their_best_plays_are() -> None:
    full = Evaluation(prune=False)
    worths = BATCHES.all_roll_worths(NODES, full)
    for (position, state, (one, other)), found in zip(SOME, worths, strict=True):
        best = SEARCH.plays(position, state, (one, other), full)[0]
        high, low = max(one, other), min(one, other)
        wanted = state.cube * best.equity if best.mwc is None else best.mwc
        assert found[high * (high - 1) // 2 + low - 1] == pytest.approx(wanted, abs=1e-12)


def test_a_game_without_a_roll_has_nothing_to_look_at() -> None:
    none = BATCHES.nodes([])
    assert BATCHES.all_roll_worths(none, LOOK).shape == (0, 21)
    assert list(BATCHES.see_all(none, LOOK)) == []
    assert list(BATCHES.all_with_plays(none, [], [], LOOK, KEEP)) == []
    assert np.array_equal(none.boards, np.zeros((0, 2, 25)))
