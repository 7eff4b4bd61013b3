"""What the bearoff databases answer: the manual's numbers, and the two kinds tied to each other."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sixprime.engine.bearoff.databases import (
    Equities,
    NotCovered,
    OneSidedDatabase,
    Outcomes,
    TwoSidedDatabase,
)
from sixprime.engine.bearoff.files import OneSided, TwoSided
from sixprime.engine.kernels.bearoff import lookup
from sixprime.engine.kernels.bearoff import ranks as numbering
from sixprime.engine.position import Dice, Position
from sixprime.engine.rules import legal_plays

ROLLS: list[tuple[Dice, int]] = [
    ((a, b), 1 if a == b else 2) for a in range(1, 7) for b in range(1, a + 1)
]
WORD = 1 / 32767.5  # the step of a two-sided equity
Side = tuple[int, ...]


@cache
def one_sided(points: int = 6) -> OneSidedDatabase:
    return OneSidedDatabase.built(OneSided(points))


@cache
def two_sided(points: int = 6, checkers: int = 6) -> TwoSidedDatabase:
    return TwoSidedDatabase.built(TwoSided(points, checkers))


def position(mine: Side, theirs: Side) -> Position:
    """From counts on points 1, 2, ...; the rest is off."""
    return Position(mine + (0,) * (25 - len(mine)), theirs + (0,) * (25 - len(theirs)))


def sides(points: int, checkers: int, least: int = 1) -> st.SearchStrategy[Side]:
    """Sides with `least` to `checkers` checkers within `points`."""
    where = st.lists(st.integers(0, points - 1), min_size=least, max_size=checkers)
    return where.map(lambda places: tuple(places.count(point) for point in range(points)))


# --- the manual's worked numbers --------------------------------------------------------------

FIVE_AND_TWO = position((0, 1, 0, 0, 1), (0, 1, 1))  # CgAAEAEAAAAAAA
NINE_EACH = position((1, 3, 2, 2, 2), (2, 2, 3, 3))  # 2x0AAOi2AQAAAA


def test_the_manuals_two_sided_example() -> None:
    assert f"{two_sided().outcomes(FIVE_AND_TWO).win:.1%}" == "67.1%"
    equities = two_sided().equities(FIVE_AND_TWO).with_doubling()
    printed = [f"{equity:+.4f}" for equity in equities[1:]]
    assert printed == ["+0.3441", "+0.3210", "+0.1605"]  # a double, but no redouble


def test_the_manuals_one_sided_example() -> None:
    mine, theirs = (one_sided().distribution(side) for side in (NINE_EACH.mine, NINE_EACH.theirs))
    assert [f"{chance:.3%}" for chance in mine[3:9]] == [
        "1.917%", "18.749%", "44.271%", "32.998%", "2.029%", "0.037%",
    ]  # fmt: skip
    assert [f"{chance:.3%}" for chance in theirs[3:9]] == [
        "2.811%", "28.403%", "50.307%", "18.114%", "0.363%", "0.002%",
    ]  # fmt: skip
    assert f"{one_sided().outcomes(NINE_EACH).win:.1%}" == "56.7%"


def test_effective_pips_are_those_that_gnubg_shows() -> None:
    """As `hint` of gnubg 1.07 prints them.

    The manual's own example (five on the ace, four on the deuce point: 2.189 rolls, 17.878 pips)
    cannot be: nine checkers need three rolls at least. Only its product holds.
    """
    rolls = one_sided().rolls((5, 4))
    assert f"{rolls.mean:.3f} {rolls.variance**0.5:.3f}" == "4.410 0.621"
    assert f"{rolls.effective_pips:.3f}" == "36.016"
    five = one_sided().rolls((5,))
    assert f"{five.mean:.3f} {five.variance**0.5:.3f}" == "2.694 0.461"
    assert f"{five.effective_pips:.3f}" == "22.005"
    assert f"{2.189 * 8.167:.3f}" == "17.878"


@pytest.mark.parametrize(
    ("mine", "theirs", "words"),
    [
        ((0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 1), (53247, 53247, 49151, 49151)),
        ((0, 0, 0, 0, 0, 1), (1,), (49151, 49151, 49151, 49151)),
        ((1, 1, 1, 1, 1, 1), (1, 1, 1, 1, 1, 1), (45910, 53631, 52500, 44272)),
    ],
)
def test_samples_of_two_sided_words(mine: Side, theirs: Side, words: tuple[int, ...]) -> None:
    equities = two_sided().equities(position(mine, theirs))
    assert equities == pytest.approx([word / 32767.5 - 1 for word in words], abs=1e-12)


def gammon_distribution(database: OneSidedDatabase, side: Side) -> NDArray[np.float64]:
    """Chances to have borne off the first of 15 checkers after exactly 0..31 rolls."""
    rank = database.rank(side) - database.kind.base
    if rank < 0:
        return np.array([1.0, *31 * [0.0]])
    tails = [*database.tables().gammon_tails[rank].tolist(), 0]
    return np.array([before - after for before, after in pairwise(tails)]) / 65535


@pytest.mark.parametrize(
    ("side", "first", "words", "gammon_first", "gammon_words"),
    [
        ((0, 0, 0, 0, 0, 1), 1, [49151, 16384], 0, [65535]),
        ((1, 1, 0, 0, 0, 1), 1, [7282, 54764, 3489], 0, [65535]),
        (
            (0, 0, 0, 0, 0, 15),
            5,  # the format sheet says 6, but its own MD5 of the file says 5
            [1, 16, 102, 555, 1911, 5444, 10775, 16459, 17144, 9574, 2913, 561, 74, 6],
            1,
            [30947, 29481, 4499, 539, 64, 5],
        ),
    ],
)
def test_samples_of_one_sided_words(
    side: Side, first: int, words: list[int], gammon_first: int, gammon_words: list[int]
) -> None:
    for chances, start, expected in (
        (one_sided().distribution(side), first, words),
        (gammon_distribution(one_sided(), side), gammon_first, gammon_words),
    ):
        got = np.rint(chances * 65535).astype(int).tolist()
        assert got[start : start + len(expected)] == expected
        assert sum(got) == 65535


# --- one-sided and two-sided, tied to each other ----------------------------------------------


@given(sides(1, 6), sides(1, 6))
@settings(max_examples=36, deadline=None)
def test_where_nobody_has_a_choice_both_databases_agree(mine: Side, theirs: Side) -> None:
    """All on the ace point: only rounding of the words is left between them."""
    where = position(mine, theirs)
    assert one_sided().outcomes(where).win == pytest.approx(
        two_sided().outcomes(where).win, abs=1e-4
    )


@given(sides(6, 6))
@settings(deadline=None)
def test_against_a_sure_last_roll_both_give_the_chance_of_one_roll(mine: Side) -> None:
    now = one_sided().distribution(mine)[1]
    assert two_sided().outcomes(position(mine, (1,))).win == pytest.approx(now, abs=1e-4)


@given(sides(6, 6), sides(1, 6))
@settings(max_examples=300, deadline=None)
def test_who_alone_has_choices_only_gains_by_looking_at_the_other_side(
    mine: Side, waiting: Side
) -> None:
    """Playing for speed is one way to play, so exact play is at least as good."""
    on_roll, off_roll = position(mine, waiting), position(waiting, mine)
    assert two_sided().outcomes(on_roll).win >= one_sided().outcomes(on_roll).win - 1e-4
    assert two_sided().outcomes(off_roll).win <= one_sided().outcomes(off_roll).win + 1e-4


@given(sides(6, 6), sides(6, 6))
@settings(max_examples=300, deadline=None)
def test_playing_for_speed_is_nearly_exact(mine: Side, theirs: Side) -> None:
    """Of all pairs the worst is off by 0.01396: 2 each on 3, 4, 5 against 3, 2, 1 on 1, 2, 3."""
    where = position(mine, theirs)
    assert one_sided().outcomes(where).win == pytest.approx(
        two_sided().outcomes(where).win, abs=0.014
    )


@given(sides(6, 6), sides(6, 6))
@settings(max_examples=60, deadline=None)
def test_an_equity_is_the_average_over_rolls_of_the_best_play(mine: Side, theirs: Side) -> None:
    """Cubeless, one's own cube, and no cube access: the cases in which nobody doubles at once."""
    database, where = two_sided(), position(mine, theirs)
    total = 0.0
    for dice, weight in ROLLS:
        results = [play.result.flipped() for play in legal_plays(where, dice)]
        total -= weight * min(database.cubeless(result) for result in results)
    assert total / 36 == pytest.approx(database.cubeless(where), abs=2 * WORD)


