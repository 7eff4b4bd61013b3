"""What happened in a game -> what it was worth: every decision and roll evaluated and judged.

The play that was made is looked at as closely as the best one, also where a filter would have
stopped it; so are both where only one play survived the filter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.analyse import (
    AnalysisSettings,
    Answered,
    CandidatePlay,
    CubeAnalysis,
    MoveAnalysis,
    Thresholds,
    TurnAnalysis,
)
from engine.cube import CubeContext, judged
from engine.kernels.evaluation import Brain
from engine.kernels.luck import roll_worths
from engine.position import Dice, MatchState, Play, Position, Variant
from engine.search import ALL_ROLLS, Candidate, Chances, Evaluation, Search, _candidates, _Line
from engine.verdicts import cost_of, cube_verdicts, play_verdict

DIGITS = 7  # that are kept of equities and chances
_WEIGHTS = ALL_ROLLS[:, 2] / ALL_ROLLS[:, 2].sum()
_DOUBLES = ALL_ROLLS[:, 0] == ALL_ROLLS[:, 1]
_CUBELESS = np.array((2, 1, 1, -1, -1), np.float32)  # money equity of outcomes, plus 1
_NEVER = np.zeros(1, np.int64)  # the flag that would stop a search
_STARTS = {Position.start(variant) for variant in Variant}


@dataclass(frozen=True, slots=True)
class Happened:
    """A turn as it was: see engine.analyse.TurnAnalysis."""

    seat: int
    position: Position  # before the roll, as `seat` sees it
    state: MatchState  # before any double, `seat` on roll
    action: int
    roll: int | None = None
    opening: bool = False  # the first roll of a game: nobody could double, and it is no double
    doubled: bool = False
    answer: Answered | None = None
    stake: int = 1  # the cube when the dice fell
    dice: Dice | None = None
    play: Play | None = None  # None: the roll was never played

    @property
    def may_double(self) -> bool:
        """Was there a decision to double, and was it made?"""
        if self.opening or (self.play is None and not self.doubled):
            return False
        return CubeContext.of(self.state).available()

    @property
    def rolled(self) -> MatchState:
        """The state when the dice had fallen."""
        if not self.doubled:
            return self.state
        return self.state.with_(cube=self.stake, cube_owner=1 - self.seat)

    def analysed(
        self,
        thresholds: Thresholds,
        cube: CubeAnalysis | None,
        luck: tuple[float, float] | None,
        move: MoveAnalysis | None,
    ) -> TurnAnalysis:
        """The turn with what was found out about it; luck as equity and as its cost."""
        return TurnAnalysis(
            seat=self.seat,
            position=self.position,
            cube=self.state.cube,
            stake=self.stake,
            cube_owner=self.state.cube_owner,
            action=self.action,
            roll=self.roll,
            cube_analysis=cube,
            dice=self.dice,
            luck=None if luck is None else luck[0],
            luck_cost=None if luck is None else luck[1],
            luck_mark=0 if luck is None else thresholds.luck_mark(luck[0]),
            move=move,
        )


class Examiner:
    """Evaluates turns, one at a time, at the same settings."""

    def __init__(self, brain: Brain, settings: AnalysisSettings, threads: int = 1) -> None:
        self.settings = settings
        self.key = settings.key
        self._search = PlayedSearch(brain, threads)

    def turns(
        self, happened: Iterable[Happened], done: Callable[[], None] | None = None
    ) -> tuple[TurnAnalysis, ...]:
        """The turns of a game, judged; `done` is called after each."""
        found = []
        for turn in happened:
            found.append(self.turn(turn))
            if done is not None:
                done()
        return tuple(found)

    def turn(self, happened: Happened) -> TurnAnalysis:
        """All that is to be said about it."""
        luck = None if happened.dice is None else self._luck(happened, happened.dice)
        cube = self._cube(happened) if happened.may_double else None
        return happened.analysed(self.settings.thresholds, cube, luck, self._move(happened))

    # the cube

    def _cube(self, happened: Happened) -> CubeAnalysis:
        state = happened.state
        seen = self._search.see(happened.position, state, self.settings.cube)
        decision = judged(seen.no_double, seen.double_take, state)
        equities = (
            round(decision.no_double, DIGITS),
            round(decision.double_take, DIGITS),
            round(decision.double_pass, DIGITS),
        )
        double, answer, close = cube_verdicts(
            equities, happened.doubled, happened.answer, state, self.settings.thresholds
        )
        mwc = decision.mwc
        return CubeAnalysis(
            *equities,
            mwc=None if mwc is None else (_short(mwc[0]), _short(mwc[1]), _short(mwc[2])),
            outcomes=_chances(seen.outcomes),
            plies=self.settings.cube.plies,
            proper=decision.action,
            close=close,
            doubled=happened.doubled,
            answer=happened.answer,
            double_verdict=double,
            answer_verdict=answer,
        )

    # the roll

    def _luck(self, happened: Happened, dice: Dice) -> tuple[float, float]:
        """(EMG, MWC or points)."""
        state = happened.rolled
        worths = self._search.roll_worths(happened.position, state, self.settings.luck)
        high, low = max(dice), min(dice)
        came = worths[high * (high - 1) // 2 + low - 1]
        if happened.opening and happened.position in _STARTS and high != low:
            other = state.with_(on_roll=1 - happened.seat, to_act=1 - happened.seat)
            theirs = worths
            if state.length and state.score[0] != state.score[1]:
                theirs = self._search.roll_worths(happened.position, other, self.settings.luck)
            turned = 1.0 - theirs if state.length else -theirs
            average = (worths[~_DOUBLES].mean() + turned[~_DOUBLES].mean()) / 2
        else:
            average = float(worths @ _WEIGHTS)
        cost = float(came - average)
        unit = cost_of(1.0, state)
        return (_short(cost / unit) if unit else 0.0), _short(cost)

    # the play

    def _move(self, happened: Happened) -> MoveAnalysis | None:
        if happened.play is None or happened.dice is None:
            return None
        state, settings = happened.rolled, self.settings
        kept, chosen, legal = self._search.with_play(
            happened.position,
            state,
            happened.dice,
            settings.checker,
            happened.position.after(happened.play),
            settings.keep,
        )
        candidates = tuple(
            CandidatePlay(
                each.play,
                _short(each.equity),
                None if each.mwc is None else _short(each.mwc),
                _chances(each.outcomes),
                each.plies,
            )
            for each in kept
        )
        best = candidates[0].equity
        played = best if chosen is None else candidates[chosen].equity
        verdict = play_verdict(best, played, state, settings.thresholds)
        return MoveAnalysis(happened.play, candidates, chosen, legal, verdict)


class PlayedSearch(Search):
    """A search that looks closely at one play in any case, and at all rolls at once."""

    def with_play(
        self,
        position: Position,
        match: MatchState,
        dice: Dice,
        look: Evaluation,
        result: Position,
        keep: int,
    ) -> tuple[list[Candidate], int | None, int]:
        """The best `keep` plays and the one that leads to `result`, best first.

        Also returns which of them that one is, if any, and how many plays there were.
        """
        context = CubeContext.of(match)
        terms = self._terms(position, context, look)
        legal = self._score(position, dice, context, terms)
        board = result.array()
        few = look.plies == 0  # nothing will change the order of the plays any more
        lines = self._lines(self._first(legal, keep, board) if few else range(legal))
        made = next((line for line in lines if (line.board == board).all()), None)
        if len(lines) > 1 and look.plies > 0:
            self._deepen(lines, context, terms, look, _NEVER)
        lines.sort(key=_order)
        if made is not None and made is not lines[0]:
            self._look([each for each in (lines[0], made) if each.depth < look.plies],
                       look.plies, context, terms, _NEVER)  # fmt: skip
            lines.sort(key=_order)
        kept = lines[:keep]
        if made is not None and not any(line is made for line in kept):
            kept.append(made)
        chosen = next((i for i, line in enumerate(kept) if line is made), None)
        return _candidates(kept, context, position.checkers), chosen, legal

    def _first(self, count: int, keep: int, board: NDArray[np.int8]) -> list[int]:
        """Of the plays on the bench the best `keep`, and the one that leads to the board."""
        work = self._benches[0].work
        cubeless = work.outcomes[:count] @ _CUBELESS
        first = np.lexsort((-cubeless, -work.scores[:count]))[:keep].tolist()
        made = (work.results[:count] == board).all(axis=(1, 2)).nonzero()[0]
        return [*first, *(int(place) for place in made if place not in first)]

    def roll_worths(
        self, position: Position, match: MatchState, look: Evaluation
    ) -> NDArray[np.float64]:
        """Of each of ALL_ROLLS, played as well as can be: MWC, or points."""
        worths = np.zeros(len(ALL_ROLLS))
        if look.plies == 0:
            context = CubeContext.of(match)
            terms = self._terms(position, context, look)
            bench = self._benches[0]
            roll_worths(
                self.brain, position.array(), context.cube, context.owner,
                terms, bench.work, bench.walk, worths,
            )  # fmt: skip
            return worths
        for i, (high, low, _) in enumerate(ALL_ROLLS.tolist()):
            best = self.plays(position, match, (high, low), look)[0]
            worths[i] = match.cube * best.equity if best.mwc is None else best.mwc
        return worths


def _order(line: _Line) -> tuple[float, ...]:
    """Deepest first, then best."""
    return -line.depth, -line.worth, -line.cubeless


def _short(number: float) -> float:
    return round(float(number), DIGITS)


def _chances(outcomes: Chances) -> Chances:
    win, gammon, backgammon, lost, lost_backgammon = (round(each, DIGITS) for each in outcomes)
    return win, gammon, backgammon, lost, lost_backgammon
