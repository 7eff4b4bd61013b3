"""Hand-vectorised loops that LLVM does not vectorise by itself.

It misses two kinds: loops that must keep a row of sums in registers while they add rows of an array
that may overlap it, as far as LLVM knows; and loops that turn comparisons into bits. These few are
written in LLVM's own instructions, which run on any processor, with the registers it has.

Bits are uint64, bit i for the i-th of the numbers compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.codegen import get_host_cpu_features
from numba.np import arrayobj

from sixprime.engine.kernels.machine.compiled import instruction

LANES = 16  # numbers compared at a time
ROW_LANES = 32  # the width of rows of a first layer is a multiple of this
BLOCK = 128  # columns of rows that are summed up in registers at a time
SIDE = 25  # counts of a side: 24 points and the bar
HOLDS = 7  # kinds of a point: see `put_pairs`
SMALL = 8  # units in the inner layers of a small net
TAILS = 4  # positions that a small net judges at a time
ROWS = 4  # positions that a large net judges at a time
COLUMNS = 32 if "+avx512f" in get_host_cpu_features() else 16  # ROWS of sums that registers hold
NO_BITS, ONE_BIT = np.uint64(0), np.uint64(1)
FUSED = ("contract",)  # a product and a sum may be rounded once

FLOAT = ir.FloatType()
INT16 = ir.IntType(16)
INT32 = ir.IntType(32)
INT64 = ir.IntType(64)
NEVER_ZERO = ir.Constant(ir.IntType(1), 1)  # lowest and highest need a bit
Made = tuple[Any, Callable[..., Any]]  # the result of an intrinsic: types, and a generator


def number(value: int) -> ir.Constant:
    """A place in an array."""
    return ir.Constant(INT64, value)


def filled(element: ir.Type, lanes: int, value: float) -> ir.Constant:
    """A vector of equal constants."""
    return ir.Constant(ir.VectorType(element, lanes), [value] * lanes)


def arrays_of(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> list[Any]:
    """Return the arguments: arrays as addresses of their first numbers, tuples as their members."""
    return [
        each
        for kind, arg in zip(signature.args, args, strict=True)
        for each in addresses(context, builder, kind, arg)
    ]


def addresses(context: Any, builder: ir.IRBuilder, kind: Any, arg: Any) -> list[Any]:
    """Return the values that stand for one argument."""
    if hasattr(kind, "types"):
        members = zip(kind.types, cgutils.unpack_tuple(builder, arg), strict=True)
        return [each for member in members for each in addresses(context, builder, *member)]
    if not isinstance(kind, types.Array):
        return [arg]
    if kind.layout != "C":
        raise TypeError(f"{kind}: the numbers have to lie side by side")
    return [arrayobj.make_array(kind)(context, builder, arg).data]


def at(builder: ir.IRBuilder, data: ir.Value, place: ir.Value, lanes: int) -> ir.Value:
    """Return the address of `lanes` numbers of an array from `place` on."""
    vector = ir.VectorType(data.type.pointee, lanes)
    return builder.bitcast(builder.gep(data, [place]), vector.as_pointer())


def load(builder: ir.IRBuilder, data: ir.Value, place: ir.Value, lanes: int) -> ir.Value:
    """Load `lanes` numbers of an array from `place` on."""
    return builder.load(at(builder, data, place, lanes), align=1)


def store(builder: ir.IRBuilder, value: ir.Value, data: ir.Value, place: ir.Value) -> None:
    """Write a vector into an array from `place` on."""
    builder.store(value, at(builder, data, place, value.type.count), align=1)


def spread(builder: ir.IRBuilder, value: ir.Value, lanes: int) -> ir.Value:
    """A vector of equal numbers."""
    vector = ir.VectorType(value.type, lanes)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(INT32, 0))
    nothing = ir.Constant(vector, ir.Undefined)
    return builder.shuffle_vector(first, nothing, filled(INT32, lanes, 0))


def positive_part(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return a vector with zeros in place of negative numbers."""
    zero = filled(value.type.element, value.type.count, 0)
    compare = builder.fcmp_ordered if value.type.element == FLOAT else builder.icmp_signed
    return builder.select(compare(">", value, zero), value, zero)


