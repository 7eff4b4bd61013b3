"""Evaluates and judges every decision and roll of a game.

The play that was made is searched as deep as the best one, even if the filter would have dropped
it or only one play survived the filter. Whatever needs no look-ahead is done for a whole game at
once (sixprime.engine.analysis.batches), the rest turn by turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.analysis.batches import Batches, Looked, Node, Nodes
from sixprime.engine.analysis.judging import cost_of, cube_verdicts, play_verdict
from sixprime.engine.analysis.settings import AnalysisSettings, Thresholds, cube_by, play_by
from sixprime.engine.analysis.values import (
    Answered,
    CubeAnalysis,
    MoveAnalysis,
    RankedPlay,
    TurnAnalysis,
)
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.nets.weights import with_databases
from sixprime.engine.position import Chances, Dice, MatchState, Play, Position, Variant
from sixprime.engine.search.cube import CubeContext, judged
from sixprime.engine.search.plies import ALL_ROLLS, Evaluation, Seen
from sixprime.engine.search.roller import RollingSearch

DIGITS = 7  # of precision kept in equities and chances
_WEIGHTS = ALL_ROLLS[:, 2] / ALL_ROLLS[:, 2].sum()
_DOUBLES = ALL_ROLLS[:, 0] == ALL_ROLLS[:, 1]
_STARTS = {Position.start(variant) for variant in Variant}


@dataclass(frozen=True, slots=True)
class Happened:
    """What happened in a turn; TurnAnalysis explains the fields."""

    seat: int
    position: Position  # before the roll, as `seat` sees it
    state: MatchState  # before any double, `seat` on roll
    action: int
    roll: int | None = None
    opening: bool = False  # the first roll of a game: nobody could double, and the dice differ
    doubled: bool = False
    answer: Answered | None = None
    stake: int = 1  # the cube when the dice fell
    dice: Dice | None = None
    play: Play | None = None  # None: the roll was never played

    @property
    def may_double(self) -> bool:
        """Was there a decision whether to double?"""
        if self.opening or (self.play is None and not self.doubled):
            return False
        return CubeContext.of(self.state).available()

    @property
    def rolled(self) -> MatchState:
        """The state once the dice were rolled."""
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
        """The turn with its analysis; luck is given as equity and as cost."""
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
    """Evaluates turns, a game at a time, all at the same settings."""

    def __init__(self, brain: Brain, settings: AnalysisSettings, threads: int = 1) -> None:
        self.settings = settings
        self.key = settings.key
        self._search = RollingSearch(with_databases(brain, settings.bearoff), threads)
        self._batches = Batches(self._search)

    def turns(
        self, happened: Iterable[Happened], done: Callable[[], None] | None = None
    ) -> tuple[TurnAnalysis, ...]:
        """The turns of a game, judged; `done` is called after each."""
        game = [self._at_table(each) for each in happened]
        thresholds = self.settings.thresholds
        met = [(turn.position, turn.rolled) for turn in game if turn.dice is not None]
        nodes = self._batches.nodes(met)
        parts = self._lucks(game, met, nodes), self._cubes(game), self._moves(game, met, nodes)
        found = []
        for turn, luck, cube, move in zip(game, *parts, strict=True):
            found.append(turn.analysed(thresholds, cube, luck, move))
            if done is not None:
                done()
        return tuple(found)

    def _at_table(self, happened: Happened) -> Happened:
        met = self.settings.met
        return happened if met is None else replace(happened, state=happened.state.with_(met=met))

    def turn(self, happened: Happened) -> TurnAnalysis:
        return self.turns((happened,))[0]

    # the cube

    def _cubes(self, game: Sequence[Happened]) -> Iterator[CubeAnalysis | None]:
        offers = [turn.may_double for turn in game]
        nodes = [
            (turn.position, turn.state) for turn, offer in zip(game, offers, strict=True) if offer
        ]
        look = self.settings.cube
        seen: Iterator[Seen]
        if look.rollout is None and _at_once(look, nodes):
            seen = self._batches.see_all(self._batches.nodes(nodes), look)
        else:
            seen = (self._search.see(*node, look, self.settings.seconds) for node in nodes)
        for turn, offer in zip(game, offers, strict=True):
            yield self._cube(turn, next(seen)) if offer else None

    def _cube(self, happened: Happened, seen: Seen) -> CubeAnalysis:
        state = happened.state
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
            equities,
            mwc=None if mwc is None else (_short(mwc[0]), _short(mwc[1]), _short(mwc[2])),
            outcomes=_chances(seen.outcomes),
            by=cube_by(self.settings.cube, seen),
            proper=decision.action,
            close=close,
            doubled=happened.doubled,
            answer=happened.answer,
            double_verdict=double,
            answer_verdict=answer,
        )

    # the roll

    def _lucks(
        self, game: Sequence[Happened], met: Sequence[Node], nodes: Nodes
    ) -> Iterator[tuple[float, float] | None]:
        """The luck of each roll: EMG, and MWC or points."""
        worths = self._roll_worths(met, nodes)
        for turn in game:
            yield None if turn.dice is None else self._luck(turn, turn.dice, next(worths))

    def _luck(
        self, happened: Happened, dice: Dice, worths: NDArray[np.float64]
    ) -> tuple[float, float]:
        state = happened.rolled
        high, low = max(dice), min(dice)
        came = worths[high * (high - 1) // 2 + low - 1]
        if happened.opening and happened.position in _STARTS and high != low:
            theirs = worths
            if state.length and state.score[0] != state.score[1]:
                other = state.with_(on_roll=1 - happened.seat, to_act=1 - happened.seat)
                met = [(happened.position, other)]
                theirs = next(self._roll_worths(met, self._batches.nodes(met)))
            turned = 1.0 - theirs if state.length else -theirs
            average = (worths[~_DOUBLES].mean() + turned[~_DOUBLES].mean()) / 2
        else:
            average = float(worths @ _WEIGHTS)
        cost = float(came - average)
        unit = cost_of(1.0, state)
        return (_short(cost / unit) if unit else 0.0), _short(cost)

    def _roll_worths(self, met: Sequence[Node], nodes: Nodes) -> Iterator[NDArray[np.float64]]:
        look = self.settings.luck
        if _at_once(look, met):
            return iter(self._batches.all_roll_worths(nodes, look))
        return (self._worths_of_rolls(*node, look) for node in met)

    def _worths_of_rolls(
        self, position: Position, match: MatchState, look: Evaluation
    ) -> NDArray[np.float64]:
        """The worth of each of ALL_ROLLS, played best: MWC, or points."""
        worths = np.zeros(len(ALL_ROLLS))
        for i, (high, low, _) in enumerate(ALL_ROLLS.tolist()):
            best = self._search.plays(position, match, (high, low), look)[0]
            worths[i] = match.cube * best.equity if best.mwc is None else best.mwc
        return worths

    # the play

    def _moves(
        self, game: Sequence[Happened], met: Sequence[Node], nodes: Nodes
    ) -> Iterator[MoveAnalysis | None]:
        made = [
            (turn.dice, turn.position.after(turn.play))
            for turn in game
            if turn.play is not None and turn.dice is not None
        ]
        if len(made) < len(met):  # a roll was never played
            played = (turn for turn in game if turn.play is not None and turn.dice is not None)
            met = [(turn.position, turn.rolled) for turn in played]
            nodes = self._batches.nodes(met)
        look, keep = self.settings.checker, self.settings.keep
        found: Iterator[Looked]
        if look.rollout is None and _at_once(look, met):
            dice, results = [each[0] for each in made], [each[1] for each in made]
            found = self._batches.all_with_plays(nodes, dice, results, look, keep)
        else:
            found = (self._with_play(*node, *each) for node, each in zip(met, made, strict=True))
        for turn in game:
            if turn.play is None or turn.dice is None:
                yield None
            else:
                yield self._move(turn, turn.play, next(found))

    def _with_play(
        self, position: Position, match: MatchState, dice: Dice, result: Position
    ) -> Looked:
        """The best few plays, and the one that led to the result."""
        look, keep = self.settings.checker, self.settings.keep
        plays = self._search.plays(position, match, dice, look, self.settings.seconds, result)
        made = next((i for i, each in enumerate(plays) if each.result == result), None)
        kept = plays[:keep]
        if made is not None and made >= keep:
            kept, made = [*kept, plays[made]], keep
        candidates = [
            RankedPlay(
                each.play,
                _chances(each.outcomes),
                _short(each.equity),
                play_by(look, each),
                None if each.mwc is None else _short(each.mwc),
            )
            for each in kept
        ]
        return Looked(candidates, made, len(plays))

    def _move(self, happened: Happened, play: Play, looked: Looked) -> MoveAnalysis:
        candidates, made, legal = looked
        best = candidates[0].equity
        played = best if made is None else candidates[made].equity
        verdict = play_verdict(best, played, happened.rolled, self.settings.thresholds)
        return MoveAnalysis(play, tuple(candidates), made, legal, verdict)


def _at_once(look: Evaluation, met: Sequence[Node]) -> bool:
    """Can kernels judge all of these in one call?"""
    return look.plies == 0 and not any(position.is_hypergammon() for position, _ in met)


def _short(number: float) -> float:
    return round(float(number), DIGITS)


def _chances(outcomes: Chances) -> Chances:
    win, gammon, backgammon, lost, lost_backgammon = (round(each, DIGITS) for each in outcomes)
    return win, gammon, backgammon, lost, lost_backgammon
