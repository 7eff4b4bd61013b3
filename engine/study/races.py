"""The rolls of each side of a race, and so its winner: exact, by a net, rolled out, by one checker.

Each side plays for speed alone, as if the other were not there. The one-sided bearoff database
knows the home boards, and the net of one side the other races. A rollout knows the rest, contact
and games with fewer checkers: checkers come home die by die, each play the one with the fewest
rolls left, over dice of which the first two rolls come in every combination equally often.
`one_checker` is the race of two checkers with the same pip counts, which waste nothing.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.bearoff.databases import (
    PIPS_PER_ROLL,
    OneSidedDatabase,
    Outcomes,
    RollsNeeded,
    one_sided,
)
from sixprime.engine.kernels.bearoff.ranks import WORDS
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.kernels.races import ALL, ENDS, ends_of, side_scratch
from sixprime.engine.nets.evaluate import Evaluator
from sixprime.engine.position import MAX_CHECKERS, PLACES, Checkers, Position
from sixprime.engine.rules import legal_plays

HOME = 6
ROLLS = tuple((a, b) for a in range(1, 7) for b in range(1, 7))
LATE = 0.5  # rolls, for each checker that is not home
HOME_COUNTS, HOME_WAITS = 1.0, 0.05  # weight of rolls at home: to bear all off, or the first
SOON = 4  # rolls, enough for the first of a few checkers at home: 2-1 twice bear one off
LONGEST = 160  # rolls; 15 checkers on the bar need 125 of 2-1
TRIALS = 4 * len(ROLLS) ** 2

Distribution = NDArray[np.float64]  # [n]: the chance to need exactly n rolls


class Race(NamedTuple):
    """A race without a cube; `mine` is on roll."""

    mine: RollsNeeded
    theirs: RollsNeeded
    outcomes: Outcomes  # backgammons by the net only
    trials: int  # 0: exact, or by the net
    by_net: bool = False

    def wastage(self, position: Position) -> tuple[float, float]:
        """Return the effective pips beyond the pip counts: mine, theirs."""
        mine, theirs = position.pips()
        return self.mine.effective_pips - mine, self.theirs.effective_pips - theirs


def race(
    position: Position, brain: Brain | None = None, trials: int = TRIALS, seed: int = 1
) -> Race:
    """Solve a race: exactly within the database's points, by a brain, or by a rollout."""
    outside = any(any(side[HOME:]) for side in (position.mine, position.theirs))
    if brain and outside and position.is_race() and position.checkers == MAX_CHECKERS:
        return _by_sides(position, brain)
    sides = (position.mine, position.theirs)
    rolled = any(any(side[HOME:]) for side in sides)
    database = one_sided(HOME)
    (mine, my_first), (theirs, their_first) = (
        _rolls(side, database, trials, seed + who, position.checkers)
        for who, side in enumerate(sides)
    )
    outcomes = Outcomes(
        _first(mine, theirs), _first(mine, their_first), 0.0, _first(theirs, my_first, 1), 0.0
    )
    return Race(_needed(mine), _needed(theirs), outcomes, trials if rolled else 0)


def _by_sides(position: Position, brain: Brain) -> Race:
    ends = np.zeros((2, ENDS, WORDS), np.float32)
    ends_of(brain, position.array(), side_scratch(brain.sides), ends)
    mine, theirs = (_needed(side[ALL].astype(np.float64)) for side in ends)
    return Race(mine, theirs, Evaluator(brain).outcomes(position), 0, by_net=True)


def one_checker(position: Position) -> Race:
    """Solve the race of one checker a side, as many pips from home."""
    mine, theirs = (_one_checker(pips) for pips in position.pips())
    chances = Outcomes(_first(mine, theirs), 0.0, 0.0, 0.0, 0.0)
    return Race(_needed(mine), _needed(theirs), chances, 0)


def _first(fast: Distribution, slow: Distribution, lead: int = 0) -> float:
    """Return the chance that `fast` ends with a roll before `slow`, `lead` rolls ahead, does."""
    waiting = np.maximum(1 - np.concatenate(([0.0], np.cumsum(slow))), 0)  # after n - 1 rolls
    reach = min(len(fast), len(waiting) - lead)
    return float(fast[:reach] @ waiting[lead : lead + reach])


def _needed(rolls: Distribution) -> RollsNeeded:
    after = np.arange(len(rolls))
    mean = float(rolls @ after)
    return RollsNeeded(mean, float(rolls @ after**2) - mean**2)


@lru_cache(maxsize=512)
def _one_checker(pips: int) -> Distribution:
    rolls = np.zeros(LONGEST)
    left = np.zeros(pips + 1)
    left[pips] = 1.0
    for n in range(LONGEST):
        rolls[n] = left[0]
        moved = np.zeros_like(left)
        for first, second in ROLLS:
            far = 4 * first if first == second else first + second
            near = left[1:]
            moved[max(0, 1 - far) : max(0, len(left) - far)] += near[max(0, far - 1) :] / len(ROLLS)
            moved[0] += near[: max(0, min(far - 1, pips))].sum() / len(ROLLS)
        left = moved
    return rolls


