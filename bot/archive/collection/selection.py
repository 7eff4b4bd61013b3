"""Chooses matches of an archive: by player, day, length, server, text, result."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Row,
    Subquery,
    bindparam,
    case,
    false,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.sql import FromClause
from sqlalchemy.sql.elements import False_

from sixprime.bot.archive.archive import Archive, began
from sixprime.bot.archive.collection.names import known_names
from sixprime.bot.archive.collection.statistics import (
    figures_of,
    pr_seen,
    usual_key,
    with_pr,
)
from sixprime.bot.archive.tables import figures, matches, notes, words

TOGETHER = 1_000  # rows fetched at once
_SEATED = ("rating_before", "rating_after", "experience_before", "experience_after", "score")
_MANY = 8  # a player sits in many matches if in one of so many
_SOMEBODY_WROTE = (  # the begin of a text in a record
    r'"(?:name|place|event|round|annotator|comment|text)": ?"(?:[^"\\]|\\.)*?'
)


@dataclass(frozen=True, slots=True)
class Selection:
    """The conditions; None sets none. `player` and `opponent` include aliases."""

    ids: frozenset[int] | None = None
    account: str | None = None  # of seat 0, by exactly this name
    opponent: str | None = None
    player: str | None = None  # in either seat
    ours: bool = False  # ourselves, in either seat
    length: int | None = None
    level: str | None = None
    server: str | None = None
    since: dt.date | None = None
    until: dt.date | None = None  # inclusive
    text: str = ""
    result: str | None = None  # won, lost or open, for `player` or else seat 0
    least_pr: float | None = None  # for the same, by the analysis that is used most


@dataclass(frozen=True, slots=True)
class MatchSeen:
    """A row of `matches`, without its record, from one of its seats; the columns are attributes."""

    columns: Mapping[str, Any]
    turned: bool = False  # from seat 1

    @classmethod
    def of_row(cls, row: Row[Any]) -> MatchSeen:
        """Return a row of the table that `seen` makes."""
        columns = row._asdict()
        return cls(columns, turned=bool(columns.pop("turned")))

    def __getattr__(self, name: str) -> Any:
        try:
            return self.columns[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def day(self) -> str:
        """When the match began (UTC), as far as that is known."""
        start = began(self.columns["started"])
        if isinstance(start, dt.datetime):
            return f"{start:%Y-%m-%d %H:%M}"
        return "" if start is None else start.isoformat()

    @property
    def result(self) -> str:
        """Won, lost or open, as the account sees it."""
        return {0: "won", 1: "lost"}.get(self.columns["winner"], "open")


def chosen(archive: Archive, asked: Selection) -> list[MatchSeen]:
    """Return the matches, oldest first; a player's matches are seen from his seat."""
    return list(listed(archive, seen(archive, asked)))


def listed(
    archive: Archive, matches_seen: Subquery, newest: int | None = None, key: str | None = None
) -> Iterator[MatchSeen]:
    """Yield the matches, or only so many of the newest, oldest first.

    They have a `pr` and a `their_pr` by the analyses at this key.
    """
    by = matches_seen.c.started, matches_seen.c.id
    falling = select(matches_seen.c.id).order_by(*(column.desc().nulls_last() for column in by))
    asked = with_pr(matches_seen, key).order_by(*(column.asc().nulls_first() for column in by))
    with archive.reading() as connection:
        if newest is not None:
            ids = list(connection.execute(falling.limit(newest)).scalars())
            asked = asked.where(among(matches_seen.c.id, ids))
        for row in connection.execute(asked.execution_options(yield_per=TOGETHER)):
            yield MatchSeen.of_row(row)