@given(sides(6, 6), sides(6, 6))
@settings(deadline=None)
def test_cube_access_is_never_a_burden(mine: Side, theirs: Side) -> None:
    equities = two_sided().equities(position(mine, theirs))
    assert equities.owned >= equities.centred - 2 * WORD
    assert equities.centred >= equities.against - 2 * WORD
    assert equities.owned >= equities.cubeless - 2 * WORD >= equities.against - 4 * WORD


@given(sides(6, 15), sides(6, 15))
@settings(max_examples=50, deadline=None)
def test_expected_rolls_are_one_more_than_after_the_fastest_plays(mine: Side, theirs: Side) -> None:
    """And the variance is that of the mixture over the rolls."""
    database = one_sided()
    mean = square = 0.0
    for dice, weight in ROLLS:
        later = min(
            (
                database.rolls(play.result.mine)
                for play in legal_plays(position(mine, theirs), dice)
            ),
            key=lambda rolls: rolls.mean,
        )
        mean += weight * (1 + later.mean) / 36
        square += weight * (later.variance + (1 + later.mean) ** 2) / 36
    rolls = database.rolls(mine)
    assert rolls.mean == pytest.approx(mean, abs=1e-3)
    assert rolls.variance == pytest.approx(square - mean**2, abs=5e-3)


