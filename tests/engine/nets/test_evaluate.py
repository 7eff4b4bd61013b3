from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sixprime.engine.bearoff.hypergammon import AT_ONCE
from sixprime.engine.kernels import inputs, network
from sixprime.engine.kernels.evaluation import judge_results, layers, prepare, scratch_for
from sixprime.engine.kernels.moves import generate
from sixprime.engine.kernels.pruning import FEW, guess_results, rank_results
from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.position import Position, Variant
from tests.support.engine.boards import board_of
from tests.support.engine.brains import random_brain, random_net
from tests.support.engine.reference import positions, random_rolls
from tests.support.engine.sums import after_sums, prime, sums

BRAIN = random_brain()
EVALUATOR = Evaluator(BRAIN)


def forward(net: network.Net, position: Position) -> NDArray[np.float64]:
    """The slow twin: the network written down with matrices and no tricks."""
    return after_sums(net, sums(net, position), phase(position) if len(net.b1) > 1 else 0)


def phase(position: Position) -> int:
    """Which tail of a net in phases judges the position, from the definitions."""
    sides = ((position.mine, position.theirs), (position.theirs, position.mine))
    for side, (mine, _) in enumerate(sides):
        if sum(mine) < position.checkers:
            return side
    caught = [sum(mine[18:]) for mine, _ in sides]
    if max(caught) >= 3:
        return 2 if caught[0] >= caught[1] else 3
    for side, (mine, theirs) in enumerate(sides):
        length, behind = prime(mine, theirs)
        if length >= 5 and behind > 0:
            return 4 + side
    if 0 in caught:
        return 6 + caught.index(0)
    return 8


@pytest.mark.parametrize(
    ("mine", "theirs", "wanted"),
    [
        ({5: 5, 7: 3, 12: 5, 23: 2}, {5: 5, 7: 3, 12: 5, 23: 2}, 8),
        ({5: 5, 7: 3, 12: 7}, {5: 5, 7: 3, 12: 5, 23: 2}, 6),
        ({5: 5, 7: 3, 12: 5, 23: 2}, {5: 5, 7: 3, 12: 7}, 7),
        ({3: 3, 4: 3, 5: 3, 6: 3, 7: 3}, {5: 5, 7: 3, 12: 6, 23: 1}, 4),
        ({5: 5, 7: 3, 12: 6, 24: 1}, {3: 3, 4: 3, 5: 3, 6: 3, 7: 3}, 5),
        ({5: 5, 7: 3, 12: 4, 18: 3}, {5: 5, 7: 3, 12: 5, 24: 2}, 2),
        ({5: 5, 7: 3, 12: 4, 18: 3}, {5: 5, 7: 3, 12: 4, 22: 1, 24: 2}, 2),
        ({5: 5, 7: 3, 12: 5, 18: 2}, {5: 5, 7: 3, 12: 4, 22: 1, 24: 2}, 3),
        ({0: 14}, {5: 5, 7: 3, 12: 6, 23: 1}, 0),
        ({0: 14}, {0: 13, 23: 1}, 0),
        ({5: 5, 7: 3, 12: 6, 23: 1}, {0: 14}, 1),
    ],
)
def test_the_phase_of_a_position(mine: dict[int, int], theirs: dict[int, int], wanted: int) -> None:
    sides = [tuple(side.get(place, 0) for place in range(25)) for side in (mine, theirs)]
    position = Position(sides[0], sides[1])
    assert phase(position) == wanted
    assert inputs.phases_of(inputs.encode_many(position.array()[None], 15)) == [wanted]


@settings(max_examples=200)
@given(positions())
def test_the_kernel_agrees_with_the_network_written_down_plainly(position: Position) -> None:
    net = BRAIN.contact
    layer = layers(net)
    out = np.zeros(5, np.float32)
    board = position.array()
    inputs.encode(board[0], board[1], position.checkers, layer.slots)
    network.build(net, layer.slots, layer.sums)
    network.finish(net, layer.slots, layer.sums, layer.middle, layer.narrow, out)
    assert out == pytest.approx(forward(net, position)[: network.OUTPUTS], abs=1e-5)


@given(positions(), st.integers(1, 5))
def test_weights_as_whole_numbers_say_the_same(position: Position, seed: int) -> None:
    net = random_net(seed)
    net = net._replace(b1=np.full_like(net.b1, 0.3))
    said = forward(network.compact(net), position)
    assert said == pytest.approx(forward(net, position), abs=2e-3)
    assert network.compact(net).w1.dtype == np.int16


