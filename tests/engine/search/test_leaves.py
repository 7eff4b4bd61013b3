"""Worths of several cubes at once against the worth of each, and a context against the kernel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.engine.kernels import cube as kernel
from sixprime.engine.position import MatchState
from sixprime.engine.search.cube import CubeContext

SHARE = st.floats(0.0, 1.0)
STATES = np.array([(1, 1), (2, 0), (2, 2), (4, 1), (8, 0)], np.int64)
MATCHES = st.one_of(
    st.builds(MatchState, jacoby=st.booleans(), max_cube=st.sampled_from((None, 2, 8))),
    st.builds(
        lambda length, away, cube, owner, on_roll: MatchState(
            length=length,
            score=(length - min(away[0], length), length - min(away[1], length)),
            cube=cube,
            cube_owner=owner,
            on_roll=on_roll,
        ),
        st.integers(2, 15),
        st.tuples(st.integers(2, 15), st.integers(2, 15)),
        st.sampled_from((1, 2, 4)),
        st.sampled_from((0, 1)),
        st.sampled_from((0, 1)),
    ),
)


@given(st.lists(SHARE, min_size=5, max_size=5), MATCHES, SHARE)
def test_cubes_of_a_leaf_share_nothing_that_differs(
    shares: list[float], match: MatchState, efficiency: float
) -> None:
    win, gammon, backgammon, lost, lost_backgammon = shares
    gammon, lost = win * gammon, (1 - win) * lost
    chances = np.array((win, gammon, gammon * backgammon, lost, lost * lost_backgammon), np.float32)
    context = CubeContext.of(match)
    rules, points = context.rules, context.chances
    efficiencies = efficiency, efficiency / 2, 1 - efficiency
    live = kernel.Liveness(efficiencies, np.zeros(3), False)
    worths = np.zeros(len(STATES))
    kernel.leaf_worths(chances, 0, STATES, len(STATES), live, rules, points, worths)
    for (cube, owner), worth in zip(STATES.tolist(), worths, strict=True):
        expected = kernel.cubeful(chances, 0, cube, owner, live, rules, points)
        if kernel.may_double(0, cube, owner, rules):
            taken = kernel.cubeful(chances, 0, 2 * cube, kernel.THEIRS, live, rules, points)
            passed = kernel.pass_worth(0, cube, rules, points)
            expected = kernel.best(expected, taken, passed)
        assert worth == pytest.approx(expected, abs=1e-12)


@given(MATCHES, st.floats(-3.0, 3.0))
def test_a_context_says_what_the_kernel_says(match: MatchState, worth: float) -> None:
    context = CubeContext.of(match)
    scale = 0, context.cube, context.rules, context.chances
    assert context.cubeful(worth).equity == kernel.emg(worth, *scale)
    assert context.passed == kernel.pass_worth(*scale)
    assert context.available() == kernel.may_double(0, context.cube, context.owner, context.rules)
