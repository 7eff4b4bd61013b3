"""Origins of matches that were played on from a position; the comment of a match tells its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import quote

from sixprime.bot.web.frame.texts import gettext

_PLACE = re.compile(r"([1-9]\d{0,17}) (\d{1,6})", re.ASCII)
_TOLD = re.compile(
    r"Played on from (?:step ([1-9]\d{0,6}) of match ([1-9]\d{0,17}), )?(XGID=[\w:+-]+)", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Origin:
    """A position, and the step of an archived match that has it, if any."""

    xgid: str
    match: int | None = None
    step: int = 0

    @classmethod
    def at(cls, xgid: str, place: str) -> Self:
        """Return the origin at a place such as `12 5`: match 12, step 5; or without a place."""
        found = _PLACE.fullmatch(place)
        return cls(xgid) if found is None else cls(xgid, int(found[1]), int(found[2]))

    @classmethod
    def told(cls, comment: str) -> Self | None:
        """Return the origin that a comment tells; None if it tells none."""
        found = _TOLD.search(comment)
        if found is None:
            return None
        step, match, xgid = found.groups()
        return cls(xgid) if match is None else cls(xgid, int(match), int(step) - 1)

    @property
    def comment(self) -> str:
        where = "" if self.match is None else f"step {self.step + 1} of match {self.match}, "
        return f"Played on from {where}{self.xgid}"

    @property
    def name(self) -> str:
        return (
            gettext("a position")
            if self.match is None
            else gettext("step %(step)s of another match", step=self.step + 1)
        )

    @property
    def link(self) -> str:
        if self.match is None:
            return f"/position?id={quote(self.xgid)}"
        return f"/archive/{self.match}?step={self.step}"
