"""The history of each opponent, and the limit of tries.

Every try with an opponent (an invitation, a join, a sentence) counts until a match between us is
finished. After a few tries in an hour without one we ignore the opponent for a while, so nobody can
keep us busy forever. Pure; `now` is any clock in seconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from sixprime.bot.matchlog.recorder import Standing
from sixprime.protocols.fibs.repbot import Reputation

DAY_S = 86_400.0
MOST_TRIES = 6  # in TRIES_WITHIN_S
TRIES_WITHIN_S = 3_600.0
IN_EARNEST_S = 300.0  # a match of this length was worth its invitation
MOST_REMEMBERED = 5_000
NEVER = float("-inf")
FOR_EVER = float("inf")


@dataclass(slots=True)
class Acquaintance:
    """One opponent. A field named `..._until` says when a rest or a refusal ends."""

    alone_until: float = NEVER  # no questions after a refusal, spoken or silent
    silences: int = 0  # requests to resume in a row that led to no match
    reason: str = ""  # for declining, the last that we gave
    reason_at: float = NEVER
    is_bot: bool = False  # by name or client
    playing_since: float = NEVER
    played_at: float = NEVER  # the last match
    unfinished_at: float = NEVER  # the last match that began and has not ended
    dead_until: float = NEVER  # the saved match cannot go on, even if the server lists it
    rests_until: float = NEVER  # no match with this opponent, old or new
    tries: deque[float] = field(default_factory=deque)  # since a match was finished
    standing: Standing | None = None  # the ends of our matches, if not always good
    told_standing: bool = False
    asked_who_at: float = NEVER
    asked_repbot_at: float = NEVER
    repbot: Reputation | None = None  # RepBot's answer

    def tried(self, now: float) -> None:
        """Count an invitation, an answer or a sentence to this user."""
        self.tries.append(now)
        while len(self.tries) > MOST_TRIES + 1:
            self.tries.popleft()

    def excused(self) -> None:
        """Take back the last try: it worked, or failed without the opponent's fault."""
        if self.tries:
            self.tries.pop()

    def is_enough(self, now: float, most: int = MOST_TRIES) -> bool:
        """Return whether there have been too many tries without a finished match."""
        return sum(at > now - TRIES_WITHIN_S for at in self.tries) >= most


class Memory(NamedTuple):
    """The times of an opponent that outlive the program, in seconds left; FOR_EVER: no end."""

    alone: float
    rests: float
    dead: float


class Played(NamedTuple):
    opponent: str
    at: float
    new: bool


class Acquaintances:
    """All opponents, and the last day's matches; the longest unmet are forgotten."""

    def __init__(self) -> None:
        self._known: dict[str, Acquaintance] = {}
        self._played: deque[Played] = deque()

    def peek(self, name: str) -> Acquaintance:
        """Return the entry of this user, only to be read."""
        return self._known.get(name) or Acquaintance()

    def entry(self, name: str) -> Acquaintance:
        """Return the entry of this user, to be changed."""
        self._known[name] = known = self._known.pop(name, None) or Acquaintance()
        while len(self._known) > MOST_REMEMBERED:
            del self._known[next(iter(self._known))]
        return known

    def resting(self, now: float) -> list[str]:
        """Return the opponents whose matches cannot go on now."""
        return [name for name, known in self._known.items() if now < known.rests_until]

    def lasting(self, now: float) -> dict[str, Memory]:
        """Return the entries to remember across a restart."""
        times = {
            name: Memory(
                *(max(at - now, 0.0) for at in (one.alone_until, one.rests_until, one.dead_until))
            )
            for name, one in self._known.items()
        }
        return {name: memory for name, memory in times.items() if any(memory)}

    def restore(self, name: str, memory: Memory, now: float) -> None:
        if any(memory):
            known = self.entry(name)
            known.alone_until, known.rests_until, known.dead_until = (now + left for left in memory)

    def add_match(self, opponent: str, at: float, *, new: bool = True) -> None:
        self._played.append(Played(opponent, at, new))

    def played(self, now: float, opponent: str | None = None) -> int:
        """Count the matches of the last day, with this opponent or with everybody."""
        while self._played and self._played[0].at < now - DAY_S:
            self._played.popleft()
        return sum(opponent in (None, each.opponent) for each in self._played)

    def in_a_row(self, opponent: str) -> int:
        """Count the matches begun with this opponent since one with another."""
        row = takewhile(lambda each: each.opponent == opponent, reversed(self._played))
        return sum(each.new for each in row)

    def judge(self, standings: Mapping[str, Standing]) -> None:
        """Set the standings of these opponents from the archive, and clear all others."""
        for name, known in self._known.items():
            known.standing = standings.get(name)
        for name, standing in standings.items():
            self.entry(name).standing = standing

    def begun(self, now: float) -> list[str]:
        """Return the opponents of the matches begun in the last day."""
        self.played(now)
        return [each.opponent for each in self._played if each.new]
