"""Statistics over an archive's matches: results, ratings, error rates and luck.

The database adds up; only sums leave it.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from functools import reduce
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    String,
    Subquery,
    and_,
    case,
    cast,
    func,
    literal,
    select,
)
from sqlalchemy.sql import FromClause

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.archive.tables import CHECKER_KINDS, CUBE_KINDS, figures, names
from sixprime.engine.analysis.statistics import PR_UNIT, PlayerStatistics, Total
from sixprime.protocols.formats.record import BadRecord

GROUPS = ("opponent", "length", "level", "month", "server")
RESULTS = ("matches", "won", "lost", "unfinished", "points_won", "points_lost")
_COUNTS = ("moves", "unforced", "close", "counted")
OTHER = {"our": "their", "their": "our"}
SUMS = (*_COUNTS, "luck", "checker", "cube")  # of each player; the last two are EMG given away


# --- figures as SQL


def given(table: FromClause, whose: str, kinds: tuple[str, ...]) -> ColumnElement[float]:
    """Return the EMG that a player gave away by these kinds of errors."""
    return reduce(operator.add, (table.c[f"{whose}_{kind}_given"] for kind in kinds))


def error_rate(table: FromClause, whose: str) -> ColumnElement[float]:
    """Return PlayerStatistics.error_rate in millipoints; NULL where nothing was decided."""
    decided = func.nullif(table.c[f"{whose}_unforced"] + table.c[f"{whose}_close"], 0)
    return 1000.0 * given(table, whose, CHECKER_KINDS + CUBE_KINDS) / decided


def pr(row: Mapping[str, Any], whose: str) -> float | None:
    """Return a player's PR in one match, from its row of `figures`."""
    lost = sum(row[f"{whose}_{kind}_given"] for kind in CHECKER_KINDS + CUBE_KINDS)
    counted = row[f"{whose}_counted"]
    return -PR_UNIT * lost / counted if counted else None


def as_seen(
    turned: ColumnElement[bool], whose: str, sides: Mapping[str, ColumnElement[Any]]
) -> ColumnElement[Any]:
    """Return our or their value, each the other's where a match is seen from seat 1."""
    return case((turned, sides[OTHER[whose]]), else_=sides[whose])


def figures_of(seen: FromClause, key: str | None) -> ColumnElement[bool]:
    """Return the condition that joins matches with the figures of their current analyses."""
    return and_(
        figures.c.settings == key,
        figures.c.match_id == seen.c.id,
        figures.c.noted == seen.c.noted,
    )


def _sums_of(whose: str) -> dict[str, ColumnElement[Any]]:
    plain: dict[str, ColumnElement[Any]] = {
        name: figures.c[f"{whose}_{name}"] for name in (*_COUNTS, "luck")
    }
    checker, cube = (given(figures, whose, kinds) for kinds in (CHECKER_KINDS, CUBE_KINDS))
    return plain | {"checker": checker, "cube": cube}


def sums_by_side() -> dict[str, dict[str, ColumnElement[Any]]]:
    sums = {whose: _sums_of(whose) for whose in OTHER}
    return {name: {whose: sums[whose][name] for whose in OTHER} for name in SUMS}


def skill(sums: Mapping[str, Any], whose: str) -> PlayerStatistics:
    """Return a player's statistics as far as these sums tell; all cube errors count as one kind."""
    return PlayerStatistics(
        **{name: sums[f"{whose}_{name}"] for name in _COUNTS},
        luck=Total(emg=sums[f"{whose}_luck"]),
        checker=Total(emg=-sums[f"{whose}_checker"]),
        missed_below_cp=Total(emg=-sums[f"{whose}_cube"]),
    )


def skill_of(sums: Mapping[str, Any]) -> dict[str, Any]:
    """Return error rates and luck of analysed matches, ours and our opponents'.

    Rates are millipoints (thousandths of EMG) per decision or roll; errors are above 0.
    """
    ours, theirs = skill(sums, "our"), skill(sums, "their")
    against = {f"their_{name}": value for name, value in _rates(theirs, ours).items()}
    return {"analysed": sums["analysed"], **_rates(ours, theirs), **against}


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


# --- sums


Reading = Callable[[int], AbstractContextManager[object]]


def _unreadable_are_open(_: int) -> AbstractContextManager[object]:
    return suppress(ArchiveError, BadRecord)


def stats_of(
    archive: Archive, seen: Subquery, key: str | None, reading: Reading = _unreadable_are_open
) -> dict[str, Any]:
    """Return totals, tallies by group, and the ratings of each account in the order of time.

    If any match is analysed at these settings, "skill" sums the analyses up by the same groups.
    `reading` is entered for each match whose record is read.
    """
    level = _ended_level(archive, seen, reading)
    with archive.reading() as connection:
        rows = _summed(connection, seen, key)
        curves = _curves(connection, seen)
    found: dict[str, dict[str, Counter[str]]] = {
        name: defaultdict(Counter) for name in ("total", *GROUPS)
    }
    for row in rows:
        sums = row._asdict()
        words = {name: sums.pop(name) for name in GROUPS if name in sums}
        for name, word in words.items():
            found[name][word].update(sums)
        if "opponent" not in words:
            found["total"][""].update(sums)
    for words in level:
        for name, word in words.items():
            found[name][word]["unfinished"] -= 1
    total = found.pop("total")[""]
    groups = {f"by_{name}": sorted(each.items(), key=_order) for name, each in found.items()}
    tallies = {
        name: {word: {result: sums[result] for result in RESULTS} for word, sums in group}
        for name, group in groups.items()
    }
    stats = {"total": {name: total[name] for name in RESULTS}, **tallies, "ratings": curves}
    if total["analysed"]:
        skills = {
            name: {word: skill_of(sums) for word, sums in group if sums["analysed"]}
            for name, group in groups.items()
        }
        stats["skill"] = {"total": skill_of(total), **skills}
    return stats