def test_the_pruning_net_agrees_with_itself_written_down_plainly() -> None:
    net, work = BRAIN.pruner, scratch_for(BRAIN)
    for position, dice in random_rolls(8, 100):
        board, checkers = position.array(), position.checkers
        count = generate(board, *dice, work.rolled)
        prepare(net, work.pruner, board, checkers)
        guess_results(net, work.pruner, checkers, 0, count, work)
        for result, score in zip(work.rolled.results[:count], work.scores, strict=False):
            after = Position.from_array(result, checkers).flipped()
            out = forward(net, after)[: network.OUTPUTS].astype(np.float32)
            network.constrain(np.array(after.mine), np.array(after.theirs), checkers, out)
            assert score == pytest.approx(-network.money(out), abs=0.02)


@settings(max_examples=200)
@given(positions())
def test_a_race_is_a_race_for_kernels_too(position: Position) -> None:
    assert inputs.is_race(*position.array()) == position.is_race()


@settings(max_examples=200)
@given(positions(), positions(), st.integers(1, 3))
def test_exchanging_rows_gives_the_sums_of_building_anew(
    before: Position, after: Position, seed: int
) -> None:
    net = random_net(seed)
    old, new = layers(net), layers(net)
    for position, layer in ((before, old), (after, new)):
        board = position.array()
        inputs.encode(board[0], board[1], position.checkers, layer.slots)
        network.build(net, layer.slots, layer.sums)
    network.update(net, old.slots, old.sums, new.slots, old.sums)
    assert (old.sums == new.sums).all()


def test_a_successor_is_judged_the_same_in_a_search_and_alone() -> None:
    work = scratch_for(BRAIN)
    turned = np.zeros(5, np.float32)
    for position, dice in random_rolls(5, 300):
        board = position.array()
        count = generate(board, *dice, work.rolled)
        judge_results(BRAIN, board, position.checkers, count, work)
        alone = EVALUATOR.array(work.rolled.results[:count, ::-1].copy(), position.checkers)
        for i in range(count):
            network.turn_round(alone[i], turned)
            assert (work.outcomes[i, :5] == turned).all()


def test_threads_and_batches_do_not_change_a_bit() -> None:
    some = [position for position, _ in random_rolls(6, 3000) if position.checkers == 15]
    boards = np.stack([position.array() for position in some])
    together = Evaluator(BRAIN, threads=2).array(boards)
    assert (together == EVALUATOR.array(boards)).all()
    assert (together[:50] == np.stack([EVALUATOR.array(b[None])[0] for b in boards[:50]])).all()


@settings(max_examples=300)
@example(Position((*(0,) * 24, 1), (*(0,) * 24, 2), 2))  # its gammon is 1 of 2^24 in the file
@given(positions().filter(lambda position: position.checkers <= AT_ONCE or position.checkers > 3))
def test_chances_are_ordered_and_never_exceed_what_the_rules_allow(position: Position) -> None:
    found = EVALUATOR.outcomes(position)
    assert 0 <= found.win_backgammon <= found.win_gammon <= found.win <= 1
    assert 0 <= found.lose_backgammon <= found.lose_gammon <= 1 - found.win + 1e-6
    mine_off, theirs_off = position.off()
    assert not (mine_off and found.lose_gammon)
    assert not (theirs_off and found.win_gammon)


@pytest.mark.parametrize("variant", [v for v in Variant if v is not Variant.HYPERGAMMON])
def test_every_variant_can_be_judged(variant: Variant) -> None:
    assert 0 < EVALUATOR.outcomes(Position.start(variant)).win < 1


def test_a_finished_game_is_counted() -> None:
    assert EVALUATOR.outcomes(board_of({}, {1: 1})) == (1, 0, 0, 0, 0)
    assert EVALUATOR.outcomes(board_of({}, {3: 15})) == (1, 1, 0, 0, 0)
    assert EVALUATOR.outcomes(board_of({}, {3: 14, 20: 1})) == (1, 1, 1, 0, 0)
    assert EVALUATOR.outcomes(board_of({1: 1, 2: 13, 25: 1}, {})) == (0, 0, 0, 1, 1)
    assert EVALUATOR.outcomes(board_of({1: 1, 25: 1}, {})) == (0, 0, 0, 0, 0)


def test_pruning_keeps_every_play_that_breaks_contact() -> None:
    home = {6: 4, 5: 3, 4: 3, 3: 3}
    start = board_of(home | {14: 2}, home | {12: 2}).array()
    work = scratch_for(BRAIN)
    for dice in ((6, 4), (5, 5), (2, 1), (6, 6)):
        count = generate(start, *dice, work.rolled)
        every = {result.tobytes() for result in work.rolled.results[:count]}
        races = {
            each.tobytes() for each in work.rolled.results[:count] if inputs.is_race(*each[::-1])
        }
        kept = rank_results(BRAIN, start, 15, count, 2, work)
        front = {result.tobytes() for result in work.rolled.results[:kept]}
        assert races <= front
        assert kept == (count if count <= FEW else min(count, len(races) + 2))
        assert {result.tobytes() for result in work.rolled.results[:count]} == every
