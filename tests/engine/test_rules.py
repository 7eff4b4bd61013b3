"""The move generator against its slow twin, against counts, and against gnubg."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.engine.position import Dice, Position, Step, Variant
from sixprime.engine.rules import legal_plays
from tests.support.engine import reference
from tests.support.engine.boards import board_of
from tests.support.gnubg.plays import legal_plays_of
from tests.support.places import ROOT

OPENING_COUNTS = {
    **dict(zip([(n, n) for n in range(1, 7)], [42, 75, 73, 52, 4, 11], strict=True)),
    **dict(zip([(n, 1) for n in range(2, 7)], [15, 16, 14, 8, 10], strict=True)),
    **dict(zip([(n, 2) for n in range(3, 7)], [17, 18, 8, 14], strict=True)),
    **dict(zip([(n, 3) for n in range(4, 7)], [17, 9, 14], strict=True)),
    **dict(zip([(n, 4) for n in range(5, 7)], [9, 14], strict=True)),
    (6, 5): 7,
}


def agree(seed: int, count: int) -> int:
    """Compare kernel and twin on this many positions and rolls; returns how many results."""
    total = 0
    for position, dice in reference.random_rolls(seed, count):
        plays = legal_plays(position, dice)
        results = {legal.result for legal in plays}
        assert results == reference.legal_results(position, dice), (position, dice)
        assert len(plays) == len(results), (position, dice)
        for legal in plays:
            assert reference.replay(position, dice, legal.play) == legal.result, (position, dice)
            assert position.after(legal.play) == legal.result, (position, dice)
        total += len(plays)
    return total


def test_a_few_hundred_random_rolls_have_exactly_the_results_of_the_rule_book() -> None:
    assert agree(seed=1, count=400) > 2_000


@pytest.mark.patient
def test_20_000_random_rolls_have_exactly_the_results_of_the_rule_book() -> None:
    agree(seed=2, count=20_000)


def million_share(part: int) -> int:
    """The part-th of twenty shares; a function so that a pool can call it."""
    agree(seed=1_000 + part, count=50_000)
    return 50_000


@pytest.mark.slow
def test_a_million_random_rolls_have_exactly_the_results_of_the_rule_book() -> None:
    with multiprocessing.get_context("spawn").Pool(min(os.cpu_count() or 1, 8)) as pool:
        assert sum(pool.imap_unordered(million_share, range(20))) == 1_000_000


@given(reference.positions(), reference.dice())
def test_any_roll_of_any_position_has_the_results_of_the_rule_book(
    position: Position, dice: Dice
) -> None:
    assert {p.result for p in legal_plays(position, dice)} == reference.legal_results(
        position, dice
    )


@given(reference.positions(), reference.dice())
def test_the_order_of_the_dice_changes_no_result(position: Position, dice: Dice) -> None:
    assert {p.result for p in legal_plays(position, dice)} == {
        p.result for p in legal_plays(position, (dice[1], dice[0]))
    }


@given(reference.positions(), reference.dice())
def test_a_play_is_written_from_the_rear_checker_forward(position: Position, dice: Dice) -> None:
    for legal in legal_plays(position, dice):
        starts = [start for start, _ in legal.play]
        descending = tuple(sorted(legal.play, reverse=True))
        if reference.replay(position, dice, descending) == legal.result:
            assert starts == sorted(starts, reverse=True)


@pytest.mark.parametrize(("dice", "count"), OPENING_COUNTS.items())
def test_the_opening_rolls_have_the_known_numbers_of_results(dice: Dice, count: int) -> None:
    start = Position.start()
    assert len(legal_plays(start, dice)) == count
    assert len(reference.legal_results(start, dice)) == count


def test_two_rolls_from_the_opening_lead_to_the_same_positions_as_the_rule_book() -> None:
    """A perft of two turns: every opening roll, then 6-5 and 2-2 for the other side."""
    for dice in OPENING_COUNTS:
        for legal in legal_plays(Position.start(), dice):
            for reply in ((6, 5), (2, 2)):
                assert {p.result for p in legal_plays(legal.result.flipped(), reply)} == (
                    reference.legal_results(legal.result.flipped(), reply)
                )


CASES = [
    # a dance, and a checker that may not pass the bar
    ({25: 1, 6: 3}, dict.fromkeys(range(1, 7), 2), (6, 3), {()}),
    ({25: 2, 6: 3}, {3: 2}, (4, 3), {(Step(25, 21),)}),  # the other stays on the bar
    # only one die can be played: the larger, if it can
    ({24: 1, 1: 1}, {10: 2, 2: 2, 12: 2}, (6, 5), {(Step(24, 18),)}),
    ({24: 1, 1: 1}, {7: 2, 12: 2}, (6, 5), {(Step(24, 19),)}),
    # the one order that plays both dice is the only one
    ({10: 1}, {18: 2, 24: 1}, (5, 3), {(Step(10, 5), Step(5, 2))}),
    # bearing off: exact, from the rear point, never past a checker behind
    ({6: 1, 4: 1}, {1: 15}, (5, 4), {(Step(6, 1), Step(4, 0)), (Step(6, 2), Step(4, 0))}),
    ({7: 1, 1: 1}, {1: 15}, (6, 1), {(Step(7, 1), Step(1, 0)), (Step(7, 6), Step(6, 0))}),
    # three of four
    ({20: 1, 1: 2}, {4: 2}, (5, 5), {(Step(20, 15), Step(15, 10), Step(10, 5), Step(5, 0))}),
    ({24: 1}, {16: 2}, (5, 5), {(Step(24, 19), Step(19, 14))}),
]


@pytest.mark.parametrize(("mine", "theirs", "dice", "plays"), CASES)
def test_the_corners_of_the_rules(
    mine: dict[int, int], theirs: dict[int, int], dice: Dice, plays: set[tuple[Step, ...]]
) -> None:
    start = board_of(mine, theirs).checked()
    assert {p.result for p in legal_plays(start, dice)} == {start.after(play) for play in plays}


def test_a_board_with_thousands_of_results_loses_none() -> None:
    scattered = [7, 8, 9, 10, 11, 12, 13, 14, 18, 19, 20, 21, 22, 23, 24]
    start = board_of(dict.fromkeys(scattered, 1), {})
    results = {p.result for p in legal_plays(start, (3, 3))}
    assert len(results) == 2052
    assert results == reference.legal_results(start, (3, 3))


@pytest.mark.parametrize("dice", [(0, 3), (7, 1), (1, -1)])
def test_dice_that_no_die_shows_are_refused(dice: Dice) -> None:
    with pytest.raises(ValueError, match="a die shows 1 to 6"):
        legal_plays(Position.start(), dice)


@given(st.sampled_from(Variant), reference.dice())
def test_every_variant_has_legal_opening_rolls(variant: Variant, dice: Dice) -> None:
    start = Position.start(variant)
    assert {p.result for p in legal_plays(start, dice)} == reference.legal_results(start, dice)


SUBSET = "a_few_hundred or thousands_of_results or corners or known_numbers"


def subset_passes(**environment: str) -> None:
    """Run the tests that also suit slow kernels in a process with these variables."""
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", SUBSET, __file__],
        env={**os.environ, **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.patient
def test_the_kernels_are_right_as_plain_python() -> None:
    subset_passes(NUMBA_DISABLE_JIT="1")


@pytest.mark.patient
def test_the_kernels_stay_inside_their_arrays(tmp_path: Path) -> None:
    subset_passes(NUMBA_BOUNDSCHECK="1", NUMBA_CACHE_DIR=str(tmp_path))


@pytest.mark.gnubg
def test_2_000_random_rolls_and_the_opening_rolls_have_gnubgs_results(tmp_path: Path) -> None:
    rolls = list(reference.random_rolls(9, 2_000))
    rolls += [(Position.start(), dice) for dice in OPENING_COUNTS]
    for position, dice, plays in legal_plays_of(rolls, tmp_path):
        results = {position.after(tuple(Step(*pair) for pair in pairs)) for _, pairs in plays}
        assert {p.result for p in legal_plays(position, dice)} == (results or {position})
        assert len(plays) == len(results)
