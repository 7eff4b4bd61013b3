"""Positions and match states, and THE convention for whose side a board is seen from.

The player on roll sees a Position. `mine[0..23]` are that player's checkers on their own points
1..24, `mine[24]` is the bar; `theirs` is the same from the opponent's own side. So my point p and
their point 25 - p are the same place: index i of `mine` faces index 23 - i of `theirs`. Checkers
missing from `checkers` are borne off. A mistake in sides raises nothing and loses matches, so
nothing outside this file and the converters at the edges turns a board around.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from itertools import combinations_with_replacement
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from sixprime.engine.system.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

POINTS = 24
BAR = 25  # in the owner's numbering, as in Step
OFF = 0
PLACES = 25  # 24 points and the bar
MAX_CHECKERS = 15
MOST_IN_HYPERGAMMON = 3
CUBE_ACTIONS = ("no double", "double, take", "double, pass")

Dice = tuple[int, int]
ROLLS: tuple[Dice, ...] = tuple(combinations_with_replacement(range(1, 7), 2))  # all 21
Checkers = tuple[int, ...]  # 25 counts: points 1..24, bar
Chances = tuple[float, float, float, float, float]  # win, gammon, backgammon, losing two


def chances_of(values: Iterable[float]) -> Chances:
    win, gammon, backgammon, lost, lost_backgammon = map(float, values)
    return win, gammon, backgammon, lost, lost_backgammon


def turned_chances(values: Iterable[float]) -> Chances:
    """Return chances as the opponent sees them."""
    win, gammon, backgammon, lost, lost_backgammon = values
    return chances_of((1 - win, lost, lost_backgammon, gammon, backgammon))


_WRITTEN_DICE = re.compile(r"\s*\(?([1-6])(?:[\s,:/-]*| and )([1-6])\)?\s*")


def parse_dice(text: str) -> Dice:
    """Return the roll in a text such as `31`, `3-1`, `(3 1)`; ValueError if there is none."""
    dice = _WRITTEN_DICE.fullmatch(text)
    if dice is None:
        raise ValueError("two numbers from 1 to 6 are needed, such as 31")
    return int(dice[1]), int(dice[2])


def is_roll(dice: Iterable[int]) -> bool:
    """Return whether every die shows 1 to 6."""
    return all(1 <= die <= 6 for die in dice)


def each_die(dice: Dice) -> tuple[int, ...]:
    """Return the numbers to play: four for a doublet."""
    return (dice[0],) * 4 if dice[0] == dice[1] else dice


class IllegalPosition(InputError):
    """No game can have this position; the text says why."""


class Variant(Enum):
    """The number of checkers and their first places."""

    STANDARD = "standard"
    NACKGAMMON = "nackgammon"
    HYPERGAMMON_1 = "hypergammon-1"
    HYPERGAMMON_2 = "hypergammon-2"
    HYPERGAMMON = "hypergammon"  # three checkers

    @property
    def called(self) -> str:
        """The name for users; records keep an older name of the game with three checkers."""
        return "hypergammon-3" if self is Variant.HYPERGAMMON else str(self.value)


def variant_named(name: object) -> Variant:
    """Return the variant of this name; ValueError, with all names, if there is none."""
    for variant in Variant:
        if name in (variant, variant.called, variant.value):
            return variant
    known = ", ".join(variant.called for variant in Variant)
    raise ValueError(f"one of {known} is needed, not {str(name)[:40]!r}")


_STARTS: dict[Variant, dict[int, int]] = {
    Variant.STANDARD: {24: 2, 13: 5, 8: 3, 6: 5},
    Variant.NACKGAMMON: {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
    Variant.HYPERGAMMON_1: {24: 1},
    Variant.HYPERGAMMON_2: {24: 1, 23: 1},
    Variant.HYPERGAMMON: {24: 1, 23: 1, 22: 1},
}


class Step(NamedTuple):
    """One checker moved by one die, in the mover's numbering: 25 is the bar, 0 is off."""

    start: int
    end: int


Play = tuple[Step, ...]  # up to four steps, one a die; () is a dance


