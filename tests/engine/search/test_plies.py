"""The search against its slow twin, written with 0-ply decisions alone."""

from __future__ import annotations

import pickle
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.engine.kernels import cube as kernel
from sixprime.engine.kernels.moves import CAPACITY
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import IllegalPosition, MatchState, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.cube import CubeContext
from sixprime.engine.search.plies import (
    ALL_ROLLS,
    FILTERS,
    MOST_TERMS,
    ROLLS,
    Candidate,
    Evaluation,
    MoveFilter,
    Pass,
    Search,
)
from sixprime.protocols.formats import pasted
from tests.support.engine.brains import living_brain
from tests.support.engine.reference import random_rolls

BRAIN = living_brain()
SEARCH = Search(BRAIN)
MONEY = MatchState()
CUBELESS = Evaluation(prune=False, cubeful=False)
UNPRUNED = Evaluation(prune=False)
ALL = MoveFilter("all", ((Pass(1000, 0, 0.0),), (Pass(1000, 0, 0.0), None)))
SOME = [
    (position, dice)
    for position, dice in random_rolls(11, 60)
    if not position.is_over() and position.checkers == 15
][:25]


def turned(outcomes: tuple[float, ...]) -> tuple[float, ...]:
    win, gammon, backgammon, lost, lost_backgammon = outcomes
    return (1 - win, lost, lost_backgammon, gammon, backgammon)


def cubeless(outcomes: tuple[float, ...]) -> float:
    win, gammon, backgammon, lost, lost_backgammon = outcomes
    return 2 * win - 1 + gammon + backgammon - lost - lost_backgammon


def after_all_rolls(position: Position, plies: int, later: int = 21) -> tuple[float, ...]:
    """Chances of the player on roll, looked at so many plies deep, from 0-ply choices alone.

    Only `later` rolls are looked at after the first ply.
    """
    return after_rolls(position, plies, ALL_ROLLS, ROLLS[later])


def after_rolls(
    position: Position, plies: int, rolls: NDArray[np.int64], later: NDArray[np.int64]
) -> tuple[float, ...]:
    if plies == 0:
        return SEARCH.see(position, MONEY, CUBELESS).outcomes
    if position.is_over():
        return SEARCH.see(position, MONEY, CUBELESS).outcomes
    total = np.zeros(5)
    for first, second, weight in rolls.tolist():
        reply = SEARCH.plays(position, MONEY, (first, second), CUBELESS)[0]
        chances = after_rolls(reply.result.flipped(), plies - 1, later, later)
        total += weight / 36 * np.array(turned(chances))
    return tuple(total.tolist())


def test_every_legal_play_is_ranked_once_best_first() -> None:
    for position, dice in SOME:
        found = SEARCH.plays(position, MONEY, dice, Evaluation())
        assert {each.result for each in found} == {p.result for p in legal_plays(position, dice)}
        assert all(a.equity >= b.equity for a, b in pairwise(found))
        assert {each.plies for each in found} == {0}
        for each in found:
            assert position.after(each.play) == each.result


def test_ranked_plays_are_a_sequence_that_can_be_copied() -> None:
    position, dice = SOME[3]
    found = SEARCH.plays(position, MONEY, dice, Evaluation())
    whole = list(found)
    assert len(found) == len(whole) > 3
    assert found[-1] == whole[-1]
    assert found[1:3] == whole[1:3]
    assert found[0] is found[0]
    assert whole[2] in found
    with pytest.raises(IndexError):
        found[len(whole)]
    SEARCH.plays(*SOME[4][:1], MONEY, SOME[4][1], Evaluation())  # which uses the scratch again
    copied = pickle.loads(pickle.dumps(found))
    assert list(copied) == whole
    assert copied == found
    assert copied != SEARCH.plays(*SOME[4][:1], MONEY, SOME[4][1], Evaluation())


def test_every_evaluation_has_its_own_terms() -> None:
    """However many have been used, and wherever their objects lay in memory."""
    position, dice = SOME[3]
    expected = [
        Search(BRAIN).plays(position, MONEY, dice, Evaluation(cubeful=each))[0].equity
        for each in (True, False)
    ]
    assert expected[0] != expected[1]
    for number in range(2 * MOST_TERMS + 10):
        cubeful = number % 3 == 0
        found = SEARCH.plays(position, MONEY, dice, Evaluation(cubeful=cubeful))
        assert found[0].equity == expected[not cubeful]


