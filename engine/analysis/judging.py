"""Errors from equities, and their sums, by gnubg's definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from sixprime.engine.analysis.choices import is_choice_of_double, is_choice_of_plays
from sixprime.engine.analysis.statistics import PlayerStatistics, Total
from sixprime.engine.analysis.values import (
    Answered,
    CubeAnalysis,
    CubeError,
    CubeWorth,
    EvalContext,
    Mark,
    MoveAnalysis,
    RolloutResult,
    Seven,
    TurnAnalysis,
    Verdict,
)
from sixprime.engine.position import Chances, MatchState
from sixprime.engine.search.cube import CubeDecision, cubeful_equity
from sixprime.engine.search.equitymodels import REACH
from sixprime.engine.search.matchequity import table_of


@dataclass(frozen=True, slots=True)
class Thresholds:
    """EMG from which errors and rolls are marked, and cube decisions count as close."""

    doubtful: float = 0.03
    bad: float = 0.06
    very_bad: float = 0.12
    lucky: float = 0.3
    very_lucky: float = 0.6
    close: float = 0.16

    def mark(self, error: float) -> Mark:
        """Return the mark of an error, which is 0 or negative."""
        if error < -self.very_bad:
            return Mark.VERY_BAD
        if error < -self.bad:
            return Mark.BAD
        return Mark.DOUBTFUL if error < -self.doubtful else Mark.NONE

    def luck_mark(self, luck: float) -> int:
        """Return 2 for very lucky, 1 lucky, 0, -1 unlucky, -2 very unlucky."""
        size = 2 if abs(luck) > self.very_lucky else 1 if abs(luck) > self.lucky else 0
        return size if luck > 0 else -size


USUAL = Thresholds()  # gnubg's


def play_verdict(best: float, played: float, state: MatchState, thresholds: Thresholds) -> Verdict:
    """Judge a play; both equities are EMG."""
    error = min(played - best, 0.0)
    return Verdict(error, cost_of(error, state), thresholds.mark(error))


def cube_verdicts(
    equities: tuple[float, float, float],
    doubled: bool,
    answer: Answered | None,
    state: MatchState,
    thresholds: Thresholds,
) -> tuple[Verdict, Verdict | None, bool]:
    """Judge doubling or not, and the answer; the last value says whether it was close.

    `equities` are no double, double/take, double/pass; `state` is before the double, and the cube
    is available. Beavers are not judged.
    """
    no_double, double_take, double_pass = equities
    answered = min(double_take, double_pass)
    right = double_take >= no_double and double_pass >= no_double
    optimal = answered if right else no_double
    close = optimal - answered < thresholds.close

    def verdict(error: float, kind: CubeError) -> Verdict:
        if error >= 0:
            return Verdict()
        return Verdict(error, cost_of(error, state), thresholds.mark(error), kind)

    if not doubled:
        above = double_take > double_pass
        kind = CubeError.MISSED_ABOVE_CP if above else CubeError.MISSED_BELOW_CP
        return verdict(no_double - optimal, kind), None, close
    above = no_double > double_pass
    kind = CubeError.WRONG_ABOVE_TG if above else CubeError.WRONG_BELOW_DP
    double = verdict(answered - optimal, kind)
    if answer is Answered.TAKE:
        return double, verdict(double_pass - double_take, CubeError.WRONG_TAKE), True
    if answer is Answered.PASS:
        return double, verdict(double_take - double_pass, CubeError.WRONG_PASS), True
    return double, None, True


def cube_analysis(
    decision: CubeDecision,
    outcomes: Chances,
    by: EvalContext | RolloutResult,
    doubled: bool,
    answer: Answered | None,
    state: MatchState,
    thresholds: Thresholds,
) -> CubeAnalysis:
    """Judge the action beside a decision; `state` as for `cube_verdicts`."""
    double, answered, close = cube_verdicts(decision.equities, doubled, answer, state, thresholds)
    return CubeAnalysis(
        decision.equities,
        decision.mwc,
        outcomes,
        by,
        proper=decision.action,
        close=close,
        doubled=doubled,
        answer=answer,
        double_verdict=double,
        answer_verdict=answered,
    )


def cube_worth(
    found: CubeDecision | CubeAnalysis,
    outcomes: Chances,
    state: MatchState,
    by: EvalContext | RolloutResult,
) -> CubeWorth:
    """Return a cube decision in the form of gnubg's SGF; `state` is before the double.

    The cubeful worths are MWC in a match and equities for money. The cubeless ones are equities in
    both, each on the scale of its own cube.
    """
    state = state.shortened(REACH).with_(jacoby=False)  # gnubg counts all cubeless gammons
    doubled = state.with_(cube=2 * state.cube, cube_owner=1 - state.on_roll)
    no_double, double_take, _ = found.mwc or found.equities

    def seven(match: MatchState, cubeful: float) -> Seven:
        return (*outcomes, cubeful_equity(outcomes, match, 0.0).equity, cubeful)

    return CubeWorth(seven(state, no_double), seven(doubled, double_take), by)


def cost_of(emg: float, state: MatchState) -> float:
    """Return a difference of EMG as MWC, or as points for money; `state.cube` is the stake."""
    if state.length == 0:
        return emg * state.cube
    return emg * _mwc_per_emg(
        state.met, state.length, state.score, state.crawford, state.on_roll, state.cube
    )


@lru_cache(maxsize=4096)
def _mwc_per_emg(
    met: str | None, length: int, score: tuple[int, int], crawford: bool, seat: int, cube: int
) -> float:
    state = MatchState(length=length, score=score, crawford=crawford, met=met)
    return table_of(state).chances(state, seat).cost(1.0, cube)


def result_of(winner: int | None, points: int, state: MatchState) -> tuple[float, float]:
    """Return the gains of seats 0 and 1 by a game, in MWC or points; 0 while unfinished."""
    if winner is None:
        return 0.0, 0.0
    if state.length == 0:
        gained = float(points)
    else:
        table = table_of(state)
        before = table.standing(state, winner)
        gained = table.chances(state, winner).win(points) - before
    return (gained, -gained) if winner == 0 else (-gained, gained)


# -- adding up turns


def statistics_of(
    turns: Sequence[TurnAnalysis], result: tuple[float, float]
) -> tuple[PlayerStatistics, PlayerStatistics]:
    """Return the sums of both players over a game."""
    first, second = (_sums(turns, seat, result[seat]) for seat in (0, 1))
    return first, second


class _Sums:
    """A player's statistics while they are being added up."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.totals: dict[str, list[float]] = {}  # count, EMG, cost
        self.move_marks = [0, 0, 0, 0]
        self.cube_marks = [0, 0, 0, 0]
        self.rolls = [0, 0, 0, 0, 0]

    def add(self, name: str, emg: float, cost: float, number: int = 1) -> None:
        total = self.totals.setdefault(name, [0, 0.0, 0.0])
        total[0] += number
        total[1] += emg
        total[2] += cost


