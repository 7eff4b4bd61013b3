"""No position brings a sum of the first layer beyond int16."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sixprime.engine.kernels.inputs import COUNTS, EMPTY, encode_many
from sixprime.engine.kernels.network import Net
from sixprime.engine.nets import weights
from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.nets.headroom import LIMIT, largest_sums, within_reach
from sixprime.engine.position import Position
from tests.support.engine.brains import random_net

PLACES = st.integers(0, 24)


@st.composite
def boards(draw: st.DrawFn) -> NDArray[np.int8]:
    """int8[2, 25], from crowded to nearly borne off; sides may share a point, which is worse."""
    sides = [draw(st.lists(PLACES, min_size=1, max_size=15)) for _ in range(2)]
    return np.array([np.bincount(side, minlength=25) for side in sides], np.int8)


def sums(net: Net, board: NDArray[np.int8]) -> NDArray[np.int64]:
    """The first layer's, in numbers that have room."""
    slots = encode_many(board[np.newaxis], 15)[0]
    used = slots[slots != EMPTY]
    return np.asarray(net.table[used].astype(np.int64).sum(axis=0) + net.bias)


def loud(seed: int) -> Net:
    """A net whose sums do not fit."""
    net = random_net(seed)
    return net._replace(
        table=np.clip(net.table.astype(np.int64) * 12, -32767, 32767).astype(np.int16)
    )


@settings(max_examples=200, deadline=None)
@given(boards(), st.integers(0, 3))
@pytest.mark.patient
def test_no_position_exceeds_the_bound(board: NDArray[np.int8], seed: int) -> None:
    net = loud(seed)
    assert (np.abs(sums(net, board)) <= largest_sums(net)).all()
    assert (np.abs(sums(within_reach(net), board)) <= 32767).all()


@pytest.mark.parametrize("place", [0, 25, 26, 51])
def test_the_bound_counts_no_more_than_fifteen_checkers_a_side(place: int) -> None:
    table = np.zeros_like(random_net(1).table)
    for each in (place, (place + 1) % 26 + place // 26 * 26):  # two places of one side
        table[each * COUNTS : (each + 1) * COUNTS, 0] = 100 * np.arange(COUNTS)
    net = random_net(1)._replace(table=table, bias=np.full(32, -7, np.int16))
    assert largest_sums(net)[0] == 100 * 15 - 7
    assert (largest_sums(net)[1:] == 7).all()


def test_a_net_within_reach_stays_as_it_is_and_another_says_the_same() -> None:
    quiet = random_net(2)
    assert within_reach(quiet) is quiet
    net = loud(2)
    small = within_reach(net)
    assert largest_sums(small).max() <= LIMIT + 60
    board = Position.start().array()
    before = np.maximum(sums(net, board), 0) @ net.w1[0]
    after = np.maximum(sums(small, board), 0) @ small.w1[0]
    assert after == pytest.approx(before, rel=0.01, abs=0.01)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(2, 24), min_size=12, max_size=15), st.integers(0, 1))
def test_the_shipped_nets_win_with_the_last_checker_to_bear_off(
    theirs: list[int], mine: int
) -> None:
    """Contact with 14 checkers off: the sums are at their largest."""
    places = [place for place in theirs if place != 23 - mine] + [24]
    position = Position(counts([mine]), counts(places[:15]))
    (chances,) = shipped().many([position])
    assert chances[0] > 0.97


@lru_cache(maxsize=1)
def shipped() -> Evaluator:
    """The nets that ship, loaded once."""
    return Evaluator(weights.load_brain())


def counts(places: list[int]) -> tuple[int, ...]:
    """A side's checkers by place."""
    return tuple(places.count(place) for place in range(25))