def bits_of(builder: ir.IRBuilder, found: ir.Value) -> ir.Value:
    """Return the result of comparing LANES numbers, as bits of a uint64."""
    return builder.zext(builder.bitcast(found, ir.IntType(LANES)), INT64)


def next_bit(builder: ir.IRBuilder, left: ir.Value) -> ir.Value:
    """Remove the lowest of the bits left and return its place."""
    bits = builder.load(left)
    builder.store(builder.and_(bits, builder.sub(bits, number(1))), left)
    return builder.cttz(bits, NEVER_ZERO)


def as_float(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return a number or vector as float32; sums and weights of the first layer are int16."""
    element = getattr(value.type, "element", value.type)
    if element == FLOAT:
        return value
    wanted = FLOAT if element == value.type else ir.VectorType(FLOAT, value.type.count)
    return builder.sitofp(value, wanted)


def store_sum(builder: ir.IRBuilder, total: ir.Value, factor: ir.Value, weight: ir.Value) -> None:
    """Add factor * weight to a total."""
    product = builder.fmul(factor, weight, flags=FUSED)
    builder.store(builder.fadd(builder.load(total), product, flags=FUSED), total)


@instruction
def more_than(typing: Any, values: Any, start: Any, limit: Any) -> Made:
    """Return bits of the LANES numbers from `start` on that are more than `limit`."""

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        data, start, limit = arrays_of(context, builder, signature, args)
        element = data.type.pointee
        if element == FLOAT:
            bound = spread(builder, builder.sitofp(limit, FLOAT), LANES)
            return bits_of(
                builder, builder.fcmp_ordered(">", load(builder, data, start, LANES), bound)
            )
        bound = spread(builder, builder.trunc(limit, element), LANES)
        return bits_of(builder, builder.icmp_signed(">", load(builder, data, start, LANES), bound))

    return types.uint64(values, types.int64, types.int64), code


@instruction
def unequal(typing: Any, values: Any, others: Any, start: Any) -> Made:
    """Return bits of the LANES whole numbers from `start` on that differ from another array's."""

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        data, other, start = arrays_of(context, builder, signature, args)
        pair = (load(builder, each, start, LANES) for each in (data, other))
        return bits_of(builder, builder.icmp_signed("!=", *pair))

    return types.uint64(values, others, types.int64), code


def bit_operation(result: Any, code: Callable[[ir.IRBuilder, ir.Value], ir.Value]) -> Any:
    """Make an instruction of some code that works on the bits of a uint64."""

    def operation(typing: Any, bits: Any) -> Made:
        return result(types.uint64), lambda context, builder, signature, args: code(
            builder, args[0]
        )

    return instruction(operation)


lowest = bit_operation(types.int64, lambda builder, bits: builder.cttz(bits, NEVER_ZERO))
highest = bit_operation(
    types.int64, lambda builder, bits: builder.sub(number(63), builder.ctlz(bits, NEVER_ZERO))
)
how_many = bit_operation(types.int64, lambda builder, bits: builder.ctpop(bits))
mirrored = bit_operation(  # bits 0 to 23 in reverse order
    types.uint64, lambda builder, bits: builder.lshr(builder.bitreverse(bits), number(40))
)


def in_columns(
    builder: ir.IRBuilder, wide: ir.Value, change: Callable[[ir.Value, int], None]
) -> None:
    """Loop over a row with `change`, which gets a column and the number of columns from there on.

    BLOCK at a time stay in registers; then comes the rest of the row.
    """
    rest = builder.srem(wide, number(BLOCK))
    begin = builder.sub(wide, rest)
    for lanes, first, columns in ((BLOCK, number(0), begin), (ROW_LANES, begin, rest)):
        with cgutils.for_range(builder, builder.sdiv(columns, number(lanes))) as blocks:
            change(builder.add(first, builder.mul(blocks.index, number(lanes))), lanes)


def add_to_sums(
    context: Any,
    builder: ir.IRBuilder,
    bits: ir.Value,
    first: ir.Value,
    kind: Any,
    array: Any,
    of_slot: Callable[[ir.Value, ir.Value, ir.Value, int], ir.Value],
) -> None:
    """Add to an array of sums, for each bit k, the vector that `of_slot` makes for slot first + k.

    It gets the slot, the length of rows, a column and the number of columns from there on.
    """
    sums = arrayobj.make_array(kind)(context, builder, array)
    wide = builder.extract_value(sums.shape, 0)

    def change(column: ir.Value, lanes: int) -> None:
        total = cgutils.alloca_once_value(builder, load(builder, sums.data, column, lanes))
        left = cgutils.alloca_once_value(builder, bits)
        with cgutils.for_range(builder, builder.ctpop(bits)):
            slot = builder.add(first, next_bit(builder, left))
            more = of_slot(slot, wide, column, lanes)
            builder.store(builder.add(builder.load(total), more), total)
        store(builder, builder.load(total), sums.data, column)

    in_columns(builder, wide, change)


def row_of(
    builder: ir.IRBuilder,
    table: ir.Value,
    rows: ir.Value,
    slot: ir.Value,
    wide: ir.Value,
    column: ir.Value,
    lanes: int,
) -> ir.Value:
    """Load some columns of the row of a table for a slot."""
    row = builder.sext(builder.load(builder.gep(rows, [slot])), INT64)
    return load(builder, table, builder.add(builder.mul(row, wide), column), lanes)


@instruction
def add_rows(typing: Any, bits: Any, table: Any, come: Any, first: Any, sums: Any) -> Made:
    """Add rows come[first + k] of a table to the sums, for each k."""

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        bits, table, come, first, _ = arrays_of(context, builder, signature, args)

        def of_slot(slot: ir.Value, *columns: Any) -> ir.Value:
            return row_of(builder, table, come, slot, *columns)

        add_to_sums(context, builder, bits, first, signature.args[4], args[4], of_slot)
        return context.get_dummy_value()

    return types.void(types.uint64, table, come, types.int64, sums), code


@instruction
def exchange_rows(
    typing: Any, bits: Any, table: Any, come: Any, gone: Any, first: Any, sums: Any
) -> Made:
    """For each k, add row `come[first + k]` of a table to the sums, subtract `gone[first + k]`."""

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        bits, table, come, gone, first, _ = arrays_of(context, builder, signature, args)

        def of_slot(slot: ir.Value, *columns: Any) -> ir.Value:
            added, taken = (row_of(builder, table, rows, slot, *columns) for rows in (come, gone))
            return builder.sub(added, taken)

        add_to_sums(context, builder, bits, first, signature.args[5], args[5], of_slot)
        return context.get_dummy_value()

    return types.void(types.uint64, table, come, gone, types.int64, sums), code


def products(rows: int, chains: int = 1) -> Any:
    """Make an instruction that adds products to `rows` rows of sums at once.

    For each bit k it adds values[row, first + k] * weights[first + k, column:] to out[row,
    column:], as many columns as the literal `columns`, which stay in registers meanwhile. Each
    weight is loaded once for all rows. Weights are float32 or int16. With more `chains` a sum has
    parts that do not wait for each other.
    """

    def add(
        typing: Any,
        bits: Any,
        values: Any,
        first: Any,
        weights: Any,
        column: Any,
        out: Any,
        columns: Any,
    ) -> Made:
        lanes = min(columns.literal_value, LANES)
        registers = columns.literal_value // lanes

        def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
            bits, values, first, weights, column, out, _ = arrays_of(
                context, builder, signature, args
            )
            length, size, wide = (
                builder.extract_value(
                    arrayobj.make_array(signature.args[i])(context, builder, args[i]).shape,
                    signature.args[i].ndim - 1,
                )
                for i in (1, 3, 5)
            )
            starts = [builder.mul(length, number(row)) for row in range(rows)]
            steps = [builder.add(column, number(lanes * i)) for i in range(registers)]
            places = [
                [builder.add(builder.mul(wide, number(row)), step) for step in steps]
                for row in range(rows)
            ]
            nothing = filled(FLOAT, lanes, 0.0)

            def begun(place: ir.Value, chain: int) -> ir.Value:
                start = nothing if chain else load(builder, out, place, lanes)
                return cgutils.alloca_once_value(builder, start)

            sums = [[[begun(at, i) for at in row] for row in places] for i in range(chains)]
            left = cgutils.alloca_once_value(builder, bits)

            def add_next(chain: int) -> None:
                k = builder.add(first, next_bit(builder, left))
                begin = builder.mul(k, size)
                loaded = [load(builder, weights, builder.add(begin, step), lanes) for step in steps]
                read = [as_float(builder, weight) for weight in loaded]
                for start, row in zip(starts, sums[chain], strict=True):
                    value = builder.load(builder.gep(values, [builder.add(start, k)]))
                    factor = spread(builder, as_float(builder, value), lanes)
                    for total, weight in zip(row, read, strict=True):
                        store_sum(builder, total, factor, weight)

            count = builder.ctpop(bits)
            with cgutils.for_range(builder, builder.udiv(count, number(chains))):
                for chain in range(chains):
                    add_next(chain)
            if chains > 1:
                with cgutils.for_range(builder, builder.urem(count, number(chains))):
                    add_next(0)
            for row, row_places in enumerate(places):
                for step, place in enumerate(row_places):
                    total, *parts = (
                        builder.load(sums[chain][row][step]) for chain in range(chains)
                    )
                    for part in parts:
                        total = builder.fadd(total, part)
                    store(builder, total, out, place)
            return context.get_dummy_value()

        arguments = types.uint64, values, types.int64, weights, types.int64, out, columns
        return types.void(*arguments), code

    return instruction(prefer_literal=True)(add)


add_products = products(1)  # values and out have one dimension
add_products_in_chains = products(1, 2)
add_products_to_rows = products(ROWS)


@instruction
def small_tails(typing: Any, sums: Any, layers: Any, values: Any) -> Made:
    """From TAILS rows of ROW_LANES sums through three layers of SMALL units to values[:, :SMALL].

    `layers` are (w1, b1, w2, b2, w3, b3). `values` is scratch too, float32[TAILS, ROW_LANES + 2 *
    SMALL]. Each row has its own sums, so none waits for another. The logistic function at the end
    is exact to 0.002: (1 - x / 256) ** 256 stands for exp(-x).
    """
    width = ROW_LANES + 2 * SMALL

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        sums, w1, b1, w2, b2, w3, b3, values = arrays_of(context, builder, signature, args)

        def put(found: list[ir.Value], first: int) -> None:
            for row, value in enumerate(found):
                store(builder, value, values, number(width * row + first))

        def layer(first: int, count: int, weights: ir.Value, bias: ir.Value) -> list[ir.Value]:
            """Sum up in four parts, so that none waits for another."""
            start = load(builder, bias, number(0), SMALL)
            rows = [[start] + 3 * [filled(FLOAT, SMALL, 0)] for _ in range(TAILS)]
            for k in range(count):
                weight = load(builder, weights, number(SMALL * k), SMALL)
                for row, parts in enumerate(rows):
                    value = builder.load(builder.gep(values, [number(width * row + first + k)]))
                    product = builder.fmul(spread(builder, value, SMALL), weight, flags=FUSED)
                    parts[k % 4] = builder.fadd(parts[k % 4], product, flags=FUSED)
            return [
                builder.fadd(builder.fadd(*parts[:2]), builder.fadd(*parts[2:])) for parts in rows
            ]

        def positive(found: list[ir.Value]) -> list[ir.Value]:
            return [positive_part(builder, value) for value in found]

        def probability(logits: ir.Value) -> ir.Value:
            one = filled(FLOAT, SMALL, 1)
            power = builder.fsub(one, builder.fmul(logits, filled(FLOAT, SMALL, 1 / 256)))
            for _ in range(8):
                power = builder.fmul(power, power)
            return builder.fdiv(one, builder.fadd(one, power))

        places = [number(ROW_LANES * row) for row in range(TAILS)]
        wide = positive([load(builder, sums, place, ROW_LANES) for place in places])
        put([builder.sitofp(each, ir.VectorType(FLOAT, ROW_LANES)) for each in wide], 0)
        put(positive(layer(0, ROW_LANES, w1, b1)), ROW_LANES)
        put(positive(layer(ROW_LANES, SMALL, w2, b2)), ROW_LANES + SMALL)
        put([probability(each) for each in layer(ROW_LANES + SMALL, SMALL, w3, b3)], 0)
        return context.get_dummy_value()

    return types.void(sums, layers, values), code


def total(builder: ir.IRBuilder, values: ir.Value) -> ir.Value:
    """Sum up a vector of whole numbers."""
    name = f"llvm.vector.reduce.add.v{values.type.count}i{values.type.element.width}"
    kind = ir.FunctionType(values.type.element, [values.type])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [values])