# --- slow twins -------------------------------------------------------------------------------


@cache
def exact(mine: Side, theirs: Side, points: int, checkers: int) -> tuple[Fraction, ...]:
    """Equities cubeless, owned, centred, against, by recursion over the rules themselves."""
    if not any(mine):
        return (Fraction(1),) * 4
    if not any(theirs):
        return (Fraction(-1),) * 4
    total = [Fraction(0)] * 4
    for dice, weight in ROLLS:
        options = []
        for play in legal_plays(position(mine, theirs), dice):
            cubeless, owned, centred, against = exact(
                theirs, play.result.mine[:points], points, checkers
            )
            options.append(
                (-cubeless, -against, -doubling(centred, against), -doubling(owned, against))
            )
        for case in range(4):
            total[case] += weight * max(option[case] for option in options)
    return tuple(sum_ / 36 for sum_ in total)


def doubling(hold: Fraction, against: Fraction) -> Fraction:
    return max(hold, min(Fraction(1), 2 * against))


@pytest.mark.parametrize(("points", "checkers"), [(3, 2), (2, 3), (6, 1), (8, 1)])
def test_a_two_sided_database_is_what_the_rules_say(points: int, checkers: int) -> None:
    database = two_sided(points, checkers)
    binomials = numbering.binomials(points, checkers)
    tops, counts = np.zeros(points, dtype=np.int64), np.zeros(points, dtype=np.int64)
    everyone: list[Side] = []
    for rank in range(1, database.kind.sides):
        numbering.unrank(rank, points, binomials, tops)
        numbering.counts_of(tops, points, counts)
        everyone.append(tuple(counts.tolist()))
    for mine in everyone:
        for theirs in everyone:
            equities = database.equities(position(mine, theirs))
            expected = exact(mine, theirs, points, checkers)
            assert equities == pytest.approx([float(value) for value in expected], abs=20 * WORD)