def test_without_cube_and_plies_the_equity_is_that_of_the_opponents_chances() -> None:
    for position, dice in SOME[:10]:
        for each in SEARCH.plays(position, MONEY, dice, CUBELESS):
            theirs = SEARCH.see(each.result.flipped(), MONEY, CUBELESS).outcomes
            assert each.outcomes == pytest.approx(turned(theirs), abs=1e-6)
            assert each.equity == pytest.approx(cubeless(each.outcomes), abs=1e-6)


@pytest.mark.parametrize("plies", [1, 2])
def test_each_ply_is_the_average_over_the_rolls_of_the_best_replies(plies: int) -> None:
    look = Evaluation(plies, ALL, prune=False, cubeful=False)
    for position, dice in SOME[: 6 // plies**2]:
        found = SEARCH.plays(position, MONEY, dice, look)
        for each in found if plies == 1 else found[:1]:
            if len(found) > 1:
                assert each.plies == plies
                expected = turned(after_all_rolls(each.result.flipped(), plies))
                assert each.outcomes == pytest.approx(expected, abs=1e-5)
                # nobody turns a cube on the way
                assert each.equity == pytest.approx(cubeless(expected), abs=1e-4)


def test_a_double_is_looked_at_with_the_same_chances_as_no_double() -> None:
    look = Evaluation(1, prune=False, cubeful=False)
    spread = Position(mine=(0,) * 4 + (1,) * 15 + (0,) * 6, theirs=points(15))
    assert sum(len(legal_plays(spread, (die, die))) for die in range(1, 7)) > CAPACITY
    for position in [spread, *(position for position, _ in SOME[:5])]:
        seen = SEARCH.see(position, MONEY, look)
        assert seen.outcomes == pytest.approx(after_all_rolls(position, 1), abs=1e-5)


def test_the_search_refuses_exactly_the_impossible_positions() -> None:
    draw = random.Random(5)
    refused = 0
    for position, dice in 20 * SOME:
        sides = [list(position.mine), list(position.theirs)]
        for _ in range(draw.randint(1, 3)):
            draw.choice(sides)[draw.choice((0, 5, 18, 23, 24))] = draw.choice((0, 1, 2, 9, 255, -1))
        if draw.random() < 0.1:
            sides = [(side[:6] != [0] * 6) * [2] * 6 + 18 * [0] + [1] for side in sides]
        mine, theirs = (tuple((side + 25 * [0])[:25]) for side in sides)
        mended = Position(mine, theirs)
        try:
            mended.checked()
        except IllegalPosition as error:
            refused += 1
            with pytest.raises(IllegalPosition, match=re.escape(str(error))):
                SEARCH.see(mended, MONEY, CUBELESS)
            with pytest.raises(IllegalPosition, match=re.escape(str(error))):
                SEARCH.plays(mended, MONEY, dice, CUBELESS)
        else:
            SEARCH.see(mended, MONEY, CUBELESS)
            assert len(SEARCH.plays(mended, MONEY, dice, CUBELESS)) > 0
    assert 100 < refused < 400
    with pytest.raises(IllegalPosition, match="25 counts"):
        SEARCH.see(Position((0,) * 24, (1,) * 26), MONEY, CUBELESS)


def to_move(position: Position, match: MatchState, plies: int) -> float:
    """What a turn is worth to its player, who may double first, for this one cube alone."""
    leaf = SEARCH.see(position, match, UNPRUNED)
    context = CubeContext.of(match)
    stays = leaf.no_double if plies == 0 else to_roll(position, match, plies)
    if not context.available():
        return stays
    taken = leaf.double_take if plies == 0 else to_roll(position, doubled(match), plies)
    passed = kernel.pass_worth(0, context.cube, context.rules, context.chances)
    return max(stays, min(taken, float(passed)))


def to_roll(position: Position, match: MatchState, plies: int) -> float:
    """The same once the cube lies where it will for this turn."""
    total = 0.0
    other = replace(match, on_roll=1 - match.on_roll, to_act=1 - match.on_roll)
    for first, second, weight in ALL_ROLLS.tolist():
        reply = SEARCH.plays(position, match, (first, second), UNPRUNED)[0]
        theirs = to_move(reply.result.flipped(), other, plies - 1)
        total += weight / 36 * (-theirs if match.length == 0 else 1 - theirs)
    return total


def doubled(match: MatchState) -> MatchState:
    return replace(match, cube=2 * match.cube, cube_owner=1 - match.on_roll)


@pytest.mark.parametrize("plies", [1, 2])
@pytest.mark.parametrize(
    "match",
    [
        MONEY,
        MatchState(jacoby=True),
        MatchState(cube=2, cube_owner=1),
        MatchState(length=7, score=(2, 4)),
        MatchState(length=5, score=(4, 1), cube=2, cube_owner=1),
        MatchState(length=3, score=(0, 1), cube=2, cube_owner=0),
    ],
)
def test_each_cube_of_a_walk_is_worth_what_it_is_on_its_own(match: MatchState, plies: int) -> None:
    for position, _ in SOME[: 6 // plies**2]:
        seen = SEARCH.see(position, match, replace(UNPRUNED, plies=plies))
        assert seen.no_double == pytest.approx(to_roll(position, match, plies), abs=1e-6)
        if CubeContext.of(match).available():
            taken = to_roll(position, doubled(match), plies)
            assert seen.double_take == pytest.approx(taken, abs=1e-6)


def test_a_double_that_ends_the_game_does_not_spoil_the_replies_to_it() -> None:
    """The opponent's plays all lose the same if he passes next turn, but not if he has taken."""
    position = Position(mine=points(5, 1), theirs=points(1, 1, 1, 5, 7))
    shipped = Search(load_brain(None))
    for plies in (1, 2, 3):
        seen = shipped.see(position, MatchState(jacoby=True), Evaluation(plies))
        assert seen.no_double == pytest.approx(1.0, abs=1e-3)
        assert seen.double_take == pytest.approx(2.0, abs=1e-3)


def points(*checkers: int) -> tuple[int, ...]:
    return checkers + (0,) * (25 - len(checkers))


@pytest.mark.parametrize(
    "match",
    [MONEY, MatchState(length=7, score=(2, 4), cube=2, cube_owner=0), MatchState(jacoby=True)],
)
def test_threads_do_not_change_a_bit(match: MatchState) -> None:
    several = Search(BRAIN, threads=3)
    look = Evaluation(2, FILTERS["large"])
    for position, dice in SOME[:3]:
        assert several.plays(position, match, dice, look) == SEARCH.plays(
            position, match, dice, look
        )
        assert several.see(position, match, look) == SEARCH.see(position, match, look)


def test_what_was_seen_before_does_not_change_a_bit() -> None:
    used = Search(BRAIN)
    matches = MONEY, MatchState(length=5, score=(1, 0), cube=2, cube_owner=0), MatchState(length=1)
    for position, dice in SOME[:3]:
        for match in (*matches, MONEY):
            for evaluation in (Evaluation(plies=1), Evaluation(plies=2), Evaluation(2, noise=0.02)):
                fresh = Search(BRAIN)
                assert used.see(position, match, evaluation) == fresh.see(
                    position, match, evaluation
                )
        assert used.plays(position, MONEY, dice, Evaluation(plies=2)) == Search(BRAIN).plays(
            position, MONEY, dice, Evaluation(plies=2)
        )


def test_a_checker_more_on_the_ace_point_is_not_taken_for_the_other_side() -> None:
    """Nodes whose numbers of plies, side and checkers there differ alike once had one key."""
    search = Search(load_brain())
    first, later = (
        pasted.read_position("XwMAANoWAAAAAA")[0],
        pasted.read_position("bQsAAF4TAAAAAA")[0],
    )
    search.see(first, MONEY, Evaluation(plies=2))
    found = search.plays(later, MONEY, (4, 2), Evaluation(plies=2))
    assert found == Search(load_brain()).plays(later, MONEY, (4, 2), Evaluation(plies=2))


def test_in_a_match_equity_and_winning_chance_are_the_same_thing() -> None:
    match = MatchState(length=5, score=(1, 3), cube=2, cube_owner=1)
    context = CubeContext.of(match)
    for position, dice in SOME[:5]:
        for each in SEARCH.plays(position, match, dice, Evaluation()):
            assert each.mwc is not None
            assert context.cubeful(each.mwc).equity == pytest.approx(each.equity, abs=1e-9)
            assert 0 <= each.mwc <= 1


def let_through(filter_: MoveFilter, found: Sequence[Candidate]) -> set[Position]:
    rule = filter_.level(1, 0)
    assert rule
    least = found[0].equity - rule.threshold
    return {each.result for each in found[: rule.extra] if each.equity >= least}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_lets_through_so_many_and_so_close(name: str) -> None:
    for position, dice in SOME[:8]:
        flat = SEARCH.plays(position, MONEY, dice, Evaluation())
        deep = SEARCH.plays(position, MONEY, dice, Evaluation(1, FILTERS[name]))
        passed = let_through(FILTERS[name], flat)
        expected = passed if len(passed) > 1 else set()
        assert {each.result for each in deep if each.plies == 1} == expected
        assert {each.result for each in deep} == {each.result for each in flat}


def test_the_filters_are_those_of_the_manual() -> None:
    assert FILTERS["tiny"].level(4, 0) == Pass(0, 5, 0.08)
    assert FILTERS["narrow"].level(2, 0) == Pass(0, 8, 0.12)
    assert FILTERS["normal"].level(3, 2) == Pass(0, 2, 0.04)
    assert FILTERS["large"].level(3, 2) == Pass(0, 4, 0.08)
    assert FILTERS["huge"].level(1, 0) == Pass(0, 20, 0.44)
    assert FILTERS["huge"].level(4, 1) is None
    assert FILTERS["huge"].level(4, 3) is None


def test_out_of_time_the_best_so_far_is_answered() -> None:
    position = Position.start()
    found = SEARCH.plays(position, MONEY, (3, 1), Evaluation(4, FILTERS["huge"]), seconds=0.05)
    flat = SEARCH.plays(position, MONEY, (3, 1), Evaluation())
    assert {each.result for each in found} == {each.result for each in flat}
    assert max(each.plies for each in found) < 4
    assert SEARCH.see(position, MONEY, Evaluation(4), seconds=0.05).outcomes[0] > 0


def test_a_dance_is_one_play_without_steps() -> None:
    closed = Position((0,) * 24 + (1,), (2,) * 6 + (0,) * 17 + (3, 0))
    (only,) = SEARCH.plays(closed, MONEY, (3, 1), Evaluation(2))
    assert only.play == ()
    assert only.result == closed


def test_pruning_looks_at_fewer_replies_and_seldom_changes_much() -> None:
    losses = []
    for position, dice in SOME[:10]:
        whole = SEARCH.plays(position, MONEY, dice, Evaluation(1, ALL, prune=False))
        pruned = SEARCH.plays(position, MONEY, dice, Evaluation(1, ALL, prune=True))
        equities = {each.result: each.equity for each in whole}
        losses += [each.equity - equities[each.result] for each in pruned]
    assert min(losses) > -1e-6  # the opponent can only do worse with fewer replies to choose from


@pytest.mark.parametrize("rolls", [12, 7])
def test_fewer_rolls_are_looked_at_after_the_first_ply(rolls: int) -> None:
    look = Evaluation(2, prune=False, rolls=rolls, cubeful=False)
    for position, _ in SOME[:2]:
        seen = SEARCH.see(position, MONEY, look)
        assert seen.outcomes == pytest.approx(after_all_rolls(position, 2, rolls), abs=1e-5)


@pytest.mark.parametrize("rolls", ROLLS)
def test_every_set_of_rolls_weighs_as_much_as_all(rolls: int) -> None:
    assert len(ROLLS[rolls]) == rolls
    assert ROLLS[rolls][:, 2].sum() == 36
    assert {tuple(each) for each in ROLLS[rolls][:, :2].tolist()} <= {
        tuple(each) for each in ALL_ROLLS[:, :2].tolist()
    }


def test_too_many_plies_are_refused() -> None:
    with pytest.raises(ValueError, match="9 plies"):
        SEARCH.plays(Position.start(), MONEY, (3, 1), Evaluation(9))
