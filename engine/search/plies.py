"""The search: candidates ranked at 0-ply, the promising ones deeper, each ply over all rolls.

An Evaluation sets the plies, the candidates that a MoveFilter lets through, and the evaluation of
leaves (cubeful, pruned, with noise). Results do not depend on the number of threads.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from struct import Struct
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.bearoff.hypergammonplays import known_plays, known_worths
from sixprime.engine.kernels import choosing
from sixprime.engine.kernels import tree as kernel
from sixprime.engine.kernels.evaluation import Brain, scratch_for
from sixprime.engine.kernels.machine.held import Held
from sixprime.engine.kernels.moves import CAPACITY
from sixprime.engine.position import (
    PLACES,
    Chances,
    Dice,
    MatchState,
    Play,
    Position,
)
from sixprime.engine.position import ROLLS as EACH_ROLL
from sixprime.engine.rules import play_of
from sixprime.engine.search import cube as cubes
from sixprime.engine.search.cube import CubeContext, RolledFigures

DEEPEST = kernel.DEEPEST - 1
BOARD = 2 * PLACES
MOST_TERMS = 64  # kept for further decisions of the same kind
# EMG behind the best at which the last ply of a play is not searched, or not to its end
# (engine.kernels.choosing.drop_hopeless)
HOPELESS, HOPELESS_LATER = 0.12, 0.01
FIRST_ROLLS = 4
KEEP = 8  # most replies per node that the full net judges after pruning
NEVER = np.zeros(1, np.int64)  # a deadline
_CHANCES, _WORTHS = Struct("5f").unpack_from, Struct("2d").unpack_from  # without numpy's numbers
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

    contact: float | None = None  # default: as the net says
    bearoff: float | None = None
    race: float | None = None  # default: by the pips

    def known(self) -> tuple[float, float, float]:
        """Return the values in contact (below 0: by the net), bearoff and race (by the pips)."""
        contact = cubes.BY_THE_NET if self.contact is None else self.contact
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


class Candidate(NamedTuple):
    """A legal play and its evaluation, as the mover sees it."""

    play: Play
    result: Position  # still as the mover sees it
    equity: float  # per current cube; EMG in a match
    mwc: float | None  # None for money
    outcomes: Chances
    plies: int  # depth of its search
    rolled: RolledFigures | None = None  # the rollout, with the search in its equity


class Candidates(Sequence[Candidate]):
    """The plays of a roll, best first, each made when it is asked for: most never are."""

    __slots__ = ("_checkers", "_figures", "_made", "_money", "_rows")

    def __init__(
        self, figures: NDArray[np.float64], rows: bytes, checkers: int, money: bool
    ) -> None:
        self._figures = figures
        self._rows = rows
        self._checkers = checkers
        self._money = money
        self._made: dict[int, Candidate] = {}

    def __len__(self) -> int:
        return len(self._figures)

    @overload
    def __getitem__(self, place: int) -> Candidate: ...
    @overload
    def __getitem__(self, place: slice) -> list[Candidate]: ...
    def __getitem__(self, place: int | slice) -> Candidate | list[Candidate]:
        places = range(len(self._figures))
        if isinstance(place, slice):
            return [self._candidate(each) for each in places[place]]
        return self._candidate(places[place])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Candidates) and self[:] == other[:]

    __hash__ = None  # type: ignore[assignment]

    def _candidate(self, place: int) -> Candidate:
        made = self._made.get(place)
        if made is None:
            worth, equity, depth, *outcomes = self._figures[place].tolist()
            row = self._rows[choosing.LISTED * place : choosing.LISTED * (place + 1)]
            result = Position(tuple(row[:PLACES]), tuple(row[PLACES:BOARD]), self._checkers)
            mwc = None if self._money else worth
            play = known_play(row[BOARD:])
            made = Candidate(play, result, equity, mwc, tuple(outcomes), int(depth))
            self._made[place] = made
        return made


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
        self._choice = Held(choosing.ranked_plays())
        self._board = np.zeros((2, PLACES), np.int8)  # of the decision
        self._counts = self._board.view(np.uint8).reshape(BOARD).data
        self.scratches = [SearchScratch(brain, self._choice) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._terms: dict[tuple[int, int, int], tuple[object, object, kernel.SearchTerms]] = {}

    def plays(
        self,
        position: Position,
        match: MatchState,
        dice: Dice,
        evaluation: Evaluation,
        seconds: float | None = None,
        made: Position | None = None,
    ) -> Sequence[Candidate]:
        """Rank every legal play, best first; plays that a filter stopped follow the survivors.

        After `seconds` the search ends with its results so far; it always finishes 0-ply. It
        searches the play that leads to `made` as deep as the best one, despite the filter.
        """
        context = CubeContext.of(match)
        terms = self.terms(position, context, evaluation)
        if position.is_hypergammon():
            return _known(position, dice, context, terms, evaluation.plies)
        cube, choice = (context.cube, context.owner), self._choice
        search = self.scratches[0].search(terms)
        rule = _rule(evaluation.filter.level(evaluation.plies, 0) if evaluation.plies else None)
        position.put(self._counts)
        count, left = choosing.look_first(search, choice, self._board, cube, dice, rule)
        if count == 0:
            position.checked()
        if count > 1 and evaluation.plies > 0:
            with _deadline(seconds) as stop:
                deeper = _Deeper(self, terms, cube, stop, count)
                deeper.look(evaluation, left)
                if made is not None:
                    deeper.look_at(made.array(), evaluation.plies)
        rows = choice.listed[:count].tobytes()
        return Candidates(choice.figures[:count].copy(), rows, position.checkers, match.length == 0)

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
        position.put(self._counts)
        board, cube, scratch = self._board, (context.cube, context.owner), self.scratches[0]
        search, first = scratch.search(terms), evaluation.plies if seconds is None else 0
        if not choosing.look_before(search, board, cube, first, NEVER):
            position.checked()
        found = scratch.seen()
        if first == evaluation.plies:
            return found
        with _deadline(seconds) as stop:
            for plies in range(first + 1, evaluation.plies + 1):
                if choosing.look_before(search, board, cube, plies, stop):
                    found = scratch.seen()
        return found

    def terms(
        self, position: Position, context: CubeContext, evaluation: Evaluation
    ) -> kernel.SearchTerms:
        """Return the kernels' terms for a whole decision, the same ones for the same decision."""
        key = id(context), id(evaluation), position.checkers
        known = self._terms.get(key)
        if known is not None:
            return known[-1]
        if not 0 <= evaluation.plies <= DEEPEST:
            raise ValueError(f"{evaluation.plies} plies: 0 to {DEEPEST} can be searched")
        keep = evaluation.keep if evaluation.prune and evaluation.noise == 0.0 else 0
        draws = np.zeros(2, np.uint64) if evaluation.deterministic else self._draws
        settings = (position.checkers, keep, evaluation.cubeful)
        rolls = ROLLS[evaluation.rolls]
        efficiencies = evaluation.efficiency.known()
        terms = terms_of(context, settings, evaluation.noise, draws, rolls, efficiencies)
        if len(self._terms) >= MOST_TERMS:
            self._terms.clear()
        self._terms[key] = context, evaluation, terms  # so no other object gets their ids
        return terms

    def search(
        self,
        terms: kernel.SearchTerms,
        places: tuple[int, int],
        plies: int,
        cube: tuple[int, int],
        rolls: tuple[int, int],
        stop: NDArray[np.int64],
    ) -> bool:
        """Search the plays at some places this deep; return whether time was enough."""
        first, end = places

        def share(thread: int, threads: int) -> bool:
            search, some = self.scratches[thread].search(terms), (first + thread, end, threads)
            return bool(choosing.look_deeper(search, self._choice, some, plies, cube, rolls, stop))

        if self._pool is None or terms.draws[0] != 0:  # because random noise is drawn in one order
            return share(0, 1)
        threads = range(self.threads)
        return all(list(self._pool.map(share, threads, repeat(self.threads))))