def both_ends(builder: ir.IRBuilder, side: ir.Value) -> list[tuple[ir.Value, list[int]]]:
    """Load a side's SIDE counts as two vectors that overlap, each with its places."""
    return [
        (load(builder, side, number(first), LANES), list(range(first, first + LANES)))
        for first in (0, SIDE - LANES)
    ]


@instruction
def put_counts(typing: Any, side: Any, slots: Any, first: Any, unit: Any) -> Made:
    """Write unit * (first + k) + side[k] to slots[first + k], for each of SIDE counts."""

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        side, slots, first, unit = arrays_of(context, builder, signature, args)
        unit = spread(builder, builder.trunc(unit, INT16), LANES)
        start = spread(builder, builder.trunc(first, INT16), LANES)
        for counts, places in both_ends(builder, side):
            place = builder.add(start, ir.Constant(unit.type, places))
            row = builder.add(builder.mul(place, unit), builder.sext(counts, unit.type))
            store(builder, row, slots, builder.add(first, number(places[0])))
        return context.get_dummy_value()

    return types.void(side, slots, types.int64, types.int64), code


@instruction
def sum_from(typing: Any, side: Any, first: Any) -> Made:
    """Return the sum of the last of SIDE counts, from `first` on."""

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        side, first = arrays_of(context, builder, signature, args)
        (early, places), (late, late_places) = both_ends(builder, side)
        start = spread(builder, builder.trunc(first, early.type.element), LANES)
        nothing = ir.Constant(early.type, [0] * LANES)
        parts = []
        for counts, numbers, least in ((early, places, 0), (late, late_places, LANES)):
            wanted = builder.icmp_signed(">=", ir.Constant(early.type, numbers), start)
            wanted = builder.and_(wanted, ir.Constant(wanted.type, [n >= least for n in numbers]))
            parts.append(builder.select(wanted, counts, nothing))
        return builder.sext(total(builder, builder.add(*parts)), INT64)

    return types.int64(side, types.int64), code


