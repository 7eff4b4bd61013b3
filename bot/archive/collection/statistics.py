"""Statistics over an archive's matches: results, ratings, error rates and luck.

The database adds up; only sums leave it.
"""

from __future__ import annotations

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import reduce
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    ScalarSelect,
    Select,
    Subquery,
    and_,
    case,
    func,
    select,
)
from sqlalchemy.sql import FromClause

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.names import known_names
from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.archive.tables import (
    CHECKER_KINDS,
    CUBE_KINDS,
    KINDS,
    analyses,
    figures,
    month_of,
)
from sixprime.engine.analysis.statistics import PR_UNIT, PlayerStatistics, Total
from sixprime.protocols.formats.record import BadRecord

GROUPS = ("opponent", "length", "level", "month", "server")
RESULTS = ("matches", "won", "lost", "unfinished", "points_won", "points_lost")
_COUNTS = ("moves", "unforced", "close", "counted")
OTHER = {"our": "their", "their": "our"}
Z = 1.96  # standard deviations to each side of 95 %
NOBODY = PlayerStatistics()
_ORDER = ("opponent", "length", "level", "server", "month")  # the last four as in an index


# --- figures as SQL


def given(table: FromClause, whose: str, kinds: tuple[str, ...]) -> ColumnElement[float]:
    """Return the EMG that a player gave away by these kinds of errors."""
    return reduce(operator.add, (table.c[f"{whose}_{kind}_given"] for kind in kinds))


def pr_seen(seen: FromClause, whose: str) -> ColumnElement[float]:
    """Return the PR of a match's account, or of its opponent (`their`); NULL if unknown."""
    rates = {
        side: -PR_UNIT * given(figures, side, KINDS) / func.nullif(figures.c[f"{side}_counted"], 0)
        for side in OTHER
    }
    return as_seen(seen.c.turned == 1, whose, rates)


def with_pr(seen: FromClause, key: str | None) -> Select[Any]:
    """Return the matches with the columns `pr` and `their_pr`."""
    rates = pr_seen(seen, "our").label("pr"), pr_seen(seen, "their").label("their_pr")
    return select(seen, *rates).select_from(seen.outerjoin(figures, figures_of(seen, key)))


def usual_key() -> ScalarSelect[str]:
    """Return the settings of most analyses, as the database finds them."""
    settings = analyses.c.settings
    by_count = func.count().desc(), settings
    return select(settings).group_by(settings).order_by(*by_count).limit(1).scalar_subquery()


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


def figures_of(seen: FromClause, key: str | ScalarSelect[str] | None) -> ColumnElement[bool]:
    """Return the condition that joins matches with the figures of their current analyses."""
    return and_(
        figures.c.settings == key,
        figures.c.match_id == seen.c.id,
        figures.c.noted == seen.c.noted,
    )


Sides = Mapping[str, Mapping[str, ColumnElement[Any]]]  # name -> "our" and "their" figures


def _skill_sides() -> Sides:
    sides: dict[str, Mapping[str, ColumnElement[Any]]] = {
        name: {whose: figures.c[f"{whose}_{name}"] for whose in OTHER}
        for name in (*_COUNTS, "luck")
    }
    for name, kinds in (("checker", CHECKER_KINDS), ("cube", CUBE_KINDS)):  # EMG given away
        sides[name] = {whose: given(figures, whose, kinds) for whose in OTHER}
    return sides


SKILL = _skill_sides()


