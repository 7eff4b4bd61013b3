"""Statistics over an archive's matches: results, ratings, error rates and luck."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from sixprime.bot.archive.archive import Archive
from sixprime.engine.analysis.statistics import Pair, PlayerStatistics


class MatchRow(Protocol):
    """The columns of a match that statistics use."""

    id: int
    account: str
    opponent: str
    length: int
    level: str
    server: str
    started: dt.datetime | None
    ended: dt.datetime | None
    winner: int | None
    our_score: int
    their_score: int
    our_rating_after: float | None
    turned: bool  # the account is seat 1 of the record


def ended_level(archive: Archive, row: MatchRow) -> bool:
    """Return whether a money session is finished without a winner; only its record can tell."""
    level = row.winner is None and row.our_score == row.their_score
    return row.length == 0 and level and archive.match(row.id).finished


@dataclass(slots=True)
class ResultTally:
    """Results of a group of matches; unfinished ones count with their points.

    A money session that ended level is neither won nor lost, and not unfinished either.
    """

    matches: int = 0
    won: int = 0
    lost: int = 0
    unfinished: int = 0
    points_won: int = 0
    points_lost: int = 0

    def count(self, match: MatchRow, *, level: bool) -> None:
        self.matches += 1
        self.won += match.winner == 0
        self.lost += match.winner == 1
        self.unfinished += match.winner is None and not level
        self.points_won += match.our_score
        self.points_lost += match.their_score


def skill_of(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return error rates and luck of analysed matches, ours and our opponents'.

    Rates are millipoints (thousandths of EMG) per decision or roll; errors are above 0.
    """
    ours, theirs = (PlayerStatistics.summed([each[i] for each in pairs]) for i in (0, 1))
    against = {f"their_{name}": value for name, value in _rates(theirs, ours).items()}
    return {"analysed": len(pairs), **_rates(ours, theirs), **against}


def _rates(mine: PlayerStatistics, theirs: PlayerStatistics) -> dict[str, Any]:
    return {
        "error_rate": _milli(mine.error_rate, -1),
        "checker_rate": _milli(mine.checker_rate, -1),
        "cube_rate": _milli(mine.cube_rate, -1),
        "luck_rate": _milli(mine.luck_rate, 1),
        "rating": mine.rating,
        "pr": None if mine.pr is None else round(mine.pr, 3),
        "snowie_rate": _milli(mine.errors.rate(mine.moves + theirs.moves), -1),
    }


def _milli(rate: tuple[float, float] | None, sign: int) -> float | None:
    return None if rate is None else round(sign * 1000 * rate[0], 3) + 0.0


def _month(match: MatchRow) -> str:
    return f"{match.started:%Y-%m}" if match.started else "unknown"


GROUPS: dict[str, Callable[[MatchRow], str]] = {
    "opponent": lambda match: match.opponent,
    "length": lambda match: str(match.length or "unlimited"),
    "level": lambda match: match.level or "unknown",
    "month": _month,
    "server": lambda match: match.server or "unknown",
}


@dataclass(slots=True)
class MatchGroup:
    """Matches that are counted together; `pairs` are the statistics of the analysed ones."""

    results: ResultTally = field(default_factory=ResultTally)
    pairs: list[Pair] = field(default_factory=list)

    def count(self, match: MatchRow, pair: Pair | None, *, level: bool) -> None:
        self.results.count(match, level=level)
        self.pairs += [] if pair is None else [pair]


def stats_of(
    played: Iterable[MatchRow],
    analysed: Mapping[int, Pair] | None = None,
    level: Collection[int] = (),
    player: Callable[[str], str] = str,
) -> dict[str, Any]:
    """Return totals, tallies by group, and the ratings of each account in the order of time.

    `analysed` are the statistics of analysed matches by id; if there are any, "skill" sums them up
    by the same groups. `level` are the ids of sessions that ended with equal scores. `player` gives
    the player of a name.
    """
    total = MatchGroup()
    found: dict[str, dict[str, MatchGroup]] = {name: defaultdict(MatchGroup) for name in GROUPS}
    curves: dict[str, list[list[object]]] = defaultdict(list)
    for match in played:
        pair = None if analysed is None else analysed.get(match.id)
        pair = pair[::-1] if pair is not None and match.turned else pair
        keys = {name: group(match) for name, group in GROUPS.items()}
        keys["opponent"] = player(keys["opponent"])
        for each in (total, *(found[name][key] for name, key in keys.items())):
            each.count(match, pair, level=match.id in level)
        if match.our_rating_after is not None and match.ended is not None:
            point = [match.ended.isoformat(timespec="seconds"), match.our_rating_after]
            curves[player(match.account)].append([*point])
    for curve in curves.values():
        curve.sort(key=lambda point: str(point[0]))
    groups = {f"by_{name}": sorted(each.items(), key=_order) for name, each in found.items()}
    tallies = {name: {key: asdict(each.results) for key, each in groups[name]} for name in groups}
    stats = {"total": asdict(total.results), **tallies, "ratings": dict(curves)}
    if total.pairs:
        skills = {
            name: {key: skill_of(each.pairs) for key, each in group if each.pairs}
            for name, group in groups.items()
        }
        stats["skill"] = {"total": skill_of(total.pairs), **skills}
    return stats


_LAST = 1 << 62


def _order(item: tuple[str, object]) -> tuple[int, str]:
    """Order lengths by number, everything else by name."""
    key, _ = item
    return (int(key), "") if key.isascii() and key.isdecimal() else (_LAST, key)


def lines_of(stats: Mapping[str, Any]) -> list[dict[str, object]]:
    """Return the same as rows of a table, one per group and key; the last row is the total."""
    skill = stats.get("skill")
    empty = dict.fromkeys(skill_of([]), "") if skill else {}
    found: list[dict[str, object]] = []
    for name in GROUPS:
        for key, tally in stats[f"by_{name}"].items():
            rates = skill[f"by_{name}"].get(key, empty) if skill else {}
            found.append({"group": name, "key": key, **tally, **rates})
    rates = skill["total"] if skill else {}
    return [*found, {"group": "all", "key": "all", **stats["total"], **rates}]