@instruction
def put_pairs(typing: Any, mine: Any, theirs: Any, slots: Any, first: Any, row: Any) -> Made:
    """Write who holds two adjacent points to slots[first:], for each pair; one more is overwritten.

    A point is empty (0), mine with 1, 2, 3 or more checkers (1 to 3), or theirs (4 to 6).
    """
    points = SIDE - 1

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        mine, theirs, slots, first, row = arrays_of(context, builder, signature, args)
        my_counts, their_counts = (
            load(builder, each, number(0), points) for each in (mine, theirs)
        )
        kind = my_counts.type
        backwards = ir.Constant(ir.VectorType(INT32, points), list(range(points))[::-1])
        their_counts = builder.shuffle_vector(their_counts, their_counts, backwards)
        three, nothing = (ir.Constant(kind, [value] * points) for value in (3, 0))

        def least(counts: ir.Value) -> ir.Value:
            return builder.select(builder.icmp_signed("<", counts, three), counts, three)

        held = builder.icmp_signed(">", their_counts, nothing)
        hold = builder.add(least(my_counts), least(their_counts))
        hold = builder.add(hold, builder.select(held, three, nothing))
        hold = builder.sext(hold, ir.VectorType(INT16, points))
        onwards = ir.Constant(ir.VectorType(INT32, points), [*range(1, points), 0])
        after = builder.shuffle_vector(hold, hold, onwards)
        start = ir.Constant(hold.type, [HOLDS * HOLDS * pair for pair in range(points)])
        found = builder.add(builder.mul(hold, ir.Constant(hold.type, [HOLDS] * points)), after)
        found = builder.add(found, start)
        found = builder.add(found, spread(builder, builder.trunc(row, INT16), points))
        store(builder, found, slots, first)
        return context.get_dummy_value()

    return types.void(mine, theirs, slots, types.int64, types.int64), code
