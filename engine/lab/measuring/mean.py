"""A mean with its 95 % interval, the result of every measurement in the laboratory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

NORMAL_95 = 1.959964


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean with the half width of its 95 % interval."""

    mean: float
    half_width: float

    @classmethod
    def of(cls, count: int, total: float, squares: float) -> Self:
        """Of `count` independent values with these sums."""
        if count < 2:
            return cls(total / max(count, 1), math.inf)
        mean = total / count
        variance = max(squares / count - mean * mean, 0.0) * count / (count - 1)
        return cls(mean, NORMAL_95 * math.sqrt(variance / count))

    @classmethod
    def of_values(cls, values: NDArray[np.float64]) -> Self:
        return cls.of(len(values), float(values.sum()), float((values**2).sum()))

    @property
    def interval(self) -> tuple[float, float]:
        return self.mean - self.half_width, self.mean + self.half_width
