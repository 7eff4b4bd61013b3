"""When to ask for a board that the server has not sent, and how."""

from __future__ import annotations

from sixprime.protocols.fibs.wire.commands import AskBoard

EFFECT_WITHIN_S = 10.0  # of a command that should change the game
BOARD_WITHIN_S = 3.0  # of a line that comes with a board
QUIET_S = 300.0  # in the opponent's turn
FRESH_S = 20.0  # so long a board need not be asked for again because somebody doubts it


class BoardRequests:
    """Those of one match: the longer nothing new comes, the rarer."""

    def __init__(self, now: float) -> None:
        self.due = now + EFFECT_WITHIN_S
        self.asked_at: float | None = None  # several times, if nothing came
        self._seen_at = now
        self._every = BOARD_WITHIN_S
        self._spelling = "board"

    @property
    def next(self) -> AskBoard:
        """As this server spells it."""
        return AskBoard(self._spelling)

    def wait(self, now: float, seconds: float) -> None:
        """Ask so much later."""
        self.due = now + seconds

    def within(self, now: float, seconds: float) -> None:
        """Ask at the latest so much later."""
        self.due = min(self.due, now + seconds)

    def sent(self, now: float) -> None:
        """We ask."""
        self.asked_at = now if self.asked_at is None else self.asked_at
        self._every = min(2 * self._every, QUIET_S)
        self.wait(now, self._every)

    def seen(self, now: float) -> bool:
        """A board has come; did we ask for it?"""
        requested, self.asked_at = self.asked_at is not None, None
        self._seen_at = now
        return requested

    def broken(self, now: float) -> None:
        """One came that cannot be true."""
        self.asked_at = None
        self.wait(now, self._every)

    def unknown(self, spelling: str, now: float) -> None:
        """The server does not know this word: try the other."""
        if spelling in ("board", "b"):
            self._spelling = "b" if spelling == "board" else "board"
            self.asked_at = None
            self.wait(now, 1.0)

    def something_new(self) -> None:
        """The game goes on."""
        self._every = BOARD_WITHIN_S

    def is_fresh(self, now: float) -> bool:
        """Has a board come lately?"""
        return now < self._seen_at + FRESH_S
