"""Reasons to stop: the operator, or a server that goes down; then no match begins."""

from __future__ import annotations

from enum import IntEnum

BYE_WITHIN_S = 60.0  # then the server does not listen
SHUTDOWN_S = 3_600.0  # then an announced shutdown is off


class Stop(IntEnum):
    """The urgency of a stop."""

    NO = 0
    FINISH = 1  # after the match
    SAVE = 2  # by leaving the match, which the server saves


class Stopping:
    """One bot's reasons to stop."""

    def __init__(self) -> None:
        self.how = Stop.NO
        self._bye_at: float | None = None  # the first bye on this connection
        self._down_until = float("-inf")

    def connected(self) -> None:
        """Note a new connection: the server is up."""
        self._bye_at = None
        self._down_until = float("-inf")

    def request(self, how: Stop) -> None:
        self.how = max(self.how, how)

    def says_bye(self, now: float) -> bool:
        """Return whether it is time to say good-bye, once a connection."""
        if self._bye_at is not None:
            return False
        self._bye_at = now
        return True

    def is_held(self, now: float) -> bool:
        """Return whether the server does not let us go."""
        return self._bye_at is not None and now >= self._bye_at + BYE_WITHIN_S

    def goes_down(self, now: float) -> None:
        self._down_until = now + SHUTDOWN_S

    def server_goes_down(self, now: float) -> bool:
        """Return whether an announced shutdown is still to come."""
        return now < self._down_until
