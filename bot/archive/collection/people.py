"""The players of an archive, their numbers of matches and their results."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Select,
    String,
    Subquery,
    case,
    cast,
    func,
    select,
    union_all,
)

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.names import known_names
from sixprime.bot.archive.collection.statistics import (
    SUMS,
    as_seen,
    figures_of,
    skill,
    sums_by_side,
)
from sixprime.bot.archive.tables import figures, names


def standings(archive: Archive, seen: Subquery, key: str | None) -> list[dict[str, Any]]:
    """Return a row for every player of these matches, most matches first."""
    seats = union_all(_seat(seen, key, 0), _seat(seen, key, 1)).cte("seats")
    player = func.coalesce(names.c.player, seats.c.name).label("player")
    added = ("won", "lost", "analysed", *(f"our_{name}" for name in SUMS))
    asked = (
        select(
            player,
            func.count().label("matches"),
            func.coalesce(func.max(seats.c.day), "").label("last"),
            *(func.coalesce(func.sum(seats.c[name]), 0).label(name) for name in added),
        )
        .select_from(seats.outerjoin(names, names.c.name == seats.c.name))
        .group_by(player)
    )
    ours = known_names(archive).ours
    with archive.reading() as connection:
        rows = [row._asdict() for row in connection.execute(asked)]
    rows.sort(key=lambda row: (-row["matches"], row["player"]))
    return [_plain(row, ours=row["player"] in ours) for row in rows]


def _seat(seen: Subquery, key: str | None, seat: int) -> Select[Any]:
    """Return the matches as one seat of theirs sees them."""
    sums = [
        as_seen(seen.c.turned != seat, "our", sides).label(f"our_{name}")
        for name, sides in sums_by_side().items()
    ]
    return select(
        (seen.c.opponent if seat else seen.c.account).label("name"),
        func.substr(cast(seen.c.started, String), 1, len("2026-11-28")).label("day"),
        case((seen.c.winner == seat, 1), else_=0).label("won"),
        case((seen.c.winner == 1 - seat, 1), else_=0).label("lost"),
        case((figures.c.match_id.is_(None), 0), else_=1).label("analysed"),
        *sums,
    ).select_from(seen.outerjoin(figures, figures_of(seen, key)))


def _plain(row: dict[str, Any], *, ours: bool) -> dict[str, Any]:
    statistics = skill(row, "our")
    rate = statistics.error_rate
    return {
        "player": row["player"],
        "me": ours,
        **{name: row[name] for name in ("matches", "won", "lost", "analysed")},
        "pr": statistics.pr,
        "error_rate": None if rate is None else round(-1000 * rate[0], 3) + 0.0,
        "last": row["last"],
    }
