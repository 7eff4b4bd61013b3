"""What follows from outcomes and match equities alone: the slow twins of kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sixprime.engine.kernels import cube as kernel
from sixprime.engine.position import MatchState
from sixprime.engine.search.cube import (
    CubeContext,
    CubeDecision,
    judged,
    worth_of,
)
from sixprime.engine.search.matchequity import Chances, MatchEquityTable
from sixprime.engine.search.resign import accepts_over


class Exact(NamedTuple):
    """Money equities per unit of the cube: owned by the player on roll, centred, the opponent's."""

    mine: float
    centred: float
    theirs: float


def known(efficiency: float, exact: Exact | None) -> kernel.Liveness:
    """The kernels' form of an efficiency and exact equities."""
    exactly = np.array(exact or (0.0, 0.0, 0.0))
    return kernel.Liveness((efficiency,) * 3, exactly, exact is not None)


def cube_decision(
    outcomes: Sequence[float],
    state: MatchState,
    efficiency: float = kernel.CONTACT_EFFICIENCY,
    *,
    exact: Exact | None = None,
) -> CubeDecision:
    """Double, take, pass? From outcomes alone."""
    context, live = CubeContext.of(state), known(efficiency, exact)
    no_double, taken = (
        worth_of(outcomes, context, (int(cube), int(owner)), live) for cube, owner in context.states
    )
    return judged(no_double, taken, state)


def playing_on(
    outcomes: Sequence[float], state: MatchState, seat: int, exact: Exact | None = None
) -> float:
    """What the game is worth to `seat`, with the right to double if the dice are still to come."""
    context, live = CubeContext.of(state), known(kernel.CONTACT_EFFICIENCY, exact)
    worth = worth_of(outcomes, context, (context.cube, context.owner), live)
    if state.dice is None:
        worths = np.zeros(1)
        kernel.leaf_worths(
            np.array(outcomes, np.float32), 0, context.states[:1], 1,
            live, context.rules, context.chances, worths,
        )  # fmt: skip
        worth = float(worths[0])
    return float(worth if seat == state.on_roll else kernel.turned(worth, context.rules))


def accepts(outcomes: Sequence[float], state: MatchState, seat: int, games: int) -> bool:
    """Should `seat` accept that the opponent loses this many games?"""
    return accepts_over(playing_on(outcomes, state, seat), state, seat, games)


class Shares(NamedTuple):
    """How a player's won games divide: the rest of 1 are single games."""

    gammon: float = 0.0
    backgammon: float = 0.0


NO_GAMMONS = (Shares(), Shares())


class GammonPrices(NamedTuple):
    """What a gammon adds to a game, and a backgammon to a gammon; money's prices are all 1."""

    gammon_won: float
    gammon_lost: float
    backgammon_won: float
    backgammon_lost: float


class TakePoint(NamedTuple):
    """The chance a player needs to take; the owner of a live cube can use it to the full."""

    dead: float
    live: float


def gammon_prices(chances: Chances, cube: int) -> GammonPrices:
    """At this cube, none below 0."""
    middle = (chances.win(cube) + chances.lose(cube)) / 2
    unit = chances.win(cube) - middle
    if abs(unit) < 1e-7:
        return GammonPrices(0.0, 0.0, 0.0, 0.0)
    gammon_won = (chances.win(2 * cube) - middle) / unit - 1
    gammon_lost = (middle - chances.lose(2 * cube)) / unit - 1
    backgammon_won = (chances.win(3 * cube) - middle) / unit - 1 - gammon_won
    backgammon_lost = (middle - chances.lose(3 * cube)) / unit - 1 - gammon_lost
    return GammonPrices(
        max(gammon_won, 0.0),
        max(gammon_lost, 0.0),
        max(backgammon_won, 0.0),
        max(backgammon_lost, 0.0),
    )


def take_point(
    table: MatchEquityTable,
    state: MatchState,
    taker: int,
    shares: tuple[Shares, Shares] = NO_GAMMONS,
    cube: int | None = None,
) -> TakePoint:
    """The winning chance seat `taker` needs to take when `cube` (default: the state's) is doubled.

    `shares` says, by seat, which share of the games a player wins are gammons and backgammons. A
    player who would win the match with the doubled cube is redoubled at once, in both numbers.
    """
    stake = state.cube if cube is None else cube
    doubler = 1 - taker
    theirs = table.chances(state, doubler)
    live = 1.0 - _live_cash_point(table, state, doubler, shares, stake)
    final = _final_stake(state, doubler, stake)
    passed = theirs.win(stake)
    won = _spread_over(theirs.win, shares[doubler], final)
    lost = _spread_over(theirs.lose, shares[taker], final)
    return TakePoint(1.0 - (passed - lost) / (won - lost), live)


def money_take_point(won: Shares = NO_GAMMONS[0], lost: Shares = NO_GAMMONS[1]) -> TakePoint:
    """The chance needed to take for money, given how the taker's wins and losses divide."""
    gain = 1 + won.gammon + 2 * won.backgammon
    loss = 1 + lost.gammon + 2 * lost.backgammon
    return TakePoint((loss - 0.5) / (gain + loss), (loss - 0.5) / (gain + loss + 0.5))


def _live_cash_point(
    table: MatchEquityTable,
    state: MatchState,
    doubler: int,
    shares: tuple[Shares, Shares],
    stake: int,
) -> float:
    """The chance at which the doubler's double of `stake` is just a pass, all cubes live."""
    own = table.chances(state, doubler)
    taker = 1 - doubler
    passed = own.win(stake)
    if min(state.away) - 1 < 2 * stake:  # the doubled cube is no use to one of them
        final = _final_stake(state, doubler, stake)
        won = _spread_over(own.win, shares[doubler], final)
        lost = _spread_over(own.lose, shares[taker], final)
        return (passed - lost) / (won - lost)
    won = _spread_over(own.win, shares[doubler], 2 * stake)
    redoubled_out = own.lose(2 * stake)
    theirs = _live_cash_point(table, state, taker, shares, 2 * stake)
    return 1.0 - theirs * (won - passed) / (won - redoubled_out)


def _final_stake(state: MatchState, doubler: int, stake: int) -> int:
    """What a taken double is played for when the taker redoubles as soon as that costs nothing."""
    doubler_wins_match = state.away[doubler] - 1 < 2 * stake
    taker_has_use = state.away[1 - doubler] - 1 >= 2 * stake
    return 4 * stake if doubler_wins_match and taker_has_use else 2 * stake


def _spread_over(chance: Callable[[int], float], shares: Shares, stake: int) -> float:
    """The average chance over single games, gammons and backgammons for this stake."""
    single = 1.0 - shares.gammon - shares.backgammon
    return (
        single * chance(stake)
        + shares.gammon * chance(2 * stake)
        + shares.backgammon * chance(3 * stake)
    )
