"""The players of an archive, their numbers of matches and their results."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Subquery, case, func, select, union_all

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.names import known_names
from sixprime.bot.archive.collection.selection import Selection
from sixprime.bot.archive.collection.statistics import SKILL, skill, summed
from sixprime.bot.archive.tables import matches
from sixprime.bot.process.printable import printable
from sixprime.engine.system.errors import nearest

COUNTS = ("matches", "won", "lost", "analysed")


def standings(archive: Archive, seen: Subquery, key: str | None) -> list[dict[str, Any]]:
    """Return a row for every player of these matches, most matches first."""
    known = known_names(archive)
    players: dict[str, Counter[str]] = defaultdict(Counter)
    days: dict[str, str] = defaultdict(str)
    with archive.reading() as connection:
        for seat, column in enumerate((seen.c.account, seen.c.opponent)):
            results = {
                "won": func.sum(case((seen.c.winner == seat, 1), else_=0)),
                "lost": func.sum(case((seen.c.winner == 1 - seat, 1), else_=0)),
                "last": func.max(seen.c.started),
            }
            whose = ("our", "their")[seat]
            for sums in summed(connection, seen, key, {"name": column}, results, only=whose):
                player = known.player(sums["name"])
                days[player] = max(days[player], str(sums["last"] or "")[: len("2026-11-28")])
                players[player].update({name: sums[name] for name in COUNTS})
                players[player].update({f"our_{name}": sums[f"{whose}_{name}"] for name in SKILL})
    most_first = sorted(players.items(), key=lambda item: (-item[1]["matches"], item[0]))
    return [
        {"player": name, "me": name in known.ours, **_plain(sums), "last": days[name]}
        for name, sums in most_first
    ]


def _plain(sums: Mapping[str, Any]) -> dict[str, Any]:
    statistics = skill(sums, "our")
    rate = statistics.error_rate
    return {
        **{name: sums[name] for name in COUNTS},
        "pr": statistics.pr,
        "error_rate": None if rate is None else round(-1000 * rate[0], 3) + 0.0,
    }


def names_seated(archive: Archive) -> list[str]:
    """Return the names of everybody who sits in a match, most matches first."""
    seats = (select(matches.c[seat].label("name")) for seat in ("account", "opponent"))
    seated = union_all(*seats).subquery()
    asked = select(seated.c.name).group_by(seated.c.name).order_by(func.count().desc(), "name")
    with archive.reading() as connection:
        return list(connection.execute(asked).scalars())


def strangers(archive: Archive, asked: Selection) -> Iterator[str]:
    """Yield remarks on filters by players who have no match here."""
    wanted = [name for name in (asked.account, asked.opponent, asked.player) if name]
    if not wanted and not asked.ours:
        return
    known, seated = known_names(archive), names_seated(archive)
    if asked.ours and not known.ours:
        yield "nobody is known to be you: sixprime archive alias --me NAME"
    for name in wanted:
        if known.all_names(name).isdisjoint(seated):
            yield printable(
                f"no match is {name}'s{nearest(name, sorted({*seated, *known.players}))}"
            )
