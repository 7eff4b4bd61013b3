"""Chooses matches of an archive: by player, day, length, server, text, result."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, or_, select

from sixprime.bot.archive.archive import Archive, began
from sixprime.bot.archive.collection.names import known_names
from sixprime.bot.archive.tables import matches, notes

_SEATED = ("rating_before", "rating_after", "experience_before", "experience_after", "score")
_WORDS = frozenset({"name", "place", "event", "round", "annotator", "comment"})  # of a record


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


@dataclass(frozen=True, slots=True)
class MatchSeen:
    """A row of `matches`, without its record, from one of its seats; the columns are attributes."""

    columns: Mapping[str, Any]
    turned: bool = False  # from seat 1

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
    names = known_names(archive)
    own = None
    if asked.player is not None or asked.ours:
        own = names.ours if asked.player is None else names.all_names(asked.player)
    against = None if asked.opponent is None else names.all_names(asked.opponent)
    saying = _saying(archive, asked.text) if asked.text else None
    rows = archive.rows(*conditions(asked))
    return [
        row
        for row in (_seen(dict(row._mapping), own) for row in rows)
        if row is not None
        and (against is None or row.opponent in against)
        and (asked.ids is None or row.id in asked.ids)
        and (saying is None or row.id in saying)
        and asked.result in (None, row.result)
    ]


def players(archive: Archive) -> set[str]:
    """Return the names of everybody who sits in a match."""
    seats = (matches.c.account, matches.c.opponent)
    with archive.reading() as connection:
        return {
            name for seat in seats for name in connection.execute(select(seat).distinct()).scalars()
        }


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


def _seen(row: Mapping[str, Any], own: frozenset[str] | None) -> MatchSeen | None:
    """Return the row from the seat of one of these names; None if none of them played."""
    if own is None or row["account"] in own:
        return MatchSeen(row)
    if row["opponent"] not in own:
        return None
    turned = {**row, "account": row["opponent"], "opponent": row["account"]}
    turned["winner"] = None if row["winner"] is None else 1 - row["winner"]
    for name in _SEATED:
        turned[f"our_{name}"], turned[f"their_{name}"] = row[f"their_{name}"], row[f"our_{name}"]
    return MatchSeen(turned, turned=True)


def _saying(archive: Archive, text: str) -> set[int]:
    """Return the matches in which a name, a remark or a comment has the text."""
    words = (matches.c.account, matches.c.opponent, matches.c.server, matches.c.level)
    plain = or_(*(word.icontains(text, autoescape=True) for word in words))
    noted = notes.c.text.icontains(text, autoescape=True)
    written = json.dumps(text, ensure_ascii=False)[1:-1]
    likely = matches.c.record.icontains(written, autoescape=True)
    with archive.reading() as connection:
        found = set(connection.execute(select(matches.c.id).where(plain)).scalars())
        found |= set(connection.execute(select(notes.c.match_id).where(noted)).scalars())
        asked = select(matches.c.id, matches.c.record).where(likely, ~plain)
        for match_id, record in connection.execute(asked.execution_options(yield_per=100)):
            if any(text.lower() in each.lower() for each in _texts(record)):
                found.add(match_id)
    return found


def _texts(record: str) -> Iterator[str]:
    """Yield the texts that people wrote in a record."""
    found: list[str] = []

    def collect(values: dict[str, Any]) -> None:
        found.extend(
            each for name, each in values.items() if name in _WORDS and isinstance(each, str)
        )

    try:
        json.loads(record, object_hook=collect)
    except (ValueError, RecursionError):
        return
    yield from found
