"""With whom we play: which invitations we accept, whom we invite, and what we say about it.

Pure: `People` is what the server told, `now` any clock in seconds, and `wants` hands out one
command at a time. The desk remembers what it must not do again: who was told a reason, who said no
to us, whom RepBot knows, how often we played with whom.
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
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import (
    IsAway,
    LoggedOut,
    Message,
    Player,
    Said,
    SavedMatch,
    User,
)
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused

DAY_S = 86_400.0
WHO_WITHIN_S = 5.0  # an inviter without a who line is asked for, and waited for so long
SETTLE_S = 3.0  # in the lobby before we invite anybody
JOIN_WITHIN_S = 5.0  # of our join; then the invitation counts as lapsed
REFUSED_AGAIN_S = 600.0  # a user who cannot play now is asked again after this
MOST_REMEMBERED = 5_000
SAVED_FIRST = "Let us finish our saved match first."


class Declined(NamedTuple):
    """Why not, for the log and for the inviter."""

    reason: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Agreed:
    """What a join or an invitation of ours agreed to; `length` means nothing when resuming."""

    opponent: Player
    length: int | None
    to_resume: bool


class Remembered(dict[str, float]):
    """When something last happened to a user; the oldest are forgotten."""

    def note(self, name: str, now: float) -> None:
        """It happens now."""
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
        """With this opponent, or with everybody."""
        while self.matches and self.matches[0][1] < now - DAY_S:
            self.matches.popleft()
        return sum(1 for name, _ in self.matches if opponent in (None, name))


class Desk:
    """What we do in the lobby."""

    def __init__(self, settings: Lobby, bots: Sequence[str] = ()) -> None:
        self.settings = settings
        self.played = PlayedToday()
        self.closing = False  # no new matches
        self.declined: list[tuple[Player, str]] = []  # since last taken, for log and metrics
        self._bots = [re.compile(pattern) for pattern in bots]
        self._agreed: Agreed | None = None
        self._invited: Agreed | None = None  # to what last; the server keeps it open
        self._told = Remembered()
        self._asked_who = Remembered()
        self._asked_repbot = Remembered()
        self._reputations: dict[Player, int | None] = {}
        self._unfinished = Remembered()  # matches that began, and ended nowhere that we heard
        self._said_no = Remembered()
        self._cannot = Remembered()
        self._gone = Remembered()  # saved matches that cannot be resumed, whatever lists say
        self._resumed = Remembered()
        self._trouble = Remembered()
        self._invited_at: float | None = None
        self._idle_since: float | None = None
        self._joining: tuple[Player, float] | None = None
        self._kept_for: tuple[Player, float] | None = None
        self._wish: Command | None = None  # said next, whatever else there is
        self._away_said = False

    # --- what we hear, in the lobby or not

    def hear(self, message: Message, now: float) -> None:
        """Take notice of answers."""
        match message:
            case Said(name) if name == (asked := self.settings.accept.reputation.repbot):
                found = repbot.reputation(message, asked)
                if found is not None and found.name in self._asked_repbot:
                    self._reputations[found.name] = found.value
            case Said(name) if self._waits_for(name):
                self._give_up(name, now, self._said_no)
            case IsAway(name) | LoggedOut(name) if self._waits_for(name):
                self._give_up(name, now, self._cannot)
            case Refused(why, about):
                self._hear_refusal(why, Player(about), now)

    def _hear_refusal(self, why: Refusal, about: Player, now: float) -> None:
        asked = self._asked()
        match why:
            case Refusal.REFUSES_GAMES | Refusal.PLAYING_ELSEWHERE | Refusal.NO_SUCH_USER:
                self._give_up(about, now, self._cannot)
            case Refusal.NOT_EXPERIENCED | Refusal.LENGTH_TOO_LONG if asked is not None:
                self._give_up(asked, now, self._said_no)
            case Refusal.NO_SAVED_MATCH | Refusal.SAVED_MATCH_CORRUPT if asked is not None:
                self._unfinished.pop(asked, None)
                self._gone.note(asked, now)
                self._give_up(asked, now, self._cannot)

    def match_begins(self, opponent: Player, now: float) -> None:
        """We play, whoever invited whom."""
        self.played.note(opponent, now)
        self._unfinished.note(opponent, now)
        self._said_no.pop(opponent, None)
        self._gone.pop(opponent, None)
        self._kept_for = self._joining = None
        self._invited = self._invited_at = self._idle_since = None

    def match_ends(self, opponent: Player, saved: bool, now: float, place_s: float = 0.0) -> None:
        """The match is over, or put aside: then the opponent's place is kept for a while."""
        if not saved:
            self._unfinished.pop(opponent, None)
        self._agreed = None
        self._idle_since = None
        self._kept_for = (opponent, now + place_s) if saved and place_s else None

    def troubled(self, opponent: Player, now: float) -> None:
        """We cannot go on with this opponent's match: let it rest for a day."""
        self._trouble.note(opponent, now)

    def connected(self) -> None:
        """A new connection: what was open is not any more."""
        self._agreed = self._invited = self._invited_at = None
        self._idle_since = self._joining = None
        self._away_said = False

    def objection(self, opponent: Player, length: int | None, resumed: bool) -> str | None:
        """Why we leave this match at once: it is not what was agreed to, and we would not have it.

        Offers can be swapped while we answer; None is a match that we play.
        """
        if resumed:
            return None
        if Agreed(opponent, length, to_resume=False) in (self._agreed, self._invited):
            return None
        declined = _length(self.settings.accept, length)
        return None if declined is None else declined.sentence

    def is_bot(self, name: str, user: User | None) -> bool:
        """By name or client, as far as they say so."""
        words = (name, "" if user is None else user.client)
        return any(pattern.fullmatch(word) for pattern in self._bots for word in words)

    # --- what we say in the lobby

    def wants(self, people: People, me: Player, now: float) -> Command | None:
        """The next command while we are free; None: nothing to say now."""
        if self._idle_since is None:
            self._idle_since = now
        if self._wish is not None:
            wish, self._wish = self._wish, None
            return wish
        if self.settings.paused and not self._away_said:
            self._away_said = True
            return c.Away(self.settings.away) if self.settings.away else None
        if self._is_joining(people, now):
            return None
        command = self._answer_invitations(people, now)
        if command is None and not (self.closing or self.settings.paused):
            command = self._invite(people, me, now)
        return command

    # --- invitations

    def _answer_invitations(self, people: People, now: float) -> Command | None:
        for invitation in list(people.invitations.values()):
            if not invitation.may_be_answered(now):
                continue
            name = invitation.opponent
            saved = self._may_be_saved(name, people, now, warned=invitation.loses_saved_match)
            troubled = self._trouble.within(name, DAY_S, now)
            leaving = self.closing or self.settings.paused
            if saved and not (invitation.to_resume or leaving or troubled):
                people.withdrawn(name)
                return self._saved_first(name, now)
            waits = self._finds_out(invitation, people, now)
            if isinstance(waits, Command):
                return waits
            if waits:
                continue
            declined = self.judge(invitation, people.users.get(name), now, people.saved.get(name))
            if declined is None:
                self._agreed = Agreed(name, invitation.length, invitation.to_resume)
                self._invited_at = None
                self._joining = (name, now + JOIN_WITHIN_S)
                return c.Join(name)
            people.withdrawn(name)
            self.declined.append((name, declined.reason))
            if told := self._tell(name, declined.sentence, now):
                return told
        return None

    def _is_joining(self, people: People, now: float) -> bool:
        """We accepted, and nothing has come of it yet."""
        if self._joining is None:
            return False
        name, until = self._joining
        if name in people.invitations and now < until:
            return True
        people.withdrawn(name)
        self._joining = None
        return False

    def judge(
        self,
        invitation: Invitation,
        user: User | None,
        now: float,
        saved: SavedMatch | None = None,
    ) -> Declined | None:
        """Why we decline; None: we accept. `saved` is the match that we have with the inviter."""
        if self.closing or self.settings.paused:
            return Declined("stopping", "Sorry, I am about to leave.")
        accept, name = self.settings.accept, invitation.opponent
        if self._kept_for is not None and now < self._kept_for[1] and name != self._kept_for[0]:
            return Declined("place kept", "Sorry, I am waiting for my opponent to come back.")
        if self._trouble.within(name, DAY_S, now):
            return Declined("trouble", "Sorry, I cannot go on with our match today.")
        if invitation.to_resume:
            return self._never_agreed_to(saved)
        declined = self._who(name, user, now) or _length(accept, invitation.length)
        if declined is None and name not in accept.allow:
            declined = self._standing(invitation, user)
        return declined

    def _never_agreed_to(self, saved: SavedMatch | None) -> Declined | None:
        """We left this match when it began (`objection`): resumed it would be played after all."""
        if saved is None or (saved.mine, saved.theirs) != (0, 0):
            return None
        if saved.length == self.settings.invite.match_length:
            return None
        return _length(self.settings.accept, saved.length)

    def _who(
        self, name: Player, user: User | None, now: float, *, named: bool = False
    ) -> Declined | None:
        """`named`: the operator wants to play this one."""
        accept = self.settings.accept
        named = named or name in accept.allow
        if name in accept.block or (accept.only_allowed and not named):
            return Declined("not wanted", "Sorry, I do not play now.")
        if not (accept.bots or named) and self.is_bot(name, user):
            return Declined("bot", "Sorry, I do not play other bots.")
        limit = accept.matches_per_opponent_and_day
        if limit and self.played.count(now, name) >= limit:
            return Declined("opponent's limit", "Sorry, we have played enough for one day.")
        if accept.matches_per_day and self.played.count(now) >= accept.matches_per_day:
            return Declined("day's limit", "Sorry, I have played enough for one day.")
        return None

    def _standing(self, invitation: Invitation, user: User | None) -> Declined | None:
        """Rating, experience, reputation."""
        accept = self.settings.accept
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

    def _finds_out(self, invitation: Invitation, people: People, now: float) -> Command | bool:
        """Ask who this is; True while the answer is awaited, False when enough is known."""
        name = invitation.opponent
        if name not in people.users:
            if not self._asked_who.within(name, DAY_S, now):
                self._asked_who.note(name, now)
                return c.AskWho(name)
            if self._asked_who.within(name, WHO_WITHIN_S, now):
                return True
        else:
            self._asked_who.pop(name, None)
        return self._asks_repbot(invitation, now)

    def _asks_repbot(self, invitation: Invitation, now: float) -> Command | bool:
        name, reputation = invitation.opponent, self.settings.accept.reputation
        stranger = name not in self.settings.accept.allow and not invitation.to_resume
        if not (reputation.ask and stranger) or self.closing or self.settings.paused:
            return False
        if not self._asked_repbot.within(name, reputation.remember_s, now):
            self._asked_repbot.note(name, now)
            self._reputations.pop(name, None)
            return repbot.ask(name, reputation.repbot)
        waits = self._asked_repbot.within(name, reputation.within_s, now)
        return waits and name not in self._reputations

    def _saved_first(self, name: Player, now: float) -> Command:
        self._wish = self._tell(name, SAVED_FIRST, now)
        self._invited_at = now
        self._resumed.note(name, now)
        self._agreed = self._invited = Agreed(name, None, to_resume=True)
        return c.InviteToResume(name)

    def _tell(self, name: Player, sentence: str, now: float) -> Command | None:
        """One polite sentence, if this user was not told one lately."""
        if self._told.within(name, self.settings.decline_again_after_s, now):
            return None
        self._told.note(name, now)
        return c.Tell(name, sentence)

    # --- inviting

    def _invite(self, people: People, me: Player, now: float) -> Command | None:
        if self._still_waiting(now) or self._idle_since is None or not people.who_is_complete:
            return None
        idle = now - self._idle_since
        if idle < SETTLE_S:
            return None
        return self._resume(people, now) or self._invite_idle(people, me, idle, now)

    def _resume(self, people: People, now: float) -> Command | None:
        if not self.settings.resume_saved:
            return None
        for name in self._saved_and_here(people, now):
            self._resumed.note(name, now)
            self._agreed = self._invited = Agreed(name, None, to_resume=True)
            self._invited_at = now
            return c.InviteToResume(name)
        return None

    def _invite_idle(self, people: People, me: Player, idle: float, now: float) -> Command | None:
        invite = self.settings.invite
        limit = self.settings.accept.matches_per_day
        enough = bool(limit) and self.played.count(now) >= limit
        if not invite.after_idle_s or idle < invite.after_idle_s:
            return None
        if enough or self._place_is_kept(now):
            return None
        for name in self._candidates(people, me, now):
            self._agreed = self._invited = Agreed(name, invite.match_length, to_resume=False)
            self._invited_at = now
            return c.Invite(name, invite.match_length)
        return None

    def _may_be_saved(
        self, name: Player, people: People, now: float, *, warned: bool = False
    ) -> bool:
        """Would a new match destroy one? Where the server has told nothing yet, we remember."""
        if self._gone.within(name, DAY_S, now):
            return False
        if self._never_agreed_to(people.saved.get(name)) is not None:
            return False
        unfinished = self._unfinished.within(name, DAY_S, now)
        return warned or name in people.saved or (unfinished and not people.saved_is_known)

    def _place_is_kept(self, now: float) -> bool:
        return self._kept_for is not None and now < self._kept_for[1]

    def _still_waiting(self, now: float) -> bool:
        """An invitation of ours is open; no answer in time is a no."""
        if self._invited_at is None or self._agreed is None:
            return False
        if now < self._invited_at + self.settings.invite.wait_s:
            return True
        if not self._agreed.to_resume:
            self._said_no.note(self._agreed.opponent, now)
        self._agreed = self._invited_at = None
        return False

    def _asked(self) -> Player | None:
        """Whom an open invitation of ours is for."""
        open_one = self._agreed if self._invited_at is not None else None
        return None if open_one is None else open_one.opponent

    def _waits_for(self, name: str) -> bool:
        return self._asked() == name

    def _give_up(self, name: Player, now: float, why: Remembered) -> None:
        why.note(name, now)
        if self._waits_for(name):
            self._agreed = self._invited_at = None

    def _saved_and_here(self, people: People, now: float) -> Iterable[Player]:
        again = self.settings.resume_again_after_s
        for name, saved in people.saved.items():
            user = people.users.get(name)
            rests = (
                self._resumed.within(name, again, now)
                or self._trouble.within(name, DAY_S, now)
                or self._gone.within(name, DAY_S, now)
                or name in self.settings.accept.block
                or self._never_agreed_to(saved) is not None
            )
            if user is not None and _is_free(user) and not rests:
                yield name

    def _candidates(self, people: People, me: Player, now: float) -> Iterable[Player]:
        """Whom we may invite, best first."""
        invite, accept = self.settings.invite, self.settings.accept
        wanted: Iterable[str] = invite.preferred
        if invite.whom == "anyone":
            others = (name for name in people.users if name not in invite.preferred)
            wanted = (*invite.preferred, *others)
        for each in wanted:
            name = Player(each)
            user = people.users.get(name)
            if user is None or name == me or not _is_free(user):
                continue
            if self._said_no.within(name, invite.leave_alone_s, now):
                continue
            if self._cannot.within(name, REFUSED_AGAIN_S, now):
                continue
            if self._may_be_saved(name, people, now):
                continue
            is_preferred = each in invite.preferred
            declined = self._who(name, user, now, named=is_preferred)
            if invite.rating.holds(user.rating) and declined is None:
                stranger = Invitation(name, invite.match_length, to_resume=False, since=now)
                if is_preferred or name in accept.allow or self._standing(stranger, user) is None:
                    yield name


def _is_free(user: User) -> bool:
    return user.ready and not user.away and user.opponent is None


def _length(accept: AcceptSettings, length: int | None) -> Declined | None:
    if length is None:
        return None if accept.unlimited else Declined("unlimited", _lengths(accept))
    return None if length in accept.match_lengths else Declined("length", _lengths(accept))


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