def _summed(connection: Connection, seen: Subquery, key: str | None) -> list[Row[Any]]:
    """Return the sums of the matches of each opponent, then of those alike in all other groups."""
    facts = _facts(seen, key)
    added = (*RESULTS[1:], "analysed", *(f"{whose}_{name}" for whose in OTHER for name in SUMS))
    sums = [func.coalesce(func.sum(facts.c[name]), 0).label(name) for name in added]
    rows: list[Row[Any]] = []
    for names_of in (GROUPS[:1], GROUPS[1:]):
        words = [facts.c[name] for name in names_of]
        asked = select(*words, func.count().label("matches"), *sums).group_by(*words)
        rows += connection.execute(asked)
    return rows


def _facts(seen: Subquery, key: str | None) -> Subquery:
    """Return the chosen matches with the words of their groups and the numbers to add up."""
    numbers = [
        as_seen(seen.c.turned == 1, whose, sides).label(f"{whose}_{name}")
        for name, sides in sums_by_side().items()
        for whose in OTHER
    ]
    return (
        select(
            *_labelled(_words(seen)),
            case((seen.c.winner == 0, 1), else_=0).label("won"),
            case((seen.c.winner == 1, 1), else_=0).label("lost"),
            case((seen.c.winner.is_(None), 1), else_=0).label("unfinished"),
            seen.c.our_score.label("points_won"),
            seen.c.their_score.label("points_lost"),
            case((figures.c.match_id.is_(None), 0), else_=1).label("analysed"),
            *numbers,
        )
        .select_from(
            seen.outerjoin(names, names.c.name == seen.c.opponent).outerjoin(
                figures, figures_of(seen, key)
            )
        )
        .subquery("facts")
    )


def _words(seen: Subquery) -> dict[str, ColumnElement[Any]]:
    """Return the group of a match in each kind of groups; `names` is joined."""
    length = case((seen.c.length == 0, "unlimited"), else_=cast(seen.c.length, String))
    month = func.substr(cast(seen.c.started, String), 1, len("2026-11"))
    return {
        "opponent": func.coalesce(names.c.player, seen.c.opponent),
        "length": length,
        "level": func.coalesce(func.nullif(seen.c.level, ""), "unknown"),
        "month": func.coalesce(month, "unknown"),
        "server": func.coalesce(func.nullif(seen.c.server, ""), "unknown"),
    }


def _ended_level(archive: Archive, seen: Subquery, reading: Reading) -> list[dict[str, str]]:
    """Return the groups of the money sessions that ended level: neither won, lost nor unfinished.

    Only the record of a session tells whether it is finished.
    """
    asked = (
        select(seen.c.id, literal("").label("total"), *_labelled(_words(seen)))
        .select_from(seen.outerjoin(names, names.c.name == seen.c.opponent))
        .where(seen.c.length == 0, seen.c.winner.is_(None), seen.c.our_score == seen.c.their_score)
    )
    with archive.reading() as connection:
        rows = [row._asdict() for row in connection.execute(asked)]
    level = []
    for row in rows:
        match_id = row.pop("id")
        with reading(match_id):
            level += [row] if archive.match(match_id).finished else []
    return level


def _labelled(columns: Mapping[str, ColumnElement[Any]]) -> list[ColumnElement[Any]]:
    return [column.label(name) for name, column in columns.items()]


def _curves(connection: Connection, seen: Subquery) -> dict[str, list[list[object]]]:
    """Return the ratings of each account, by the time of their ends."""
    asked = (
        select(func.coalesce(names.c.player, seen.c.account), seen.c.ended, seen.c.our_rating_after)
        .select_from(seen.outerjoin(names, names.c.name == seen.c.account))
        .where(seen.c.our_rating_after.is_not(None), seen.c.ended.is_not(None))
        .order_by(seen.c.ended, seen.c.started, seen.c.id)
    )
    curves: dict[str, list[list[object]]] = defaultdict(list)
    for account, ended, rating in connection.execute(asked):
        curves[account].append([ended.isoformat(timespec="seconds"), rating])
    return dict(curves)


_LAST = 1 << 62


def _order(item: tuple[str, object]) -> tuple[int, str]:
    """Order lengths by number, everything else by name."""
    key, _ = item
    return (int(key), "") if key.isascii() and key.isdecimal() else (_LAST, key)


def lines_of(stats: Mapping[str, Any]) -> list[dict[str, object]]:
    """Return the same as rows of a table, one per group and key; the last row is the total."""
    skills = stats.get("skill")
    empty = dict.fromkeys(skills["total"], "") if skills else {}
    found: list[dict[str, object]] = []
    for name in GROUPS:
        for key, tally in stats[f"by_{name}"].items():
            rates = skills[f"by_{name}"].get(key, empty) if skills else {}
            found.append({"group": name, "key": key, **tally, **rates})
    rates = skills["total"] if skills else {}
    return [*found, {"group": "all", "key": "all", **stats["total"], **rates}]