def summed(
    connection: Connection,
    seen: Subquery,
    key: str | None,
    words: Mapping[str, ColumnElement[Any]],
    numbers: Mapping[str, ColumnElement[Any]],
    sides: Sides = SKILL,
    only: str | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield words and sums of each group of matches with the same words; "analysed" counts figures.

    `sides` are summed for the account ("our_...") and the opponent ("their_..."), or for one of
    them. A group of matches that are seen from both seats comes twice.
    """
    swaps = not isinstance(next(iter(seen.c.turned.base_columns)), BindParameter)
    keys = {**words, "turned": seen.c.turned} if swaps else words
    wanted = OTHER if swaps or only is None else (only,)
    by_side = {f"{whose}_{name}": side[whose] for name, side in sides.items() for whose in wanted}
    asked = (
        select(
            *_labelled(keys),
            func.count().label("matches"),
            func.count(figures.c.match_id).label("analysed"),
            *_labelled(numbers),
            *(func.coalesce(func.sum(side), 0).label(name) for name, side in by_side.items()),
        )
        .select_from(seen.outerjoin(figures, figures_of(seen, key)))
        .group_by(*keys.values())
    )
    for row in connection.execute(asked):
        sums = row._asdict()
        if sums.pop("turned", 0):
            for name in sides:
                ours, theirs = f"our_{name}", f"their_{name}"
                sums[ours], sums[theirs] = sums[theirs], sums[ours]
        yield sums


def _tallies(seen: Subquery) -> dict[str, ColumnElement[Any]]:
    numbers: dict[str, ColumnElement[Any]] = {
        "won": case((seen.c.winner == 0, 1), else_=0),
        "lost": case((seen.c.winner == 1, 1), else_=0),
        "unfinished": case((seen.c.winner.is_(None), 1), else_=0),
        "points_won": seen.c.our_score,
        "points_lost": seen.c.their_score,
    }
    return {name: func.sum(number) for name, number in numbers.items()}


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
    both = {f"both_{name}": value for name, value in _rates(ours + theirs, NOBODY).items()}
    shown = {name: both[name] for name in ("both_pr", "both_error_rate", "both_rating")}
    rates = {**_rates(ours, theirs), **against, **shown}
    return {"analysed": sums["analysed"], **rates, "decisions": sums["our_counted"]}


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
    archive: Archive,
    seen: Subquery,
    key: str | None,
    reading: Reading = _unreadable_are_open,
    groups_wanted: Sequence[str] = GROUPS,
) -> dict[str, Any]:
    """Return totals, tallies by group, and the ratings of each account in the order of time.

    The results belong to the accounts as seen; "subject" is the player if all of them are one, and
    None where results therefore mean nothing. If any match is analysed at these settings, "skill"
    sums the analyses up by the same groups. `reading` is entered for each match whose record is
    read. Opponents are left out if they are not among the groups wanted.
    """
    level = _ended_level(archive, seen, reading)
    player = known_names(archive).player
    found: dict[str, dict[str, Counter[str]]] = {
        name: defaultdict(Counter) for name in ("total", *GROUPS)
    }
    with archive.reading() as connection:
        for names in (GROUPS[:1], GROUPS[1:]):  # opponents are many, the other groups few
            if names[0] not in groups_wanted:
                continue
            words = {name: word for name, word in _words(seen).items() if name in names}
            for sums in summed(connection, seen, key, words, _tallies(seen)):
                spelt = {name: _spelt(name, sums.pop(name), player) for name in names}
                for name, word in spelt.items():
                    found[name][word].update(sums)
                if "opponent" not in spelt:
                    found["total"][""].update(sums)
        curves = _curves(connection, seen, player)
    for row in level:
        for name in GROUPS:
            found[name][_spelt(name, row[name], player)]["unfinished"] -= 1
        found["total"][""]["unfinished"] -= 1
    total = found.pop("total")[""]
    groups = {f"by_{name}": sorted(each.items(), key=_order) for name, each in found.items()}
    groups["by_opponent"].sort(key=lambda item: -item[1]["matches"])
    stats: dict[str, Any] = {
        "subject": subject_of(archive, seen),
        "total": _tally(total),
        **{name: {word: _tally(sums) for word, sums in group} for name, group in groups.items()},
        "ratings": curves,
    }
    if total["analysed"]:
        skills = {
            name: {word: skill_of(sums) for word, sums in group if sums["analysed"]}
            for name, group in groups.items()
        }
        stats["skill"] = {"total": skill_of(total), **skills}
    return stats


def subject_of(archive: Archive, seen: Subquery) -> str | None:
    """Return the player that all accounts are, or ourselves; None if they are several."""
    known = known_names(archive)
    with archive.reading() as connection:
        accounts = connection.execute(select(seen.c.account).distinct()).scalars()
        players = {known.player(account) for account in accounts}
    if len(players) == 1 or (players and players <= known.ours):
        return " and ".join(sorted(players))
    return None


def _tally(sums: Mapping[str, int]) -> dict[str, Any]:
    """Return results, and between which percentages of matches one wins."""
    low, high = wilson(sums["won"], sums["won"] + sums["lost"])
    return {name: sums[name] for name in RESULTS} | {"won_low": low, "won_high": high}


def wilson(won: int, decided: int) -> tuple[float, float] | tuple[None, None]:
    """Return Wilson's 95 % interval of a share in percent; (None, None) of nothing."""
    if not decided:
        return None, None
    spread = Z * Z / decided
    share = won / decided
    half = math.sqrt(share * (1 - share) * spread + spread * spread / 4)
    low, high = (100 * (share + spread / 2 + end) / (1 + spread) for end in (-half, half))
    return round(max(0.0, low), 1), round(min(100.0, high), 1)


def _words(seen: Subquery) -> dict[str, ColumnElement[Any]]:
    """Return the group of a match in each kind of groups, as an index orders them."""
    month = month_of(seen.c.started)
    return {name: month if name == "month" else seen.c[name] for name in _ORDER}


def _spelt(name: str, word: Any, player: Callable[[str], str]) -> str:
    """Return the name of a group for people."""
    if name == "opponent":
        return player(word)
    if name == "length":
        return str(word or "unlimited")
    return word or "unknown"


def _ended_level(archive: Archive, seen: Subquery, reading: Reading) -> list[dict[str, Any]]:
    """Return the groups of the money sessions that ended level: neither won, lost nor unfinished.

    Only the record of a session tells whether it is finished.
    """
    asked = select(seen.c.id, *_labelled(_words(seen))).where(
        seen.c.length == 0, seen.c.winner.is_(None), seen.c.our_score == seen.c.their_score
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


def _curves(
    connection: Connection, seen: Subquery, player: Callable[[str], str]
) -> dict[str, list[list[object]]]:
    """Return the ratings of each account, by the time of their ends."""
    asked = (
        select(seen.c.account, seen.c.ended, seen.c.our_rating_after)
        .where(seen.c.our_rating_after.is_not(None), seen.c.ended.is_not(None))
        .order_by(seen.c.ended, seen.c.started, seen.c.id)
    )
    curves: dict[str, list[list[object]]] = defaultdict(list)
    for account, ended, rating in connection.execute(asked):
        curves[player(account)].append([ended.isoformat(timespec="seconds"), rating])
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