class _Deeper:
    """The search of a decision beyond 0-ply; when time runs out, its last results stand."""

    def __init__(
        self,
        search: Search,
        terms: kernel.SearchTerms,
        cube: tuple[int, int],
        stop: NDArray[np.int64],
        count: int,
    ) -> None:
        self._search = search
        self._terms = terms
        self._cube = cube
        self._stop = stop
        self._count = count  # of all plays
        self._choice = search.scratches[0].choice
        self._held = search.scratches[0].search(terms), self._choice

    def look(self, evaluation: Evaluation, left: int) -> None:
        """Search the plays that the filter lets through, at first the best `left`."""
        plies, accept, depth = evaluation.plies, 0, 0
        for level in range(plies):
            rule = evaluation.filter.level(plies, level)
            if rule is None:
                continue
            if level > 0:
                left, depth = self._searched((0, left), level, rule), level
            accept = max(1, rule.accept)
            if left == 0 or (left == 1 and rule.accept != 1):
                return
        if plies > 1 and left > accept:
            if depth < plies - 1:
                left = self._searched((0, left), plies - 1, Pass(accept, CAPACITY, HOPELESS))
            margin = HOPELESS_LATER if evaluation.rollout is None else evaluation.rollout.within
            if left > 0:
                self._race(left, plies, accept, margin)
        else:
            self._searched((0, left), plies, None)

    def _race(self, left: int, plies: int, accept: int, margin: float) -> None:
        """Search plays roll by roll; drop hopeless ones while more than `accept` stay."""
        done, last, search = 0, len(ALL_ROLLS), self._search.search
        while done < last:
            first = done
            done = last if left <= accept else max(FIRST_ROLLS, first + 1)
            if not search(self._terms, (0, left), plies, self._cube, (first, done), self._stop):
                return
            if done < last:
                decision = *self._held, left, plies, self._cube
                still = int(choosing.drop_hopeless(*decision, done, margin))
                left = still if still >= accept else left
        choosing.settle(*self._held, (self._count, left), plies, self._cube, _rule(None))

    def look_at(self, board: NDArray[np.int8], plies: int) -> None:
        """Search the play that leads to a board, and the best one, if they are not searched."""
        depth = choosing.bring_forward(self._choice, board, self._count)
        if 0 <= depth < plies:
            best = int(self._choice.figures[0, choosing.DEPTH])
            self._searched((int(best == plies), 2), plies, None)

    def _searched(self, places: tuple[int, int], plies: int, rule: Pass | None) -> int:
        """Return how many plays pass a rule after a search, 0 if time was too short for it."""
        every = 0, len(ALL_ROLLS)
        if not self._search.search(self._terms, places, plies, self._cube, every, self._stop):
            return 0
        counts = self._count, places[1]
        return int(choosing.settle(*self._held, counts, plies, self._cube, _rule(rule)))