@given(sides(6, 15), sides(6, 15))
@settings(max_examples=200, deadline=None)
def test_the_kernel_gives_the_outcomes_of_the_typed_door(mine: Side, theirs: Side) -> None:
    where = position(mine, theirs)
    out = np.zeros(5, dtype=np.float32)
    assert lookup.inside(where.array(), 6)
    lookup.bearoff_outcomes(where.array(), *one_sided().tables(), out)
    assert out == pytest.approx(one_sided().outcomes(where), abs=1e-7)
    small = sum(mine) <= 6 and sum(theirs) <= 6
    assert lookup.inside_two_sided(where.array(), 6, 6) == small
    if small:
        lookup.two_sided_outcomes(where.array(), *two_sided().tables(), out)
        assert out == pytest.approx(two_sided().outcomes(where), abs=1e-7)


@given(sides(6, 15, least=15), sides(6, 15, least=15))
@settings(max_examples=50, deadline=None)
def test_gammon_chances_follow_from_both_distributions(mine: Side, theirs: Side) -> None:
    database = one_sided()
    outcomes = database.outcomes(position(mine, theirs))
    fast, slow = database.distribution(mine), database.distribution(theirs)
    first_mine = gammon_distribution(database, mine)
    first_theirs = gammon_distribution(database, theirs)
    assert outcomes.win_gammon == pytest.approx(
        sum(fast[i] * first_theirs[j] for i in range(32) for j in range(i, 32)), abs=1e-9
    )
    assert outcomes.lose_gammon == pytest.approx(
        sum(slow[i] * first_mine[j] for i in range(32) for j in range(i + 1, 32)), abs=1e-9
    )
    assert outcomes.win_backgammon == outcomes.lose_backgammon == 0.0


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        ((1,), (0, 0, 0, 0, 0, 15), Outcomes(1, 1, 0, 0, 0)),
        ((2,), (0, 14), Outcomes(1, 0, 0, 0, 0)),
        ((), (0, 15), Outcomes(1, 1, 0, 0, 0)),
        ((0, 15), (), Outcomes(0, 0, 0, 1, 0)),
        ((0, 14), (), Outcomes(0, 0, 0, 0, 0)),
    ],
)
def test_certain_outcomes_are_certain(mine: Side, theirs: Side, expected: Outcomes) -> None:
    where = position(mine, theirs)
    assert one_sided().outcomes(where) == expected
    out = np.zeros(5, dtype=np.float32)
    lookup.bearoff_outcomes(where.array(), *one_sided().tables(), out)
    assert out.tolist() == list(expected)


def test_every_way_to_store_a_one_sided_database_gives_the_same_answers() -> None:
    plain = one_sided(4)
    dense = OneSidedDatabase.built(OneSided(4, compressed=False))
    bare = OneSidedDatabase.built(OneSided(4, gammons=False))
    normal = OneSidedDatabase.built(OneSided(4, normal=True))
    side = (3, 4, 4, 4)
    assert np.array_equal(plain.tables().tails, dense.tables().tails)
    assert np.array_equal(plain.tables().gammon_tails, dense.tables().gammon_tails)
    assert plain.outcomes(position(side, side)) == dense.outcomes(position(side, side))
    assert (bare.distribution(side) == plain.distribution(side)).all()
    assert normal.rolls(side).mean == pytest.approx(plain.rolls(side).mean, abs=0.01)
    with pytest.raises(NotCovered, match="holds no gammon"):
        bare.outcomes(position(side, side))
    with pytest.raises(NotCovered, match="normal"):
        normal.tables()
    with pytest.raises(NotCovered, match="holds no distributions"):
        normal.distribution(side)


def test_positions_outside_are_refused() -> None:
    outside = Position((0,) * 6 + (1,) + (0,) * 18, (1,) + (0,) * 24)
    many = position((4, 3), (1,))
    with pytest.raises(NotCovered, match="6 points"):
        one_sided().outcomes(outside)
    with pytest.raises(NotCovered, match="6 checkers a side"):
        two_sided().equities(many)
    for side in ((0,) * 6 + (1,), (16,), (-1, 3)):
        with pytest.raises(NotCovered):
            one_sided().rolls(side)
    assert one_sided().covers(many)
    assert not one_sided().covers(outside)
    assert not two_sided().covers(many)
    three = Position((1, 1, 1) + (0,) * 22, (1,) + (0,) * 24, checkers=3)
    assert not two_sided().covers(three)  # a gammon is still possible
    with pytest.raises(NotCovered, match="cubeless"):
        TwoSidedDatabase.built(TwoSided(6, 1, cubeful=False)).equities(position((1,), (1,)))


