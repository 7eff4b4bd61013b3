"""The filters and the order of a list of matches, as in the address of its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from sixprime.bot.archive.collection.filters import EXCLUDING, MATCH_FILTERS
from sixprime.bot.archive.collection.selection import Selection
from sixprime.bot.web.frame.texts import gettext, shown

SORTS = {  # key -> words in a list; with a key in FALLING the largest comes first
    "started": "date", "account": "player", "opponent": "opponent", "length": "length",
    "score": "score", "result": "result", "level": "level", "pr": "PR",
    "their_pr": "opponent's PR", "rating": "rating",
}  # fmt: skip
FALLING = ("started", "pr", "their_pr", "rating", "score", "length")
_EARLIER = {"error": "pr", "their_error": "their_pr"}  # in links of older versions
_LONGEST = 100  # characters of a text


@dataclass(frozen=True, slots=True)
class ListQuery:
    """The filters, the order and the page; `problems` are sentences about unreadable values."""

    selection: Selection = field(default_factory=Selection)
    sort: str = "started"
    falling: bool = True
    page: int = 0
    problems: tuple[str, ...] = ()

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> ListQuery:
        """Return the values in the query of an address."""
        problems: list[str] = []
        values: dict[str, Any] = {}
        for each in MATCH_FILTERS:
            text = query.get(each.key, "").strip()[:_LONGEST]
            try:
                values |= {each.name: each.kind.parse(text)} if text else {}
            except ValueError:
                problems.append(
                    gettext(
                        "“%(text)s” is not %(wanted)s.",
                        text=text[:40],
                        wanted=shown(each.kind.wanted),
                    )
                )
        if all(values.get(name) for name in EXCLUDING):
            problems.append(gettext("Choose a player or yourself, not both."))
        sort = _EARLIER.get(query.get("sort", ""), query.get("sort", ""))
        sort = sort if sort in SORTS else "started"
        order, page = query.get("order", ""), query.get("page", "").strip()
        falling = order == "falling" if order in ("falling", "rising") else sort in FALLING
        if page and not _is_count(page):
            problems.append(gettext("“%(text)s” is not a page.", text=page[:40]))
        return cls(
            selection=Selection(**values),
            sort=sort,
            falling=falling,
            page=int(page) if _is_count(page) else 0,
            problems=tuple(problems),
        )

    @property
    def is_of_player(self) -> bool:
        """True if a player is asked about, and not both of each match."""
        return self.selection.player is not None or self.selection.ours

    def filters(self) -> dict[str, str]:
        """Return the filters as parameters of a query."""
        said = ((each, getattr(self.selection, each.name)) for each in MATCH_FILTERS)
        return {
            each.key: each.kind.written(value)
            for each, value in said
            if value is not None and value is not False and value != ""
        }

    def words(self) -> dict[str, str]:
        """Return the filters and the order as parameters of a query."""
        said = {
            **self.filters(),
            "sort": "" if self.sort == "started" else self.sort,
            "order": self._order(),
        }
        return {name: word for name, word in said.items() if word}

    def _order(self) -> str:
        if self.falling == (self.sort in FALLING):
            return ""
        return "falling" if self.falling else "rising"

    def link(self, path: str = "/archive", /, **changes: object) -> str:
        """Return the address of a page with some words changed; empty words are left out."""
        words = {**self.words(), **{name: str(word) for name, word in changes.items()}}
        query = urlencode({name: word for name, word in words.items() if word})
        return f"{path}?{query}" if query else path

    def sorted_by(self, sort: str) -> str:
        """Return the address of the list sorted by a column, or reversed if it is sorted by it."""
        falling = not self.falling if sort == self.sort else sort in FALLING
        return self.link(sort=sort, order="falling" if falling else "rising")


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 6
