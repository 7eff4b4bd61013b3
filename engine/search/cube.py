"""Cube decisions: the cubeful worth of a position, and whether to double, take or pass.

Point of view: all numbers belong to `state.on_roll`, the player who may double before rolling or
whose double waits for an answer. So `double_take` falls as the taker's prospects rise; but `take`,
`beaver` and `answer` are advice to the *other* player.

Scale: equities are EMG, +1 for winning the cube as it stands before the double and -1 for losing
it; for money that is points per unit of that cube. In a match there are match winning chances
(MWC), too. The kernels' scale, "worth", is MWC in a match and points for money.

The model is Janowski's: the real cube lies between one that nobody can turn (dead) and one that
both turn at the perfect moment (live), `efficiency` of the way. In contact the net says how far,
by position and owner of the cube (docs/adr/0025); elsewhere constants do. Exact money equities from
the two-sided bearoff database are passed as `exact`: for money they are the answer, in a match they
give the efficiency. `judged` turns worths, of the model or of a search, into a verdict.

Beavers change the verdict, not the equities. The underdog does not offer a double that changes
nothing: it would only spare the opponent a mistake.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from sixprime.engine.game import Answer
from sixprime.engine.kernels import cube as kernel
from sixprime.engine.position import MatchState
from sixprime.engine.search import matchequity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sixprime.engine.search.matchequity import MatchEquityTable

BY_THE_NET = -1.0  # in place of an efficiency in contact
BEAROFF_EFFICIENCY = 0.6  # one-sided databases; also the most for two-sided positions in a match
TIE = 1e-6  # EMG: a smaller difference counts as none

_UNAVAILABLE = "Cube not available"


class Cubeful(NamedTuple):
    """An equity with the cube, and the chance of the match it means; None for money."""

    equity: float
    mwc: float | None


@dataclass(slots=True, unsafe_hash=True)
class CubeDecision:
    """The worth of no double, double/take and double/pass, and the right actions of both sides.

    Nothing changes one; `frozen` would make it four times as slow to make.
    """

    no_double: float
    double_take: float
    double_pass: float
    mwc: tuple[float, float, float] | None  # of the same three; None for money
    available: bool  # the player on roll may double, and the cube is alive
    double: bool
    take: bool  # by the opponent, if doubled
    beaver: bool  # by the opponent
    action: str  # in gnubg's words: "No double, take", "Redouble, pass", ...
    beavers: int = 0  # longest chain; 0 if the cube cannot go so high

    @property
    def equities(self) -> tuple[float, float, float]:
        """The equities of no double, double/take and double/pass."""
        return self.no_double, self.double_take, self.double_pass

    @property
    def optimal(self) -> float:
        """The equity if both sides decide correctly, beavers aside."""
        answered = min(self.double_take, self.double_pass)
        return answered if self.available and answered >= self.no_double else self.no_double

    def answer(self, turns: int = 1) -> Answer:
        """Return the answer to this many turns of the cube in a row: 1 double, 2 beaver, 3 raccoon.

        The two players turn it alternately: the opponent of the player on roll answers odd turns,
        the player on roll even ones.
        """
        at_stake = -self.double_take if turns % 2 else self.double_take  # of the player who answers
        if turns <= self.beavers and 0 <= at_stake <= 2 * self.double_pass:
            return Answer.BEAVER
        return Answer.TAKE if at_stake >= -self.double_pass else Answer.PASS


@dataclass(frozen=True, eq=False, slots=True)
class CubeContext:
    """Match and cube in kernel form; side 0 is `state.on_roll`, side 1 the other."""

    rules: NDArray[np.int64]  # [6], see sixprime.engine.kernels.cube
    chances: NDArray[np.float64]  # [2, 65]
    cube: int
    owner: int  # kernel.MINE, CENTRED, THEIRS: seen by side 0
    passed: float  # worth if side 0 doubles and the other passes
    cash: float  # its EMG
    won_lost: tuple[float, float] | None  # MWC after winning and losing this cube; None for money
    may_double: bool
    beavers: int  # longest chain; 0 if the cube cannot go so high

    @classmethod
    def of(cls, state: MatchState) -> CubeContext:
        global _latest
        latest = _latest
        if latest is None or latest[0] is not state:  # a decision asks often; to hash one is slow
            latest = _latest = state, _context(state)
        return latest[1]

    @property
    def states(self) -> NDArray[np.int64]:
        """The cubes of a cube decision, int64[2, 2]: unturned, and doubled and taken."""
        return np.array([(self.cube, self.owner), (2 * self.cube, kernel.THEIRS)], dtype=np.int64)

    def available(self) -> bool:
        """Return whether the player on roll may double, and the cube is alive."""
        return self.may_double

    def cubeful(self, worth: float) -> Cubeful:
        """Convert a kernel's worth for side 0 to the scale of this cube, as `kernel.emg` does."""
        worth = float(worth)
        return Cubeful(self.emg(worth), None if self.won_lost is None else worth)

    def emg(self, worth: float) -> float:
        """Return the equity alone."""
        if self.won_lost is None:
            return worth / self.cube
        high, low = self.won_lost
        return (2.0 * worth - high - low) / (high - low) if high != low else 0.0


