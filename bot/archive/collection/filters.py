"""The filters of matches, declared once for the command line and the web.

A filter sets a field of `Selection`; this module is light, so that the command line starts fast.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

OUTCOMES = ("won", "lost", "open")
LARGEST = 2**31 - 1  # number that a column of PostgreSQL holds


@dataclass(frozen=True, slots=True)
class FilterKind:
    """The form of a filter's values; `parse` raises ValueError for others."""

    parse: Callable[[str], Any]
    wanted: str = ""  # form of a value, as an error names it
    widget: str = "text"  # type of its field on a page
    listed: bool = False  # a page offers the values that occur
    written: Callable[[Any], str] = str  # the text that `parse` reads


def _length(text: str) -> int:
    if text == "money":
        return 0
    if not (text.isascii() and text.isdecimal() and int(text[:12]) <= LARGEST):
        raise ValueError(text)
    return int(text)


def _pr(text: str) -> float:
    value = float(text)
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(text)
    return value


def _result(text: str) -> str:
    if text not in OUTCOMES:
        raise ValueError(text)
    return text


NAME = FilterKind(str)
WORDS = FilterKind(str, widget="search")
SWITCH = FilterKind(lambda text: text != "0", widget="switch", written=lambda _: "1")
LENGTH = FilterKind(
    _length,
    "a length such as 7, or money",
    listed=True,
    written=lambda points: str(points or "money"),
)
ONE_OF_THESE = FilterKind(str, listed=True)
RESULT = FilterKind(_result, "won, lost or open", listed=True)
DAY = FilterKind(dt.date.fromisoformat, "a day such as 2026-11-23", "date")
PR = FilterKind(_pr, "a PR such as 4.5", "number", written="{:g}".format)


@dataclass(frozen=True, slots=True)
class Filter:
    name: str  # field of Selection
    option: str  # of the command line
    metavar: str
    help: str
    kind: FilterKind
    key: str  # in the address of a page
    label: str  # on a page


MATCH_FILTERS = (
    Filter("text", "--text", "WORDS", "only matches with this text in names or remarks",
           WORDS, "text", "Search names and remarks"),
    Filter("player", "--player", "NAME", "only matches of this player, in either seat",
           NAME, "player", "Player"),
    Filter("ours", "--me", "", "only your own matches: see `alias --me`", SWITCH, "me", "Me"),
    Filter("opponent", "--opponent", "NAME", "only matches against this player",
           NAME, "opponent", "Opponent"),
    Filter("account", "--account", "NAME", "only matches of this account, the first player",
           NAME, "account", "Account"),
    Filter("length", "--length", "N", "only matches of this length; 0: unlimited",
           LENGTH, "length", "Length"),
    Filter("level", "--played-at", "LEVEL", "only matches that we played at this level",
           ONE_OF_THESE, "level", "Level"),
    Filter("server", "--server", "NAME", "only matches played on this server",
           ONE_OF_THESE, "server", "Server"),
    Filter("result", "--result", "", "result of the first player, or of --player",
           RESULT, "result", "Result"),
    Filter("since", "--since", "DAY", "only matches from this day on: 2026-11-23",
           DAY, "from", "From"),
    Filter("until", "--until", "DAY", "only matches up to and including this day",
           DAY, "to", "To"),
    Filter("least_pr", "--least-pr", "PR", "only analysed matches with at least this PR of the "
           "first player, or of --player", PR, "pr", "PR at least"),
)  # fmt: skip
EXCLUDING = ("player", "ours")  # each sets the player; not both
