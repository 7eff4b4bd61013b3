"""Chances that lie around an estimate, and their products, in LLVM's own instructions."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from sixprime.engine.kernels.machine.compiled import instruction
from sixprime.engine.kernels.machine.vectors import (
    FLOAT,
    INT32,
    LANES,
    Made,
    arrays_of,
    filled,
    load,
    number,
    positive_part,
    spread,
    store,
)


def total_of(builder: ir.IRBuilder, vector: ir.Value) -> ir.Value:
    """Sum the lanes of a vector: halves are added until one lane is left."""
    lanes = vector.type.count
    while lanes > 1:
        lanes //= 2
        halves = (
            builder.shuffle_vector(
                vector, vector, ir.Constant(ir.VectorType(INT32, lanes), list(range(first, end)))
            )
            for first, end in ((0, lanes), (lanes, 2 * lanes))
        )
        vector = builder.fadd(*halves)
    return builder.extract_element(vector, ir.Constant(INT32, 0))


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

        factors = [spread(builder, figure(place), LANES) for place in range(3)]
        factors[2] = builder.fmul(factors[2], constant(0.1))
        centre = spread(builder, estimate, LANES)
        parts = []
        for first in (0, LANES):
            ramp = ir.Constant(
                ir.VectorType(FLOAT, LANES), [float(first + lane) for lane in range(LANES)]
            )
            x = builder.fsub(ramp, centre)
            power = constant(0.0)
            for factor in reversed(factors):
                power = builder.fmul(x, builder.fadd(factor, power))
            if first == 0:
                power = builder.fadd(
                    power, load(builder, figures, builder.add(start, number(3)), LANES)
                )
            power = builder.fadd(constant(1.0), builder.fmul(power, constant(1 / 64)))
            power = positive_part(builder, power)
            for _ in range(6):
                power = builder.fmul(power, power)
            for sign, value, bound in ((">=", x, -11.0), ("<=", x, 13.0), (">", ramp, 0.0)):
                within = builder.fcmp_ordered(sign, value, constant(bound))
                power = builder.select(within, power, constant(0.0))
            parts.append(power)
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
