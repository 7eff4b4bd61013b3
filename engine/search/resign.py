"""Resignations: offers and their acceptance.

Point of view: outcomes are the player's on roll, as everywhere; `seat` is the player who decides.
Worths, as in `engine.search.cube`, are that seat's: MWC in a match, points for money. Both rules
compare only the equity of resigning 1, 2 or 3 games with that of playing on. So we never pay for a
gammon that does not count, nor accept a single game where a gammon is likely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sixprime.engine.kernels import cube as kernel
from sixprime.engine.search.cube import TIE, CubeContext, liveness, worth_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sixprime.engine.position import MatchState

CERTAIN = 1e-5  # chance and EMG; less is not worth playing for

_KINDS = (1, 2, 3)  # single game, gammon, backgammon


def resignation(
    outcomes: Sequence[float] | NDArray[np.float32], state: MatchState, seat: int
) -> int:
    """Return the number of games that `seat` should offer to lose; 0 while anything is open.

    It is the fewest games worth exactly as much as the certain result: the resigner gives nothing
    away, and the opponent gets the most that playing on could bring.
    """
    context = CubeContext.of(state)
    dealt = np.asarray(outcomes, dtype=np.float32)
    side = 0 if seat == state.on_roll else 1
    chance = float(dealt[kernel.WIN]) if side == 0 else 1.0 - float(dealt[kernel.WIN])
    if chance > CERTAIN:
        return 0
    dead = worth_of(outcomes, context, (context.cube, context.owner), liveness(0.0))
    lost = _mine(dead, side, context)
    slack = CERTAIN * _worth_per_emg(context)
    for games in _KINDS:
        if abs(_settled(context, state, 1 - side, games, side) - lost) <= slack:
            return games
    return 0


def accepts_over(worth: float, state: MatchState, seat: int, games: int) -> bool:
    """Return whether `seat` should let the opponent lose this many games at once.

    `worth` is the worth of playing on to `seat`.
    """
    context = CubeContext.of(state)
    side = 0 if seat == state.on_roll else 1
    settled = _settled(context, state, side, games, side)
    return settled >= worth - TIE * _worth_per_emg(context)


def _settled(context: CubeContext, state: MatchState, winner: int, games: int, side: int) -> float:
    """Return the worth to `side` if the side `winner` wins this many games."""
    counted = games
    if state.length == 0 and state.jacoby and state.cube_owner is None:
        counted = 1  # nobody has doubled
    worth = kernel.pass_worth(winner, counted * context.cube, context.rules, context.chances)
    return float(worth if winner == side else kernel.turned(worth, context.rules))


def _mine(worth: float, side: int, context: CubeContext) -> float:
    """Turn a worth of side 0 into one of `side`."""
    return float(worth if side == 0 else kernel.turned(worth, context.rules))


def _worth_per_emg(context: CubeContext) -> float:
    if context.rules[kernel.MONEY]:
        return float(context.cube)
    won = kernel.won(context.chances, 0, context.cube)
    return float(won - kernel.lost(context.chances, 0, context.cube)) / 2
