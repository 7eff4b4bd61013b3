"""The search: candidates ranked at 0-ply, the promising ones deeper, each ply over all rolls.

An Evaluation sets the plies, the candidates that a MoveFilter lets through, and the evaluation of
leaves (cubeful, pruned, with noise). Results do not depend on the number of threads.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.bearoff.hypergammonplays import known_plays, known_worths
from sixprime.engine.kernels import cube as cube_kernel
from sixprime.engine.kernels import tree as kernel
from sixprime.engine.kernels.evaluation import Brain, scratch_for
from sixprime.engine.kernels.moves import generate_or_dance
from sixprime.engine.position import ROLLS as EACH_ROLL
from sixprime.engine.position import (
    Chances,
    Dice,
    MatchState,
    Play,
    Position,
    chances_of,
    turned_chances,
)
from sixprime.engine.rules import play_of
from sixprime.engine.search import cube as cubes
from sixprime.engine.search.cube import CubeContext

DEEPEST = kernel.DEEPEST - 1
KEEP = 8  # most replies per node that the full net judges after pruning
ALL_ROLLS = np.array(sorted((high, low, 1 + (low < high)) for low, high in EACH_ROLL), np.int64)


def _rolls(*weighted: tuple[int, int, int]) -> NDArray[np.int64]:
    return np.array(weighted, np.int64)


# Subsets of the rolls, weighted to give nearly the same mean. In 2,000 positions of our own play
# they err by 0.018 and 0.028 in equity, mostly by the same for rival candidates.
ROLLS = {
    21: ALL_ROLLS,
    12: _rolls(
        (3, 1, 5), (3, 3, 2), (4, 1, 4), (4, 2, 4), (4, 3, 2), (5, 2, 3),
        (5, 3, 3), (5, 5, 2), (6, 1, 2), (6, 2, 4), (6, 4, 3), (6, 5, 2),
    ),
    7: _rolls((3, 1, 7), (3, 3, 3), (4, 1, 6), (5, 2, 6), (5, 5, 3), (6, 2, 5), (6, 4, 6)),
}  # fmt: skip


class Pass(NamedTuple):
    """The candidates that pass a filter after one level; None instead of a Pass skips the level."""

    accept: int  # number of the best that always pass
    extra: int  # most others that pass
    threshold: float  # equity, the most that they may lose


@dataclass(frozen=True, slots=True)
class MoveFilter:
    """The passes after each ply before the last, for decisions of 1, 2, 3, 4 plies (rows)."""

    name: str
    rows: tuple[tuple[Pass | None, ...], ...]

    def level(self, plies: int, level: int) -> Pass | None:
        """Return the filter after `level` plies of a decision of `plies`."""
        return self.rows[plies - 1][level]


def _filter(name: str, first: Pass, later: Pass) -> MoveFilter:
    return MoveFilter(
        name, ((first,), (first, None), (first, None, later), (first, None, later, None))
    )


FILTERS: dict[str, MoveFilter] = {
    each.name: each
    for each in (
        _filter("tiny", Pass(0, 5, 0.08), Pass(0, 2, 0.02)),
        _filter("narrow", Pass(0, 8, 0.12), Pass(0, 2, 0.03)),
        _filter("normal", Pass(0, 8, 0.16), Pass(0, 2, 0.04)),
        _filter("large", Pass(0, 16, 0.32), Pass(0, 4, 0.08)),
        _filter("huge", Pass(0, 20, 0.44), Pass(0, 6, 0.11)),
    )
}


@dataclass(frozen=True, slots=True)
class CubeEfficiency:
    """The liveness of the cube, 0 to 1 (engine.search.cube); None: the default."""

    contact: float | None = None  # default: by the depth of the search
    bearoff: float | None = None
    race: float | None = None  # default: by the pips

    def known(self, plies: int) -> tuple[float, float, float]:
        """Return the values in contact, bearoff and race (below 0: by the pips) at this depth."""
        contact = cubes.contact_efficiency(plies) if self.contact is None else self.contact
        bearoff = cubes.BEAROFF_EFFICIENCY if self.bearoff is None else self.bearoff
        return contact, bearoff, -1.0 if self.race is None else self.race


USUAL = CubeEfficiency()


@dataclass(frozen=True, slots=True)
class Rolling:
    """The rollouts of decisions that a search leaves open (sixprime.engine.search.roller)."""

    trials: int = 1296  # most, of each play or cube action
    truncate: int = 0  # turns until a trial is judged; 0: played to its end
    clear: float = 3.0  # joint standard deviations behind the best that drop a rival
    plays: int = 5  # most that are rolled out
    within: float = 0.1  # EMG by which these may be worse than the best
    cube_within: float = 0.25  # EMG; closer cube actions are rolled out
    weight: int = 250  # trials that the search counts as for plays
    cube_weight: int = 100  # the same for cube actions


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The settings of the search for a decision."""

    plies: int = 0
    filter: MoveFilter = FILTERS["normal"]
    prune: bool = True
    keep: int = KEEP  # most replies of a node that pruning leaves
    rolls: int = 21  # a key of ROLLS, for every ply but the first
    cubeful: bool = True
    noise: float = 0.0  # standard deviation of winning chances; 0: no noise
    deterministic: bool = True  # noise as a function of the position alone
    efficiency: CubeEfficiency = USUAL
    rollout: Rolling | None = None  # of decisions that this search leaves open


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


