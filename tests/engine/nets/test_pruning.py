"""The pruner's choice: what the best play of a roll costs that it does not keep.

Whoever looks ahead, or gathers targets, plays what the pruner leaves. One that is blind to a kind
of position plays it badly at every ply, and what it says of such games then bears that out.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.engine.bearoff.databases import OneSidedDatabase
from sixprime.engine.bearoff.files import OneSided
from sixprime.engine.kernels.evaluation import LIKELY, Scratch, judge_results, prepare, scratch_for
from sixprime.engine.kernels.inputs import COUNT_ROWS, COUNTS
from sixprime.engine.kernels.moves import BAR, generate
from sixprime.engine.kernels.network import money
from sixprime.engine.kernels.pruning import fill_rows, rank_results, thin_out
from sixprime.engine.lab.measuring import references
from sixprime.engine.lab.measuring.references import Reference
from sixprime.engine.nets.weights import load_brain
from sixprime.engine.position import MAX_CHECKERS, Position
from sixprime.engine.search.plies import ALL_ROLLS, KEEP
from sixprime.protocols.formats.ids import read_position_id
from tests.support.engine.sums import after_sums, sums

BRAIN = load_brain()
IN_CONTACT = [
    each for each in references.load_references() if not read_position_id(each.position).is_race()
]


def best(board: NDArray[np.int8], high: int, low: int, keep: int) -> float:
    """The equity of the best play of those that the pruner keeps; 0: of all."""
    work = scratch_for(BRAIN)
    count = generate(board, high, low, work.rolled)
    count = rank_results(BRAIN, board, MAX_CHECKERS, count, keep, work)
    if count == 0:
        return 0.0
    judge_results(BRAIN, board, MAX_CHECKERS, count, work)
    return max(float(money(each)) for each in work.outcomes[:count])


@pytest.mark.parametrize("reference", IN_CONTACT, ids=lambda each: each.name)
def test_the_pruner_keeps_good_plays_in_positions_of_every_kind(reference: Reference) -> None:
    board = read_position_id(reference.position).array()
    rolls = ALL_ROLLS[:, :2].tolist()
    lost = [best(board, high, low, 0) - best(board, high, low, KEEP) for high, low in rolls]
    assert min(lost) >= 0.0
    assert np.mean(lost) < 0.004


def row_of(work: Scratch, i: int) -> bytes:
    """A result with its play and key."""
    room = work.rolled
    return b"".join(each.tobytes() for each in (room.results[i], room.plays[i], room.keys[i]))


def what_counts_add(position: Position) -> NDArray[np.float64]:
    """By row of the pruner's table: the slope of the mover's equity, from finite differences."""
    net, small = BRAIN.pruner, 1e-3
    at = sums(net, position.flipped())
    up, down = (
        np.array([float(money(after_sums(net, at + way, 0))) for way in ways])
        for ways in (np.eye(len(at)) * small, np.eye(len(at)) * -small)
    )
    slopes = np.where(at == 0, 0.0, (down - up) / (2 * small))
    return np.asarray(net.table[:COUNT_ROWS].astype(np.float64) @ slopes)


@pytest.mark.parametrize("reference", IN_CONTACT, ids=lambda each: each.name)
def test_a_rough_guess_leaves_the_best_of_those_that_hit_as_often(reference: Reference) -> None:
    position = read_position_id(reference.position)
    board, work = position.array(), scratch_for(BRAIN)
    rows = what_counts_add(position)
    prepare(BRAIN.pruner, work.pruner, board, MAX_CHECKERS)
    fill_rows(BRAIN.pruner, work.pruner, work.guesses)
    assert work.guesses.rows == pytest.approx(rows, abs=2e-5)
    rows = work.guesses.rows.astype(np.float64)
    for high, low in ((5, 5), (3, 3), (6, 4)):
        count = generate(board, high, low, work.rolled)
        groups: dict[int, list[tuple[float, bytes]]] = {}
        for i in range(count):
            mine, theirs = work.rolled.results[i].tolist()
            places = [*theirs, 15 - sum(theirs), *mine, 15 - sum(mine)]
            score = float(sum(rows[place * COUNTS + each] for place, each in enumerate(places)))
            groups.setdefault(theirs[BAR], []).append((score, row_of(work, i)))
        likely = {each for group in groups.values() for _, each in sorted(group)[-LIKELY:]}
        left = thin_out(BRAIN.pruner, board, MAX_CHECKERS, 0, count, work)
        assert {row_of(work, i) for i in range(left)} == likely
        assert left == len(likely)


def test_hardly_anything_is_lost_by_a_rough_guess() -> None:
    rolls = ALL_ROLLS[:, :2].tolist()
    lost = [
        np.mean([best(board, high, low, 2) - best(board, high, low, -2) for high, low in rolls])
        for board in (read_position_id(each.position).array() for each in IN_CONTACT)
    ]
    assert np.mean(lost) < 0.001
    assert max(lost) < 0.01


def test_races_are_pruned_on_request_and_hardly_anything_is_lost() -> None:
    database = OneSidedDatabase.built(OneSided(9))
    draws = np.random.default_rng(1)
    work = scratch_for(BRAIN)
    lost: list[float] = []
    while len(lost) < 300:
        board = np.zeros((2, 25), np.int8)
        for side in board:
            np.add.at(side, draws.integers(0, 9, 15), 1)
        if not board[0, 6:].any():
            continue
        high, low = draws.integers(1, 7, 2).tolist()
        count = generate(board, high, low, work.rolled)
        assert rank_results(BRAIN, board, MAX_CHECKERS, count, 2, work) == count
        rolls = [database.rolls(result[0]).mean for result in work.rolled.results[:count]]
        kept = rank_results(BRAIN, board, MAX_CHECKERS, count, -2, work)
        assert kept == (2 if count > 4 else count)
        found = [database.rolls(result[0]).mean for result in work.rolled.results[:kept]]
        lost.append(min(found) - min(rolls))
    assert np.mean(lost) < 0.002
    assert np.mean(np.array(lost) < 0.01) > 0.95


def test_bearoffs_are_not_pruned() -> None:
    board = np.zeros((2, 25), np.int8)
    board[:, :6] = 2
    work = scratch_for(BRAIN)
    count = generate(board, 6, 5, work.rolled)
    assert rank_results(BRAIN, board, MAX_CHECKERS, count, -2, work) == count
