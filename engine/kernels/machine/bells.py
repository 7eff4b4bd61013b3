"""Sides of a race, chances that lie around an estimate, and their products, for LLVM."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from sixprime.engine.kernels.machine.compiled import instruction
from sixprime.engine.kernels.machine.vectors import (
    FLOAT,
    FUSED,
    INT16,
    INT32,
    INT64,
    LANES,
    SIDE,
    Made,
    arrays_of,
    filled,
    load,
    number,
    positive_part,
    spread,
    store,
)

BYTE = ir.IntType(8)
WORD = ir.VectorType(BYTE, 2 * LANES)  # a side, with zeros behind it
COUNTED = 5  # bits of a number of checkers


def total_of(builder: ir.IRBuilder, vector: ir.Value) -> ir.Value:
    """Sum the lanes of a vector: halves are added until one lane is left."""
    lanes = vector.type.count
    add = builder.fadd if vector.type.element == FLOAT else builder.add
    while lanes > 1:
        lanes //= 2
        halves = (
            builder.shuffle_vector(
                vector, vector, ir.Constant(ir.VectorType(INT32, lanes), list(range(first, end)))
            )
            for first, end in ((0, lanes), (lanes, 2 * lanes))
        )
        vector = add(*halves)
    return builder.extract_element(vector, ir.Constant(INT32, 0))


@instruction(prefer_literal=True)
def read_side(
    typing: Any, side: Any, empty: Any, slots: Any, words: Any, outside: Any, far: Any
) -> Made:
    """Read int8[SIDE]: write its counts + `empty` to int16[2 * LANES] `slots`, itself to `words`.

    Return bits: the places with checkers, and from bit 2 * LANES on, COUNTED bits each, the numbers
    of checkers, of those from the literal place `outside` on, and of those from `far` on.
    """
    begins = 0, outside.literal_value, far.literal_value

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        side, empty, slots, words = arrays_of(context, builder, signature, args)[:4]
        low, high = (load(builder, side, number(first), LANES) for first in (0, SIDE - LANES))
        lanes = [i if i < LANES else LANES + i - (SIDE - LANES) for i in range(SIDE)]
        rest = 2 * LANES - SIDE
        both = ir.Constant(ir.VectorType(INT32, 2 * LANES), lanes + [0] * rest)
        within = ir.Constant(WORD, [-1] * SIDE + [0] * rest)
        counts = builder.and_(builder.shuffle_vector(low, high, both), within)
        store(builder, counts, builder.bitcast(words, BYTE.as_pointer()), number(0))
        wide = builder.zext(counts, ir.VectorType(INT16, 2 * LANES))
        rows = load(builder, empty, number(0), 2 * LANES)
        store(builder, builder.add(rows, wide), slots, number(0))
        weights = [
            sum(1 << (COUNTED * i) for i, begin in enumerate(begins) if place >= begin)
            for place in range(2 * LANES)
        ]
        weighed = builder.mul(wide, ir.Constant(ir.VectorType(INT16, 2 * LANES), weights))
        numbers = builder.zext(total_of(builder, weighed), INT64)
        met = builder.icmp_signed("!=", counts, ir.Constant(WORD, [0] * (2 * LANES)))
        places = builder.zext(builder.bitcast(met, INT32), INT64)
        return builder.or_(places, builder.shl(numbers, number(2 * LANES)))

    return types.uint64(side, empty, slots, words, outside, far), code


@instruction
def run_up(typing: Any, values: Any, totals: Any) -> Made:
    """Fill `totals` with the sums of the first 1, 2 ... 2 * LANES floats of `values`."""

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        values, totals = arrays_of(context, builder, signature, args)
        lanes = 2 * LANES
        vector = load(builder, values, number(0), lanes)
        nothing = filled(FLOAT, lanes, 0.0)
        step = 1
        while step < lanes:
            later = [lanes] * step + list(range(lanes - step))
            mask = ir.Constant(ir.VectorType(INT32, lanes), later)
            vector = builder.fadd(vector, builder.shuffle_vector(vector, nothing, mask))
            step *= 2
        store(builder, vector, totals, number(0))
        return context.get_dummy_value()

    return types.void(values, totals), code


@instruction
def inner(typing: Any, values: Any, others: Any) -> Made:
    """Return the inner product of the first 2 * LANES floats of two arrays."""

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        data = arrays_of(context, builder, signature, args)
        products = (
            builder.fmul(*(load(builder, each, number(first), LANES) for each in data))
            for first in (0, LANES)
        )
        return total_of(builder, builder.fadd(*products))

    return types.float32(values, others), code


@instruction
def spread_out(typing: Any, figures: Any, start: Any, estimate: Any, chances: Any) -> Made:
    """Fill float32[2 * LANES] with chances of the numbers 0, 1 ... around an estimate.

    The figures from `start` on are the factors of x, x**2 and x**3 / 10, x being the number less
    the estimate, and then the shifts of the first LANES numbers. The chances are as (1 + z / 64) **
    64 is, nearly exp(z), for x from -11 to 13; 0 has none.
    """

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> ir.Value:
        figures, start, estimate, chances = arrays_of(context, builder, signature, args)

        def constant(value: float) -> ir.Constant:
            return filled(FLOAT, LANES, value)

        def figure(place: int) -> ir.Value:
            return builder.load(builder.gep(figures, [builder.add(start, number(place))]))

        def fused(value: ir.Value, factor: ir.Value, more: ir.Value) -> ir.Value:
            return builder.fadd(builder.fmul(value, factor, flags=FUSED), more, flags=FUSED)

        units = (1 / 64, 1 / 64, 0.1 / 64)
        factors = [
            spread(builder, builder.fmul(figure(place), ir.Constant(FLOAT, unit)), LANES)
            for place, unit in enumerate(units)
        ]
        centre = spread(builder, estimate, LANES)
        shifts = load(builder, figures, builder.add(start, number(3)), LANES)
        parts = []
        for first in (0, LANES):
            ramp = ir.Constant(
                ir.VectorType(FLOAT, LANES), [float(first + lane) for lane in range(LANES)]
            )
            x = builder.fsub(ramp, centre)
            power = constant(1.0)
            if first == 0:
                power = fused(shifts, constant(1 / 64), power)
            part = factors[2]
            for factor in (factors[1], factors[0], power):
                part = fused(part, x, factor)
            within = builder.and_(
                builder.fcmp_ordered(">=", x, constant(-11.0)),
                builder.fcmp_ordered("<=", x, constant(13.0)),
            )
            if first == 0:
                within = builder.and_(within, builder.fcmp_ordered(">", ramp, constant(0.0)))
            part = builder.select(within, positive_part(builder, part), constant(0.0))
            for _ in range(6):
                part = builder.fmul(part, part)
            parts.append(part)
        last = ir.VectorType(FLOAT, LANES), (LANES - 1) * [0.0] + [1e-30]  # never nothing at all
        parts[1] = builder.fadd(parts[1], ir.Constant(*last))
        share = builder.fdiv(
            ir.Constant(FLOAT, 1.0), total_of(builder, builder.fadd(parts[0], parts[1]))
        )
        for first, part in zip((0, LANES), parts, strict=True):
            scaled = builder.fmul(part, spread(builder, share, LANES))
            store(builder, scaled, chances, number(first))
        return context.get_dummy_value()

    return types.void(figures, types.int64, types.float32, chances), code