class Candidate(NamedTuple):
    """A legal play and its evaluation, as the mover sees it."""

    play: Play
    result: Position  # still as the mover sees it
    equity: float  # per current cube; EMG in a match
    mwc: float | None  # None for money
    outcomes: Chances
    plies: int  # depth of its search
    rolled: RolledFigures | None = None  # the rollout, with the search in its equity


class Seen(NamedTuple):
    """A position with the player on roll about to roll, or to double."""

    outcomes: Chances
    no_double: float  # worths (sixprime.engine.kernels.cube): MWC in a match, points for money
    double_take: float
    rolled: tuple[RolledFigures, ...] = ()  # the rollouts of both


class Search:
    """A brain with scratch for each thread, and one decision at a time."""

    def __init__(self, brain: Brain, threads: int = 1, seed: int = 1) -> None:
        self.brain = brain
        self.threads = threads
        self._draws = np.array([np.uint64(seed) or np.uint64(1), np.uint64(0)], np.uint64)
        self.scratches = [SearchScratch(brain) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def plays(
        self,
        position: Position,
        match: MatchState,
        dice: Dice,
        evaluation: Evaluation,
        seconds: float | None = None,
        made: Position | None = None,
    ) -> list[Candidate]:
        """Rank every legal play, best first; plays that a filter stopped follow the survivors.

        After `seconds` the search ends with its results so far; it always finishes 0-ply. It
        searches the play that leads to `made` as deep as the best one, despite the filter.
        """
        context = CubeContext.of(match)
        terms = self.terms(position, context, evaluation)
        if position.is_hypergammon():
            plays = known_plays(position, dice, (context.cube, context.owner), terms)
            lines = sorted((SearchedPlay(*each, evaluation.plies) for each in plays), key=_order)
            return _candidates(lines, context, position.checkers)
        lines = self._lines(range(self._score(position, dice, context, terms)))
        if len(lines) > 1 and evaluation.plies > 0:
            with _deadline(seconds) as stop:
                self._deepen(lines, context, terms, evaluation, stop)
                if made is not None:
                    lines.sort(key=_order)
                    board = made.array()
                    pair = [lines[0], *(line for line in lines[1:] if (line.board == board).all())]
                    behind = [line for line in pair if line.depth < evaluation.plies]
                    if len(pair) > 1:
                        self._search_lines(behind, evaluation.plies, context, terms, stop)
        lines.sort(key=_order)
        return _candidates(lines, context, position.checkers)

    def see(
        self,
        position: Position,
        match: MatchState,
        evaluation: Evaluation,
        seconds: float | None = None,
    ) -> Seen:
        """Return the chances before the roll, and the worths of turning the cube or not.

        If time runs out, the answer comes from fewer plies.
        """
        context = CubeContext.of(match)
        terms = self.terms(position, context, evaluation)
        if position.is_hypergammon():
            return Seen(*known_worths(position, context.states, terms))
        scratch = self.scratches[0]
        first = evaluation.plies if seconds is None else 0
        found = scratch.see(position, context, terms, first, np.zeros(1, np.int64))
        assert found is not None
        with _deadline(seconds) as stop:
            for plies in range(first + 1, evaluation.plies + 1):
                found = scratch.see(position, context, terms, plies, stop) or found
        return found

    def terms(
        self, position: Position, context: CubeContext, evaluation: Evaluation
    ) -> kernel.SearchTerms:
        """Return the kernels' terms for a whole decision."""
        if not 0 <= evaluation.plies <= DEEPEST:
            raise ValueError(f"{evaluation.plies} plies: 0 to {DEEPEST} can be searched")
        keep = evaluation.keep if evaluation.prune and evaluation.noise == 0.0 else 0
        draws = np.zeros(2, np.uint64) if evaluation.deterministic else self._draws
        settings = (position.checkers, keep, evaluation.cubeful)
        rolls = ROLLS[evaluation.rolls]
        efficiencies = evaluation.efficiency.known(evaluation.plies)
        return terms_of(context, settings, evaluation.noise, draws, rolls, efficiencies)

    def _score(
        self, position: Position, dice: Dice, context: CubeContext, terms: kernel.SearchTerms
    ) -> int:
        """Judge all plays at 0-ply, in the first scratch; return their number."""
        scratch = self.scratches[0]
        board = position.array()
        count = int(generate_or_dance(board, *dice, scratch.work.rolled))
        search = scratch.search(terms)
        kernel.score_results(search, board, 0, context.cube, context.owner, count)
        return count

    def _lines(self, chosen: Iterable[int]) -> list[SearchedPlay]:
        """Copy some judged plays, which stay valid when the scratch is used again."""
        work = self.scratches[0].work
        places = list(chosen)
        return [
            SearchedPlay(board, known_play(play.tobytes()), tuple(outcomes), worth)
            for board, play, outcomes, worth in zip(
                work.rolled.results[places],
                work.rolled.plays[places],
                work.outcomes[places].tolist(),
                work.scores[places].tolist(),
                strict=True,
            )
        ]

    def _deepen(
        self,
        lines: list[SearchedPlay],
        context: CubeContext,
        terms: kernel.SearchTerms,
        evaluation: Evaluation,
        stop: NDArray[np.int64],
    ) -> None:
        survivors = sorted(lines, key=lambda each: (-each.worth, -each.cubeless))
        for level in range(evaluation.plies):
            rule = evaluation.filter.level(evaluation.plies, level)
            if rule is None:
                continue
            if level > 0 and not self._search_lines(survivors, level, context, terms, stop):
                return
            survivors.sort(key=lambda each: (-each.worth, -each.cubeless))
            survivors = _let_through(survivors, rule, context)
            if len(survivors) == 1 and rule.accept != 1:
                return
        self._search_lines(survivors, evaluation.plies, context, terms, stop)

    def _search_lines(
        self,
        lines: list[SearchedPlay],
        plies: int,
        context: CubeContext,
        terms: kernel.SearchTerms,
        stop: NDArray[np.int64],
    ) -> bool:
        """Search each line this deep; False without any change if time runs out first."""

        def search(share: int) -> list[SearchedPlay | None]:
            scratch = self.scratches[share]
            return [
                scratch.evaluate_play(line, plies, context, terms, stop)
                for line in lines[share :: self.threads]
            ]

        shares: Iterable[list[SearchedPlay | None]]
        if self._pool is None or terms.draws[0] != 0:  # because random noise is drawn in one order
            scratch = self.scratches[0]
            found = [scratch.evaluate_play(line, plies, context, terms, stop) for line in lines]
        else:
            shares = list(self._pool.map(search, range(self.threads)))
            found = [shares[i % self.threads][i // self.threads] for i in range(len(lines))]
        if any(line is None for line in found):
            return False
        for line, deeper in zip(lines, found, strict=True):
            assert deeper is not None
            line.outcomes, line.worth, line.depth = deeper.outcomes, deeper.worth, deeper.depth
        return True


@dataclass(slots=True, eq=False)
class SearchedPlay:
    """A candidate while it is searched."""

    board: NDArray[np.int8]  # after the play, as the mover sees it
    play: Play
    outcomes: Chances
    worth: float
    depth: int = 0

    @property
    def cubeless(self) -> float:
        win, gammon, backgammon, lost, lost_backgammon = self.outcomes
        return 2 * win - 1 + gammon + backgammon - lost - lost_backgammon


def _candidates(lines: list[SearchedPlay], context: CubeContext, checkers: int) -> list[Candidate]:
    """Convert lines for the caller; written for speed, as 0-ply spends most of its time here."""
    equities = _equities(context, [line.worth for line in lines])
    money = context.rules[cube_kernel.MONEY] == 1
    found = []
    for line, equity in zip(lines, equities, strict=True):
        mine, theirs = line.board.tolist()
        result = Position(tuple(mine), tuple(theirs), checkers)
        mwc = None if money else line.worth
        found.append(Candidate(line.play, result, equity, mwc, line.outcomes, line.depth))
    return found


def _order(line: SearchedPlay) -> tuple[float, ...]:
    """Order lines by depth, then by worth."""
    return -line.depth, -line.worth, -line.cubeless


def _equities(context: CubeContext, worths: list[float]) -> list[float]:
    """Convert worths to equities on the cube's scale, by one linear map for all."""
    zero = context.cubeful(0.0).equity
    slope = context.cubeful(1.0).equity - zero
    return [zero + slope * worth for worth in worths]


@lru_cache(maxsize=1 << 16)
def known_play(row: bytes) -> Play:
    """Return a play; cached, because the same plays recur and making one is slow."""
    return play_of(np.frombuffer(row, np.int8))


class SearchScratch:
    """One thread's scratch arrays, and the searches that use them."""

    def __init__(self, brain: Brain) -> None:
        self.brain = brain
        self.work = scratch_for(brain)
        self.walk = kernel.tree()

    def search(self, terms: kernel.SearchTerms) -> kernel.TreeSearch:
        return kernel.TreeSearch(self.brain, terms, self.work, self.walk)

    def evaluate_play(
        self,
        line: SearchedPlay,
        plies: int,
        context: CubeContext,
        terms: kernel.SearchTerms,
        stop: NDArray[np.int64],
    ) -> SearchedPlay | None:
        """Evaluate the position after a play, the opponent on roll; None if stopped."""
        walk = self.walk
        walk.boards[0] = line.board[::-1]
        walk.known[0] = -1
        walk.states[0, 0] = context.cube, cube_kernel.THEIRS - context.owner
        walk.counts[0] = 1
        if not kernel.expect(self.search(terms), 0, plies, 1, stop):
            return None
        worth = float(cube_kernel.turned(walk.worths[0, 0], terms.rules))
        return SearchedPlay(line.board, line.play, turned_chances(walk.outcomes[0]), worth, plies)

    def see(
        self,
        position: Position,
        context: CubeContext,
        terms: kernel.SearchTerms,
        plies: int,
        stop: NDArray[np.int64],
    ) -> Seen | None:
        """Do as Search.see; None if stopped."""
        walk = self.walk
        walk.boards[0] = position.array()
        walk.known[0] = -1
        walk.states[0, :2] = context.states
        walk.counts[0] = 2
        if not kernel.expect_kept(self.search(terms), plies, stop):
            return None
        return Seen(
            chances_of(walk.outcomes[0]), float(walk.worths[0, 0]), float(walk.worths[0, 1])
        )


class _deadline:  # noqa: N801  # reads as a with-statement
    """A flag that kernels poll, raised after this many seconds; never for None."""

    def __init__(self, seconds: float | None) -> None:
        self._stop = np.zeros(1, np.int64)
        self._timer = None if seconds is None else threading.Timer(seconds, self._raise)

    def _raise(self) -> None:
        self._stop[0] = 1

    def __enter__(self) -> NDArray[np.int64]:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self._stop

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()


def terms_of(
    context: CubeContext,
    settings: tuple[int, int, bool],
    noise: float = 0.0,
    draws: NDArray[np.uint64] | None = None,
    later_rolls: NDArray[np.int64] = ALL_ROLLS,
    efficiencies: tuple[float, float, float] | None = None,
) -> kernel.SearchTerms:
    """Return the kernels' terms for a whole decision.

    `settings` are the checkers a side, the replies judged in full (0: all), and cubeful or not;
    `efficiencies` are from CubeEfficiency, by default for 0-ply.
    """
    return kernel.SearchTerms(
        np.array(settings, np.int64),
        context.rules,
        context.chances,
        np.array(efficiencies or USUAL.known(0)),
        ALL_ROLLS,
        later_rolls,
        np.array([noise]),
        np.zeros(2, np.uint64) if draws is None else draws,
    )


def _let_through(lines: list[SearchedPlay], rule: Pass, context: CubeContext) -> list[SearchedPlay]:
    """Return the sorted lines that a filter keeps, at least one."""

    def equity(line: SearchedPlay) -> float:
        return context.cubeful(line.worth).equity

    accepted = lines[: rule.accept]
    least = equity(lines[0]) - rule.threshold
    extra = [line for line in lines[rule.accept :][: rule.extra] if equity(line) >= least]
    return (accepted + extra) or lines[:1]
