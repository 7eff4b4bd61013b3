"""Winning chances at which cube decisions change, in a match and for money, and gammon values.

The chances of a position fix the shares of gammons in the games that each side wins; at other
winning chances the shares are taken to stay the same. Dead: nobody turns the cube again. Live: both
turn it at the perfect moment. `effective` lies between, by the cube's efficiency.
"""

from __future__ import annotations

from typing import NamedTuple

from sixprime.engine.kernels import cube as kernel
from sixprime.engine.position import Chances, MatchState
from sixprime.engine.search.cube import CubeContext, CubeDecision
from sixprime.engine.study.takepoints import CubeWindow, Kinds, windows


class TurningPoints(NamedTuple):
    """Chances of one player from which an action is right; None: it cannot arise."""

    take: float | None  # of the other's double
    beaver: float | None = None  # of the other's double
    raccoon: float | None = None  # after the beaver of an own double
    double: float | None = None  # for the first time; in a match any
    redouble: float | None = None
    cash: float | None = None  # the other's pass of an own double
    too_good: float | None = None  # playing on for a gammon


class CubePoints(NamedTuple):
    """One player's points for a cube turned from `cube` to twice that."""

    cube: int
    dead: TurningPoints
    live: TurningPoints
    redoubled: TurningPoints | None  # dead after the other's redouble, which costs nothing

    def effective(self, efficiency: float) -> TurningPoints:
        """Return the points between dead and live."""
        return TurningPoints(
            *(
                None if dead is None or live is None else dead + (live - dead) * efficiency
                for dead, live in zip(self.dead, self.live, strict=True)
            )
        )


def kinds_of(chances: Chances) -> tuple[Kinds, Kinds]:
    """Return the shares of gammons and of backgammons, apart, in the games won and lost."""
    win, gammon, backgammon, lost, lost_backgammon = map(float, chances)
    won = (max(gammon - backgammon, 0) / win, backgammon / win) if win > 0 else (0.0, 0.0)
    lose = 1 - win
    if lose <= 0:
        return won, (0.0, 0.0)
    return won, (max(lost - lost_backgammon, 0) / lose, lost_backgammon / lose)


def gammon_values(match: MatchState, seat: int) -> tuple[float, float]:
    """Return the surplus of a gammon and a backgammon over a win, in units of win less loss."""
    if match.length == 0:
        return (0.0, 0.0) if match.jacoby and match.cube_owner is None else (0.5, 1.0)
    context = CubeContext.of(match.with_(on_roll=seat, to_act=seat))
    single, gammon, backgammon = (
        float(kernel.won(context.chances, 0, match.cube * points)) for points in (1, 2, 3)
    )
    span = single - float(kernel.lost(context.chances, 0, match.cube))
    return (gammon - single) / span, (backgammon - single) / span


def cube_points(match: MatchState, seat: int, chances: Chances) -> list[CubePoints]:
    """Return the points of `seat` for every cube that can still be turned.

    `chances` belong to the player on roll. For money the points do not depend on the cube, and
    there is one entry.
    """
    won, lost = kinds_of(chances)
    if seat != match.on_roll:
        won, lost = lost, won
    if match.length == 0:
        return [_money(match, won, lost)]
    return [_match(match, seat, window, won, lost) for window in windows(match, seat, won, lost)]


def bluff(decision: CubeDecision) -> float | None:
    """Return the share of wrong answers that would make the wrong cube action right.

    It is None if turning the cube is right, or impossible.
    """
    if decision.double or not decision.available:
        return None
    return share_of_wrong(*decision.equities)


def share_of_wrong(no_double: float, double_take: float, double_pass: float) -> float | None:
    """Return the share of wrong answers from which on a double gains; None if it gains anyway."""
    right, wrong = sorted((double_take, double_pass))
    if right >= no_double or wrong <= right or no_double > wrong:
        return None
    return (no_double - right) / (wrong - right)


def market_windows(points: CubePoints) -> list[tuple[str, float, float]]:
    """Return where the market opens and closes for a dead and a live cube, with their names.

    For a live cube, too, it opens where the last cube is turned.
    """
    opens, columns = points.dead.double, (("dead", points.dead), ("live", points.live))
    return [
        (name, opens, column.cash)
        for name, column in columns
        if opens is not None and column.cash is not None
    ]


def _money(match: MatchState, won: Kinds, lost: Kinds) -> CubePoints:
    """Return the cube points for money play, by Janowski's formulas."""
    win, lose = (1 + gammon + 2 * backgammon for gammon, backgammon in (won, lost))
    both, live = win + lose, win + lose + 0.5
    first = lose / both
    if match.jacoby:
        turned = 0.25 if match.beavers else 0.5
        first = (lose - turned) / (both - 2 * turned)
    cash = (lose + 1) / live
    return CubePoints(
        match.cube,
        TurningPoints(
            (lose - 0.5) / both, lose / both, lose / both, first, lose / both,
            (lose + 0.5) / both, (lose + 1) / both,
        ),
        TurningPoints(
            (lose - 0.5) / live, lose / live, (lose + 0.5) / live, cash, cash, cash, cash
        ),
        None,
    )  # fmt: skip


def _match(match: MatchState, seat: int, window: CubeWindow, won: Kinds, lost: Kinds) -> CubePoints:
    context = CubeContext.of(match.with_(on_roll=seat, to_act=seat))
    rules, chances, cube = context.rules, context.chances, window.cube

    def ends(stake: int) -> tuple[float, float]:
        return (
            float(kernel.losing(chances, 0, stake, lost)),
            float(kernel.winning(chances, 0, stake, won)),
        )

    def turned(stake: int) -> tuple[float | None, float | None]:
        """Return the chances from which a double to this stake gains, and is passed."""
        if window.cash_dead is None:
            return None, None
        (low, high), (least, most) = ends(cube), ends(stake)
        risk, gain = low - least, most - high
        return risk / (risk + gain) if risk + gain > 0 else 1.0, _share(passed, least, most)

    passed = float(kernel.won(chances, 0, cube))
    low, high = ends(cube)
    too_good = _share(passed, low, high) if high > passed and window.cash_dead else None
    double, cash = turned(2 * cube)
    redoubled = None
    over = rules[kernel.AWAY] <= 2 * cube and kernel.has_use(rules, 1, 2 * cube)
    if cash is not None and over:
        again = turned(4 * cube)
        redoubled = TurningPoints(
            window.take_dead, double=again[0], cash=again[1], too_good=too_good
        )
    dead = TurningPoints(window.take_dead, double=double, cash=cash, too_good=too_good)
    live = TurningPoints(
        window.take_live, double=window.cash_live, cash=window.cash_live, too_good=window.cash_live
    )
    return CubePoints(cube, dead, live, redoubled)


def _share(value: float, low: float, high: float) -> float:
    return (value - low) / (high - low) if high != low else 1.0
