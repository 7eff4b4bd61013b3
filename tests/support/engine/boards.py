"""Boards as tests write them: by point, each side's in its own numbering; 25 is the bar."""

from __future__ import annotations

from collections.abc import Mapping

from sixprime.engine.position import PLACES, Position

Counts = Mapping[int, int]


def side(*points: int) -> tuple[int, ...]:
    """A side with a checker on each of these points."""
    return tuple(points.count(i + 1) for i in range(PLACES))


def board_of(mine: Counts, theirs: Counts) -> Position:
    """A board with so many checkers of each side on these points."""
    first, second = (
        tuple(counts.get(i + 1, 0) for i in range(PLACES)) for counts in (mine, theirs)
    )
    return Position(first, second)
