"""Rows of statistics without an archive."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass


@dataclass(slots=True)
class Row:
    """A match as the archive lists it."""

    id: int
    opponent: str = "ben"
    length: int = 7
    level: str = "expert"
    started: dt.datetime | None = None
    ended: dt.datetime | None = None
    winner: int | None = 0
    our_score: int = 7
    their_score: int = 3
    our_rating_after: float | None = None
    account: str = "anna"
    server: str = "fibs.example"
    turned: bool = False


def at(month: int, day: int) -> dt.datetime:
    return dt.datetime(2026, month, day, 12, tzinfo=dt.UTC)
