"""The standing of a connection: our seat, the open tables, the signs of life."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from sixprime.protocols.bgammon.events import OpenTable
from sixprime.protocols.fibs.wire.messages import Player

SILENT_AFTER_S = 75.0  # the server pings every 30 s: probe
PROBE_WITHIN_S = 30.0  # no answer: the line is dead
PONG_AGAIN_S = 10.0
LEAVE_AGAIN_S = 15.0
SEATED_WITHIN_S = 10.0  # after we have asked for a seat, or logged in: a match may go on


@dataclass(slots=True)
class OwnSeat:
    """Our seat: at most one."""

    table: int | None = None  # its number
    asked_at: float | None = None  # for a seat that the server has not given yet
    is_wrong: bool = False  # we only watch, or the game is another one: leave
    leave_at: float | None = None  # after a match
    left_at: float = float("-inf")  # when we have asked for that

    @property
    def is_taken(self) -> bool:
        """True if the server may refuse us another seat, or take this one."""
        return self.table is not None or self.asked_at is not None

    def is_left(self, now: float) -> bool:
        """Return whether it is time to leave."""
        due = self.is_wrong or (self.leave_at is not None and now >= self.leave_at)
        return due and now >= self.left_at + LEAVE_AGAIN_S


@dataclass(slots=True)
class Pulse:
    """Signs of life, theirs and ours."""

    heard_at: float
    probed_at: float | None = None
    is_pinged: bool = False
    ponged_at: float = float("-inf")

    def is_silent(self, now: float) -> bool:
        """Return whether it is time to probe."""
        return self.probed_at is None and now >= self.heard_at + SILENT_AFTER_S

    @property
    def deadline(self) -> float:
        """Time of the next sign that is due."""
        pong = self.ponged_at + PONG_AGAIN_S if self.is_pinged else float("inf")
        probed = self.probed_at
        silent = self.heard_at + SILENT_AFTER_S if probed is None else probed + PROBE_WITHIN_S
        return min(pong, silent)


@dataclass(slots=True)
class Tables:
    """The open tables, as the server last listed them."""

    open: tuple[OpenTable, ...] = ()
    listed_at: float = float("-inf")
    ratings_wanted: deque[Player] = field(default_factory=deque)  # after a login or a match
    ask_at: float = float("-inf")  # for these

    def forget(self, table: OpenTable) -> None:
        """Forget a table that we have tried, until the next list."""
        self.open = tuple(each for each in self.open if each != table)


class NoSetup:
    """The settings of an account that this server needs: none."""

    done = True

    def want_ready(self, ready: bool) -> None: ...
