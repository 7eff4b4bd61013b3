"""Events of our matches.

Seats are 0 for us and 1 for the opponent. An account has at most one unfinished match with an
opponent, so `Who` names it, before and after it is put aside.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from sixprime.engine.position import Variant
from sixprime.protocols.formats.record import Action, Game, GameResult


@dataclass(frozen=True, slots=True)
class Who:
    """The account of a match, its opponent and its server."""

    server: str
    account: str
    opponent: str


class PlayerRating(NamedTuple):
    """A player's rating and experience as the server shows them; None is unknown."""

    rating: float | None = None
    experience: int | None = None

    def or_else(self, other: PlayerRating) -> PlayerRating:
        """Return the rating, its unknown parts taken from the other."""
        rating = other.rating if self.rating is None else self.rating
        experience = other.experience if self.experience is None else self.experience
        return PlayerRating(rating, experience)


@dataclass(frozen=True, slots=True)
class _OfMatch:
    who: Who
    at: dt.datetime


@dataclass(frozen=True, slots=True)
class MatchStarted(_OfMatch):
    """A match begins or is resumed. `length` None: unlimited."""

    length: int | None
    resumed: bool
    score: tuple[int, int]
    ours: PlayerRating
    theirs: PlayerRating
    level: str


@dataclass(frozen=True, slots=True)
class GameStarted(_OfMatch):
    """The first event of a game, even if we join it in the middle (then a SetBoard follows)."""

    score: tuple[int, int]
    crawford: bool


@dataclass(frozen=True, slots=True)
class VariantSeen(_OfMatch):
    """A board shows that this match is not of standard games; it may come in each of them."""

    variant: Variant


@dataclass(frozen=True, slots=True)
class Acted(_OfMatch):
    """A roll, a play, a cube action, a resignation, an interruption; see protocols.formats.record.

    A Turn whose play is None is followed by the same Turn with its play.
    """

    action: Action


@dataclass(frozen=True, slots=True)
class Resigning(_OfMatch):
    """We are about to resign this many games; the server may never receive it.

    The server's list of a game does not show how much an offer was for.
    """

    games: int


@dataclass(frozen=True, slots=True)
class Sending(_OfMatch):
    """We are about to send this action; the server may never receive it.

    The event is durable before the line goes out. If we do not live to see its effect, it explains
    the next board.
    """

    action: Action


@dataclass(frozen=True, slots=True)
class GameOver(_OfMatch):
    """A game is won; `score` is after it."""

    result: GameResult
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class MatchSaved(_OfMatch):
    """The match is interrupted: left, dropped, or our connection was lost."""

    reason: str


@dataclass(frozen=True, slots=True)
class MatchOver(_OfMatch):
    """The match is won; `winner` is a seat."""

    winner: int
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class GameRecovered(_OfMatch):
    """A finished game from the server's own list, in place of one that we saw in part."""

    game: Game  # seat 0 is the account


@dataclass(frozen=True, slots=True)
class Rated(_OfMatch):
    """New ratings after the match; they may come more than once."""

    ours: PlayerRating
    theirs: PlayerRating


class Way(Enum):
    """The direction of a line: received or sent."""

    HEARD = "S"
    SAID = "C"


@dataclass(frozen=True, slots=True)
class Wire(_OfMatch):
    """A raw line sent or received during a match; our password is blanked."""

    way: Way
    line: str


@dataclass(frozen=True, slots=True)
class Evidence(_OfMatch):
    """The raw lines before something went wrong in a match."""

    what: str
    lines: tuple[str, ...]


Event = (
    MatchStarted | GameStarted | VariantSeen | Acted | Resigning | Sending | GameOver | MatchSaved
    | MatchOver | GameRecovered | Rated | Wire | Evidence
)  # fmt: skip