@dataclass(frozen=True, slots=True)
class Position:
    """Checkers as the player on roll sees them; see the module's docstring."""

    mine: Checkers
    theirs: Checkers
    checkers: int = MAX_CHECKERS

    @classmethod
    def start(cls, variant: Variant = Variant.STANDARD) -> Position:
        """Return the position before the opening roll."""
        places = _STARTS[variant]
        side = tuple(places.get(i + 1, 0) for i in range(PLACES))
        return cls(side, side, sum(side))

    @classmethod
    def from_array(cls, board: NDArray[np.int8], checkers: int = MAX_CHECKERS) -> Position:
        """Return the position of a kernel's int8[2, 25]."""
        mine, theirs = board.tolist()
        return cls(tuple(mine), tuple(theirs), checkers)

    def array(self) -> NDArray[np.int8]:
        """Return a kernel's int8[2, 25]."""
        import numpy as np

        return np.frombuffer(bytearray(self.mine + self.theirs), np.int8).reshape(2, PLACES)

    def put(self, counts: memoryview) -> None:
        """Write the 50 bytes of `array`, in half the time; IllegalPosition if no board has them."""
        try:
            counts[:] = bytearray(self.mine + self.theirs)
        except ValueError:
            self.checked()
            raise
        if len(self.mine) != PLACES:
            self.checked()

    def flipped(self) -> Position:
        """Return the same board as the opponent sees it."""
        return Position(self.theirs, self.mine, self.checkers)

    def of_variant(self, variant: Variant) -> Position:
        """Return the same board in a game with the checkers of this variant."""
        return replace(self, checkers=Position.start(variant).checkers).checked()

    def off(self) -> tuple[int, int]:
        """Return the checkers borne off: mine, theirs."""
        return self.checkers - sum(self.mine), self.checkers - sum(self.theirs)

    def pips(self) -> tuple[int, int]:
        """Return the pip counts: mine, theirs; a checker on the bar counts 25."""
        return _pips(self.mine), _pips(self.theirs)

    def variant(self) -> Variant:
        """Return the variant that the board shows: nackgammon only before its first roll."""
        if self == _NACKGAMMON:
            return Variant.NACKGAMMON
        return _BY_CHECKERS.get(self.checkers, Variant.STANDARD)

    def is_race(self) -> bool:
        """Return whether neither side can hit or block the other any more."""
        rear = max((i for i in range(PLACES) if self.mine[i]), default=-1)
        their_rear = max((i for i in range(PLACES) if self.theirs[i]), default=-1)
        return rear + their_rear < POINTS - 1

    def is_hypergammon(self) -> bool:
        """Return whether the game has so few checkers that every position is known exactly."""
        return self.checkers <= MOST_IN_HYPERGAMMON

    def is_over(self) -> bool:
        """Return whether a side has borne off its last checker."""
        return not any(self.mine) or not any(self.theirs)

    def result(self) -> int:
        """Return the points of the player on roll at cube 1: ±1, ±2, ±3; 0 if it is not over."""
        if not any(self.mine):
            return _won(self.theirs, self.checkers)
        if not any(self.theirs):
            return -_won(self.mine, self.checkers)
        return 0

    def checked(self) -> Position:
        """Return itself if it is possible; raise IllegalPosition otherwise."""
        for who, side in (("the player on roll", self.mine), ("the opponent", self.theirs)):
            if len(side) != PLACES or min(side) < 0:
                raise IllegalPosition(f"{who} needs 25 counts of at least 0")
            if sum(side) > self.checkers:
                raise IllegalPosition(f"{who} has {sum(side)} checkers, more than {self.checkers}")
        for i in range(POINTS):
            if self.mine[i] and self.theirs[POINTS - 1 - i]:
                raise IllegalPosition(f"both sides stand on point {i + 1} of the player on roll")
        if self.mine[24] and self.theirs[24] and _closed(self.mine) and _closed(self.theirs):
            raise IllegalPosition("both sides are on the bar against closed boards")
        if not any(self.mine) and not any(self.theirs):
            raise IllegalPosition("both sides have borne off all checkers")
        return self

    def after(self, play: Play) -> Position:
        """Return the board after these steps, still as the mover sees it, without checks."""
        mine, theirs = list(self.mine), list(self.theirs)
        for start, end in play:
            mine[start - 1] -= 1
            if end != OFF:
                mine[end - 1] += 1
                facing = POINTS - end
                theirs[24] += theirs[facing]
                theirs[facing] = 0
        return Position(tuple(mine), tuple(theirs), self.checkers)


