"""What we know of each opponent, and how often we try again.

Every try with an opponent (an invitation, a join, a sentence) counts until a match between us is
finished. After a few tries in an hour without one we ignore the opponent for a while, whoever
invited whom, to a new match or to resume: so nobody can keep us busy forever. Pure; `now` is any
clock in seconds.
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
IN_EARNEST_S = 300.0  # a match that lasted this long was worth the invitation
MOST_REMEMBERED = 5_000
NEVER = float("-inf")
FOR_EVER = float("inf")


@dataclass(slots=True)
class Acquaintance:
    """One opponent. What is marked `until` holds before that time."""

    alone_until: float = NEVER  # after a refusal, spoken or silent, we ask nothing
    silences: int = 0  # requests to resume in a row that led to no match
    reason: str = ""  # the last one that we gave for declining,
    reason_at: float = NEVER  # and when
    is_bot: bool = False  # by name or client
    playing_since: float = NEVER
    played_at: float = NEVER  # the last match
    unfinished_at: float = NEVER  # a match began and, as far as we know, has not ended
    dead_until: float = NEVER  # the saved match cannot go on, even if the server lists it
    rests_until: float = NEVER  # we neither go on with the match nor play another one
    tries: deque[float] = field(default_factory=deque)  # since a match was finished
    standing: Standing | None = None  # how the matches ended, if not always well
    told_standing: bool = False
    asked_who_at: float = NEVER
    asked_repbot_at: float = NEVER
    repbot: Reputation | None = None  # what RepBot answered

    def tried(self, now: float) -> None:
        """We send this user an invitation, an answer or a sentence."""
        self.tries.append(now)
        while len(self.tries) > MOST_TRIES + 1:
            self.tries.popleft()

    def excused(self) -> None:
        """The last try worked, or its failure was not the opponent's fault."""
        if self.tries:
            self.tries.pop()

    def is_enough(self, now: float, most: int = MOST_TRIES) -> bool:
        """Have there been too many tries without a finished match?"""
        return sum(at > now - TRIES_WITHIN_S for at in self.tries) >= most


class Memory(NamedTuple):
    """What outlives the program, in seconds still to run; 0: over, FOR_EVER: no end."""

    alone: float
    rests: float
    dead: float


class Played(NamedTuple):
    opponent: str
    at: float
    new: bool


class Acquaintances:
    """All opponents, and the last day's matches; those not met for long are forgotten."""

    def __init__(self) -> None:
        self._known: dict[str, Acquaintance] = {}
        self._played: deque[Played] = deque()

    def peek(self, name: str) -> Acquaintance:
        """What we know of this user, to read."""
        return self._known.get(name) or Acquaintance()

    def entry(self, name: str) -> Acquaintance:
        """What we know of this user, to change."""
        self._known[name] = known = self._known.pop(name, None) or Acquaintance()
        while len(self._known) > MOST_REMEMBERED:
            del self._known[next(iter(self._known))]
        return known

    def resting(self, now: float) -> list[str]:
        """The opponents whose matches cannot go on now."""
        return [name for name, known in self._known.items() if now < known.rests_until]

    def lasting(self, now: float) -> dict[str, Memory]:
        """What to remember across a restart."""
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

    def play(self, opponent: str, at: float, *, new: bool = True) -> None:
        self._played.append(Played(opponent, at, new))

    def played(self, now: float, opponent: str | None = None) -> int:
        """How many in the last day, with this opponent or with everybody."""
        while self._played and self._played[0].at < now - DAY_S:
            self._played.popleft()
        return sum(opponent in (None, each.opponent) for each in self._played)

    def in_a_row(self, opponent: str) -> int:
        """How many matches we have begun with this opponent since one with another."""
        row = takewhile(lambda each: each.opponent == opponent, reversed(self._played))
        return sum(each.new for each in row)

    def judge(self, standings: Mapping[str, Standing]) -> None:
        """Set what the archive says of these opponents; nothing is held against all others."""
        for name, known in self._known.items():
            known.standing = standings.get(name)
        for name, standing in standings.items():
            self.entry(name).standing = standing

    def begun(self, now: float) -> list[str]:
        """The opponents of the matches begun in the last day."""
        self.played(now)
        return [each.opponent for each in self._played if each.new]