class RolledFigures(Protocol):
    """The figures of a rollout (sixprime.engine.search.rollout.Rolled)."""

    @property
    def trials(self) -> int: ...
    @property
    def outcomes(self) -> tuple[float, ...]: ...
    @property
    def outcome_errors(self) -> tuple[float, ...]: ...
    @property
    def equity(self) -> float: ...
    @property
    def error(self) -> float: ...
    @property
    def mwc(self) -> float | None: ...
    @property
    def mwc_error(self) -> float | None: ...


def cubeful_equity(
    outcomes: Sequence[float] | NDArray[np.float32],
    state: MatchState,
    efficiency: float = kernel.CONTACT_EFFICIENCY,
) -> Cubeful:
    """Return the worth of these outcomes if the cube is not turned before this roll."""
    context = CubeContext.of(state)
    return context.cubeful(
        worth_of(outcomes, context, (context.cube, context.owner), liveness(efficiency))
    )


def judged(no_double: float, double_take: float, state: MatchState) -> CubeDecision:
    """Judge two worths (see the module), from a model, a search or a rollout alike."""
    context = CubeContext.of(state)
    worths = float(no_double), float(double_take), context.passed
    nd, dt, dp = context.emg(worths[0]), context.emg(worths[1]), context.cash
    beaver = context.beavers > 0 and -2 * dp <= dt <= 0
    available = context.may_double
    after_double = min(2 * dt if beaver else dt, dp)
    gain = after_double - nd
    double = available and (gain > TIE or (gain >= -TIE and (nd > 0 or dt > dp)))
    return CubeDecision(
        nd,
        dt,
        dp,
        None if state.length == 0 else worths,
        available,
        double,
        dt <= dp,
        beaver,
        _action(gain, nd, dt, dp, beaver, context) if available else _unavailable(context),
        context.beavers,
    )


def _action(
    gain: float, nd: float, dt: float, dp: float, beaver: bool, context: CubeContext
) -> str:
    """Return gnubg's words for an available cube, which gains so much if it is turned."""
    double = "double" if context.owner == kernel.CENTRED else "redouble"
    answer = "pass" if dt > dp else "beaver" if beaver else "take"
    if gain >= -TIE:
        if abs(gain) <= TIE and answer != "pass":
            return f"Optional {double}, {answer}"
        return f"{double.capitalize()}, {answer}"
    if nd > dp:
        return f"Too good to {double}, {answer}"
    return f"No {double}, {answer}"


def _unavailable(context: CubeContext) -> str:
    """Return gnubg's words for a cube that the player on roll owns but cannot use."""
    if context.owner == kernel.CENTRED:
        return "Never double, take (dead cube)"
    if context.owner == kernel.MINE:
        return "Never redouble, take (dead cube)"
    return _UNAVAILABLE


def worth_of(
    outcomes: Sequence[float] | NDArray[np.float32],
    context: CubeContext,
    cube: tuple[int, int],
    live: kernel.Liveness,
) -> float:
    """Return the worth to side 0 with this cube (value and owner), if it is not turned now."""
    chances = np.asarray(outcomes, dtype=np.float32)
    return float(kernel.cubeful(chances, 0, *cube, live, context.rules, context.chances))


def liveness(efficiency: float) -> kernel.Liveness:
    """Return the kernels' form of an efficiency, where no equity is known exactly."""
    return kernel.Liveness((efficiency,) * 3, np.zeros(3), False)


_NO_CHANCES = np.zeros((2, kernel.MOST_POINTS + 1))


@lru_cache(maxsize=1024)
def _context(state: MatchState) -> CubeContext:
    seat = state.on_roll
    rules = np.zeros(kernel.RULES, dtype=np.int64)
    rules[kernel.MAX_CUBE] = state.max_cube or 0
    if state.length == 0:
        rules[kernel.MONEY] = 1
        rules[kernel.JACOBY] = state.jacoby
        chances = _NO_CHANCES
    else:
        rules[kernel.CRAWFORD] = state.crawford
        rules[kernel.AWAY : kernel.AWAY + 2] = state.away[seat], state.away[1 - seat]
        chances = _chances(
            matchequity.table_of(state), state.length, state.score, state.crawford, seat
        )
    owner = kernel.CENTRED
    if state.cube_owner is not None:
        owner = kernel.MINE if state.cube_owner == seat else kernel.THEIRS
    won_lost = None
    if state.length:
        won, lost = kernel.won(chances, 0, state.cube), kernel.lost(chances, 0, state.cube)
        won_lost = float(won), float(lost)
    passed = float(kernel.pass_worth(0, state.cube, rules, chances))
    may_double = bool(kernel.may_double(0, state.cube, owner, rules))
    beavers = 0 if state.length or 4 * state.cube > (state.max_cube or math.inf) else state.beavers
    cash = 0.0 if won_lost is not None and won_lost[0] == won_lost[1] else 1.0
    return CubeContext(
        rules, chances, state.cube, owner, passed, cash, won_lost, may_double, beavers
    )


_latest: tuple[MatchState, CubeContext] | None = None


@lru_cache(maxsize=4096)
def _chances(
    table: MatchEquityTable, length: int, score: tuple[int, int], crawford: bool, seat: int
) -> NDArray[np.float64]:
    state = MatchState(length=length, score=score, crawford=crawford)
    return np.array([table.chances(state, who).winning for who in (seat, 1 - seat)])
