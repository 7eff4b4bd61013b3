"""A rollout as somebody would do it by hand: the rules, a formula for a position, and averages.

Nothing here comes from the engine but its values (Position, Dice). A position is judged by
`estimate`: the difference of two weighted pip counts and a curve; in a race, bells of the rolls
that each side needs. `hand_nets` and `hand_side` say the same, so the program's rollouts can be
followed game by game: `Hand.follow` stops at the first decision that its options do not explain.
Both sides have checkers off, so there are no gammons.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from operator import mul
from random import Random
from typing import NamedTuple

import numpy as np

from sixprime.engine.kernels.inputs import COUNTS, PLACES
from sixprime.engine.kernels.network import LIFE, Net
from sixprime.engine.kernels.races import ALL, ESTIMATE_UNIT
from sixprime.engine.nets.weights import Nets, load_sides
from sixprime.engine.position import Dice, Position
from tests.support.engine.brains import living_nets
from tests.support.engine.reference import legal_results

HEAVY = tuple(40 * point + 17 * point**3 % 39 for point in range(1, 26))  # of one checker
TURN = 160  # what it is worth to be on roll
CURVE = 500.0
ROLL = 512  # the weight that a roll takes off a side that races: races.ESTIMATE_UNIT
SOONEST = 1.0  # rolls
BELL = 0.3  # how steep, around the mean number of rolls
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, 7)]  # 36 of them
TIE = 2e-4  # the program's databases have 16 bits

MINE, CENTRED, THEIRS = "mine", "centred", "theirs"
TURNED = {MINE: THEIRS, CENTRED: CENTRED, THEIRS: MINE}
LIVES = {MINE: 0.6, CENTRED: 0.75, THEIRS: 0.68}


class Look(NamedTuple):
    """How a decision is made: plies, and after each ply how many plays stay."""

    plies: int = 0
    filters: tuple[tuple[int, int, float] | None, ...] = ((100, 0, 0.0), None)


class Hands(NamedTuple):
    """How a player looks at plays, and at the cube. None: at random, for all we know."""

    play: Look | None = Look()
    cube: Look | None = Look()


class Act(NamedTuple):
    """A turn of a game; without dice the game has ended, or is cut."""

    dice: Dice | None
    doubled: bool
    passed: bool
    result: Position | None  # as the next player sees it


class Start(NamedTuple):
    position: Position  # as the player on roll sees it
    opponent_first: bool = False  # is it the opponent of the player who decides?
    cube: int = 1
    owner: str = CENTRED
    may_double: bool = True


Worths = dict[Position, float]  # of plays, to the mover


class Departed(AssertionError):
    """The game is not the one that the options ask for."""


class Options(NamedTuple):
    players: tuple[Hands, Hands] = (Hands(), Hands())
    later: tuple[Hands, Hands] = (Hands(), Hands())
    later_after: int = 10**6
    truncate: int = 10**6
    cut_plies: int = 0
    cubeful: bool = True
    one_sided: bool = True
    two_sided: bool = True


class Hand(Options):
    """Plays by these options, and follows games that should."""

    def follow(self, start: Start, acts: Iterable[Act]) -> tuple[float, float]:
        """(points, chance to win) of the player who decides; Departed if an act is not as asked."""
        position, cube, owner = start.position, start.cube, start.owner
        sign = -1.0 if start.opponent_first else 1.0
        for turn, act in enumerate(acts):
            who = self._who(turn, sign)
            may_double = self.cubeful and owner != THEIRS and (turn > 0 or start.may_double)
            if self.is_end(position, turn):
                _agree(not act.doubled and act.result is None, f"turn {turn}: the end was missed")
                return self._points(position, cube, owner, sign, may_double=may_double)
            _agree(act.passed or act.dice is not None, f"turn {turn}: this is not the end")
            if who.cube is not None:
                self._agree_on_cube(position, (cube, owner), who.cube, act, may_double=may_double)
            if act.passed:
                return sign * cube, 0.5 + sign / 2
            if act.doubled:
                cube, owner = 2 * cube, THEIRS
            assert act.dice is not None
            assert act.result is not None
            result = act.result.flipped()
            _agree(result in legal(position, act.dice), f"turn {turn}: illegal")
            if who.play is not None:
                worths, others = self.kept(position, act.dice, cube, owner, who.play)
                best = max(worths.values(), default=min(others.values(), default=0.0))
                worth = {**worths, **others}.get(result, -math.inf)
                _agree(worth > best - TIE, f"turn {turn}: another play")
            position, owner, sign = act.result, TURNED[owner], -sign
        raise Departed("no end")

    def play_out(self, start: Start, dice: Random) -> tuple[float, float]:
        """The same of a game that is played by hand."""
        position, cube, owner = start.position, start.cube, start.owner
        sign = -1.0 if start.opponent_first else 1.0
        for turn in range(10**6):
            who = self._who(turn, sign)
            may_double = self.cubeful and owner != THEIRS and (turn > 0 or start.may_double)
            if self.is_end(position, turn):
                return self._points(position, cube, owner, sign, may_double=may_double)
            assert who.cube is not None
            assert who.play is not None
            if may_double:
                stays, taken = self.before_roll(position, cube, owner, who.cube)
                if min(taken, cube) >= stays:
                    if taken >= cube:
                        return sign * cube, 0.5 + sign / 2
                    cube, owner = 2 * cube, THEIRS
            roll = dice.randint(1, 6), dice.randint(1, 6)
            worths, others = self.kept(position, roll, cube, owner, who.play)
            position = max(worths or others, key=(worths or others).__getitem__).flipped()
            owner, sign = TURNED[owner], -sign
        raise AssertionError

    def is_end(self, position: Position, turn: int) -> bool:
        """Is the game over, cut, or known?"""
        few = self.two_sided and max(sum(position.mine), sum(position.theirs)) <= 6
        any_known = few or (self.one_sided and not self.cubeful)
        return position.is_over() or turn >= self.truncate or (at_home(position) and any_known)

    def kept(
        self, position: Position, dice: Dice, cube: int, owner: str, look: Look
    ) -> tuple[Worths, Worths]:
        """The plays that the filters leave, with what each is worth; and those that may be left."""

        def worths(results: Iterable[Position], plies: int) -> Worths:
            found = {
                each: -self.worth(each.flipped(), cube, TURNED[owner], plies) for each in results
            }
            return dict(sorted(found.items(), key=lambda item: -item[1]))

        left, others = worths(legal(position, dice), 0), {}
        for ply, passes in zip(range(look.plies), look.filters, strict=False):
            if passes is not None:
                accept, extra, behind = passes
                ranked = [*worths(left, ply).items()] if ply else [*left.items()]
                least = ranked[0][1] - behind * cube
                close = [item for item in ranked[accept : accept + extra] if item[1] >= least]
                left = dict(ranked[:accept] + close)
                last = min(left.values())
                others = {play: worth for play, worth in ranked if abs(worth - last) < TIE}
                if not others.keys() <= left.keys():  # any of them may be the last
                    left = {play: worth for play, worth in left.items() if play not in others}
        if look.plies:
            left, others = worths(left, look.plies), worths(others, look.plies)
        return left, others

    @cache  # noqa: B019  # of a value
    def worth(self, position: Position, cube: int, owner: str, plies: int) -> float:
        """Points to the player on roll, who may double first."""
        if not self.cubeful or owner == THEIRS or position.is_over():
            return self.rolling(position, cube, owner, plies)
        stays = self.rolling(position, cube, owner, plies)
        taken = self.rolling(position, 2 * cube, THEIRS, plies)
        return min(taken, cube) if min(taken, cube) >= stays else stays

    def before_roll(
        self, position: Position, cube: int, owner: str, look: Look
    ) -> tuple[float, float]:
        """Points to the player on roll with the cube as it is, and doubled and taken."""
        stays = self.rolling(position, cube, owner, look.plies)
        return stays, self.rolling(position, 2 * cube, THEIRS, look.plies)

    @cache  # noqa: B019
    def rolling(self, position: Position, cube: int, owner: str, plies: int) -> float:
        """Points to the player on roll, who does not double now."""
        if position.is_over():
            return float(cube * position.result())
        if self.cubeful and in_pairs(position):
            return cube * exact(position, owner)
        if plies == 0 or in_pairs(position):
            chance, live = estimate(position), efficiency(position, owner)
            return cube * (janowski(chance, owner, live) if self.cubeful else 2 * chance - 1)
        total = 0.0
        for dice in ROLLS:
            results = (each.flipped() for each in legal(position, dice))
            best = min(results, key=lambda each: self.worth(each, cube, TURNED[owner], 0))
            total -= self.worth(best, cube, TURNED[owner], plies - 1)
        return total / 36

    def _who(self, turn: int, sign: float) -> Hands:
        players = self.later if turn >= self.later_after else self.players
        return players[0 if sign > 0 else 1]

    def _agree_on_cube(
        self, position: Position, state: tuple[int, str], look: Look, act: Act, *, may_double: bool
    ) -> None:
        if not may_double:
            _agree(not act.doubled, "nobody may double here")
            return
        stays, taken = self.before_roll(position, *state, look)
        passed = float(state[0])
        if abs(min(taken, passed) - stays) > TIE:
            _agree(act.doubled is (min(taken, passed) > stays), "the cube should (not) be turned")
        if act.doubled and abs(taken - passed) > TIE:
            _agree(act.passed is (taken > passed), "the wrong answer")

    def _points(
        self, position: Position, cube: int, owner: str, sign: float, *, may_double: bool
    ) -> tuple[float, float]:
        plies = self.cut_plies
        points = (self.worth if may_double else self.rolling)(position, cube, owner, plies)
        chance = 0.5 + position.result() / 2 if position.is_over() else estimate(position)
        return sign * points, 0.5 + sign * (chance - 0.5)  # the chance at sight


def _agree(right: bool, otherwise: str) -> None:
    if not right:
        raise Departed(otherwise)


# The rules


@cache
def legal(position: Position, dice: Dice) -> frozenset[Position]:
    """Where a roll can lead, as the mover sees it; in a race the others do not matter."""
    if not is_race(position):
        return frozenset(legal_results(position, dice))
    return frozenset(Position(mine, position.theirs) for mine in alone(position.mine, dice))


@cache
def alone(mine: tuple[int, ...], dice: Dice) -> frozenset[tuple[int, ...]]:
    """Where a roll can lead if nobody is in the way."""
    gone = Position(mine, (1,) + 24 * (0,))
    return frozenset(each.mine for each in legal_results(gone, (max(dice), min(dice))))


def is_race(position: Position) -> bool:
    """Have the last checkers passed each other?"""
    last = [max((i + 1 for i in range(25) if each[i]), default=0) for each in sides(position)]
    return sum(last) < 25


def at_home(position: Position) -> bool:
    """Are all checkers of both sides in their home boards?"""
    return not any(any(side[6:]) for side in sides(position))


def in_pairs(position: Position) -> bool:
    """Does the two-sided database have the position?"""
    return at_home(position) and max(map(sum, sides(position))) <= 6


def sides(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return position.mine, position.theirs


# What a position is worth


@cache
def estimate(position: Position) -> float:
    """The chance of the player on roll to win."""
    if in_pairs(position):
        return 0.5 + exact(position, None) / 2
    if is_race(position):
        mine, theirs = (rolls_of(each) for each in sides(position))
        return min(sum(chance * sum(theirs[roll:]) for roll, chance in enumerate(mine)), 1.0)
    heavier = sum(
        weight * (theirs - mine)
        for weight, mine, theirs in zip(HEAVY, *sides(position), strict=True)
    )
    return 1 / (1 + math.exp(-(heavier + TURN) / CURVE))


def rolls_of(side: tuple[int, ...]) -> tuple[float, ...]:
    """The chance to bear off in 0, 1, 2 .. rolls; outside the home, a bell around a pip count."""
    if not any(side[6:]):
        return rolls_to_go(side)
    mean = SOONEST + sum(map(mul, HEAVY, side)) / ROLL
    heights = [max(1 - BELL * (roll - mean) ** 2 / 64, 0) ** 64 for roll in range(1, 32)]
    return 0.0, *(height / sum(heights) for height in heights)


@cache
def rolls_to_go(side: tuple[int, ...]) -> tuple[float, ...]:
    """The chance to bear off in 0, 1, 2 .. rolls, each played to need the fewest on average."""
    if not any(side):
        return (1.0,)
    best = [min((rolls_to_go(each) for each in alone(side, dice)), key=needed) for dice in ROLLS]
    longest = max(map(len, best))
    return 0.0, *(sum(each[i] for each in best if i < len(each)) / 36 for i in range(longest))


def needed(rolls: Sequence[float]) -> float:
    """On average."""
    return sum(roll * chance for roll, chance in enumerate(rolls))


@cache
def exact(position: Position, owner: str | None) -> float:
    """Equity per unit of the cube of the player on roll, who does not double now; None: no cube."""
    if position.is_over():
        return float(position.result())
    total = 0.0
    for dice in ROLLS:
        results = [each.flipped() for each in legal(position, dice)]
        total -= min(_doubling(each, None if owner is None else TURNED[owner]) for each in results)
    return total / 36


@cache
def _doubling(position: Position, owner: str | None) -> float:
    stays = exact(position, owner)
    if owner in {None, THEIRS} or position.is_over():
        return stays
    doubled = min(2 * exact(position, THEIRS), 1.0)
    return max(stays, doubled)


def janowski(chance: float, owner: str, live: float) -> float:
    """Equity between a cube nobody turns and one both turn at 20 and 80 percent."""
    corners = {
        CENTRED: ((0.0, -1.0), (0.2, -1.0), (0.8, 1.0), (1.0, 1.0)),
        MINE: ((0.0, -1.0), (0.8, 1.0), (1.0, 1.0)),
        THEIRS: ((0.0, -1.0), (0.2, -1.0), (1.0, 1.0)),
    }[owner]
    (left, low), (right, high) = next(pair for pair in pairwise(corners) if chance <= pair[1][0])
    used = low + (high - low) * (chance - left) / (right - left)
    return (1 - live) * (2 * chance - 1) + live * used


def efficiency(position: Position, owner: str) -> float:
    """How live the cube is, as the manual has it; in contact by its owner."""
    if not is_race(position):
        return LIVES[owner]
    if at_home(position):
        return 0.6
    pips = sum((i + 1) * count for i, count in enumerate(position.mine))
    return min(max(0.55 + 0.00125 * pips, 0.6), 0.7)


# The same for the program


def hand_nets() -> Nets:
    """Nets that say of a position outside the databases what `estimate` says."""
    contact, *others = (_hand_net(net) for net in living_nets())
    contact.b3[:, LIFE:] = list(LIVES.values())
    return Nets(contact, *others)


def _hand_net(like: Net) -> Net:
    arrays = {name: np.zeros_like(array) for name, array in like._asdict().items()}
    net = Net(**arrays)
    for place, weight in enumerate(HEAVY):
        for count in range(1, COUNTS):
            net.table[place * COUNTS + count, 0] = -count * weight
            net.table[(PLACES + place) * COUNTS + count, 0] = count * weight
    level = 8000  # so that no sum of few checkers is negative
    net.bias[0] = level
    net.w1[:, 0, 0] = 1 / CURVE
    net.w2[:, 0, 0] = net.w3[:, 0, 0] = 1.0
    net.b3[:] = -30.0
    net.b3[:, 0] = (TURN - level) / CURVE
    return net


def hand_side() -> Net:
    """The net of one side of a race that says what `rolls_of` says outside the home."""
    like = load_sides()
    net = Net(**{name: np.zeros_like(array) for name, array in like._asdict().items()})
    for place, weight in enumerate(HEAVY):
        net.table[place * COUNTS : (place + 1) * COUNTS, ALL] = weight * np.arange(COUNTS)
    net.bias[ALL] = SOONEST * ESTIMATE_UNIT
    net.b3[:, 1] = -BELL
    return net