def seen(archive: Archive, asked: Selection) -> Subquery:
    """Return the chosen matches as a table, each from the seat of its chosen player.

    It has the columns of `matches` but for records, and `turned`: from seat 1. Matches that
    `Archive.unreadable` names are left out.
    """
    names = known_names(archive)
    own = None
    if asked.player is not None or asked.ours:
        own = names.ours if asked.player is None else names.all_names(asked.player)
    where = [*archive.is_readable(), *conditions(asked)]
    if own is not None:
        where.append(_sits(archive, own))
    if asked.ids is not None:
        where.append(among(matches.c.id, asked.ids))
    if asked.text:
        where.append(among(matches.c.id, _saying(archive, asked.text)))
    turned = false() if own is None else matches.c.account.not_in(own)
    seated = select(*_from_seat(turned)).where(*where).subquery("seated")
    also: list[ColumnElement[bool]] = []
    places: FromClause = seated
    if asked.opponent is not None:
        also.append(seated.c.opponent.in_(names.all_names(asked.opponent)))
    if asked.result is not None:
        winner = {"won": 0, "lost": 1}.get(asked.result)
        also.append(seated.c.winner.is_(None) if winner is None else seated.c.winner == winner)
    if asked.least_pr is not None:
        places = seated.join(figures, figures_of(seated, usual_key()))
        also.append(pr_seen(seated, "our") >= asked.least_pr)
    return select(seated).select_from(places).where(*also).subquery("seen") if also else seated


def _sits(archive: Archive, own: frozenset[str]) -> ColumnElement[bool]:
    """Return the condition that a player sits in a match.

    An index finds the matches of most players. Reading all matches is faster for a player who sits
    in many of them; no index fits that form of the condition.
    """
    seats = [column.in_(own) for column in (matches.c.account, matches.c.opponent)]
    counts = [select(func.count()).select_from(matches).where(seat) for seat in seats]
    with archive.reading() as connection:
        his = sum(connection.execute(count).scalar_one() for count in counts)
        every = connection.execute(select(func.count()).select_from(matches)).scalar_one()
    sits = or_(*seats)
    return case((sits, 1), else_=0) == 1 if his > every / _MANY else sits


def among(column: ColumnElement[int], ids: Collection[int]) -> ColumnElement[bool]:
    """Return the condition that an id is one of these, however many they are."""
    return column.in_(bindparam(None, sorted(ids), expanding=True, literal_execute=True))


def _from_seat(turned: ColumnElement[bool]) -> Iterator[ColumnElement[Any]]:
    """Yield the columns of a match as its account sees it, or as its opponent if turned."""
    other = {"account": "opponent"}
    other |= {f"our_{name}": f"their_{name}" for name in _SEATED}
    other |= {there: here for here, there in other.items()}
    swaps = not isinstance(turned, False_)
    for column in matches.c:
        if column.name in other and swaps:
            yield case((turned, matches.c[other[column.name]]), else_=column).label(column.name)
        elif column.name == "winner" and swaps:
            yield case((turned, 1 - column), else_=column).label("winner")
        elif column.name != "record":
            yield column
    yield case((turned, 1), else_=0).label("turned") if swaps else literal(0).label("turned")


def conditions(asked: Selection) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions that the database can check without aliases."""
    for name in ("account", "length", "level", "server"):
        if getattr(asked, name) is not None:
            yield matches.c[name] == getattr(asked, name)
    if asked.since is not None:
        yield matches.c.started >= _midnight(asked.since)
    if asked.until is not None and asked.until < dt.date.max:
        yield matches.c.started < _midnight(asked.until + dt.timedelta(days=1))


def _midnight(day: dt.date) -> dt.datetime:
    return dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC)


def _saying(archive: Archive, text: str) -> set[int]:
    """Return the matches in which a name, a remark or a comment has the text."""
    facts = (matches.c.account, matches.c.opponent, matches.c.server, matches.c.level)
    plain = or_(*(fact.icontains(text, autoescape=True) for fact in facts))
    noted = notes.c.text.icontains(text, autoescape=True)
    written = json.dumps(text, ensure_ascii=False)[1:-1]
    saying = re.compile(_SOMEBODY_WROTE + re.escape(written), re.IGNORECASE)
    with archive.reading() as connection:
        found = set(connection.execute(select(matches.c.id).where(plain)).scalars())
        found |= set(connection.execute(select(notes.c.match_id).where(noted)).scalars())
        likely = matches.c.record.icontains(written, autoescape=True)
        if connection.dialect.name == "sqlite" and written.isascii():
            likely = matches.c.record.contains(written, autoescape=True)  # in any case, and faster
        asked = select(matches.c.id, matches.c.record).where(likely, ~plain)
        for match_id, record in connection.execute(asked.execution_options(yield_per=100)):
            if saying.search(record):
                found.add(match_id)
        asked = select(words.c.match_id, words.c.body)
        asked = asked.where(words.c.body.icontains(written, autoescape=True))
        found |= {row.match_id for row in connection.execute(asked) if saying.search(row.body)}
    return found
