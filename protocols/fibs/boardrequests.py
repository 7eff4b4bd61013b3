"""When and how to ask for a board that the server has not sent."""

from __future__ import annotations

from sixprime.protocols.fibs.dialect import LearnedDialect
from sixprime.protocols.fibs.wire.commands import AskBoard

EFFECT_WITHIN_S = 10.0  # after a command that should change the game
BOARD_WITHIN_S = 3.0  # after a line that a board should follow
QUIET_S = 300.0  # in the opponent's turn
UNHEARD_S = 120.0  # no board came when asked for: the server does not hear us
FRESH_S = 20.0  # a board this recent is believed without asking again


class BoardRequests:
    """The requests of one match: the longer nothing new comes, the rarer they get."""

    def __init__(self, dialect: LearnedDialect, now: float) -> None:
        self.due = now + EFFECT_WITHIN_S
        self.asked_at: float | None = None  # several times, if nothing came
        self.danced = False  # somebody, since the last board
        self._seen_at = now
        self._every = BOARD_WITHIN_S
        self._dialect = dialect

    @property
    def next(self) -> AskBoard:
        """The command, as this server spells it."""
        return self._dialect.board

    @property
    def unheard_at(self) -> float:
        """When it is clear that the server does not hear us."""
        return float("inf") if self.asked_at is None else self.asked_at + UNHEARD_S

    def wait(self, now: float, seconds: float) -> None:
        """Ask this many seconds from now."""
        self.due = now + seconds

    def within(self, now: float, seconds: float) -> None:
        """Ask this many seconds from now at the latest."""
        self.due = min(self.due, now + seconds)

    def sent(self, now: float) -> None:
        self.asked_at = now if self.asked_at is None else self.asked_at
        self._every = min(2 * self._every, QUIET_S)
        self.wait(now, self._every)

    def seen(self, now: float) -> bool:
        """A board has come; did we ask for it?"""
        requested, self.asked_at = self.asked_at is not None, None
        self._seen_at, self.danced = now, False
        return requested

    def broken(self, now: float) -> None:
        """A board came that cannot be true."""
        self.asked_at = None
        self.wait(now, self._every)

    def unknown(self, spelling: str, now: float) -> None:
        """The server does not know this word: try the other soon."""
        if spelling in ("board", "b"):
            self.asked_at = None
            self.wait(now, 1.0)

    def something_new(self) -> None:
        """The game has moved on, so ask as often as at first."""
        self._every = BOARD_WITHIN_S

    def is_fresh(self, now: float) -> bool:
        """Is the last board recent enough to be believed?"""
        return now < self._seen_at + FRESH_S
