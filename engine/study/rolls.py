"""The worth of each roll, played best: the list of rolls, and the temperature map."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sixprime.engine.position import ROLLS, Dice, MatchState, Play, Position
from sixprime.engine.search.decide import Engine

WAYS = 36

Progress = Callable[[int, int], None]  # done, of how many


class RollWorth(NamedTuple):
    """A roll, its best play, and the equity of the player who rolled it."""

    dice: Dice
    play: Play
    equity: float

    @property
    def ways(self) -> int:
        """Its share of the 36 rolls."""
        return 1 if self.dice[0] == self.dice[1] else 2


@dataclass(frozen=True)
class RollList:
    """All 21 rolls, the best first."""

    rolls: tuple[RollWorth, ...]

    @classmethod
    def ranked(cls, rolls: Iterable[RollWorth]) -> RollList:
        """Sort the rolls."""
        return cls(tuple(sorted(rolls, key=lambda roll: -roll.equity)))

    @cached_property
    def average(self) -> float:
        """The equity before the roll, if nobody doubles."""
        return sum(roll.ways * roll.equity for roll in self.rolls) / WAYS

    @cached_property
    def grid(self) -> tuple[tuple[float, ...], ...]:
        """[6][6]: the equity of each roll, the temperature map."""
        worth = {roll.dice: roll.equity for roll in self.rolls}
        return tuple(tuple(worth[min(a, b), max(a, b)] for b in range(1, 7)) for a in range(1, 7))

    def better_than(self, equity: float) -> int:
        """Count the rolls, of 36, that are worth more than this."""
        return sum(roll.ways for roll in self.rolls if roll.equity > equity)


def rolls_of(
    position: Position, match: MatchState, engine: Engine, progress: Progress | None = None
) -> RollList:
    """Return the rolls with the engine's plays."""
    worths = []
    for done, dice in enumerate(ROLLS, start=1):
        found = engine.move(position, match.with_(dice=None), dice).best
        worths.append(RollWorth(dice, found.play, found.equity))
        if progress is not None:
            progress(done, len(ROLLS))
    return RollList.ranked(worths)
