"""Gammon values, take points and doubling points at a match score, from match equities alone."""

from __future__ import annotations

from typing import NamedTuple

from sixprime.engine.kernels import cube as kernel
from sixprime.engine.position import MatchState
from sixprime.engine.search.cube import CubeContext

Kinds = tuple[float, float]  # shares of gammons and backgammons in the games that somebody wins


class CubeWindow(NamedTuple):
    """Winning chances at which decisions change, for a cube turned from `cube` to twice that.

    None: the player who would turn it needs no more than `cube`, and so has no reason to. Dead:
    nobody turns it again, except for nothing; live: both turn it at the perfect moment.
    """

    cube: int
    gammon_price: float  # surplus of a gammon, as a share of winning over losing the cube
    take_dead: float | None  # above this the other's double is taken
    take_live: float | None
    double: float | None  # above this one's own last double gains
    cash_dead: float | None  # above this one's own double is dropped
    cash_live: float | None


def windows(state: MatchState, seat: int, won: Kinds, lost: Kinds) -> list[CubeWindow]:
    """The windows of the cubes still worth turning in this game, as `seat` sees them."""
    found: list[CubeWindow] = []
    cube = state.cube
    while cube < max(state.away):
        found.append(_window(state.with_(on_roll=seat, to_act=seat, cube=cube), (won, lost)))
        cube *= 2
    return found


def _window(state: MatchState, kinds: tuple[Kinds, Kinds]) -> CubeWindow:
    context, cube = CubeContext.of(state), state.cube
    chances = context.chances
    single, gone = kernel.won(chances, 0, cube), kernel.lost(chances, 0, cube)
    price = (kernel.won(chances, 0, 2 * cube) - single) / (single - gone)
    take: tuple[float | None, float | None] = (None, None)
    double, cash = None, take
    if state.away[1 - state.on_roll] > cube:
        dead, live = _cash_points(1, cube, kinds, context)
        take = 1 - dead, 1 - live
    if state.away[state.on_roll] > cube:
        cash = _cash_points(0, cube, kinds, context)
        high, low = (kernel.winning(chances, 0, stake, kinds[0]) for stake in (2 * cube, cube))
        gain = high - low
        high, low = (kernel.losing(chances, 0, stake, kinds[1]) for stake in (cube, 2 * cube))
        risk = high - low
        double = float(risk / (risk + gain)) if risk + gain > 0 else 1.0
    return CubeWindow(cube, float(price), *take, double, *cash)


def _cash_points(
    doubler: int, cube: int, kinds: tuple[Kinds, Kinds], context: CubeContext
) -> tuple[float, float]:
    """The cash points with a dead and a live cube."""
    rest = (cube, kinds, context.rules, context.chances)
    return float(kernel.last_cash_point(doubler, *rest)), float(kernel.cash_point(doubler, *rest))