def _sums(turns: Sequence[TurnAnalysis], seat: int, result: float) -> PlayerStatistics:
    sums = _Sums()
    for turn in turns:
        if turn.cube_analysis is not None:
            _add_cube(sums, turn.cube_analysis, own=turn.seat == seat)
        if turn.seat != seat:
            continue
        if turn.move is not None:
            _add_move(sums, turn.move)
        if turn.luck is not None:
            sums.rolls[2 + turn.luck_mark] += 1
            sums.add("luck", turn.luck, turn.luck_cost or 0.0)
    totals = {name: Total(int(count), *sums) for name, (count, *sums) in sums.totals.items()}
    return PlayerStatistics(
        move_marks=tuple(sums.move_marks),  # type: ignore[arg-type]
        cube_marks=tuple(sums.cube_marks),  # type: ignore[arg-type]
        rolls=tuple(sums.rolls),  # type: ignore[arg-type]
        result=result,
        **sums.counts,  # type: ignore[arg-type]
        **totals,  # type: ignore[arg-type]
    )


def _add_move(sums: _Sums, move: MoveAnalysis) -> None:
    sums.counts["moves"] += 1
    sums.move_marks[move.verdict.mark] += 1
    if move.legal > 1:
        sums.counts["unforced"] += 1
        sums.add("checker", move.verdict.error, move.verdict.cost, move.verdict.error < 0)
        worths = [candidate.equity for candidate in move.candidates]
        sums.counts["counted"] += is_choice_of_plays(worths)


def _add_cube(sums: _Sums, cube: CubeAnalysis, *, own: bool) -> None:
    if own:
        verdict = cube.double_verdict
        sums.counts["doubles"] += cube.doubled
        sums.counts["close"] += cube.close or cube.doubled
        sums.counts["counted"] += cube.doubled or is_choice_of_double(cube.equities, verdict.error)
    elif cube.answer_verdict is not None:
        verdict = cube.answer_verdict
        sums.counts["takes" if cube.answer is Answered.TAKE else "passes"] += 1
        sums.counts["close"] += 1
        sums.counts["counted"] += 1
    else:
        return
    sums.counts["cube_decisions"] += 1
    sums.cube_marks[verdict.mark] += 1
    if verdict.kind is not None:
        sums.add(verdict.kind.name.lower(), verdict.error, verdict.cost)