def _known(
    position: Position, dice: Dice, context: CubeContext, terms: kernel.SearchTerms, plies: int
) -> list[Candidate]:
    """Rank the plays of a position that a database knows."""
    found = []
    for each in known_plays(position, dice, (context.cube, context.owner), terms):
        result = Position.from_array(each.board, position.checkers)
        value = context.cubeful(each.worth)
        found.append(Candidate(each.play, result, *value, each.outcomes, plies))
    return found


@lru_cache(maxsize=256)
def _rule(each: Pass | None) -> NDArray[np.float64]:
    """Return a pass in the kernels' form; without one, all plays pass."""
    return np.array(each or (CAPACITY, 0, 0.0), np.float64)


@lru_cache(maxsize=1 << 16)
def known_play(row: bytes) -> Play:
    """Return a play; cached, because the same plays recur and making one is slow."""
    return play_of(np.frombuffer(row, np.int8))


class SearchScratch:
    """One thread's scratch arrays, and the searches that use them."""

    def __init__(self, brain: Brain, choice: Held[choosing.RankedPlays]) -> None:
        self.brain = Held(brain)
        self.work = Held(scratch_for(brain))
        self.walk = Held(kernel.tree())
        self.choice = choice  # of all threads
        self._searches: dict[int, Held[kernel.TreeSearch]] = {}
        self._root = self.walk.outcomes.data, self.walk.worths.data

    def search(self, terms: kernel.SearchTerms) -> Held[kernel.TreeSearch]:
        """Return the kernels' form of a search, made once for terms that come again."""
        known = self._searches.get(id(terms))
        if known is None:
            if len(self._searches) >= MOST_TERMS:
                self._searches.clear()
            known = Held(kernel.TreeSearch(self.brain, terms, self.work, self.walk))
            self._searches[id(terms)] = known
        return known

    def seen(self) -> Seen:
        """Return the figures of `choosing.look_before`."""
        return Seen(_CHANCES(self._root[0]), *_WORTHS(self._root[1]))


@contextmanager
def _deadline(seconds: float | None) -> Iterator[NDArray[np.int64]]:
    """Give a flag that kernels poll, raised after this many seconds; never for None."""
    if seconds is None:
        yield NEVER
        return
    stop = np.zeros(1, np.int64)
    timer = threading.Timer(seconds, stop.fill, (1,))
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()


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
    `efficiencies` are from CubeEfficiency.
    """
    return kernel.SearchTerms(
        np.array(settings, np.int64),
        context.rules,
        context.chances,
        np.array(USUAL.known() if efficiencies is None else efficiencies),
        ALL_ROLLS,
        later_rolls,
        np.array([noise]),
        np.zeros(2, np.uint64) if draws is None else draws,
    )
