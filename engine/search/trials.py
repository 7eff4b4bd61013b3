"""Trials of a rollout: their starts, their settings, and the trials themselves.

Trials are numbered and independent: each draws its own dice from the seed and its number, so a
trial is a function of settings, alternative and number alone.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, replace
from functools import lru_cache
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.kernels import rollout as kernel
from sixprime.engine.kernels import tree
from sixprime.engine.kernels.evaluation import Brain, Scratch, scratch_for
from sixprime.engine.kernels.machine.held import Held
from sixprime.engine.nets import weights
from sixprime.engine.position import Dice, MatchState, Position
from sixprime.engine.search.cube import CubeContext
from sixprime.engine.search.plies import DEEPEST, ROLLS, Evaluation, terms_of
from sixprime.engine.system.errors import InputError

LARGEST = 2**63
PLAIN = kernel.PLAIN
COLUMNS = PLAIN + 1
LEVELS, TURNS, ROLLED = 6, 128, 36  # of stratified dice
EXPERT = Evaluation(prune=False)


class BadRollout(InputError):
    """The rollout cannot be done, or does not fit the saved one; the text says why."""


@dataclass(frozen=True, slots=True)
class RolloutPlayer:
    checker: Evaluation = EXPERT
    cube: Evaluation = EXPERT


@dataclass(frozen=True, slots=True)
class RolloutSettings:
    """The settings of a rollout. The root player plays the roll, or may double."""

    trials: int = 1296
    cubeful: bool = True
    truncate: int = 0  # turns until a trial is judged; 0: played to the end
    reduce_variance: bool = True
    databases: bool = True  # trials end in positions of a bearoff database
    keep: int = 0  # plays of a roll judged in full after the pruning net; 0: all
    seed: int = 1
    stop_at: float = 0.0  # joint standard deviations between the best and another; 0: never
    stop_after: int = 324  # trials before the first check of this and the next limit
    stop_at_error: float = 0.0  # standard error of the equity that ends a rollout; 0: never
    players: tuple[RolloutPlayer, RolloutPlayer] = (RolloutPlayer(), RolloutPlayer())  # root first
    later: tuple[RolloutPlayer, RolloutPlayer] | None = None  # from turn `later_after` on
    later_after: int = 0
    at_truncation: Evaluation = EXPERT  # its plies
    one_sided: bool = True  # of the databases; only without a cube
    two_sided: bool = True
    stratified: bool = True  # each first roll, and each pair, equally often; else plain dice
    opening: bool = False  # the first roll is the opening roll: no double

    def checked(self) -> RolloutSettings:
        """Return itself; BadRollout if the settings make no sense."""
        whole = ("trials", "truncate", "keep", "seed", "stop_after", "later_after")
        for name in whole:
            if not isinstance(getattr(self, name), Integral):
                raise BadRollout(f"{name} {getattr(self, name)!r}: a whole number is needed")
        if self.trials < 1:
            raise BadRollout(f"{self.trials} trials: at least 1 is needed")
        for name in ("truncate", "keep", "stop_at", "stop_at_error", "later_after", "stop_after"):
            value = getattr(self, name)
            if not 0 <= value < math.inf:
                raise BadRollout(f"{name} {value}: a finite number of at least 0 is needed")
        for name in whole:
            if not 0 <= getattr(self, name) < LARGEST:
                raise BadRollout(f"{name} {getattr(self, name)}: 0 to {LARGEST - 1} is possible")
        for player in (*self.players, *(self.later or ())):
            for evaluation in (player.checker, player.cube, self.at_truncation):
                _check_depth(evaluation)
        return self


def _check_depth(evaluation: Evaluation) -> None:
    most = min(DEEPEST, len(evaluation.filter.rows))
    if not 0 <= evaluation.plies <= most:
        raise BadRollout(f"{evaluation.plies} plies: 0 to {most} can be looked ahead")


@dataclass(frozen=True, slots=True)
class Alternative:
    """The start of trials: a board with a player on roll, the root player or the other."""

    name: str
    position: Position  # as the player on roll sees it
    side: int  # 0: the root player is on roll
    cube: int
    owner: int  # sixprime.engine.kernels.cube.MINE .., as the player on roll sees it
    may_double: bool  # before the very first roll


@dataclass(frozen=True, slots=True)
class RolledTurn:
    """A turn of a trial. Without dice the trial ended, by a pass or a judgement."""

    side: int  # 0: the root player
    dice: Dice | None
    doubled: bool
    passed: bool
    result: Position  # after the play, if any, as the next player sees it


def play_trials(
    match: MatchState,
    alternative: Alternative,
    settings: RolloutSettings,
    first: int,
    count: int,
    brain: Brain | None = None,
) -> NDArray[np.float64]:
    """Return float64[count, COLUMNS] of trials first, first + 1, ...; None: the brain that ships.

    The result depends on the arguments alone, so any process on any machine can compute it.
    """
    return _played(match, alternative, settings, range(first, first + count), brain, 0)[0]


def logged_trial(
    match: MatchState,
    alternative: Alternative,
    settings: RolloutSettings,
    number: int,
    brain: Brain | None = None,
) -> list[RolledTurn]:
    numbers = range(number, number + 1)
    settings = replace(settings, reduce_variance=False)  # this changes no game
    _, log = _played(match, alternative, settings, numbers, brain, kernel.LONGEST + 1)
    turns = []
    position = alternative.position
    for row in log:
        rolled = bool(row[kernel.DIE_1])
        if rolled:
            board = row[kernel.LOGGED :].reshape(2, -1)
            position = Position.from_array(board, position.checkers)
        dice = (int(row[kernel.DIE_1]), int(row[kernel.DIE_2])) if rolled else None
        cube = row[kernel.TURNED]
        turns.append(
            RolledTurn(
                int(row[kernel.SIDE]),
                dice,
                bool(cube != kernel.NOT_TURNED),
                bool(cube == kernel.PASSED),
                position,
            )
        )
        if not rolled:
            return turns
    raise AssertionError("a trial without an end")


def _played(
    match: MatchState,
    alternative: Alternative,
    settings: RolloutSettings,
    numbers: range,
    brain: Brain | None,
    turns: int,
) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """Return the rows of these trials, and the log of the last, of at most `turns` turns."""
    if brain is None:
        brain = _shipped()
    scratch = _idle_scratch(brain)
    plan = _plan(match, alternative, settings, scratch)
    search = plan.looks.searches[kernel.LUCK]
    rows = np.zeros((len(numbers), COLUMNS))
    log = np.zeros((turns, kernel.LOG), np.int8)
    kernel.trials(search, plan, scratch.trial, numbers.start, log, rows)
    _idle_scratches.append(scratch)
    return rows, log


class _Scratch(NamedTuple):
    """Scratch and memory of one thread, valid for its brain alone."""

    brain: Brain
    held: Held[Brain]
    work: Held[Scratch]
    walk: Held[tree.Tree]
    trial: Held[kernel.TrialScratch]


_idle_scratches: list[_Scratch] = []  # appended to and popped from by any thread


def _idle_scratch(brain: Brain) -> _Scratch:
    """Return an idle scratch, so that chunks of a rollout share their memory."""
    with contextlib.suppress(IndexError):
        while True:
            scratch = _idle_scratches.pop()
            if scratch.brain is brain:
                return scratch
    work, walk, trial = scratch_for(brain), tree.tree(), kernel.trial_scratch()
    return _Scratch(brain, Held(brain), Held(work), Held(walk), Held(trial))


def _plan(
    match: MatchState, alternative: Alternative, settings: RolloutSettings, scratch: _Scratch
) -> kernel.TrialPlan:
    databases = settings.databases
    options = (
        settings.truncate,
        settings.reduce_variance,
        databases and settings.two_sided,
        databases and settings.one_sided,
        alternative.may_double,
        settings.opening,
        settings.later_after if settings.later else kernel.LONGEST + 1,
    )
    return kernel.TrialPlan(
        kernel.TrialStart(
            alternative.position.array(), alternative.side, alternative.cube, alternative.owner
        ),
        kernel.TrialDice(_permutations(settings.seed, settings.stratified), settings.seed),
        _trial_looks(CubeContext.of(match), alternative.position.checkers, settings, scratch),
        np.array(options, np.int64),
        settings.keep,
    )


def _trial_looks(
    context: CubeContext, checkers: int, settings: RolloutSettings, scratch: _Scratch
) -> kernel.TrialLooks:
    both = (*settings.players, *(settings.later or settings.players))
    evaluations = [evaluation for player in both for evaluation in (player.checker, player.cube)]
    evaluations += [settings.at_truncation, EXPERT]
    searches = []
    filters = np.zeros((len(evaluations), DEEPEST, 3))
    for i, evaluation in enumerate(evaluations):
        kept = (
            kernel.GUESSED
            if i == kernel.LUCK
            else evaluation.keep
            if evaluation.prune and not evaluation.noise
            else 0
        )
        cubeful = settings.cubeful and (evaluation.cubeful or i % 2 == kernel.CUBE_ACTION)
        draws = np.array((0 if evaluation.deterministic else settings.seed + 1, 0), np.uint64)
        efficiencies = evaluation.efficiency.known()
        how = (checkers, kept, cubeful)
        rolls = ROLLS[evaluation.rolls]
        terms = terms_of(context, how, evaluation.noise, draws, rolls, efficiencies)
        searches.append(Held(tree.TreeSearch(scratch.held, terms, scratch.work, scratch.walk)))
        for level in range(evaluation.plies):
            rule = evaluation.filter.level(evaluation.plies, level)
            filters[i, level] = (-1, 0, 0) if rule is None else rule
    plies = np.array([evaluation.plies for evaluation in evaluations], np.int64)
    return kernel.TrialLooks(tuple(searches), plies, filters)


@lru_cache(1)
def _shipped() -> Brain:
    return weights.load_brain()


@lru_cache(4)
def _permutations(seed: int, stratified: bool = True) -> NDArray[np.int8]:
    """Return int8[LEVELS, TURNS, ROLLED] for `kernel.roll_of`; plain dice: empty."""
    draws = np.random.Generator(np.random.PCG64(seed))
    table = np.empty((LEVELS, TURNS if stratified else 0, ROLLED), np.int8)
    for level in range(LEVELS):
        for turn in range(table.shape[1]):
            table[level, turn] = draws.permutation(ROLLED)
    return table
