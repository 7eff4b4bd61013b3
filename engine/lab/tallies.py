"""Sums over games or matches, collected block by block, and means with their 95 % intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with the half width of its 95 % interval."""

    mean: float
    half_width: float

    @classmethod
    def from_sums(cls, count: int, total: float, squares: float) -> Self:
        """Return the mean of `count` independent values with these sums."""
        if count < 2:
            return cls(total / max(count, 1), math.inf)
        mean = total / count
        variance = max(squares / count - mean * mean, 0.0) * count / (count - 1)
        return cls(mean, NORMAL_95 * math.sqrt(variance / count))

    @classmethod
    def of_values(cls, values: NDArray[np.float64]) -> Self:
        return cls.from_sums(len(values), float(values.sum()), float((values**2).sum()))

    @property
    def error(self) -> float:
        """The standard error."""
        return self.half_width / NORMAL_95

    @property
    def interval(self) -> tuple[float, float]:
        return self.mean - self.half_width, self.mean + self.half_width


@dataclass(slots=True)
class Sums:
    """Base of dataclasses whose fields are sums, lists of sums, or such dataclasses."""

    def add(self, other: Self) -> None:
        for name in self.__dataclass_fields__:
            setattr(self, name, _added(getattr(self, name), getattr(other, name)))


def _added(mine: Any, theirs: Any) -> Any:
    if isinstance(mine, Sums):
        mine.add(theirs)
        return mine
    if isinstance(mine, list):
        return [_added(a, b) for a, b in zip(mine, theirs, strict=True)]
    return mine + theirs


@dataclass(slots=True)
class PairTally(Sums):
    """Sums over pairs of games or matches with the same dice, of the mean result of both."""

    pairs: int = 0
    total: float = 0.0
    squares: float = 0.0
    adjusted_total: float = 0.0  # the same with the luck taken out
    adjusted_squares: float = 0.0

    def score(self) -> Mean:
        return Mean.from_sums(self.pairs, self.total, self.squares)

    def adjusted(self) -> Mean:
        """Return the score with the luck taken out."""
        return Mean.from_sums(self.pairs, self.adjusted_total, self.adjusted_squares)
