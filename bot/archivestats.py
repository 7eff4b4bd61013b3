"""What the matches of an archive add up to."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Protocol


class Played(Protocol):
    """What is asked of a row of the archive."""

    account: str
    opponent: str
    length: int
    level: str
    started: dt.datetime | None
    ended: dt.datetime | None
    winner: int | None
    our_score: int
    their_score: int
    our_rating_after: float | None


@dataclass(slots=True)
class Tally:
    """Results of some matches; points are those of finished and unfinished ones."""

    matches: int = 0
    won: int = 0
    lost: int = 0
    unfinished: int = 0
    points_won: int = 0
    points_lost: int = 0

    def count(self, match: Played) -> None:
        """One match more."""
        self.matches += 1
        self.won += match.winner == 0
        self.lost += match.winner == 1
        self.unfinished += match.winner is None
        self.points_won += match.our_score
        self.points_lost += match.their_score


def _month(match: Played) -> str:
    return f"{match.started:%Y-%m}" if match.started else "unknown"


GROUPS: dict[str, Callable[[Played], str]] = {
    "opponent": lambda match: match.opponent,
    "length": lambda match: str(match.length or "unlimited"),
    "level": lambda match: match.level or "unknown",
    "month": _month,
}


def stats_of(played: Iterable[Played]) -> dict[str, object]:
    """Totals, tallies by group, and the ratings of each account in the order of time."""
    total = Tally()
    groups: dict[str, dict[str, Tally]] = {name: {} for name in GROUPS}
    curves: dict[str, list[list[object]]] = {}
    for match in played:
        total.count(match)
        for name, key in GROUPS.items():
            groups[name].setdefault(key(match), Tally()).count(match)
        if match.our_rating_after is not None and match.ended is not None:
            point = [match.ended.isoformat(timespec="seconds"), match.our_rating_after]
            curves.setdefault(match.account, []).append([*point])
    for curve in curves.values():
        curve.sort(key=lambda point: str(point[0]))
    return {
        "total": asdict(total),
        **{
            f"by_{name}": {key: asdict(tally) for key, tally in sorted(tallies.items())}
            for name, tallies in groups.items()
        },
        "ratings": curves,
    }
