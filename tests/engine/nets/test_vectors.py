"""Vector instructions against numpy, number by number."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numba import njit
from numpy.typing import NDArray

from sixprime.engine.kernels.machine import bells, vectors
from sixprime.engine.kernels.machine.compiled import kernel
from sixprime.engine.kernels.machine.held import Held

NUMBERS = st.integers(-100, 100)
BITS = st.integers(1, 2**64 - 1)


@njit
def more_than(values: Any, start: Any, limit: Any) -> Any:
    return vectors.more_than(values, start, limit)


@njit
def unequal(values: Any, others: Any, start: Any) -> Any:
    return vectors.unequal(values, others, start)


@njit
def counted(bits: Any) -> Any:
    return vectors.lowest(bits), vectors.highest(bits), vectors.how_many(bits)


@njit
def mirrored(bits: Any) -> Any:
    return vectors.mirrored(bits)


@njit
def exchange_rows(bits: Any, table: Any, come: Any, gone: Any, first: Any, sums: Any) -> Any:
    vectors.exchange_rows(bits, table, come, gone, first, sums)


@njit
def add_rows(bits: Any, table: Any, come: Any, first: Any, sums: Any) -> Any:
    vectors.add_rows(bits, table, come, first, sums)


@njit
def add_products(bits: Any, values: Any, first: Any, weights: Any, column: Any, out: Any) -> Any:
    vectors.add_products(bits, values, first, weights, column, out, 32)


@njit
def add_products_in_chains(
    bits: Any, values: Any, first: Any, weights: Any, column: Any, out: Any
) -> Any:
    vectors.add_products_in_chains(bits, values, first, weights, column, out, 32)


@njit
def read_side(side: Any, empty: Any, slots: Any, words: Any) -> Any:
    return bells.read_side(side, empty, slots, words, 6, 18)


@njit
def run_up(values: Any, totals: Any) -> None:
    bells.run_up(values, totals)


def bits_of(found: np.ndarray) -> int:
    return sum(1 << i for i, each in enumerate(found) if each)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.float32])
@given(values=arrays(np.int8, 25, elements=NUMBERS), limit=NUMBERS, start=st.integers(0, 9))
def test_comparing_with_a_limit(kind: type, values: np.ndarray, limit: int, start: int) -> None:
    expected = bits_of(values[start : start + 16] > limit)
    assert more_than(values.astype(kind), start, limit) == expected


@given(arrays(np.int16, 20, elements=st.integers(0, 2)), st.integers(0, 4))
def test_comparing_with_another_array(values: np.ndarray, start: int) -> None:
    others = values[::-1].copy()
    expected = bits_of(values[start : start + 16] != others[start : start + 16])
    assert unequal(values, others, start) == expected


@given(BITS)
def test_bits_are_found_and_counted(bits: int) -> None:
    text = f"{bits:b}"
    lowest, highest, count = counted(np.uint64(bits))
    assert (lowest, highest, count) == (
        len(text) - 1 - text.rindex("1"),
        len(text) - 1,
        text.count("1"),
    )


@given(st.integers(0, 2**24 - 1))
def test_mirroring_turns_the_board_round(bits: int) -> None:
    assert mirrored(np.uint64(bits)) == int(f"{bits:024b}"[::-1], 2)


@given(
    st.integers(0, 2**20 - 1), st.integers(0, 2**32 - 1), st.sampled_from((32, 64, 160, 288)),
)  # fmt: skip
def test_rows_are_added_and_exchanged_as_whole_numbers(bits: int, seed: int, wide: int) -> None:
    draws = np.random.default_rng(seed)
    table = draws.integers(-500, 500, (40, wide)).astype(np.int16)
    come, gone = draws.integers(0, 40, (2, 24)).astype(np.int16)
    sums = draws.integers(-500, 500, wide).astype(np.int16)
    added, exchanged = sums.copy(), sums.copy()
    for k in range(20):
        if bits >> k & 1:
            added += table[come[3 + k]]
            exchanged += table[come[3 + k]] - table[gone[3 + k]]
    found = sums.copy()
    add_rows(np.uint64(bits), table, come, 3, found)
    assert (found == added).all()
    exchange_rows(np.uint64(bits), table, come, gone, 3, sums)
    assert (sums == exchanged).all()


@given(st.integers(0, 2**20 - 1), st.integers(0, 2**32 - 1), st.booleans())
def test_products_are_added(bits: int, seed: int, whole: bool) -> None:
    draws = np.random.default_rng(seed)
    values = draws.integers(1, 500, 24).astype(np.int16 if whole else np.float32)
    weights = draws.normal(size=(24, 48)).astype(np.float32)
    out = draws.normal(size=48).astype(np.float32)
    expected = out.astype(np.float64)
    for k in range(20):
        if bits >> k & 1:
            expected[8:40] += values[3 + k] * weights[3 + k, 8:40].astype(np.float64)
    for add in (add_products, add_products_in_chains):
        sums = out.copy()
        add(np.uint64(bits), values, 3, weights, 8, sums)
        assert sums == pytest.approx(expected, abs=0.01)


def test_numbers_that_lie_apart_are_refused() -> None:
    apart = np.zeros(64, np.int8)[::2]
    with pytest.raises(Exception, match="have to lie side by side"):
        more_than(apart, 0, 0)


COUNTS = arrays(np.int8, 25, elements=st.integers(0, 15))


@given(st.lists(st.integers(0, 24), max_size=15))
def test_a_side_is_read_at_once(places: list[int]) -> None:
    side = np.bincount(np.array(places, np.int64), minlength=25).astype(np.int8)
    empty, slots, words = np.arange(32, dtype=np.int16), np.zeros(32, np.int16), np.zeros(4, "u8")
    found = int(read_side(side, empty, slots, words))
    assert found & (2**32 - 1) == bits_of(side > 0)
    assert [found >> first & 31 for first in (32, 37, 42)] == [
        sum(place >= begin for place in places) for begin in (0, 6, 18)
    ]
    assert found >> 47 == 0
    assert slots.tolist() == [*(np.arange(25) + side), *range(25, 32)]
    assert words.tobytes() == side.tobytes() + bytes(7)


@given(arrays(np.float32, 32, elements=NUMBERS))
def test_sums_run_up(values: np.ndarray) -> None:
    totals = np.zeros(32, np.float32)
    run_up(values, totals)
    assert totals.tolist() == values.cumsum().tolist()


@njit
def put_counts(side: Any, slots: Any, first: int, unit: int) -> None:
    vectors.put_counts(side, slots, first, unit)


@njit
def sum_from(side: Any, first: int) -> Any:
    return vectors.sum_from(side, first)


@njit
def put_pairs(mine: Any, theirs: Any, slots: Any, first: int, row: int) -> None:
    vectors.put_pairs(mine, theirs, slots, first, row)


@given(COUNTS, st.integers(0, 30))
def test_counts_are_written_in_their_rows(side: NDArray[np.int8], first: int) -> None:
    slots = np.full(60, -7, np.int16)
    put_counts(side, slots, first, 16)
    expected = [16 * (first + k) + count for k, count in enumerate(side.tolist())]
    assert slots[first : first + 25].tolist() == expected
    assert (slots[:first] == -7).all()
    assert (slots[first + 25 :] == -7).all()


@given(arrays(np.int8, 25, elements=st.integers(0, 5)), st.integers(0, 25))
def test_a_sum_begins_where_it_is_told(side: NDArray[np.int8], first: int) -> None:
    assert sum_from(side, first) == sum(side[first:].tolist())


@given(COUNTS, COUNTS, st.integers(0, 30), st.integers(0, 900))
def test_pairs_say_who_holds_two_points(
    mine: NDArray[np.int8], theirs: NDArray[np.int8], first: int, row: int
) -> None:
    theirs[:24][mine[:24][::-1] > 0] = 0
    slots = np.full(60, -7, np.int16)
    put_pairs(mine, theirs, slots, first, row)
    points = zip(mine[:24].tolist(), theirs[23::-1].tolist(), strict=True)
    holders = [min(own, 3) if own else other and 3 + min(other, 3) for own, other in points]
    for pair in range(23):
        assert slots[first + pair] == row + 49 * pair + 7 * holders[pair] + holders[pair + 1]
    assert (slots[:first] == -7).all()
    assert (slots[first + 24 :] == -7).all()


class Inner(NamedTuple):
    numbers: NDArray[np.int16]
    more: tuple[NDArray[np.float64], int]


class Outer(NamedTuple):
    first: NDArray[np.float32]
    inner: Inner


@kernel
def last_of(inner: Any) -> Any:
    return inner.numbers[-1]


@kernel
def sum_up(held: Any, factor: int) -> Any:
    table, unit = held.inner.more
    held.first[1] = 7.0
    return factor * (unit * table[1, 2] + last_of(held.inner))


def test_a_held_tuple_is_what_the_kernel_gets() -> None:
    whole = Outer(np.zeros(2, np.float32), Inner(np.arange(5, dtype=np.int16), (np.eye(3) + 1, 3)))
    held, other = Held(whole), Held(whole._replace(first=np.zeros(9, np.float32)))
    whole.inner.more[0][1, 2] = 4.5  # after it was held
    assert sum_up(held, 2) == 2 * (3 * 4.5 + 4)
    assert whole.first.tolist() == [0, 7]
    assert sum_up(other, 1) == 3 * 4.5 + 4
