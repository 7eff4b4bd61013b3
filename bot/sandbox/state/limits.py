"""Limits for one user or one host, so that the server stays usable for all others."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

from pydantic import BaseModel, ConfigDict, PositiveFloat, PositiveInt

MOST_KEYS = 10_000


class Limits(BaseModel):
    """Bounds against abuse and neglect; times in seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    line_bytes: PositiveInt = 1_024  # a longer input line closes the connection
    unsent_bytes: PositiveInt = 1_000_000  # a client that leaves so much unread is closed
    connections: PositiveInt = 1_000
    connections_per_host: PositiveInt = 500
    login_attempts: PositiveInt = 5  # wrong passwords before the connection is closed
    wrong_passwords_per_minute: PositiveFloat = 6.0  # from one host; for one account twice this
    wrong_password_burst: PositiveInt = 10
    login_s: PositiveFloat = 60.0  # time to log in; a sixth of it where half the places are taken
    idle_s: PositiveFloat = 3_600.0  # silence before `Connection timed out.`
    commands_per_s: PositiveFloat = 20.0  # lasting rate of a session
    command_burst: PositiveInt = 200  # commands at once before the rate counts
    chats_per_s: PositiveFloat = 1.0  # lasting rate of tells, shouts, invitations
    chat_burst: PositiveInt = 20
    registrations_per_hour: PositiveFloat = 20.0  # new accounts from one host, lasting rate
    registration_burst: PositiveInt = 50
    saved_matches: PositiveInt = 8  # with this many unfinished, none may be started
    stored_messages: PositiveInt = 50  # kept for one user


@dataclass(slots=True)
class Allowance:
    """A token bucket: `burst` at once, then `rate` a second."""

    rate: float
    burst: float
    left: float
    at: float

    def has(self, now: float) -> bool:
        self._refill(now)
        return self.left >= 1

    def is_full(self, now: float) -> bool:
        self._refill(now)
        return self.left >= self.burst

    def _refill(self, now: float) -> None:
        self.left = min(self.burst, self.left + max(0.0, now - self.at) * self.rate)
        self.at = now

    def spend(self, now: float) -> bool:
        """Take one token; False if there is none."""
        if not self.has(now):
            return False
        self.left -= 1
        return True


class Bucket:
    """The remaining commands and chats of one session."""

    def __init__(self, limits: Limits, now: float) -> None:
        burst, chats = float(limits.command_burst), float(limits.chat_burst)
        self.commands = Allowance(limits.commands_per_s, burst, burst, now)
        self.chats = Allowance(limits.chats_per_s, chats, chats, now)


class Allowances:
    """Equal token buckets by key; full ones are dropped, as a new one is full, too."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._by_key: dict[Hashable, Allowance] = {}

    def has(self, key: Hashable, now: float) -> bool:
        found = self._by_key.get(key)
        return found is None or found.has(now)

    def take(self, key: Hashable, now: float) -> bool:
        """Take one token; False if there is none."""
        if key not in self._by_key:
            self._drop_full(now)
            self._by_key[key] = Allowance(self._rate, self._burst, self._burst, now)
        return self._by_key[key].spend(now)

    def give_back(self, key: Hashable) -> None:
        """Undo `take`."""
        if key in self._by_key:
            self._by_key[key].left += 1

    def _drop_full(self, now: float) -> None:
        if len(self._by_key) >= MOST_KEYS:
            for key in [key for key, each in self._by_key.items() if each.is_full(now)]:
                del self._by_key[key]
        while len(self._by_key) >= MOST_KEYS:
            del self._by_key[next(iter(self._by_key))]


def network_of(host: str) -> str:
    """Return the network of one person: one address of IPv4, 2^64 of IPv6."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or int(address) >> 64)
    return host
