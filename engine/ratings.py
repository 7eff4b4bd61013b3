"""The rating formula of FIBS: chances of a match from rating differences, and back."""

from __future__ import annotations

import math

LEAST_RATING = 100.0  # no server rates lower; Galaxy's files hold a score where others rate


def winning_chance(difference: float, length: int) -> float:
    """Return the chance of winning a match against a player rated lower by `difference`."""
    return 1.0 / (1.0 + math.pow(10.0, -difference * math.sqrt(length) / 2000.0))


def rating_difference(chance: float, length: int) -> float:
    """Return the rating difference at which a match is won with this chance."""
    if chance <= 0.0:
        return -math.inf
    if chance >= 1.0:
        return math.inf
    return -2000.0 / math.sqrt(length) * math.log10(1.0 / chance - 1.0)
