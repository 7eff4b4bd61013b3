"""Play without a cube: the best play of a roll, and the luck of a roll.

The cubeful counterparts are in engine.kernels.tree and engine.kernels.luck. Here equity is money's
in single precision: self-play and the comparison of nets need no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sixprime.engine.kernels.evaluation import (
    DATABASE_CHECKERS,
    ONE_SIDED,
    Brain,
    Scratch,
    class_of,
    judge,
    judge_results,
)
from sixprime.engine.kernels.machine.compiled import array_kernel, kernel
from sixprime.engine.kernels.moves import PLACES, flip, generate, generate_or_dance
from sixprime.engine.kernels.network import WIN, money
from sixprime.engine.kernels.pruning import rank_results


class CubelessPlayer(NamedTuple):
    """A player: its brain, its scratch and its aim."""

    brain: Brain
    work: Scratch
    keep: int = 0  # plays of a roll that the pruner leaves to be judged in full; 0: all
    win_only: bool = False  # a one-point match instead of money
    checkers: int = DATABASE_CHECKERS  # a side


@kernel
def utility(outcome, win_only):
    """Return the equity that a player maximises: cubeless money, or a one-point match's."""
    if win_only:
        return np.float32(2.0) * outcome[WIN] - np.float32(1.0)
    return money(outcome)


@kernel
def best_of_roll(player, board, die1, die2, keep):
    """Return the index of the best result and its utility to the mover; a dance is a result."""
    brain, work, checkers = player.brain, player.work, player.checkers
    count = generate_or_dance(board, die1, die2, work.rolled)
    count = rank_results(brain, board, checkers, count, keep, work)
    judge_results(brain, board, checkers, count, work)
    best = 0
    most = utility(work.outcomes[0], player.win_only)
    for i in range(1, count):
        worth = utility(work.outcomes[i], player.win_only)
        if worth > most:
            best = i
            most = worth
    return best, most


@kernel
def luck(player, board, die1, die2, opening):
    """Return the mover's gain by a roll over the average roll; no doubles if `opening`.

    Its expectation is zero, however wrong the brain is.
    """
    total = 0.0
    weights = 0.0
    rolled = 0.0
    for high in range(1, 7):
        for low in range(1, high + 1):
            if opening and high == low:
                continue
            weight = 1.0 if high == low else 2.0
            _, worth = best_of_roll(player, board, high, low, player.keep)
            total += weight * worth
            weights += weight
            if high == max(die1, die2) and low == min(die1, die2):
                rolled = np.float64(worth)
    return rolled - total / weights


@array_kernel
def choose_many(player, boards, dice, out):
    """Play each of dice int8[n, 2] from int8[n, 2, 25]; `out` keeps the mover's view."""
    for i in range(len(boards)):
        best, _ = best_of_roll(player, boards[i], dice[i, 0], dice[i, 1], player.keep)
        out[i] = player.work.rolled.results[best]


@array_kernel
def luck_many(player, boards, dice, opening, out):
    """Fill float64[n] with the mover's luck of each roll."""
    for i in range(len(boards)):
        out[i] = luck(player, boards[i], dice[i, 0], dice[i, 1], opening)


@kernel
def scattered(number):
    """Return a hash: each bit depends on all bits of `number`, a uint64."""
    number = (number ^ (number >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    number = (number ^ (number >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return number ^ (number >> np.uint64(33))


@array_kernel
def random_many(boards, dice, seed, rolled, out):
    """Play each roll at random, all results equally likely, by a hash of board and dice."""
    for i in range(len(boards)):
        count = generate(boards[i], dice[i, 0], dice[i, 1], rolled)
        if count == 0:
            out[i] = boards[i]
            continue
        number = scattered(np.uint64(seed) + np.uint64(64 * dice[i, 0] + dice[i, 1]))
        for side in range(2):
            for place in range(PLACES):
                number = scattered(number * np.uint64(31) + np.uint64(boards[i, side, place]))
        out[i] = rolled.results[np.int64(number % np.uint64(count))]


@array_kernel
def expect(player, boards, plies, outcome):
    """Return the equity of the player on roll of boards[0], `plies` rolls ahead, all rolls tried.

    `boards` int8[plies + 1, 2, 25] after the first and `outcome` float32[5] are scratch. A stack of
    rolls and sums walks the tree: a function that calls itself crashes when numba loads it from its
    cache.
    """
    brain, work, checkers = player.brain, player.work, player.checkers
    if plies == 0 or class_of(boards[0], checkers) <= ONE_SIDED:
        judge(brain, boards[0], checkers, work, outcome)
        return np.float64(money(outcome))
    rolls = np.zeros(plies, np.int64)  # the next of the 36 at each depth
    sums = np.zeros(plies)
    depth = 0
    while True:
        roll = rolls[depth]
        if roll == 36:
            if depth == 0:
                return sums[0] / 36.0
            depth -= 1
            sums[depth] -= weight_of(rolls[depth]) * sums[depth + 1] / 36.0
            rolls[depth] += 1
            continue
        weight = weight_of(roll)
        if weight > 0:
            best, worth = best_of_roll(
                player, boards[depth], roll // 6 + 1, roll % 6 + 1, player.keep
            )
            if depth + 1 == plies:
                sums[depth] += weight * worth
            else:
                flip(work.rolled.results[best], boards[depth + 1])
                if class_of(boards[depth + 1], checkers) > ONE_SIDED:
                    depth += 1
                    rolls[depth] = 0
                    sums[depth] = 0.0
                    continue
                judge(brain, boards[depth + 1], checkers, work, outcome)
                sums[depth] -= weight * money(outcome)
        rolls[depth] += 1


@kernel
def weight_of(roll):
    """Return the weight of number `roll` of 36; the higher die first counts for both orders."""
    first = roll // 6
    second = roll % 6
    if first == second:
        return 1.0
    return 2.0 if first > second else 0.0


@array_kernel
def expect_many(player, starts, plies, outs):
    """Fill float64[n] with `expect` of int8[n, 2, 25]."""
    boards = np.zeros((plies + 1, 2, PLACES), np.int8)
    outcome = np.zeros(5, np.float32)
    for i in range(len(starts)):
        boards[0] = starts[i]
        outs[i] = expect(player, boards, plies, outcome)
