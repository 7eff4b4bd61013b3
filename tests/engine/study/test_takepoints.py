"""What a score makes of gammons, takes and doubles: the manual's example, money, symmetry."""

from __future__ import annotations

import pytest

from sixprime.engine.position import MatchState
from sixprime.engine.study.takepoints import windows

NONE = (0.0, 0.0)


def test_far_from_the_end_a_match_is_as_money() -> None:
    first = windows(MatchState(length=25), 0, NONE, NONE)[0]
    assert first.gammon_price == pytest.approx(0.5, abs=0.03)
    assert first.take_dead == pytest.approx(0.25, abs=0.01)
    assert first.take_live == pytest.approx(0.20, abs=0.01)
    assert first.cash_live == pytest.approx(0.80, abs=0.01)
    assert first.double == pytest.approx(0.5, abs=0.01)


def test_the_manuals_live_take_points_at_three_nil_to_seven() -> None:
    """Black needs 7, White 4: Woolsey's table, and the rates of the manual's position."""
    state = MatchState(length=7, score=(0, 3), met="woolsey")
    black = 0.102 / 0.454, 0.001 / 0.454
    white = 0.103 / 0.546, 0.003 / 0.546
    takes = [
        [each.take_live for each in windows(state, seat, *kinds)]
        for seat, kinds in ((0, (black, white)), (1, (white, black)))
    ]
    assert takes[0][:2] == pytest.approx([0.245, 0.15], abs=0.001)
    assert takes[0][2] is None  # a cube of 4 wins the match for White
    assert takes[1] == pytest.approx([0.273, 0.385, 0.41], abs=0.001)


def test_nobody_turns_a_cube_that_wins_the_match_already() -> None:
    you = windows(MatchState(length=7, score=(3, 5)), 0, NONE, NONE)
    assert [each.cube for each in you] == [1, 2]
    assert you[1].take_live is None
    assert you[1].double is not None


def test_a_trailers_last_cube_is_free_to_turn_after_the_crawford_game() -> None:
    (only,) = windows(MatchState(length=5, score=(3, 4)), 0, NONE, NONE)
    assert only.double == pytest.approx(0.0)
