"""Limits for one user or one host, so that the server stays usable for all others."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, PositiveFloat, PositiveInt


class Limits(BaseModel):
    """Bounds against abuse and neglect; times in seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    line_bytes: PositiveInt = 1_024  # a longer input line closes the connection
    unsent_bytes: PositiveInt = 1_000_000  # a client that does not read is closed
    connections: PositiveInt = 1_000
    connections_per_host: PositiveInt = 500
    login_attempts: PositiveInt = 5  # wrong passwords before the connection is closed
    login_s: PositiveFloat = 300.0  # time to log in
    idle_s: PositiveFloat = 3_600.0  # silence before `Connection timed out.`
    commands_per_s: PositiveFloat = 20.0  # lasting rate of a session
    command_burst: PositiveInt = 200  # commands at once before the rate counts
    chats_per_s: PositiveFloat = 1.0  # lasting rate of tells, shouts, invitations
    chat_burst: PositiveInt = 20
    registrations_per_hour: PositiveFloat = 20.0  # new accounts from one host, lasting rate
    registration_burst: PositiveInt = 50
    saved_matches: PositiveInt = 8  # unfinished matches before no new one may start
    stored_messages: PositiveInt = 50  # kept for one user


@dataclass(slots=True)
class Allowance:
    """A token bucket: `burst` at once, then `rate` a second."""

    rate: float
    burst: float
    left: float
    at: float

    def spend(self, now: float) -> bool:
        """Take one token; False if there is none."""
        self.left = min(self.burst, self.left + max(0.0, now - self.at) * self.rate)
        self.at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class Bucket:
    """What one session may still do."""

    def __init__(self, limits: Limits, now: float) -> None:
        burst, chats = float(limits.command_burst), float(limits.chat_burst)
        self.commands = Allowance(limits.commands_per_s, burst, burst, now)
        self.chats = Allowance(limits.chats_per_s, chats, chats, now)
