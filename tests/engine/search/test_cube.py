"""Cube decisions: equities between a dead and a live cube, and the verdicts on them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sixprime.engine.game import Answer
from sixprime.engine.kernels import cube as kernel
from sixprime.engine.position import MatchState
from sixprime.engine.search import matchequity
from sixprime.engine.search.cube import (
    BEAROFF_EFFICIENCY,
    CubeContext,
    cubeful_equity,
    judged,
    liveness,
    worth_of,
)
from tests.support.engine.cubemodel import Exact, Shares, cube_decision, known, take_point

# win, gammon, backgammon, lose gammon, lose backgammon of the player on roll
ATTACK = (0.728583, 0.387088, 0.014974, 0.051979, 0.001773)  # 4HPwAVDYnsEBMA
RACE = (0.488510, 0.00005, 0.0, 0.00005, 0.0)  # c/PGAADm9mwAAA, 84 pips
MANUAL = (0.454, 0.103, 0.001, 0.106, 0.003)  # 4HPMwQCMz+AIIQ, as the manual printed it
MONEY = MatchState()
JACOBY = MatchState(jacoby=True)
BEAVERS = MatchState(beavers=3)


def even(p: float) -> tuple[float, ...]:
    """Only single games, the player on roll wins this share."""
    return (p, 0.0, 0.0, 0.0, 0.0)


# Made with gnubg 1.07.


@pytest.mark.parametrize(
    ("state", "no_double", "double_take", "action"),
    [(JACOBY, 0.826293, 1.426388, "Double, pass"), (MONEY, 0.998318, 1.426388, "Double, pass")],
)
def test_an_attack_for_money(
    state: MatchState, no_double: float, double_take: float, action: str
) -> None:
    decision = cube_decision(ATTACK, state)
    assert decision.no_double == pytest.approx(no_double, abs=3e-6)
    assert decision.double_take == pytest.approx(double_take, abs=3e-6)
    assert (decision.action, decision.mwc) == (action, None)
    assert decision.double
    assert not decision.take


def test_an_attack_trailing_two_to_three_in_seven() -> None:
    state = MatchState(length=7, score=(3, 2))
    decision = cube_decision(ATTACK, state)
    assert decision.mwc is not None
    assert decision.mwc[:2] == pytest.approx((0.500260, 0.549995), abs=3e-6)
    assert decision.no_double == pytest.approx(1.0035, abs=5e-5)
    assert decision.double_take == pytest.approx(1.6758, abs=5e-5)
    assert decision.action == "Too good to double, pass"
    assert cash_points(ATTACK, state) == pytest.approx((0.660780, 0.751217), abs=3e-6)


def test_an_attack_ahead_with_an_owned_cube() -> None:
    state = MatchState(length=7, score=(2, 4), cube=2, cube_owner=1)
    decision = cube_decision(ATTACK, state)
    assert decision.mwc is not None
    assert decision.mwc[:2] == pytest.approx((0.791592, 0.746085), abs=3e-6)
    assert decision.no_double == pytest.approx(0.7063, abs=5e-5)
    assert decision.double_take == pytest.approx(0.4400, abs=5e-5)
    assert decision.action == "No redouble, take"
    assert cash_points(ATTACK, state) == pytest.approx((0.841790, 0.626180), abs=3e-6)


def test_a_race() -> None:
    assert kernel.race_efficiency(84) == pytest.approx(0.655)
    decision = cube_decision(RACE, JACOBY, kernel.race_efficiency(84))
    assert decision.no_double == pytest.approx(-0.033016, abs=3e-6)
    assert decision.double_take == pytest.approx(-0.380988, abs=3e-6)
    decision = cube_decision(RACE, MatchState(length=9, score=(1, 1)), kernel.race_efficiency(84))
    assert decision.mwc is not None
    assert decision.mwc[:2] == pytest.approx((0.498131, 0.478278), abs=3e-6)
    assert decision.no_double == pytest.approx(-0.0341, abs=5e-5)
    assert decision.double_take == pytest.approx(-0.3964, abs=5e-5)


def test_the_manuals_position_for_money() -> None:
    """Dead -0.097, live -0.157, cubeful -0.138: with the manual's own average loss.

    It divides by 0.556 where 1 - 0.454 is 0.546, and so has 1.196 for an average loss of 1.200.
    """
    dead = cubeful_equity(MANUAL, MONEY, 0.0).equity
    assert dead == pytest.approx(-0.097, abs=5e-4)
    gain, loss = 1.229, 1.196
    take, cash = ((loss + part) / (gain + loss + 0.5) for part in (-0.5, 1.0))
    live = kernel.live_line(0.454, kernel.CENTRED, -loss, take, -1.0, cash, 1.0, gain)
    assert live == pytest.approx(-0.157, abs=5e-4)
    assert 0.32 * dead + 0.68 * live == pytest.approx(-0.138, abs=5e-4)
    assert cubeful_equity(MANUAL, MONEY, 1.0).equity == pytest.approx(-0.160, abs=5e-4)
    assert cubeful_equity(MANUAL, MONEY, 0.68).equity == pytest.approx(-0.140, abs=5e-4)


def test_the_manuals_position_at_three_nil_to_seven() -> None:
    state = MatchState(length=7, score=(0, 3), on_roll=0, to_act=0)
    worths = [cubeful_equity(MANUAL, state.with_(met="woolsey"), x).mwc for x in (0.0, 1.0, 0.68)]
    assert worths == pytest.approx([0.291, 0.292, 0.2917], abs=5e-4)
    assert worths[2] == pytest.approx(0.2917, abs=5e-5)


def test_efficiency_in_a_race_is_held_between_40_and_120_pips() -> None:
    assert [kernel.race_efficiency(pips) for pips in (20, 40, 80, 120, 160)] == pytest.approx(
        [0.6, 0.6, 0.65, 0.7, 0.7]
    )


# Rules


@settings(deadline=None)
@given(st.floats(0.01, 0.99), st.floats(0, 1))
def test_for_money_an_owned_cube_is_worth_more_than_a_centred_one(p: float, x: float) -> None:
    mine, centred, theirs = (
        cubeful_equity(even(p), MatchState(cube=2, cube_owner=owner), x).equity
        for owner in (1, None, 0)
    )
    assert mine >= centred - 1e-12 >= theirs - 2e-12


def test_without_gammons_a_live_cube_is_doubled_out_at_80_percent() -> None:
    assert cubeful_equity(even(0.8), MONEY, 1.0).equity == pytest.approx(1)
    assert cube_decision(even(0.81), MONEY, 1.0).action == "Double, pass"
    assert cube_decision(even(0.75), MONEY, 0.0).action == "Double, take"
    assert cube_decision(even(0.76), MONEY, 0.0).action == "Double, pass"


def test_jacoby_makes_gammons_worthless_until_the_cube_is_turned() -> None:
    blitz = (0.75, 0.6, 0.0, 0.1, 0.0)
    assert cube_decision(blitz, MONEY).action == "Too good to double, pass"
    assert cube_decision(blitz, JACOBY).action == "Double, pass"
    turned = JACOBY.with_(cube=2, cube_owner=1)
    assert cube_decision(blitz, turned).action == "Too good to redouble, pass"


def test_a_dead_cube_is_never_turned() -> None:
    state = MatchState(length=5, score=(0, 3), cube=2, cube_owner=1)
    decision = cube_decision(even(0.9), state)
    assert decision.action == "Never redouble, take (dead cube)"
    assert not decision.double
    assert decision.optimal == decision.no_double


def test_the_crawford_game_has_no_cube() -> None:
    for score in ((4, 2), (2, 4)):
        decision = cube_decision(even(0.7), MatchState(length=5, score=score, crawford=True))
        assert decision.action == "Never double, take (dead cube)"


def test_the_opponents_cube_is_not_ours_to_turn() -> None:
    decision = cube_decision(even(0.7), MatchState(cube=2, cube_owner=0))
    assert decision.action == "Cube not available"
    assert not decision.available


@pytest.mark.parametrize("p", [0.2, 0.4, 0.49])
def test_after_crawford_the_trailer_doubles_at_once(p: float) -> None:
    state = MatchState(length=7, score=(6, 2))
    assert cube_decision(even(p), state).action == "Double, take"


def test_after_crawford_the_leader_drops_for_free_against_an_even_number() -> None:
    at_2_away = MatchState(length=7, score=(6, 5))
    assert cube_decision(even(0.51), at_2_away).action == "Double, pass"
    assert cube_decision(even(0.49), at_2_away).action == "Double, take"
    at_3_away = MatchState(length=7, score=(6, 4))
    assert cube_decision(even(0.51), at_3_away).take


def test_the_leader_after_crawford_has_no_use_for_the_cube() -> None:
    decision = cube_decision(even(0.6), MatchState(length=7, score=(2, 6)))
    assert not decision.available


def test_a_trailer_redoubles_at_once_when_losing_the_cube_would_lose_the_match() -> None:
    state = MatchState(length=7, score=(5, 1), cube=2, cube_owner=1)  # they need 2 and play for 2
    for p in (0.1, 0.3, 0.5):
        decision = cube_decision(even(p), state)
        assert decision.double
        assert decision.take


def test_at_double_match_point_only_winning_counts() -> None:
    state = MatchState(length=7, score=(6, 6))
    assert cubeful_equity(ATTACK, state).mwc == pytest.approx(ATTACK[0], abs=1e-6)


def test_a_position_too_good_to_double_is_played_for_the_gammon() -> None:
    decision = cube_decision((0.95, 0.8, 0.0, 0.0, 0.0), MONEY)
    assert decision.action == "Too good to double, pass"
    assert not decision.double
    assert not decision.take


@pytest.mark.parametrize(
    ("beavers", "double_take", "action"),
    [
        (0, -0.3, "No double, take"),
        (1, -0.3, "No double, beaver"),
        (1, -2.1, "No double, take"),
        (1, 0.1, "No double, take"),
    ],
)
def test_a_bad_double_is_beavered(beavers: int, double_take: float, action: str) -> None:
    state = MatchState(beavers=beavers)
    decision = judged(max(double_take, 0.0) + 0.2, double_take, state)
    assert decision.action == action
    assert decision.beaver == action.endswith("beaver")
    assert (decision.answer() is Answer.BEAVER) == decision.beaver


def test_a_double_that_gets_beavered_is_right_only_if_it_is_at_twice_the_stake_too() -> None:
    assert judged(-0.5, -0.2, BEAVERS).action == "Double, beaver"
    assert judged(-0.3, -0.2, BEAVERS).action == "No double, beaver"


def test_a_wrong_beaver_is_answered_by_a_raccoon() -> None:
    decision = judged(0.4, 0.5, BEAVERS)
    assert decision.answer(1) is Answer.TAKE
    assert decision.answer(2) is Answer.BEAVER
    assert judged(0.4, 0.5, MatchState(beavers=1)).answer(2) is Answer.TAKE


def test_a_right_beaver_is_accepted_unless_the_position_is_a_pass() -> None:
    assert judged(-0.1, -0.5, BEAVERS).answer(2) is Answer.TAKE
    assert judged(-0.5, -1.2, BEAVERS).answer(2) is Answer.PASS


def test_a_match_has_no_beavers() -> None:
    state = MatchState(length=9, beavers=3)
    worth = cubeful_equity(even(0.2), state).mwc
    assert worth is not None
    assert cube_decision(even(0.2), state).answer() is Answer.TAKE


def test_no_beaver_turns_the_cube_beyond_its_limit() -> None:
    for turns, worth in ((1, -0.3), (2, 0.5)):
        for most, answer in ((4, Answer.TAKE), (8, Answer.BEAVER)):
            limited = MatchState(beavers=3, cube=2, max_cube=most)
            assert judged(2 * worth, 2 * worth, limited).answer(turns) is answer


def test_a_tie_is_optional_and_left_alone_by_who_is_behind() -> None:
    behind, ahead = judged(-0.2, -0.2, MONEY), judged(0.2, 0.2, MONEY)
    assert behind.action == ahead.action == "Optional double, take"
    assert (behind.double, ahead.double) == (False, True)
    assert judged(-0.2, -0.2, MONEY.with_(cube=2, cube_owner=1)).action.startswith(
        "Optional redouble"
    )


def test_a_cube_at_its_limit_is_dead() -> None:
    state = MatchState(cube=2, cube_owner=1, max_cube=2)
    decision = cube_decision(even(0.75), state)
    assert not decision.available
    assert decision.no_double == pytest.approx(0.5)


def test_the_value_on_the_cube_does_not_matter_for_money() -> None:
    small = cube_decision(ATTACK, MatchState(cube=2, cube_owner=1))
    large = cube_decision(ATTACK, MatchState(cube=32, cube_owner=1))
    assert small.no_double == pytest.approx(large.no_double)
    assert small.double_take == pytest.approx(large.double_take)


# Exact equities from the two-sided database


def test_for_money_the_databases_equities_are_the_answer() -> None:
    """CgAAEAEAAAAAAA: 67.1 %, +0.3441 / +0.3210 / +0.1605."""
    exact = Exact(0.3441, 0.3210, 0.1605)
    decision = cube_decision(even(0.671), MONEY, exact=exact)
    assert (decision.no_double, decision.double_take) == pytest.approx((0.3210, 0.3210))
    assert decision.action == "Optional double, take"
    owned = cube_decision(even(0.671), MatchState(cube=4, cube_owner=1), exact=exact)
    assert owned.no_double == pytest.approx(0.3441)


@settings(deadline=None)
@given(st.floats(0.02, 0.98), st.floats(0, 0.6), st.sampled_from((1, None, 0)))
def test_in_a_match_an_exact_money_equity_gives_back_the_efficiency_behind_it(
    p: float, efficiency: float, owner: int | None
) -> None:
    money = MatchState(cube=2, cube_owner=owner)
    in_match = MatchState(length=13, score=(4, 6), cube=2, cube_owner=owner)
    dead, live = (cubeful_equity(even(p), money, x).equity for x in (0.0, 1.0))
    assume(abs(dead - live) > 0.01)
    equity = cubeful_equity(even(p), money, efficiency).equity
    context = CubeContext.of(in_match)
    exact = known(0.0, Exact(equity, equity, equity))
    found = worth_of(even(p), context, (context.cube, context.owner), exact)
    expected = cubeful_equity(even(p), in_match, efficiency)
    assert found == pytest.approx(expected.mwc, abs=1e-5)


def test_where_live_and_dead_agree_the_bearoffs_efficiency_is_assumed() -> None:
    outcomes = np.array(even(0.5), np.float32)
    found = kernel.implied_efficiency(outcomes, kernel.CENTRED, 0.0, 0.0, 0.6)
    assert found == BEAROFF_EFFICIENCY


# The kernels, against slower ways to the same numbers

parts = st.tuples(*[st.floats(0, 1)] * 5)
scores = st.tuples(st.integers(1, 25), st.integers(1, 25))
cubes = st.sampled_from((1, 2, 4, 8))
owners = st.sampled_from((kernel.MINE, kernel.CENTRED, kernel.THEIRS))


def outcomes_from(part: tuple[float, ...]) -> NDArray[np.float32]:
    """Five numbers in [0, 1] made into sane outcomes."""
    win, gammon, backgammon, lose_gammon, lose_backgammon = part
    won, lost = win * gammon, (1 - win) * lose_gammon
    return np.array((win, won, won * backgammon, lost, lost * lose_backgammon), dtype=np.float32)


def mirrored(outcomes: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.array((1 - outcomes[0], *outcomes[3:], *outcomes[1:3]), dtype=np.float32)


def match(away: tuple[int, int], **changes: object) -> MatchState:
    """25 points, by what the player on roll and the other still need."""
    return MatchState(length=25, score=(25 - away[1], 25 - away[0])).with_(**changes)


def cash_points(outcomes: tuple[float, ...], state: MatchState) -> tuple[float, float]:
    """The live cash points of the player on roll and of the other."""
    context = CubeContext.of(state)
    dealt = np.array(outcomes, dtype=np.float32)
    kinds = (
        kernel.shares(dealt, outcomes[0], kernel.WIN_GAMMON, kernel.WIN_BACKGAMMON),
        kernel.shares(dealt, 1 - outcomes[0], kernel.LOSE_GAMMON, kernel.LOSE_BACKGAMMON),
    )
    mine, theirs = (
        kernel.cash_point(side, state.cube, kinds, context.rules, context.chances)
        for side in (0, 1)
    )
    return float(mine), float(theirs)


@settings(deadline=None)
@given(scores, cubes, st.floats(0, 0.9), st.floats(0, 0.9))
def test_live_cash_points_leave_the_live_take_points_of_the_match_equity_table(
    away: tuple[int, int], cube: int, gammons: float, gammons_lost: float
) -> None:
    state = match(away, cube=cube)
    assume(min(away) > cube)
    outcomes = (0.5, 0.5 * gammons, 0.0, 0.5 * gammons_lost, 0.0)
    shares = (Shares(gammons_lost), Shares(gammons))  # by seat; seat 1 is on roll
    takers = (take_point(matchequity.load_table(), state, seat, shares).live for seat in (0, 1))
    expected = [1 - point for point in takers]
    assert cash_points(outcomes, state) == pytest.approx(expected, abs=1e-5)


@settings(deadline=None)
@given(parts, scores, cubes, owners, st.floats(0, 1))
def test_both_players_see_the_same_game(
    part: tuple[float, ...], away: tuple[int, int], cube: int, owner: int, x: float
) -> None:
    outcomes = outcomes_from(part)
    states = [match(away), replace(JACOBY, jacoby=cube > 2)]
    if 1 in away:
        states.append(match(away, crawford=True))
    for state in states:
        context = CubeContext.of(state)
        rest = (liveness(x), context.rules, context.chances)
        mine = kernel.cubeful(outcomes, 0, cube, owner, *rest)
        theirs = kernel.cubeful(mirrored(outcomes), 1, cube, kernel.THEIRS - owner, *rest)
        assert mine == pytest.approx(kernel.turned(theirs, context.rules), abs=2e-5)


@settings(deadline=None)
@given(scores, cubes, owners, st.floats(0, 1))
def test_winning_more_is_never_worth_less(
    away: tuple[int, int], cube: int, owner: int, x: float
) -> None:
    for state in (match(away), MONEY):
        context = CubeContext.of(state)
        worths = [
            worth_of(even(p), context, (cube, owner), liveness(x)) for p in np.linspace(0, 1, 21)
        ]
        assert all(less <= more + 1e-9 for less, more in pairwise(worths))


@settings(deadline=None)
@given(parts, scores, st.booleans(), st.floats(0, 1))
def test_several_cubes_at_a_leaf_are_each_worth_what_they_are_alone(
    part: tuple[float, ...], away: tuple[int, int], for_money: bool, x: float
) -> None:
    outcomes = outcomes_from(part)
    context = CubeContext.of(MONEY if for_money else match(away))
    rest = (context.rules, context.chances)
    states = np.array([(c, o) for c in (1, 2, 4) for o in range(3)], dtype=np.int64)
    worths = np.zeros(len(states))
    for side in (0, 1):
        kernel.leaf_worths(outcomes, side, states, len(states), liveness(x), *rest, worths)
        for (cube, owner), worth in zip(states.tolist(), worths, strict=True):
            stays = kernel.cubeful(outcomes, side, cube, owner, liveness(x), *rest)
            if kernel.may_double(side, cube, owner, context.rules):
                taken = kernel.cubeful(outcomes, side, 2 * cube, kernel.THEIRS, liveness(x), *rest)
                passed = kernel.pass_worth(side, cube, *rest)
                if min(taken, passed) >= stays:
                    stays = min(taken, passed)
            assert worth == stays


def test_the_cubes_two_plies_below_a_decision_come_from_either_player_turning_it() -> None:
    context = CubeContext.of(MONEY)
    states = context.states.copy()  # as the opponent sees them after our roll
    states[:, kernel.OWNER] = kernel.THEIRS - states[:, kernel.OWNER]
    children = np.zeros((4, 2), dtype=np.int64)
    ways = np.zeros((2, 2), dtype=np.int64)
    found = kernel.expand(states, 2, 1, context.rules, True, children, ways)
    assert [(cube, owner) for cube, owner in children[:found].tolist()] == [
        (1, kernel.CENTRED),
        (2, kernel.MINE),
        (2, kernel.THEIRS),
        (4, kernel.MINE),
    ]


@settings(deadline=None)
@given(parts, scores, st.booleans())
def test_expanding_and_folding_gives_each_cube_its_best_of_three(
    part: tuple[float, ...], away: tuple[int, int], for_money: bool
) -> None:
    """One roll, one play: the worth of each state comes back through its own children."""
    outcomes = outcomes_from(part)
    context = CubeContext.of(MONEY if for_money else match(away))
    rules, chances = context.rules, context.chances
    states = np.array([(1, 1), (2, 0), (2, 2), (4, 0)], dtype=np.int64)
    count = len(states)
    children = np.zeros((2 * count, 2), dtype=np.int64)
    ways = np.zeros((count, 2), dtype=np.int64)
    found = kernel.expand(states, count, 0, rules, True, children, ways)
    averages, worths = np.zeros(found), np.zeros(count)
    kernel.leaf_worths(outcomes, 1, children, found, liveness(0.68), rules, chances, averages)
    kernel.fold(states, count, 0, rules, chances, averages, ways, worths)
    for (cube, owner), worth in zip(states.tolist(), worths, strict=True):
        child = {(c, o): a for (c, o), a in zip(children.tolist(), averages, strict=False)}
        expected = kernel.turned(child[cube, kernel.THEIRS - owner], rules)
        if kernel.may_double(0, cube, owner, rules):
            taken = kernel.turned(child[2 * cube, kernel.MINE], rules)
            answered = min(taken, kernel.pass_worth(0, cube, rules, chances))
            expected = max(expected, answered)
        assert worth == pytest.approx(expected)


@given(scores, st.booleans(), st.integers(0, 4), st.sampled_from((None, 0, 1)), st.booleans())
def test_the_kernel_lets_the_same_players_double_as_the_rules(
    away: tuple[int, int], for_money: bool, power: int, owner: int | None, crawford: bool
) -> None:
    state = (MONEY if for_money else match(away)).with_(cube=2**power, cube_owner=owner)
    state = state.with_(crawford=crawford and not for_money, max_cube=8)
    assert CubeContext.of(state).available() == state.may_double()
