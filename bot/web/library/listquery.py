"""The filters and the order of a list of matches, as in the address of its page."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

T = TypeVar("T")

SORTS = {  # key -> words in a list; with a key in FALLING the largest comes first
    "started": "date", "account": "player", "opponent": "opponent", "length": "length",
    "score": "score", "result": "result", "level": "level", "error": "error",
    "their_error": "opponent's error", "rating": "rating",
}  # fmt: skip
FALLING = ("started", "error", "their_error", "rating", "score", "length")
RESULTS = ("won", "lost", "open")
_LONGEST = 100  # characters of a text


@dataclass(frozen=True, slots=True)
class ListQuery:
    """The filters, the order and the page; `problems` are sentences about unreadable values."""

    opponent: str = ""
    length: int | None = None
    level: str = ""
    server: str = ""
    result: str = ""
    since: dt.date | None = None
    until: dt.date | None = None  # inclusive
    least_error: float | None = None  # millipoints per decision
    sort: str = "started"
    falling: bool = True
    page: int = 0
    problems: tuple[str, ...] = ()

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> ListQuery:
        """Return the values in the query of an address."""
        problems: list[str] = []

        def value(name: str, parse: Callable[[str], T], what: str) -> T | None:
            text = query.get(name, "").strip()
            try:
                return parse(text) if text else None
            except ValueError:
                problems.append(f"“{text[:40]}” is not {what}.")
                return None

        sort = query.get("sort", "")
        sort = sort if sort in SORTS else "started"
        order = query.get("order", "")
        falling = order == "falling" if order in ("falling", "rising") else sort in FALLING
        result = query.get("result", "")
        return cls(
            opponent=query.get("opponent", "").strip()[:_LONGEST],
            length=value("length", _length, "a length"),
            level=query.get("level", "").strip()[:_LONGEST],
            server=query.get("server", "").strip()[:_LONGEST],
            result=result if result in RESULTS else "",
            since=value("from", dt.date.fromisoformat, "a day such as 2026-11-23"),
            until=value("to", dt.date.fromisoformat, "a day such as 2026-11-23"),
            least_error=value("error", _error, "an error rate in millipoints"),
            sort=sort,
            falling=falling,
            page=value("page", _count, "a page") or 0,
            problems=tuple(problems),
        )

    def words(self) -> dict[str, str]:
        """Return the filters and the order as parameters of a query."""
        said = {
            "opponent": self.opponent,
            "length": "" if self.length is None else str(self.length),
            "level": self.level,
            "server": self.server,
            "result": self.result,
            "from": "" if self.since is None else self.since.isoformat(),
            "to": "" if self.until is None else self.until.isoformat(),
            "error": "" if self.least_error is None else f"{self.least_error:g}",
            "sort": "" if self.sort == "started" else self.sort,
            "order": self._order(),
        }
        return {name: word for name, word in said.items() if word}

    def _order(self) -> str:
        if self.falling == (self.sort in FALLING):
            return ""
        return "falling" if self.falling else "rising"

    def link(self, **changes: object) -> str:
        """Return the address of the list with some words changed; empty words are left out."""
        words = {**self.words(), **{name: str(word) for name, word in changes.items()}}
        return "/archive?" + urlencode({name: word for name, word in words.items() if word})

    def sorted_by(self, sort: str) -> str:
        """Return the address of the list sorted by a column, or reversed if it is sorted by it."""
        falling = not self.falling if sort == self.sort else sort in FALLING
        return self.link(sort=sort, order="falling" if falling else "rising")


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 6:
        raise ValueError
    return int(text)


def _length(text: str) -> int:
    return 0 if text == "money" else _count(text)


def _error(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value
