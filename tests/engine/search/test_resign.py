"""Resignations are offered only when all is settled, and accepted only if nothing is lost by it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.engine.position import MatchState
from sixprime.engine.search import matchequity
from sixprime.engine.search.resign import accepts_over, resignation
from tests.support.engine.cubemodel import Exact, accepts, playing_on

MONEY = MatchState()
JACOBY = MatchState(jacoby=True)
TURNED = MatchState(jacoby=True, cube=2, cube_owner=0)
US, THEM = 1, 0  # seat 1 is on roll

LOST = (0.0, 0.0, 0.0, 0.0, 0.0)
GAMMONED = (0.0, 0.0, 0.0, 1.0, 0.0)
BACKGAMMONED = (0.0, 0.0, 0.0, 1.0, 1.0)
MAYBE_GAMMONED = (0.0, 0.0, 0.0, 0.5, 0.0)
WON = (1.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("outcomes", "games"),
    [
        (LOST, 1),
        (GAMMONED, 2),
        (BACKGAMMONED, 3),
        (MAYBE_GAMMONED, 0),
        ((0.01, 0.0, 0.0, 0.0, 0.0), 0),
        ((0.0, 0.0, 0.0, 1.0, 0.2), 0),
        (WON, 0),
    ],
)
def test_only_what_is_certain_is_resigned_and_no_more(
    outcomes: tuple[float, ...], games: int
) -> None:
    assert resignation(outcomes, MatchState(), US) == games
    assert resignation(outcomes, MatchState(length=9, score=(2, 3)), US) == games


def test_the_player_not_on_roll_resigns_too() -> None:
    assert resignation(WON, MONEY, THEM) == 1
    assert resignation((1.0, 1.0, 0.0, 0.0, 0.0), MONEY, THEM) == 2
    assert resignation(LOST, MONEY, THEM) == 0


def test_under_jacoby_gammons_are_resigned_only_after_a_double() -> None:
    assert resignation(GAMMONED, JACOBY, US) == 1
    assert resignation(MAYBE_GAMMONED, JACOBY, US) == 1
    assert resignation(GAMMONED, TURNED, US) == 2


def test_where_gammons_cannot_matter_a_single_game_is_enough() -> None:
    match = MatchState(length=5, score=(4, 2), crawford=True)
    assert resignation(MAYBE_GAMMONED, match, US) == 1
    assert resignation(GAMMONED, match, US) == 1
    assert resignation(GAMMONED, MatchState(length=5, score=(3, 2)), US) == 2


@pytest.mark.parametrize(
    ("state", "outcomes", "games", "accepted"),
    [
        (MONEY, WON, 1, True),
        (MONEY, (0.999, 0.0, 0.0, 0.0, 0.0), 1, True),
        (MONEY, (1.0, 0.3, 0.0, 0.0, 0.0), 1, False),
        (MONEY, (1.0, 0.3, 0.0, 0.0, 0.0), 2, True),
        (MONEY, (1.0, 1.0, 0.1, 0.0, 0.0), 2, False),
        (MONEY, (1.0, 1.0, 1.0, 0.0, 0.0), 3, True),
        (JACOBY, (1.0, 1.0, 0.0, 0.0, 0.0), 1, True),
        (TURNED.with_(cube_owner=1), (1.0, 1.0, 0.0, 0.0, 0.0), 1, False),
        (MatchState(length=7, score=(3, 6)), (1.0, 1.0, 0.0, 0.0, 0.0), 1, True),
        (MatchState(length=7, score=(3, 5)), (1.0, 1.0, 0.0, 0.0, 0.0), 1, False),
        (MatchState(length=7, score=(3, 5), cube=2), (1.0, 1.0, 0.0, 0.0, 0.0), 1, True),
        (MatchState(length=7, score=(3, 5)), (0.6, 0.1, 0.0, 0.1, 0.0), 1, True),
    ],
)
def test_a_resignation_is_accepted_if_it_is_at_least_as_good_as_playing_on(
    state: MatchState, outcomes: tuple[float, ...], games: int, accepted: bool
) -> None:
    offered = state.with_(resigned=games)
    assert accepts(outcomes, offered, US, games) is accepted


def test_the_answer_does_not_depend_on_who_is_on_roll() -> None:
    gammonish = (0.0, 0.0, 0.0, 0.4, 0.0)
    assert not accepts(gammonish, MONEY, THEM, 1)
    assert accepts(gammonish, MONEY, THEM, 2)


@settings(deadline=None)
@given(
    st.tuples(*[st.floats(0, 1)] * 5),
    st.integers(0, 24),
    st.integers(0, 24),
    st.booleans(),
    st.sampled_from((US, THEM)),
    st.sampled_from((1, 2, 3)),
)
def test_whoever_resigns_by_these_rules_is_accepted_by_them(
    part: tuple[float, ...], mine: int, theirs: int, for_money: bool, seat: int, cube: int
) -> None:
    state = MatchState(length=0 if for_money else 25, score=(theirs, mine), cube=2 ** (cube - 1))
    win, gammon, backgammon, lost, lost_more = (round(share) for share in part)
    outcomes = (
        win,
        win * gammon,
        win * gammon * backgammon,
        (1 - win) * lost,
        (1 - win) * lost * lost_more,
    )
    games = resignation(outcomes, state, seat)
    if games:
        assert accepts(outcomes, state, 1 - seat, games)


@settings(deadline=None)
@given(st.tuples(*[st.floats(0, 1)] * 5), st.integers(0, 24), st.integers(0, 24))
def test_a_backgammon_is_always_enough(part: tuple[float, ...], mine: int, theirs: int) -> None:
    win, gammon, backgammon, lost, lost_more = part
    outcomes = (
        win,
        win * gammon,
        win * gammon * backgammon,
        (1 - win) * lost,
        (1 - win) * lost * lost_more,
    )
    for state in (MONEY, MatchState(length=25, score=(theirs, mine))):
        assert accepts(outcomes, state, US, 3)
        assert accepts(outcomes, state, THEM, 3)


def test_before_the_roll_playing_on_includes_the_right_to_double() -> None:
    outcomes = (0.9, 0.0, 0.0, 0.0, 0.0)
    assert playing_on(outcomes, MONEY, US) == pytest.approx(1)
    assert playing_on(outcomes, MONEY, THEM) == pytest.approx(-1)
    assert playing_on(outcomes, MONEY.with_(dice=(3, 1)), US) < 1
    assert playing_on(outcomes, MONEY.with_(cube=4, cube_owner=1), US) == pytest.approx(4)


def test_exact_equities_are_used_where_there_are_any() -> None:
    outcomes = (0.671, 0.0, 0.0, 0.0, 0.0)
    exact = Exact(0.3441, 0.3210, 0.1605)
    owned = MatchState(cube=2, cube_owner=1, dice=(2, 1))
    assert playing_on(outcomes, owned, US, exact=exact) == pytest.approx(2 * 0.3441)
    assert playing_on(outcomes, MONEY, US, exact=exact) == pytest.approx(0.3210)


def test_a_searchs_worth_is_compared_the_same_way() -> None:
    match = MatchState(length=7, score=(3, 5))
    single = matchequity.load_table().chances(match, US).win(1)
    assert accepts_over(single, match, US, 1)
    assert not accepts_over(single + 0.001, match, US, 1)
    assert accepts_over(4.0, MatchState(cube=4), US, 1)
    assert not accepts_over(4.1, MatchState(cube=4), US, 1)
