"""Whom we play and on what terms, by the settings; looks up what it needs to know about a player.

Pure: `People` is what the server shows, `now` any clock in seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sixprime.bot.client.lobby.acquaintances import DAY_S, NEVER, Acquaintances
from sixprime.bot.settings.schema import AcceptSettings, Lobby
from sixprime.protocols.fibs import repbot
from sixprime.protocols.fibs.people import Invitation, People
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.account import SavedMatch
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.talk import Said
from sixprime.protocols.fibs.wire.users import User

WHO_WITHIN_S = 5.0  # we ask for the who line of an unknown inviter, and wait for it so long


class Declined(NamedTuple):
    """Why we declined: a word for the log, a sentence for the inviter."""

    reason: str
    sentence: str


class MatchTerms:
    """One account's terms."""

    def __init__(self, settings: Lobby, bots: Sequence[str] = ()) -> None:
        self.known = Acquaintances()
        self.adopt(settings, bots)

    def adopt(self, settings: Lobby, bots: Sequence[str]) -> None:
        """Other settings; what we remember stays."""
        self.accept = settings.accept
        self._offered = settings.invite.match_length
        self._bots = bots

    def hear(self, message: Said) -> None:
        """Takes a message, which may be RepBot's answer."""
        found = repbot.reputation(message, self.accept.reputation.repbot)
        if found is not None and self.known.look(found.name).asked_repbot_at > NEVER:
            self.known.meet(found.name).repbot = found

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
        if self.is_enough_today(now):
            return Declined("day's limit", "Sorry, I have played enough for one day.")
        return None

    def is_enough_today(self, now: float) -> bool:
        """Have we played as many matches as the day allows?"""
        limit = self.accept.matches_per_day
        return bool(limit) and self.known.played(now) >= limit

    def is_enough_with(self, name: str, now: float) -> Declined | None:
        """Why nothing more with this opponent for now, not even to resume."""
        limit = self.accept.matches_per_opponent_and_day
        if limit and self.known.played(now, name) >= limit:
            return Declined("opponent's limit", "Sorry, we have played enough for one day.")
        known = self.known.look(name)
        if now < known.rests_until:
            return Declined("trouble", "Sorry, I cannot go on with our match today.")
        if known.is_enough(now):
            return Declined("tries", "Sorry, I need a pause. Please invite me again in an hour.")
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
        said = self.known.look(invitation.opponent).repbot
        value = None if said is None else said.value
        if accept.reputation.ask and value is not None and value < accept.reputation.least:
            return Declined("reputation", "Sorry, your reputation at RepBot is too low for me.")
        return None

    def finds_out(
        self, invitation: Invitation, people: People, now: float, *, reputation: bool
    ) -> Command | bool:
        """Ask who this is; True while we wait for the answer, False when we know enough."""
        name = invitation.opponent
        asked_at = self.known.look(name).asked_who_at
        if name in people.users:
            if asked_at > NEVER:
                self.known.meet(name).asked_who_at = NEVER
            return reputation and self._asks_repbot(invitation, now)
        if now >= asked_at + DAY_S:
            self.known.meet(name).asked_who_at = now
            return c.AskWho(name)
        return now < asked_at + WHO_WITHIN_S or (reputation and self._asks_repbot(invitation, now))

    def _asks_repbot(self, invitation: Invitation, now: float) -> Command | bool:
        name, reputation = invitation.opponent, self.accept.reputation
        stranger = name not in self.accept.allow and not invitation.to_resume
        if not (reputation.ask and stranger):
            return False
        known = self.known.look(name)
        if now >= known.asked_repbot_at + reputation.remember_s:
            known = self.known.meet(name)
            known.asked_repbot_at, known.repbot = now, None
            return repbot.ask(name, reputation.repbot)
        return known.repbot is None and now < known.asked_repbot_at + reputation.within_s


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
