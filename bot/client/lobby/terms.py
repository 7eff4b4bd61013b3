"""The terms of our matches, and the inquiries that they need.

Pure: `People` are the users that the server shows, `now` is any clock in seconds.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import NamedTuple

from sixprime.bot.client.lobby.acquaintances import Acquaintances
from sixprime.bot.client.lobby.rests import DAY_S, NEVER, Why, is_free
from sixprime.bot.process.printable import counted
from sixprime.bot.settings.namefiles import NameFiles
from sixprime.bot.settings.schema import AcceptSettings, Lobby
from sixprime.bot.settings.values import is_within
from sixprime.protocols.fibs import repbot
from sixprime.protocols.fibs.people import Invitation, People
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.account import SavedMatch
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.talk import Said
from sixprime.protocols.fibs.wire.users import User

WHO_WITHIN_S = 5.0  # for the who line of an unknown inviter
PEOPLE_STAY_S = 1_800.0  # since a game, invitation or word of a person who counts as present
DROPS_SHARE = 0.1  # share of our matches that an opponent may leave while behind
OTHERS_TURN_S = 1_800.0  # for others, after many matches in a row
BREAK = "Sorry, I need a break. Please invite me again in ten minutes."  # LONGEST_REST_S
PLACE_KEPT = "Sorry, I am waiting for my opponent to come back."
SAVED_FIRST = "Let us finish our saved match first."
NOT_TODAY = "Sorry, I cannot continue our match today."  # by order
RESTS = frozenset({BREAK, NOT_TODAY})
NOT_YET = frozenset({BREAK, PLACE_KEPT, SAVED_FIRST})  # said by another Sixprime: not a no


class Declined(NamedTuple):
    """A reason to decline: a word for the log, a sentence for the inviter."""

    reason: str
    sentence: str


class Inquiry(Enum):
    """The state of an inquiry about an opponent without a question to send."""

    WAITING = auto()  # for an answer
    DONE = auto()


class MatchTerms:
    def __init__(
        self,
        settings: Lobby,
        bots: Sequence[str],
        files: NameFiles,
        clock: Callable[[], dt.datetime],
    ) -> None:
        self.known = Acquaintances()
        self.orders: Mapping[str, bool | None] = {}  # users allowed, blocked or neither
        self._files = files
        self._clock = clock
        self._person_at = NEVER  # time of the last match with or invitation by a person
        self._people_here: bool | None = None  # counted once for all users of a long list
        self.adopt(settings, bots)

    def adopt(self, settings: Lobby, bots: Sequence[str]) -> None:
        """Take other settings, or other names in their files."""
        self.settings = settings
        self.accept = settings.accept
        names = self._files.listed(settings)
        neither = {name for name, allowed in self.orders.items() if allowed is None}
        self.names = replace(names, block=names.block - neither, allow=names.allow - neither)
        self._offered = settings.invite.match_length
        self._bots = bots

    def is_welcome(self, name: str) -> bool:
        """Return whether the operator has ordered to accept this user against the settings."""
        return self.orders.get(name) is True

    def forget_counts(self) -> None:
        """Count the users who are here again, when needed."""
        self._people_here = None

    def on_message(self, message: Said) -> None:
        """Note RepBot's answers."""
        found = repbot.reputation(message, self.accept.reputation.repbot)
        if found is not None and self.known.peek(found.name).asked_repbot_at > NEVER:
            self.known.entry(found.name).repbot = found

    def objects_to_length(self, name: str, length: int | None) -> Declined | None:
        """Return the objection to a match of this length; the length None is unlimited."""
        accept = self.accept
        if self.is_welcome(name):
            return None
        if length is None:
            return None if accept.unlimited else Declined("unlimited", _lengths(accept))
        return None if length in accept.match_lengths else Declined("length", _lengths(accept))

    def never_agreed_to(self, saved: SavedMatch | None) -> Declined | None:
        """Return the objection to a match saved at 0-0, whose length we never agreed to."""
        if saved is None or (saved.mine, saved.theirs) != (0, 0):
            return None
        if saved.length == self._offered:
            return None
        return self.objects_to_length(saved.name, saved.length)

    def objects_to(
        self, name: Player, user: User | None, now: float, *, named: bool = False
    ) -> Declined | None:
        """Return the objection to this user; `named`: by the operator."""
        accept, names = self.accept, self.names
        named = named or name in names.allow
        if name in names.block or (accept.only_allowed and not named):
            return Declined("not wanted", "Sorry, I am not playing now.")
        if not (accept.bots or named) and is_bot(self._bots, name, user):
            return Declined("bot", "Sorry, I do not play other bots.")
        if self.is_quiet:
            begin, _, end = str(self.settings.quiet_hours).partition("-")
            return Declined("quiet hours", f"Sorry, I start no matches from {begin} to {end}.")
        if self.is_enough_today(now):
            return Declined("day's limit", "Sorry, I have played enough for one day.")
        return None

    @property
    def is_quiet(self) -> bool:
        """Return whether we begin no new matches now."""
        hours = self.settings.quiet_hours
        return hours is not None and is_within(hours, self._clock().astimezone().time())

    def quiet_until(self, now: float) -> float:
        """Return the end of the quiet hours."""
        end = dt.time.fromisoformat(str(self.settings.quiet_hours).partition("-")[2])
        local = self._clock().astimezone()
        ends = local.replace(hour=end.hour, minute=end.minute, second=0, microsecond=0)
        return now + (ends - local).total_seconds() % DAY_S

    def meets(self, name: Player, user: User | None, now: float) -> None:
        """Note that a user invites us or has played with us."""
        if self._is_bot(name, user):
            self.known.entry(name).is_bot = True
        else:
            self._person_at = now

    def _is_bot(self, name: str, user: User | None) -> bool:
        """Return whether the user is a bot, or was one when we last met."""
        return self.known.peek(name).is_bot or is_bot(self._bots, name, user)

    def others_first(self, name: Player, people: People, me: Player, now: float) -> Declined | None:
        """Return the objection if others come first: people before bots, and nobody always."""
        row, known = self.settings.games_in_a_row, self.known.peek(name)
        lately = now < known.played_at + OTHERS_TURN_S
        if row and lately and self.known.in_a_row(name) >= row:
            return Declined("in a row", "Thank you for the matches. Let others play, please.")
        drops = self.drops(name)
        decline = drops is not None and self.accept.reputation.decline_drops
        if decline and self._others_are_here(people, {me, name}, now):
            return Declined("drops matches", f"Sorry, others come first: {drops}")
        kept = self.settings.humans_first
        if not kept or not self._is_bot(name, people.users.get(name)):
            return None
        if self._share_of_bots(now) > 1 - kept and self._people_are_here(people, me, now):
            return Declined("people first", "Sorry, I keep this time for people.")
        self.known.entry(
            name
        ).is_bot = True  # known from its client, which is not shown once it is gone
        return None

    def _share_of_bots(self, now: float) -> float:
        """Return the share of bots in today's matches, if the next one is with a bot."""
        begun = self.known.begun(now)
        return (1 + sum(self._is_bot(name, None) for name in begun)) / (1 + len(begun))

    def invitable(self, people: People) -> list[Player]:
        """Return whom the settings let us invite: preferred ones first, who drops matches last."""
        preferred = self.names.preferred
        everybody = people.users if self.settings.invite.whom == "anyone" else ()
        others = (name for name in everybody if name not in preferred)
        return sorted(
            map(Player, (*preferred, *others)), key=lambda name: self.drops(name) is not None
        )

    def drops(self, name: str) -> str | None:
        """Return the sentence for an opponent who leaves too many matches while behind."""
        most, standing = self.accept.reputation.drops, self.known.peek(name).held_against
        if standing is None or not most or standing.behind < most:
            return None
        all_matches = standing.finished + standing.left
        if standing.behind <= DROPS_SHARE * all_matches:
            return None
        return f"you left {standing.left} of our {counted(all_matches, 'match')} unfinished."

    def _people_are_here(self, people: People, me: Player, now: float) -> bool:
        if self._people_here is None:
            self._people_here = now < self._person_at + PEOPLE_STAY_S or self._others_are_here(
                people, {me}, now, people_only=True
            )
        return self._people_here

    def _others_are_here(
        self, people: People, but: set[Player], now: float, *, people_only: bool = False
    ) -> bool:
        """Return whether we could play somebody else now."""
        return any(
            is_free(user)
            and user.idle_s < PEOPLE_STAY_S
            and name not in but
            and name not in self.names.block
            and now >= self.known.peek(name).alone_until
            and not (self._is_bot(name, user) and (people_only or not self.accept.bots))
            and self.drops(name) is None
            for name, user in people.users.items()
        )

    def is_enough_today(self, now: float) -> bool:
        """Return whether we have played as many matches as the day allows."""
        limit = self.accept.matches_per_day
        return bool(limit) and self.known.played(now) >= limit

    def is_enough_with(self, name: str, now: float) -> Declined | None:
        """Return the objection to a new match with this opponent now; a saved one is resumed."""
        if self.is_welcome(name):
            return None
        limit = self.accept.matches_per_opponent_and_day
        if limit and self.known.played(now, name) >= limit:
            return Declined("opponent's limit", "Sorry, we have played enough for one day.")
        return self.objects_to_rest(name, now)

    def objects_to_rest(self, name: str, now: float) -> Declined | None:
        """Return the objection while we rest from this opponent."""
        rest = self.known.peek(name).rests.last
        if rest is None or now >= rest.until:
            return None
        sentence = NOT_TODAY if rest.why is Why.ORDER else BREAK
        return Declined(rest.why.name.lower().replace("_", " "), sentence)

    def objects_to_new(
        self, invitation: Invitation, people: People, me: Player, now: float
    ) -> Declined | None:
        """Return the objection to a new match to which this user invites us."""
        name = invitation.opponent
        user = people.users.get(name)
        declined = (
            self.is_enough_with(name, now)
            or self.objects_to(name, user, now)
            or self.objects_to_length(name, invitation.length)
        )
        if declined is None and name not in self.names.allow:
            declined = self.objects_to_standing(invitation, user)
        return declined or self.others_first(name, people, me, now)

    def objects_to_standing(self, invitation: Invitation, user: User | None) -> Declined | None:
        """Return the objection to this rating, experience or reputation."""
        accept = self.accept
        if user is not None:
            if not accept.rating.holds(user.rating):
                return Declined("rating", f"Sorry, I play opponents rated {_range(accept.rating)}.")
            if not accept.experience.holds(user.experience):
                sentence = f"Sorry, I play opponents with experience {_range(accept.experience)}."
                return Declined("experience", sentence)
            needed = _experience_for(accept, invitation.length)
            if user.experience < needed:
                sentence = f"Sorry, for this length you need experience {needed}."
                return Declined("experience for length", sentence)
        said = self.known.peek(invitation.opponent).repbot
        value = None if said is None else said.value
        if accept.reputation.ask and value is not None and value < accept.reputation.least:
            return Declined("reputation", "Sorry, your reputation at RepBot is too low for me.")
        return None

    def inquire(
        self, invitation: Invitation, people: People, now: float, *, reputation: bool
    ) -> Command | Inquiry:
        """Return the next question about the inviter, or how the inquiry stands."""
        name = invitation.opponent
        asked_at = self.known.peek(name).asked_who_at
        if name in people.users:
            if asked_at > NEVER:
                self.known.entry(name).asked_who_at = NEVER
            return self._ask_repbot(invitation, now) if reputation else Inquiry.DONE
        if now >= asked_at + DAY_S:
            self.known.entry(name).asked_who_at = now
            return c.AskWho(name)
        if now < asked_at + WHO_WITHIN_S:
            return Inquiry.WAITING
        return self._ask_repbot(invitation, now) if reputation else Inquiry.DONE

    def _ask_repbot(self, invitation: Invitation, now: float) -> Command | Inquiry:
        name, reputation = invitation.opponent, self.accept.reputation
        stranger = name not in self.names.allow and not invitation.to_resume
        if not (reputation.ask and stranger):
            return Inquiry.DONE
        known = self.known.peek(name)
        if now >= known.asked_repbot_at + reputation.remember_s:
            known = self.known.entry(name)
            known.asked_repbot_at, known.repbot = now, None
            return repbot.ask(name, reputation.repbot)
        waits = known.repbot is None and now < known.asked_repbot_at + reputation.within_s
        return Inquiry.WAITING if waits else Inquiry.DONE


def is_bot(bots: Iterable[str], name: str, user: User | None) -> bool:
    """Return whether the name or client program says that it is a bot."""
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
    """Return the experience that the largest bound up to this length requires."""
    bounds = accept.experience_for_length
    return max(
        (needed for longer_than, needed in bounds.items() if (length or 0) > int(longer_than)),
        default=0,
    )