def _rolls(
    side: Checkers, database: OneSidedDatabase, trials: int, seed: int, checkers: int
) -> tuple[Distribution, Distribution]:
    """Return the rolls until all are off, and the rolls until the first is, each played for."""
    all_off, first_off = np.zeros(LONGEST), np.zeros(LONGEST)
    for (rolls, home), count in _at_home(side, trials, seed, HOME_COUNTS).items():
        done = database.distribution(home)
        all_off[rolls : rolls + len(done)] += count / trials * done
    if sum(side) < checkers:
        first_off[0] = 1.0
        return all_off, first_off
    for (rolls, home), count in _at_home(side, trials, seed, HOME_WAITS).items():
        one = np.ones(1)
        if sum(home) == checkers:
            full = checkers == MAX_CHECKERS
            one = database.first_off(home) if full else _first_of_few(home)
        first_off[rolls : rolls + len(one)] += count / trials * one
    return all_off, first_off


@lru_cache(maxsize=512)
def _first_of_few(home: Checkers) -> Distribution:
    """Return the rolls until the first is off, with fewer checkers than the database's."""
    rolls = np.zeros(SOON)
    side = (*home, *(0,) * (PLACES - HOME))
    for dice in ROLLS:
        plays = legal_plays(Position(side, (0,) * PLACES, sum(home)), dice)
        ends = [play.result.mine[:HOME] for play in plays]
        later = [
            _first_of_few(end) if sum(end) == sum(home) else np.eye(1, SOON)[0] for end in ends
        ]
        rolls[1:] += min(later, key=lambda chances: chances @ np.arange(SOON))[:-1] / len(ROLLS)
    return rolls


def _at_home(
    side: Checkers, trials: int, seed: int, counts: float
) -> Counter[tuple[int, tuple[int, ...]]]:
    """Count the trials by the rolls until all are home, and their places then.

    `counts` weighs a roll saved in the home board beside one saved outside.
    """
    arrivals: Counter[tuple[int, tuple[int, ...]]] = Counter()
    if not any(side[HOME:]):
        arrivals[0, side[:HOME]] = trials
        return arrivals
    draws = np.random.default_rng(seed)
    boards = np.tile(np.array(side, dtype=np.int64), (trials, 1))
    numbers = np.arange(trials)
    for roll in range(LONGEST):
        arrived = ~boards[:, HOME:].any(axis=1)
        arrivals.update((roll, tuple(home)) for home in boards[arrived, :HOME].tolist())
        boards, numbers = boards[~arrived], numbers[~arrived]
        if not len(boards):
            break
        which = draws.integers(len(ROLLS), size=len(boards))
        if roll < 2:
            which = numbers // len(ROLLS) ** roll % len(ROLLS)
        boards = _played(boards, np.array(ROLLS)[which], counts)
    return arrivals


def _played(boards: NDArray[np.int64], dice: NDArray[np.int64], counts: float) -> NDArray[np.int64]:
    """Play a roll die by die, in the order of the dice that leaves fewer rolls."""
    orders = []
    for one, other in ((0, 1), (1, 0)):
        half = _step(boards, dice[:, one], counts)
        orders.append(_step(half, dice[:, other], counts))
    worse = _rolls_left(orders[0], counts) > _rolls_left(orders[1], counts)
    chosen = np.where(worse[:, None], orders[1], orders[0])
    doubled = np.flatnonzero(dice[:, 0] == dice[:, 1])
    for _ in range(2):
        chosen[doubled] = _step(chosen[doubled], dice[doubled, 0], counts)
    return chosen


def _step(boards: NDArray[np.int64], die: NDArray[np.int64], counts: float) -> NDArray[np.int64]:
    """Move one checker of every board so that the fewest rolls are left."""
    best, least = boards.copy(), np.full(len(boards), np.inf)
    nothing_behind = np.ones(len(boards), dtype=np.bool_)
    for place in range(PLACES - 1, -1, -1):
        there = boards[:, place] > 0
        to = place - die
        off = (to < 0) & (nothing_behind | (to == -1)) & (place < HOME)
        if place < HOME:
            off &= ~boards[:, HOME:].any(axis=1)
        rows = np.flatnonzero(there & ((to >= 0) | off))
        nothing_behind &= ~there
        if not len(rows):
            continue
        moved = boards[rows]
        moved[:, place] -= 1
        stays = to[rows] >= 0
        moved[np.flatnonzero(stays), to[rows[stays]]] += 1
        left = _rolls_left(moved, counts)
        better = left < least[rows]
        best[rows[better]], least[rows[better]] = moved[better], left[better]
    return best


def _rolls_left(boards: NDArray[np.int64], counts: float) -> NDArray[np.float64]:
    """Estimate the rolls left: checkers outside first go to the six point without waste."""
    means, binomials = _means()
    home = boards[:, :HOME].copy()
    home[:, HOME - 1] += boards[:, HOME:].sum(axis=1)
    tops = home[:, ::-1].cumsum(axis=1) + np.arange(HOME)
    ranks = binomials[tops, np.arange(1, HOME + 1)].sum(axis=1)
    beyond = boards[:, HOME:] @ np.arange(1, PLACES - HOME + 1)
    outside = boards[:, HOME:].sum(axis=1)
    rolls: NDArray[np.float64] = counts * means[ranks] + beyond / PIPS_PER_ROLL + LATE * outside
    return rolls


@lru_cache(maxsize=1)
def _means() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the mean number of rolls of every side at home, by rank."""
    tables = one_sided(HOME).tables()
    return tables.tails[:, 1:].sum(axis=1) / float(tables.tails[0, 0]), tables.binomials
