"""The history of each opponent. Pure; `now` is any clock in seconds."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from sixprime.bot.client.lobby.rests import DAY_S, NEVER, Rests
from sixprime.bot.matchlog.recorder import Standing
from sixprime.protocols.fibs.repbot import Reputation
from sixprime.protocols.fibs.wire.messages import Message
from sixprime.protocols.fibs.wire.users import LoggedOut, User

IN_EARNEST_S = 300.0  # a match of this length was worth its invitation
MOST_REMEMBERED = 5_000
BREAK_AGAIN_S = 3_600.0  # before we say again that we rest
FOR_EVER = float("inf")


@dataclass(slots=True)
class Acquaintance:
    """One opponent. A field named `..._until` says when a refusal ends."""

    rests: Rests = field(default_factory=Rests)
    alone_until: float = NEVER  # no questions after a no
    silences: int = 0  # requests to resume in a row that led to no match
    reason: str = ""  # for declining, the last that we gave
    reason_at: float = NEVER
    told_rest_at: float = NEVER
    is_bot: bool = False  # by name or client
    playing_since: float = NEVER
    played_at: float = NEVER  # the last match
    unfinished_at: float = NEVER  # the last match that began and has not ended
    dead_until: float = NEVER  # the saved match cannot go on, even if the server lists it
    standing: Standing | None = None  # the ends of our matches, if not always good
    forgiven: Standing | None = None  # the part of it that the operator forgave
    told_standing: bool = False
    asked_who_at: float = NEVER
    asked_repbot_at: float = NEVER
    repbot: Reputation | None = None  # RepBot's answer

    @property
    def held_against(self) -> Standing | None:
        """Return the standing without the part that the operator forgave."""
        if self.standing is None or self.forgiven is None:
            return self.standing
        pairs = zip(self.standing, self.forgiven, strict=True)
        return Standing(*(max(0, in_all - forgiven) for in_all, forgiven in pairs))

    def may_be_told(
        self, sentence: str, now: float, again_after_s: float, *, of_rest: bool
    ) -> bool:
        """Return whether it is time for a sentence, and note it; a rest has a single one."""
        if of_rest:
            too_soon = now < self.told_rest_at + BREAK_AGAIN_S
            self.told_rest_at = self.told_rest_at if too_soon else now
        else:
            too_soon = sentence == self.reason and now < self.reason_at + again_after_s
            too_soon = too_soon or self.rests.is_on(now)
        if not too_soon:
            self.reason, self.reason_at = sentence, now
        return not too_soon

    def forgive(self) -> None:
        """Forget rests, refusals, tries and drops, by the operator's order."""
        self.rests.forgive()
        self.reason, self.silences = "", 0
        self.told_rest_at = NEVER
        self.alone_until = NEVER
        if self.dead_until < FOR_EVER:
            self.dead_until = NEVER
        self.forgiven = self.standing


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
        return [name for name, known in self._known.items() if known.rests.is_on(now)]

    def lasting(self, now: float) -> dict[str, Memory]:
        """Return the entries to remember across a restart."""
        times = {
            name: Memory(
                *(max(at - now, 0.0) for at in (one.alone_until, one.rests.until, one.dead_until))
            )
            for name, one in self._known.items()
        }
        return {name: memory for name, memory in times.items() if any(memory)}

    def restore(self, name: str, memory: Memory, now: float) -> None:
        if any(memory):
            known = self.entry(name)
            known.alone_until, known.dead_until = now + memory.alone, now + memory.dead
            known.rests.restore(memory.rests, now)

    def on_message(self, message: Message, now: float) -> None:
        """Note the line or the logout of a user whom we have met."""
        match message:
            case User(name) if known := self._known.get(name):
                known.rests.note_line(message, now)
            case LoggedOut(name) if known := self._known.get(name):
                known.rests.note_logout()

    def line_lost(self, since: float) -> None:
        """Take back the tries since we came to the lobby on a line that is lost now."""
        for known in self._known.values():
            known.rests.line_lost(since)

    def note_list(self, saved: Container[str], now: float) -> None:
        """Note the server's list of our saved matches."""
        for name, known in self._known.items():
            if known.rests.is_on(now):
                known.rests.note_list(now, listed=name in saved)

    def unfinished(self, now: float) -> list[str]:
        """Return the opponents of the matches that began in the last day and have not ended."""
        return [name for name, known in self._known.items() if now < known.unfinished_at + DAY_S]

    def add_match(self, opponent: str, at: float, *, new: bool = True) -> None:
        self._played.append(Played(opponent, at, new))

    def played(self, now: float, opponent: str | None = None) -> int:
        """Count the matches begun in the last day, with this opponent or with everybody."""
        return sum(opponent in (None, name) for name in self.begun(now))

    def played_less_at(self, now: float, opponent: str | None = None) -> float:
        """Return the time at which the earliest of these matches no longer counts."""
        times = (each.at for each in self._played if each.new and opponent in (None, each.opponent))
        return min(times, default=now) + DAY_S

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
        while self._played and self._played[0].at < now - DAY_S:
            self._played.popleft()
        return [each.opponent for each in self._played if each.new]
