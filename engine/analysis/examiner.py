"""Every decision and roll of a game, evaluated and judged.

The play that was made is searched as deep as the best one, even if the filter would have dropped
it or only one play survived the filter. Decisions without look-ahead are evaluated for a whole game
at once (sixprime.engine.analysis.batches), the others turn by turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sixprime.engine.analysis.batches import Batches, Looked, Node, Nodes, at_once
from sixprime.engine.analysis.judging import Thresholds, cube_analysis, play_verdict
from sixprime.engine.analysis.luck import Luck
from sixprime.engine.analysis.portion import EVERY_FACET, Facet
from sixprime.engine.analysis.settings import AnalysisSettings, cube_by, play_by
from sixprime.engine.analysis.values import (
    Answered,
    CubeAnalysis,
    MoveAnalysis,
    RankedPlay,
    TurnAnalysis,
)
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.nets.weights import with_databases
from sixprime.engine.position import Chances, Dice, MatchState, Play, Position
from sixprime.engine.search.cube import CubeContext, judged
from sixprime.engine.search.plies import Seen
from sixprime.engine.search.roller import RollingSearch

DIGITS = 7  # of precision kept in equities and chances


@dataclass(frozen=True, slots=True)
class Happened:
    """The events of a turn; TurnAnalysis explains the fields."""

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
    parts: Facet = EVERY_FACET  # to analyse

    @property
    def may_double(self) -> bool:
        """True if there was a decision whether to double, and it is to be analysed."""
        if Facet.CUBE not in self.parts or self.opening:
            return False
        if self.play is None and not self.doubled:
            return False
        return CubeContext.of(self.state).available()

    @property
    def has_luck(self) -> bool:
        """True if there was a roll, and its luck is to be analysed."""
        return Facet.LUCK in self.parts and self.dice is not None

    @property
    def has_play(self) -> bool:
        """True if a roll was played, and the play is to be analysed."""
        played = self.dice is not None and self.play is not None
        return played and Facet.PLAYS in self.parts

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
        """Return the turn with its analysis; luck is given as equity and as cost."""
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
    """An evaluator of turns, a game at a time, all at the same settings."""

    def __init__(self, brain: Brain, settings: AnalysisSettings, threads: int = 1) -> None:
        self.settings = settings
        self.key = settings.key
        self._search = RollingSearch(with_databases(brain, settings.bearoff), threads)
        self._batches = Batches(self._search)
        self._luck = Luck(self._search, self._batches, settings.luck)

    def turns(
        self, happened: Iterable[Happened], done: Callable[[], None] | None = None
    ) -> tuple[TurnAnalysis, ...]:
        """Judge the turns of a game; `done` is called after each."""
        game = [self._at_table(each) for each in happened]
        thresholds = self.settings.thresholds
        met = [(turn.position, turn.rolled) for turn in game if turn.has_luck]
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
        if look.rollout is None and at_once(look, nodes):
            seen = self._batches.see_all(self._batches.nodes(nodes), look)
        else:
            seen = (self._search.see(*node, look, self.settings.seconds) for node in nodes)
        for turn, offer in zip(game, offers, strict=True):
            yield self._cube(turn, next(seen)) if offer else None

    def _cube(self, happened: Happened, seen: Seen) -> CubeAnalysis:
        found = judged(seen.no_double, seen.double_take, happened.state)
        mwc = found.mwc
        decision = replace(
            found,
            no_double=_short(found.no_double),
            double_take=_short(found.double_take),
            double_pass=_short(found.double_pass),
            mwc=None if mwc is None else (_short(mwc[0]), _short(mwc[1]), _short(mwc[2])),
        )
        by = cube_by(self.settings.cube, seen)
        done, marks = (happened.doubled, happened.answer), self.settings.thresholds
        return cube_analysis(decision, _chances(seen.outcomes), by, *done, happened.state, marks)

    # the roll

    def _lucks(
        self, game: Sequence[Happened], met: Sequence[Node], nodes: Nodes
    ) -> Iterator[tuple[float, float] | None]:
        """Yield the luck of each roll: EMG, and MWC or points."""
        worths = self._luck.worths(met, nodes)
        for turn in game:
            if turn.dice is None or not turn.has_luck:
                yield None
                continue
            emg, cost = self._luck.luck_of(
                turn.position, turn.rolled, turn.dice, next(worths), opening=turn.opening
            )
            yield _short(emg), _short(cost)

    # the play

    def _moves(
        self, game: Sequence[Happened], met: Sequence[Node], nodes: Nodes
    ) -> Iterator[MoveAnalysis | None]:
        made = [
            (turn.dice, turn.position.after(turn.play))
            for turn in game
            if turn.play is not None and turn.dice is not None and turn.has_play
        ]
        if any(turn.has_play != turn.has_luck for turn in game):  # a roll was never played
            met = [(turn.position, turn.rolled) for turn in game if turn.has_play]
            nodes = self._batches.nodes(met)
        look, keep = self.settings.checker, self.settings.keep
        found: Iterator[Looked]
        if look.rollout is None and at_once(look, met):
            dice, results = [each[0] for each in made], [each[1] for each in made]
            found = self._batches.all_with_plays(nodes, dice, results, look, keep)
        else:
            found = (self._with_play(*node, *each) for node, each in zip(met, made, strict=True))
        for turn in game:
            if turn.play is None or not turn.has_play:
                yield None
            else:
                yield self._move(turn, turn.play, next(found))

    def _with_play(
        self, position: Position, match: MatchState, dice: Dice, result: Position
    ) -> Looked:
        """Return the best few plays, and the play that led to the result."""
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


def _short(number: float) -> float:
    return round(float(number), DIGITS)


def _chances(outcomes: Chances) -> Chances:
    win, gammon, backgammon, lost, lost_backgammon = (round(each, DIGITS) for each in outcomes)
    return win, gammon, backgammon, lost, lost_backgammon
