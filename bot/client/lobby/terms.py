"""Whom we play and on what terms, by the settings; looks up what it needs to know about a player.

Pure: `People` is what the server shows, `now` any clock in seconds.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sixprime.bot.settings.schema import AcceptSettings, Lobby
from sixprime.protocols.fibs import repbot
from sixprime.protocols.fibs.people import Invitation, People
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.account import SavedMatch
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.talk import Said
from sixprime.protocols.fibs.wire.users import User

DAY_S = 86_400.0
WHO_WITHIN_S = 5.0  # we ask for the who line of an unknown inviter, and wait for it so long
MOST_REMEMBERED = 5_000


class Declined(NamedTuple):
    """Why we declined: a word for the log, a sentence for the inviter."""

    reason: str
    sentence: str


class Remembered(dict[str, float]):
    """When something last happened to a user; the oldest are forgotten."""

    def note(self, name: str, now: float) -> None:
        """Note that it happened now."""
        self.pop(name, None)
        self[name] = now
        while len(self) > MOST_REMEMBERED:
            del self[next(iter(self))]

    def within(self, name: str, seconds: float, now: float) -> bool:
        """Did it happen less than so long ago?"""
        return name in self and now < self[name] + seconds


@dataclass(slots=True)
class PlayedToday:
    """Matches of the last day."""

    matches: deque[tuple[Player, float]] = field(default_factory=deque)

    def note(self, opponent: Player, at: float) -> None:
        """A match began or went on."""
        self.matches.append((opponent, at))

    def count(self, now: float, opponent: Player | None = None) -> int:
        """Matches with this opponent, or with everybody."""
        while self.matches and self.matches[0][1] < now - DAY_S:
            self.matches.popleft()
        return sum(1 for name, _ in self.matches if opponent in (None, name))


class MatchTerms:
    """One account's terms."""

    def __init__(self, settings: Lobby, bots: Sequence[str] = ()) -> None:
        self.accept = settings.accept
        self.played = PlayedToday()
        self._offered = settings.invite.match_length
        self._bots = bots
        self._asked_who = Remembered()
        self._asked_repbot = Remembered()
        self._reputations: dict[Player, int | None] = {}

    def hear(self, message: Said) -> None:
        """Takes a message, which may be RepBot's answer."""
        found = repbot.reputation(message, self.accept.reputation.repbot)
        if found is not None and found.name in self._asked_repbot:
            self._reputations[found.name] = found.value

    def objects_to_length(self, length: int | None) -> Declined | None:
        """Why not a match of this length; None as a length is unlimited."""
        accept = self.accept
        if length is None:
            return None if accept.unlimited else Declined("unlimited", _lengths(accept))
        return None if length in accept.match_lengths else Declined("length", _lengths(accept))

    def never_agreed_to(self, saved: SavedMatch | None) -> Declined | None:
        """Why not resume a match saved at 0-0: we never agreed to its length and left at once."""
        if saved is None or (saved.mine, saved.theirs) != (0, 0):
            return None
        if saved.length == self._offered:
            return None
        return self.objects_to_length(saved.length)

    def objects_to(
        self, name: Player, user: User | None, now: float, *, named: bool = False
    ) -> Declined | None:
        """Why not this user; `named`: the operator wants to play this one."""
        accept = self.accept
        named = named or name in accept.allow
        if name in accept.block or (accept.only_allowed and not named):
            return Declined("not wanted", "Sorry, I do not play now.")
        if not (accept.bots or named) and is_bot(self._bots, name, user):
            return Declined("bot", "Sorry, I do not play other bots.")
        limit = accept.matches_per_opponent_and_day
        if limit and self.played.count(now, name) >= limit:
            return Declined("opponent's limit", "Sorry, we have played enough for one day.")
        if accept.matches_per_day and self.played.count(now) >= accept.matches_per_day:
            return Declined("day's limit", "Sorry, I have played enough for one day.")
        return None

    def objects_to_standing(self, invitation: Invitation, user: User | None) -> Declined | None:
        """Why not with this rating, experience or reputation."""
        accept = self.accept
        if user is not None:
            if not accept.rating.holds(user.rating):
                return Declined("rating", f"Sorry, I play ratings {_range(accept.rating)}.")
            if not accept.experience.holds(user.experience):
                sentence = f"Sorry, I play with experience {_range(accept.experience)}."
                return Declined("experience", sentence)
            needed = _experience_for(accept, invitation.length)
            if user.experience < needed:
                sentence = f"Sorry, for this length I ask for experience {needed}."
                return Declined("experience for length", sentence)
        value = self._reputations.get(invitation.opponent)
        if accept.reputation.ask and value is not None and value < accept.reputation.least:
            return Declined("reputation", "Sorry, your reputation at RepBot is too low for me.")
        return None

    def finds_out(
        self, invitation: Invitation, people: People, now: float, *, reputation: bool
    ) -> Command | bool:
        """Ask who this is; True while we wait for the answer, False when we know enough."""
        name = invitation.opponent
        if name not in people.users:
            if not self._asked_who.within(name, DAY_S, now):
                self._asked_who.note(name, now)
                return c.AskWho(name)
            if self._asked_who.within(name, WHO_WITHIN_S, now):
                return True
        else:
            self._asked_who.pop(name, None)
        return reputation and self._asks_repbot(invitation, now)

    def _asks_repbot(self, invitation: Invitation, now: float) -> Command | bool:
        name, reputation = invitation.opponent, self.accept.reputation
        stranger = name not in self.accept.allow and not invitation.to_resume
        if not (reputation.ask and stranger):
            return False
        if not self._asked_repbot.within(name, reputation.remember_s, now):
            self._asked_repbot.note(name, now)
            self._reputations.pop(name, None)
            return repbot.ask(name, reputation.repbot)
        waits = self._asked_repbot.within(name, reputation.within_s, now)
        return waits and name not in self._reputations


def is_bot(bots: Iterable[str], name: str, user: User | None) -> bool:
    """Does the name or client program say that it is a bot?"""
    words = (name, "" if user is None else user.client)
    return any(re.fullmatch(pattern, word) for pattern in bots for word in words)


def _lengths(accept: AcceptSettings) -> str:
    *many, last = [str(length) for length in sorted(accept.match_lengths)] or ["0"]
    if not accept.match_lengths:
        terms = "unlimited matches" if accept.unlimited else "no matches now"
        return f"Sorry, I play {terms}."
    points = f"{', '.join(many)} or {last}" if many else last
    unit = "point" if points == "1" else "points"
    return f"Sorry, I play matches of {points} {unit}."


def _range(window: object) -> str:
    least, most = getattr(window, "least", None), getattr(window, "most", None)
    if most is None:
        return f"from {least:g}"
    return f"up to {most:g}" if least is None else f"from {least:g} to {most:g}"


def _experience_for(accept: AcceptSettings, length: int | None) -> int:
    """What the longest bound below this length asks for."""
    bounds = accept.experience_for_length
    return max(
        (needed for longer_than, needed in bounds.items() if (length or 0) > int(longer_than)),
        default=0,
    )