def test_a_board_is_inside_only_with_both_sides_inside() -> None:
    for place in range(25):
        for side in (0, 1):
            board = np.zeros((2, 25), dtype=np.int8)
            board[side, place] = 1
            assert lookup.inside(board, 6) == (place < 6)
            assert lookup.inside(board, 18) == (place < 18)


def test_doubling_is_part_of_the_value_only_when_it_is_right() -> None:
    assert Equities(0.2, 0.5, 0.3, 0.2).with_doubling() == Equities(0.2, 0.5, 0.4, 0.2)
    assert Equities(0.9, 0.95, 0.95, 0.7).with_doubling() == Equities(0.9, 1.0, 1.0, 0.7)


# --- numbering --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "rank"),
    [
        ((0, 0, 0, 0, 0, 0), 0),
        ((1, 0, 0, 0, 0, 0), 1),
        ((0, 0, 0, 0, 0, 1), 6),
        ((2, 0, 0, 0, 0, 0), 7),
        ((15, 0, 0, 0, 0, 0), 38760),
        ((0, 0, 0, 0, 0, 15), 54263),
    ],
)
def test_ranks_that_the_manual_gives(side: Side, rank: int) -> None:
    assert one_sided().rank(side) == rank


@given(st.data(), st.integers(1, 12))
@settings(deadline=None)
def test_rank_and_unrank_are_inverse(data: st.DataObject, points: int) -> None:
    side = data.draw(sides(points, 15, least=0))
    binomials = numbering.binomials(points, 15)
    counts, tops = np.array(side, dtype=np.int64), np.zeros(points, dtype=np.int64)
    rank = numbering.rank_of(counts, points, binomials)
    numbering.unrank(rank, points, binomials, tops)
    back = np.zeros(points, dtype=np.int64)
    rear = numbering.counts_of(tops, points, back)
    assert tuple(back.tolist()) == side
    assert rear == max((point + 1 for point in range(points) if side[point]), default=0)


@pytest.mark.parametrize("points", [1, 2, 4, 7])
def test_the_walk_visits_every_rank_in_order(points: int) -> None:
    binomials = numbering.binomials(points, 5)
    tops = np.array(range(points - 1, -1, -1), dtype=np.int64)
    there = np.zeros(points, dtype=np.int64)
    for rank in range(binomials[points + 5, points]):
        numbering.unrank(rank, points, binomials, there)
        assert tops.tolist() == there.tolist()
        numbering.next_tops(tops, points)


@given(sides(9, 15), st.integers(1, 6))
@settings(deadline=None)
def test_single_steps_are_those_of_the_rules_and_lower_the_rank(side: Side, die: int) -> None:
    points = 9
    binomials = numbering.binomials(points, 15)
    tops, drops = np.zeros(points, dtype=np.int64), np.zeros(points + 1, dtype=np.int64)
    out = np.zeros(points, dtype=np.int64)
    rank = numbering.rank_of(np.array(side), points, binomials)
    numbering.unrank(rank, points, binomials, tops)
    numbering.drops_of(tops, points, binomials, drops)
    rear = max(point + 1 for point in range(points) if side[point])
    found = numbering.single_steps(rank, np.array(side), rear, die, drops, out)
    expected = []
    for point in range(points, 0, -1):
        if not side[point - 1]:
            continue
        if point < die and (point < rear or rear > 6):
            continue
        if point == die and rear > 6:
            continue
        after = list(side)
        after[point - 1] -= 1
        if point > die:
            after[point - die - 1] += 1
        expected.append(int(numbering.rank_of(np.array(after), points, binomials)))
    assert out[:found].tolist() == expected
    assert all(lower < rank for lower in expected)
    assert all(a < b for a, b in pairwise(sorted(expected)))
