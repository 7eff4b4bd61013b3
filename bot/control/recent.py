"""A bot's recent results in the archive: matches of the last day, and its ratings."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import select

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.tables import matches
from sixprime.bot.process.printable import printable
from sixprime.bot.settings.schema import Profile

DAY = dt.timedelta(days=1)
MOST = 200  # matches of the day, and of the rating curve
LISTED = 20
TOLD, TOLD_RATINGS = 5, 40  # in the status


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """One match as a line of a list."""

    id: int
    started: str  # such as 2026-11-29T14:05Z
    opponent: str
    length: int  # 0 is money play
    score: tuple[int, int]
    result: str  # won, lost, or its state in the archive
    gain: float | None  # of our rating


@dataclass(frozen=True, slots=True)
class RecentMatches:
    """Results of the last 24 hours, and the ratings after the last matches."""

    listed: tuple[PlayedMatch, ...] = ()  # newest first
    count: int = 0
    won: int = 0
    lost: int = 0
    points: tuple[int, int] = (0, 0)
    gain: float | None = None  # of our rating
    ratings: tuple[float, ...] = ()  # oldest first

    def shown(self) -> dict[str, Any]:
        """Return it as JSON for `sixprime status`."""
        return {
            "day": {
                **{name: getattr(self, name) for name in ("count", "won", "lost")},
                "points": list(self.points),
                "gain": self.gain,
                "matches": [asdict(match) for match in self.listed[:TOLD]],
            },
            "ratings": list(self.ratings[-TOLD_RATINGS:]),
        }


def recent(archive: Archive, profile: Profile, now: dt.datetime) -> RecentMatches:
    """Return recent matches; this waits for the database, so call it in a thread."""
    columns = matches.c
    asked = (
        select(*(column for column in columns if column.name != "record"))
        .where(columns.server == profile.server.host, columns.account == profile.account.user)
        .order_by(columns.id.desc())
        .limit(MOST)
    )
    with archive.reading() as connection:
        rows = list(connection.execute(asked))
    day = [row for row in rows if row.started is not None and row.started > now - DAY]
    befores = [row.our_rating_before for row in day if row.our_rating_before is not None]
    afters = [row.our_rating_after for row in day if row.our_rating_after is not None]
    return RecentMatches(
        tuple(map(_listed, day[:LISTED])),
        len(day),
        sum(row.winner == 0 for row in day),
        sum(row.winner == 1 for row in day),
        (sum(row.our_score for row in day), sum(row.their_score for row in day)),
        _gain(befores[-1], afters[0]) if befores and afters else None,
        tuple(row.our_rating_after for row in reversed(rows) if row.our_rating_after is not None),
    )


def _gain(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else round(after - before, 2)


def _listed(row: Any) -> PlayedMatch:
    return PlayedMatch(
        row.id,
        f"{row.started:%Y-%m-%dT%H:%MZ}",
        printable(row.opponent),
        row.length,
        (row.our_score, row.their_score),
        {0: "won", 1: "lost"}.get(row.winner, row.state),
        _gain(row.our_rating_before, row.our_rating_after),
    )
