"""The lobby: which invitations we accept, whom we invite, and what we say about it.

Pure: `People` is what the server shows, `now` any clock in seconds, and `wants` hands out one
command at a time. The desk remembers whom it has given a reason, who has declined, and whose
saved match cannot go on. `terms` decides whom we play.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sixprime.bot.client.lobby.terms import DAY_S, Declined, MatchTerms, Remembered
from sixprime.bot.settings.schema import Lobby
from sixprime.protocols.fibs.people import Invitation, People
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.account import SavedMatch
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused
from sixprime.protocols.fibs.wire.talk import IsAway, Said
from sixprime.protocols.fibs.wire.users import LoggedOut, User

SETTLE_S = 3.0  # in the lobby before we invite anybody
JOIN_WITHIN_S = 5.0  # of our join; then the invitation counts as lapsed
REFUSED_AGAIN_S = 600.0  # a user who cannot play now is asked again after this
SAVED_FIRST = "Let us finish our saved match first."


@dataclass(frozen=True, slots=True)
class Agreed:
    """The match that our join or invitation agreed to; ignore `length` when resuming."""

    opponent: Player
    length: int | None
    to_resume: bool


class Desk:
    """What we do in the lobby."""

    def __init__(self, settings: Lobby, bots: Sequence[str] = ()) -> None:
        self.settings = settings
        self.terms = MatchTerms(settings, bots)
        self.closing = False  # no new matches
        self.declined: list[tuple[Player, str]] = []  # since last taken, for log and metrics
        self._agreed: Agreed | None = None
        self._invited: Agreed | None = None  # the last one we agreed to; the server keeps it open
        self._answered = Remembered()
        self._unfinished = Remembered()  # matches that began and, as far as we know, have not ended
        self._said_no = Remembered()
        self._cannot = Remembered()
        self._gone = (
            Remembered()
        )  # saved matches that cannot be resumed, even if the server lists them
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
            case Said(name) if name == self.settings.accept.reputation.repbot:
                self.terms.hear(message)
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
        """A match begins, whoever invited."""
        self.terms.played.note(opponent, now)
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
        """A new connection: open invitations have lapsed."""
        self._agreed = self._invited = self._invited_at = None
        self._idle_since = self._joining = None
        self._away_said = False

    def objection(self, opponent: Player, length: int | None, resumed: bool) -> str | None:
        """Why we leave a new match at once: we neither agreed to it nor would accept it.

        An inviter can change the offer while we join; None means that we play.
        """
        if resumed:
            return None
        if Agreed(opponent, length, to_resume=False) in (self._agreed, self._invited):
            return None
        declined = self.terms.objects_to_length(length)
        return None if declined is None else declined.sentence

    # --- what we say in the lobby

    def wants(self, people: People, me: Player, now: float) -> Command | None:
        """The next command while we are in the lobby; None if there is nothing to say now."""
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
            waits = self.terms.finds_out(invitation, people, now, reputation=not leaving)
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
            if sentence := self._tell(name, declined.sentence, now):
                return sentence
        return None

    def _is_joining(self, people: People, now: float) -> bool:
        """We have accepted an invitation and the match has not begun yet."""
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
            return self.terms.never_agreed_to(saved)
        terms = self.terms
        declined = terms.objects_to(name, user, now) or terms.objects_to_length(invitation.length)
        if declined is None and name not in accept.allow:
            declined = terms.objects_to_standing(invitation, user)
        return declined

    def _saved_first(self, name: Player, now: float) -> Command:
        self._wish = self._tell(name, SAVED_FIRST, now)
        self._invited_at = now
        self._resumed.note(name, now)
        self._agreed = self._invited = Agreed(name, None, to_resume=True)
        return c.InviteToResume(name)

    def _tell(self, name: Player, sentence: str, now: float) -> Command | None:
        """One polite sentence, unless this user has had one lately."""
        if self._answered.within(name, self.settings.decline_again_after_s, now):
            return None
        self._answered.note(name, now)
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
        enough = bool(limit) and self.terms.played.count(now) >= limit
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
        """Would a new match overwrite a saved one? Until the server lists them, from memory."""
        if self._gone.within(name, DAY_S, now):
            return False
        if self.terms.never_agreed_to(people.saved.get(name)) is not None:
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
                or self.terms.never_agreed_to(saved) is not None
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
            declined = self.terms.objects_to(name, user, now, named=is_preferred)
            if not (is_preferred or name in accept.allow) and declined is None:
                stranger = Invitation(name, invite.match_length, to_resume=False, since=now)
                declined = self.terms.objects_to_standing(stranger, user)
            if invite.rating.holds(user.rating) and declined is None:
                yield name


def _is_free(user: User) -> bool:
    return user.ready and not user.away and user.opponent is None
