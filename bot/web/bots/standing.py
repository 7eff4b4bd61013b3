"""A bot's recent results in the archive: today's matches, and its ratings."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from sixprime.bot.archive.archive import Archive, began
from sixprime.bot.archive.tables import matches
from sixprime.bot.process.printable import printable
from sixprime.bot.settings.schema import Profile

RATINGS = 200  # matches of the rating curve
LISTED = 20  # of today's


@dataclass(frozen=True, slots=True)
class RecentMatches:
    """Matches, newest first."""

    listed: tuple[tuple[Any, ...], ...] = ()  # id, time, opponent, length, score, result, gain
    count: int = 0  # today
    won: int = 0
    ratings: tuple[float, ...] = ()  # oldest first


def recent(archive: Archive, profile: Profile, now: dt.datetime) -> RecentMatches:
    """Return recent matches; this waits for the database, so call it in a thread."""
    columns = matches.c
    asked = (
        select(*(column for column in columns if column.name != "record"))
        .where(columns.server == profile.server.host, columns.account == profile.account.user)
        .order_by(columns.id.desc())
        .limit(RATINGS)
    )
    with archive.reading() as connection:
        rows = list(connection.execute(asked))
    today = [row for row in rows if row.started is not None and row.started.date() == now.date()]
    return RecentMatches(
        tuple(_listed(row) for row in today[:LISTED]),
        len(today),
        sum(row.winner == 0 for row in today),
        tuple(row.our_rating_after for row in reversed(rows) if row.our_rating_after is not None),
    )


def _listed(row: Any) -> tuple[Any, ...]:
    before, after, start = row.our_rating_before, row.our_rating_after, began(row.started)
    return (
        row.id,
        f"{start:%H:%M}" if isinstance(start, dt.datetime) else "",
        printable(row.opponent),
        str(row.length or "money"),
        f"{row.our_score}–{row.their_score}",
        {0: "won", 1: "lost"}.get(row.winner, row.state),
        "" if before is None or after is None else f"{after - before:+z.1f}",
    )
