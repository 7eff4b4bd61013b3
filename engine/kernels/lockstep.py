"""Whole batches of decisions at once, for playing thousands of games side by side."""

from __future__ import annotations

import numpy as np
from numba import njit

from sixprime.engine.kernels.compiled import kernel
from sixprime.engine.kernels.evaluation import judge, judge_results, rank_results
from sixprime.engine.kernels.moves import PLACES, generate
from sixprime.engine.kernels.network import WIN, money, turn_round


@kernel
def utility(outcome, win_only):
    """What a player wants: cubeless money equity, or that of a one-point match."""
    if win_only:
        return np.float32(2.0) * outcome[WIN] - np.float32(1.0)
    return money(outcome)


@kernel
def best_of_roll(brain, board, checkers, die1, die2, replies, win_only, work):
    """(index of the best result or -1 for a dance, its utility to the mover).

    The pruner leaves `replies` results to be judged, or all if that is 0.
    """
    count = generate(board, die1, die2, work.results, work.plays, work.keys, work.table)
    if count == 0:
        for place in range(PLACES):
            work.turned_board[0, place] = board[1, place]
            work.turned_board[1, place] = board[0, place]
        judge(brain, work.turned_board, checkers, work, work.turned)
        turn_round(work.turned, work.outcomes[0])
        return -1, utility(work.outcomes[0], win_only)
    count = rank_results(brain, board, checkers, count, replies, work)
    judge_results(brain, board, checkers, count, work)
    best = 0
    most = utility(work.outcomes[0], win_only)
    for i in range(1, count):
        worth = utility(work.outcomes[i], win_only)
        if worth > most:
            best = i
            most = worth
    return best, most


@njit(cache=True, nogil=True)
def choose_many(brain, boards, dice, checkers, win_only, work, out):
    """Play each of dice int8[n, 2] from int8[n, 2, 25]; out has the mover's view still."""
    for i in range(len(boards)):
        best, _ = best_of_roll(
            brain, boards[i], checkers, dice[i, 0], dice[i, 1], 0, win_only, work
        )
        out[i] = boards[i] if best < 0 else work.results[best]


@njit(cache=True, nogil=True)
def luck_many(brain, boards, dice, checkers, opening, replies, win_only, work, out):
    """Fill float64[n] with how lucky each roll is for the mover.

    Luck is the utility of the roll's best play less the average over all rolls, none of them
    doubles if `opening`. Its expectation is zero whatever the brain believes.
    """
    for i in range(len(boards)):
        total = 0.0
        weights = 0.0
        rolled = 0.0
        for high in range(1, 7):
            for low in range(1, high + 1):
                if opening and high == low:
                    continue
                weight = 1.0 if high == low else 2.0
                _, worth = best_of_roll(
                    brain, boards[i], checkers, high, low, replies, win_only, work
                )
                total += weight * worth
                weights += weight
                if high == max(dice[i, 0], dice[i, 1]) and low == min(dice[i, 0], dice[i, 1]):
                    rolled = np.float64(worth)
        out[i] = rolled - total / weights


@kernel
def scattered(number):
    """A uint64 whose bits depend on all of another's."""
    number = (number ^ (number >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    number = (number ^ (number >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return number ^ (number >> np.uint64(33))


@njit(cache=True, nogil=True)
def random_many(boards, dice, seed, results, plays, keys, table, out):
    """Play each roll at random: every result as likely as another, by a hash of board and dice."""
    for i in range(len(boards)):
        count = generate(boards[i], dice[i, 0], dice[i, 1], results, plays, keys, table)
        if count == 0:
            out[i] = boards[i]
            continue
        number = scattered(np.uint64(seed) + np.uint64(64 * dice[i, 0] + dice[i, 1]))
        for side in range(2):
            for place in range(PLACES):
                number = scattered(number * np.uint64(31) + np.uint64(boards[i, side, place]))
        out[i] = results[np.int64(number % np.uint64(count))]
