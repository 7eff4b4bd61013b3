"""What happens in our matches, as events, and whoever keeps them.

Seats are 0 for us and 1 for the opponent. An account has at most one unfinished match with an
opponent, so `Who` names it; a match that is resumed is the one that was put aside.

The service calls `note` in the order of events, and awaits `kept` before it sends a command that
depends on them: what was kept survives a crash. Questions are answered after all that was noted
before them; whoever asks waits, and nobody else. A Keeper that fails must not stop the game, so the
service logs what it raises and plays on.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from sixprime.protocols.formats.record import Action, Game, Match, Result


@dataclass(frozen=True, slots=True)
class Who:
    """Whose match it is, with whom, and where."""

    server: str
    account: str
    opponent: str


class Standing(NamedTuple):
    """What the server says of a player; None is unknown."""

    rating: float | None = None
    experience: int | None = None


@dataclass(frozen=True, slots=True)
class MatchBegan:
    """We play, or play on: `resumed` unless the server began it. `length` None: unlimited."""

    who: Who
    at: dt.datetime
    length: int | None
    resumed: bool
    score: tuple[int, int]
    ours: Standing
    theirs: Standing
    level: str


@dataclass(frozen=True, slots=True)
class GameBegan:
    """The first thing of a game, also of one that we see from its middle (a Setup follows)."""

    who: Who
    at: dt.datetime
    score: tuple[int, int]
    crawford: bool


@dataclass(frozen=True, slots=True)
class Acted:
    """A roll, a play, a cube action, a resignation, an interruption; see protocols.formats.record.

    A Turn whose play is None is followed by the same Turn with its play.
    """

    who: Who
    at: dt.datetime
    action: Action


@dataclass(frozen=True, slots=True)
class Resigning:
    """We are about to offer to lose so many games; nobody knows yet if the server will hear it.

    It is no part of the game, but what an offer was worth stands in no list of the server.
    """

    who: Who
    at: dt.datetime
    games: int


@dataclass(frozen=True, slots=True)
class GameOver:
    """A game is won; `score` is after it."""

    who: Who
    at: dt.datetime
    result: Result
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class MatchSaved:
    """The match is put aside: left, dropped, or we lost the connection."""

    who: Who
    at: dt.datetime
    reason: str


@dataclass(frozen=True, slots=True)
class MatchOver:
    """The match is won; `winner` is a seat."""

    who: Who
    at: dt.datetime
    winner: int
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Recalled:
    """A finished game as the server tells it afterwards, for where we missed something of it."""

    who: Who
    at: dt.datetime
    game: Game  # seat 0 is the account


@dataclass(frozen=True, slots=True)
class Rated:
    """What the server says after the match; comes once for each that tells."""

    who: Who
    at: dt.datetime
    ours: Standing
    theirs: Standing


class Way(Enum):
    """Which way a line went."""

    HEARD = "S"
    SAID = "C"


@dataclass(frozen=True, slots=True)
class Wire:
    """A line of the conversation during a match, as it was; passwords are never among them."""

    who: Who
    at: dt.datetime
    way: Way
    line: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something went wrong in a match: everything that helps to find out why."""

    who: Who
    at: dt.datetime
    what: str
    lines: tuple[str, ...]


Event = (
    MatchBegan | GameBegan | Acted | Resigning | GameOver | MatchSaved | MatchOver | Recalled
    | Rated | Wire | Evidence
)  # fmt: skip


class Keeper(Protocol):
    """Keeps a record of matches."""

    def note(self, event: Event) -> None:
        """Take it; it is durable after `kept` (a Wire may wait for the next other event)."""

    async def kept(self) -> None:
        """Until all that was noted is durable; raises what went wrong with it."""

    def finish(self, who: Who) -> None:
        """The match is over or put aside, and all about it has been noted: write its files."""

    async def record(self, account: str, opponent: str) -> tuple[int, int]:
        """Finished matches with this opponent: won, lost."""

    async def recent(self, server: str, account: str, within_s: float) -> list[tuple[str, float]]:
        """Matches that began lately, oldest first: with whom, and how many seconds ago."""

    async def missed(self, server: str, account: str, alive: Collection[str]) -> Who | None:
        """The account's latest match, if it or a game of it (may have) ended without our hearing.

        `alive` are the opponents whose matches the server still has, so those are not over.
        """

    async def recall(self, recalled: Recalled) -> Match | None:
        """Note what the server tells of that game, if it is the one; the match as it is now."""


class NullKeeper:
    """Keeps nothing."""

    def note(self, event: Event) -> None:
        """Forget it."""

    async def kept(self) -> None:
        """Nothing is."""

    def finish(self, who: Who) -> None:
        """Nothing to write."""

    async def record(self, account: str, opponent: str) -> tuple[int, int]:
        """Nothing is known."""
        return 0, 0

    async def recent(self, server: str, account: str, within_s: float) -> list[tuple[str, float]]:
        """Nothing is known."""
        return []

    async def missed(self, server: str, account: str, alive: Collection[str]) -> Who | None:
        """Nothing."""
        return None

    async def recall(self, recalled: Recalled) -> Match | None:
        """Forget it."""
        return None