_NACKGAMMON = Position.start(Variant.NACKGAMMON)
_BY_CHECKERS = {
    Position.start(variant).checkers: variant
    for variant in Variant
    if variant is not Variant.NACKGAMMON
}


class LegalPlay(NamedTuple):
    """One distinct result of a roll; `result` is still as the mover sees it."""

    play: Play
    result: Position


def _pips(side: Checkers) -> int:
    return sum((i + 1) * count for i, count in enumerate(side))


def _closed(side: Checkers) -> bool:
    return all(count >= 2 for count in side[:6])


def _won(loser: Checkers, checkers: int) -> int:
    """Return 1, 2 or 3 points against a loser with these checkers left."""
    if sum(loser) < checkers:
        return 1
    return 3 if any(loser[18:]) else 2  # the winner's home is the loser's points 19..24 and the bar


class Phase(IntEnum):
    """The phase of a game, numbered as in a Match ID."""

    NOT_STARTED = 0
    PLAYING = 1
    OVER = 2
    RESIGNED = 3
    DROPPED = 4


@dataclass(frozen=True, slots=True)
class MatchState:
    """Everything about a game but the checkers. Players are seats 0 and 1, as in a Match ID.

    `on_roll` is the seat on roll, also while that player's double waits for an answer; `to_act` is
    the seat that must decide now. They differ only while a double or a resignation is on offer.
    """

    length: int = 0  # points; 0 is money play
    score: tuple[int, int] = (0, 0)
    on_roll: int = 1
    to_act: int = 1
    dice: Dice | None = None
    cube: int = 1
    cube_owner: int | None = None  # None: centred
    doubled: bool = False  # a double waits for an answer; `cube` is still the old value
    resigned: int = 0  # a resignation of 1, 2 or 3 games waits; the resigner is not `to_act`
    crawford: bool = False  # this is the Crawford game
    jacoby: bool = False  # money: gammons count only after a double
    beavers: int = 0  # money: how many beavers may follow one another
    phase: Phase = Phase.PLAYING
    max_cube: int | None = None  # None: no limit
    met: str | None = None  # match equity table: its name or gnubg's file; None: the default

    @property
    def away(self) -> tuple[int, int]:
        """Points that each seat still needs; meaningless in money play."""
        return self.length - self.score[0], self.length - self.score[1]

    @property
    def post_crawford(self) -> bool:
        """True if a seat is 1 away and the Crawford game is over."""
        return self.length > 0 and not self.crawford and 1 in self.away

    def may_double(self, *, dead_cube: bool = False) -> bool:
        """Return whether the rules let the player on roll double; FIBS allows a dead cube, too."""
        if self.doubled or self.resigned or self.dice is not None or self.crawford:
            return False
        if self.max_cube is not None and self.cube >= self.max_cube:
            return False
        if self.cube_owner not in (None, self.on_roll):
            return False
        if dead_cube:
            return self.length != 1
        return self.length == 0 or self.score[self.on_roll] + self.cube < self.length

    def checked(self) -> MatchState:
        """Return itself if it is possible; raise IllegalPosition otherwise."""
        if self.length < 0 or min(self.score) < 0:
            raise IllegalPosition(f"{self.score[0]}-{self.score[1]} to {self.length}: below 0")
        if self.cube < 1 or self.cube & (self.cube - 1):
            raise IllegalPosition(f"cube {self.cube}: 1, 2, 4, 8 and so on are possible")
        for name in ("on_roll", "to_act", "cube_owner"):
            seat = getattr(self, name)
            if seat not in (0, 1) and (name, seat) != ("cube_owner", None):
                raise IllegalPosition(f"{name} {seat}: the seats are 0 and 1")
        return self

    def shortened(self, most: int) -> MatchState:
        """Return the match with the points that each seat needs cut down to `most`."""
        excess = max(self.length - most, 0)
        score = max(self.score[0] - excess, 0), max(self.score[1] - excess, 0)
        return replace(self, length=self.length - excess, score=score) if excess else self

    def with_(self, **changes: object) -> MatchState:
        """Return a copy with these fields changed."""
        values: Iterable[Any] = map(changes.pop, _FIELDS, _values(self))
        state = MatchState(*values)  # replace() takes three times as long
        if changes:
            raise TypeError(f"a match has no {', '.join(changes)}")
        return state


_FIELDS = MatchState.__match_args__
_values = attrgetter(*_FIELDS)
