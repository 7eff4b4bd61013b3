"""The lobby: the invitations that we accept, decline and send.

Pure: `People` are the users that the server shows, `now` is any clock in seconds, and `wants`
returns one command at a time. `acquaintances` keeps our history with each opponent, `terms` judges
them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sixprime.bot.client.lobby.acquaintances import DAY_S, FOR_EVER, IN_EARNEST_S, MOST_TRIES, NEVER
from sixprime.bot.client.lobby.terms import Declined, Inquiry, MatchTerms, is_free
from sixprime.bot.client.lobby.waiting import Waiting
from sixprime.bot.settings.namefiles import NameFiles
from sixprime.bot.settings.schema import Lobby
from sixprime.protocols.fibs.people import Invitation, People
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused
from sixprime.protocols.fibs.wire.talk import IsAway, Said
from sixprime.protocols.fibs.wire.users import LoggedOut

SETTLE_S = 3.0  # in the lobby, before we invite anybody
JOIN_WITHIN_S = 5.0  # after our join; then the invitation has lapsed
REFUSED_AGAIN_S = 600.0  # before we ask a busy user again
RESUME_FIRST_S = 300.0  # after a reconnect, for the interrupted match alone
REMATCH_S = 30.0  # after a match, for the opponent to be free for a rematch
WHO_LIST_S = 10.0  # after a reconnect, for the server's list of users
MOST_SILENCES = 20  # counted; the pause is then the longest
SAVED_FIRST = "Let us finish our saved match first."


@dataclass(frozen=True, slots=True)
class Agreed:
    """The match that we agreed to by a join or an invitation; resuming ignores `length`."""

    opponent: Player
    length: int | None
    to_resume: bool


class Desk:
    def __init__(
        self,
        settings: Lobby,
        bots: Sequence[str] = (),
        files: NameFiles | None = None,
        clock: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
    ) -> None:
        self.settings = settings
        self.terms = MatchTerms(settings, bots, files or NameFiles(), clock)
        self.known = self.terms.known
        self.closing = False  # the server goes down: no new matches
        self.declined: list[tuple[Player, str]] = []  # names and reasons, for log and metrics
        self._agreed: Agreed | None = None
        self._invited: Agreed | None = None  # last; the server keeps it open
        self._invited_at: float | None = None
        self._idle_since: float | None = None
        self._joining: tuple[Player, float] | None = None
        self._kept_for: tuple[Player, float] | None = None
        self._playing: Player | None = None
        self._interrupted: Player | None = None  # the opponent when our connection was lost
        self._length = settings.invite.match_length  # of the match in play, as agreed
        self._wanted_new = False  # agreed, but the server resumed a match
        self._rematch: tuple[Player, float] | None = None  # opponent, end of the offer
        self._wish: Command | None = None  # the command that goes first
        self._away_said = False

    def adopt(self, settings: Lobby, bots: Sequence[str]) -> None:
        """Take new settings, or new names in their files; the history stays."""
        self.settings = settings
        self.terms.adopt(settings, bots)

    def invite(self, name: Player, length: int, people: People, now: float) -> Command:
        """Invite next by the operator's order, or resume a saved match with this user."""
        self.forgive(name)
        if self._may_be_saved(name, people, now):
            self._wish = self._ask_to_resume(name, now)
        else:
            self._wish = self._ask(name, length, now)
        return self._wish

    def forgive(self, name: Player) -> None:
        """Forget the rests, refusals and tries of this user, by the operator's order."""
        known = self.known.entry(name)
        known.rests_until = known.alone_until = NEVER
        known.tries.clear()

    def waiting(self, people: People, me: Player, now: float) -> Waiting:
        """Return the reason for which we do nothing in the lobby."""
        del people, me, now
        return Waiting("idle", "waits for an invitation", self._idle_since)

    # --- messages, in the lobby or not

    def on_message(self, message: Message, now: float) -> None:
        """Note an answer of the server."""
        match message:
            case Said(name) if name == self.settings.accept.reputation.repbot:
                self.terms.on_message(message)
            case Said(name) if self._waits_for(name):
                self._left_alone(name, now + self.settings.invite.leave_alone_s)
                if self._place_kept(now) == name:
                    self._kept_for = None
            case IsAway(name) | LoggedOut(name) if self._waits_for(name):
                self._left_alone(name, now + REFUSED_AGAIN_S)
            case Refused(why, about):
                self._on_refusal(why, Player(about), now)

    def _on_refusal(self, why: Refusal, about: Player, now: float) -> None:
        asked = self._asked()
        match why:
            case Refusal.REFUSES_GAMES | Refusal.PLAYING_ELSEWHERE | Refusal.NO_SUCH_USER:
                self._left_alone(about, now + REFUSED_AGAIN_S)
            case Refusal.NOT_EXPERIENCED | Refusal.LENGTH_TOO_LONG if asked is not None:
                self._left_alone(asked, now + self.settings.invite.leave_alone_s)
            case Refusal.NO_SAVED_MATCH | Refusal.SAVED_MATCH_CORRUPT if asked is not None:
                known = self.known.entry(asked)
                known.unfinished_at = NEVER
                known.dead_until = max(known.dead_until, now + DAY_S)
                self._left_alone(asked, now + REFUSED_AGAIN_S)

    def match_begins(self, opponent: Player, now: float, *, new: bool = True) -> None:
        """Note that a match begins or goes on."""
        known = self.known.entry(opponent)
        known.playing_since = known.unfinished_at = now
        known.alone_until, known.silences = NEVER, 0
        if new or known.dead_until < FOR_EVER:
            known.dead_until = NEVER
        if new or opponent != self._interrupted:
            self.known.add_match(opponent, now, new=new)
        agreed = [each for each in (self._agreed, self._invited) if each is not None]
        agreed = [each for each in agreed if each.opponent == opponent]
        lengths = (each.length for each in agreed)
        self._length = next(lengths, None) or self.settings.invite.match_length
        self._wanted_new = not new and any(not each.to_resume for each in agreed)
        self._rematch = None
        self._playing, self._interrupted = opponent, None
        self._kept_for = self._joining = self._wish = None
        self._invited = self._invited_at = self._idle_since = None

    def match_ends(self, opponent: Player, saved: bool, now: float, place_s: float = 0.0) -> None:
        """Note that a match is over, or saved; after a saved one we keep the opponent's place."""
        known = self.known.entry(opponent)
        known.played_at = now
        self.terms.meets(opponent, None, now)
        if not saved:
            known.unfinished_at = NEVER
            known.tries.clear()
            self._rematch = (opponent, now + REMATCH_S) if self.settings.rematches else None
        elif now >= known.playing_since + IN_EARNEST_S:
            known.excused()
        self._agreed = self._playing = None
        self._idle_since = None
        keeps = saved and place_s and not known.is_enough(now) and now >= known.rests_until
        self._kept_for = (opponent, now + place_s) if keeps else None

    def troubled(self, opponent: Player, now: float) -> None:
        """Let the match with this opponent rest for a day: it cannot go on."""
        self.known.entry(opponent).rests_until = now + DAY_S

    def over(self, opponent: Player, now: float) -> None:
        """Note that the saved match with this opponent is finished, even if the server lists it.

        We never resume it. A new match with the opponent is welcome, but not today if the server
        has just loaded the finished one instead.
        """
        known = self.known.entry(opponent)
        if self._wanted_new:
            known.rests_until = now + DAY_S
        known.dead_until = FOR_EVER
        known.unfinished_at = NEVER
        if self._interrupted == opponent:
            self._interrupted = None
        if self._kept_for is not None and self._kept_for[0] == opponent:
            self._kept_for = None

    def connected(self) -> None:
        """Note a new connection, on which open invitations have lapsed."""
        if self._playing is not None:  # the line was lost: not the opponent's fault
            self._interrupted, self._playing = self._playing, None
            self.known.entry(self._interrupted).excused()
        self._agreed = self._invited = self._invited_at = None
        self._idle_since = self._joining = self._rematch = None
        self._away_said = False

    def objection(self, opponent: Player, length: int | None, resumed: bool) -> str | None:
        """Return the reason to leave a new match that we have not agreed to; None: we play it.

        An inviter can change the offer while we join.
        """
        if resumed:
            return None
        if Agreed(opponent, length, to_resume=False) in (self._agreed, self._invited):
            return None
        declined = self.terms.objects_to_length(length)
        return None if declined is None else declined.sentence

    # --- commands in the lobby

    def wants(self, people: People, me: Player, now: float) -> Command | None:
        """Return the next command in the lobby; None if there is nothing to say now."""
        self.terms.forget_counts()
        if self._idle_since is None:
            self._idle_since = now
        if self._wish is not None:
            wish, self._wish = self._wish, None
            return wish
        if self.settings.paused is not self._away_said:  # the session says that we are back
            self._away_said = self.settings.paused
            if self._away_said and self.settings.away:
                return c.Away(self.settings.away)
        if self._is_joining(people, now):
            return None
        command = self._answer_invitations(people, me, now)
        if command is None and not (self.closing or self.settings.paused):
            command = self._invite(people, me, now)
        return command

    # --- invitations

    def _answer_invitations(self, people: People, me: Player, now: float) -> Command | None:
        for invitation in list(people.invitations.values()):
            if not invitation.may_be_answered(now):
                continue
            if invitation.opponent != self._interrupted and self._may_come_first(people, now):
                continue
            if command := self._answer(invitation, people, me, now):
                return command
        return None

    def _answer(
        self, invitation: Invitation, people: People, me: Player, now: float
    ) -> Command | None:
        name = invitation.opponent
        self.terms.meets(name, people.users.get(name), now)
        leaving = self.closing or self.settings.paused or self.terms.is_quiet
        saved = self._may_be_saved(name, people, now, warned=invitation.loses_saved_match)
        worn = self.terms.is_enough_with(name, now) is not None
        if saved and not (invitation.to_resume or leaving or worn):
            people.forget_invitation(name)
            return self._saved_first(name, now)
        inquiry = self.terms.inquire(invitation, people, now, reputation=not (leaving or worn))
        if inquiry is not Inquiry.DONE:
            return None if inquiry is Inquiry.WAITING else inquiry
        declined = self._judge(invitation, people, me, now)
        if declined is None and (drops := self._tell_drops(name, now)):
            return drops
        if declined is None:
            self._agreed = Agreed(name, invitation.length, invitation.to_resume)
            self._invited_at = None
            self._joining = (name, now + JOIN_WITHIN_S)
            self.known.entry(name).tried(now)
            return c.Join(name)
        people.forget_invitation(name)
        self.declined.append((name, declined.reason))
        return self._tell(name, declined.sentence, now)

    def _is_joining(self, people: People, now: float) -> bool:
        """Return whether we have accepted an invitation to a match that has not begun."""
        if self._joining is None:
            return False
        name, until = self._joining
        if name in people.invitations and now < until:
            return True
        people.forget_invitation(name)
        self._joining = None
        return False

    def _judge(
        self, invitation: Invitation, people: People, me: Player, now: float
    ) -> Declined | None:
        """Return the reason to decline; None: we accept."""
        if self.closing or self.settings.paused:
            return Declined("stopping", "Sorry, I am about to leave.")
        name, terms = invitation.opponent, self.terms
        first = self._comes_first(people, now)
        if (self._place_kept(now) or first) not in (None, name):
            return Declined("place kept", "Sorry, I am waiting for my opponent to come back.")
        if name != first and (declined := terms.is_enough_with(name, now)):
            return declined
        if invitation.to_resume:
            if self.known.peek(name).dead_until == FOR_EVER:
                return Declined("over", "Sorry, our saved match is over. Invite me to a new one.")
            return terms.never_agreed_to(people.saved.get(name))
        user = people.users.get(name)
        declined = terms.objects_to(name, user, now) or terms.objects_to_length(invitation.length)
        if declined is None and name not in terms.names.allow:
            declined = terms.objects_to_standing(invitation, user)
        return declined or terms.others_first(name, people, me, now)

    def _saved_first(self, name: Player, now: float) -> Command | None:
        if self._asks_to_resume(name):
            return None  # it is their turn to join
        self._wish = self._tell(name, SAVED_FIRST, now)
        return self._ask_to_resume(name, now)

    def _tell(self, name: Player, sentence: str, now: float) -> Command | None:
        """Tell one polite sentence, unless this user has had it recently."""
        known = self.known.entry(name)
        again = sentence == known.reason
        too_soon = again and now < known.reason_at + self.settings.decline_again_after_s
        if too_soon or known.is_enough(now, MOST_TRIES + 1):
            return None
        known.reason, known.reason_at = sentence, now
        known.tried(now)
        return c.Tell(name, sentence)

    def _tell_drops(self, name: Player, now: float) -> Command | None:
        """Tell an opponent once that we notice abandoned matches."""
        known, drops = self.known.peek(name), self.terms.drops(name)
        if drops is None or known.told_standing:
            return None
        known.told_standing = True
        known.tried(now)
        return c.Tell(name, f"Let us finish this one, please: {drops}")

    # --- inviting

    def _invite(self, people: People, me: Player, now: float) -> Command | None:
        if self._still_waiting(now) or self._idle_since is None or not people.who_is_complete:
            return None
        idle = now - self._idle_since
        if idle < SETTLE_S:
            return None
        return (
            self._resume(people, now)
            or self._invite_again(people, me, now)
            or self._invite_idle(people, me, idle, now)
        )

    def _resume(self, people: People, now: float) -> Command | None:
        if not self.settings.resume_saved:
            return None
        if (first := self._comes_first(people, now)) is not None:
            self._interrupted = None
            self._kept_for = (first, now + self.settings.invite.wait_s)
            return self._ask_to_resume(first, now)
        if self.terms.is_quiet:
            return None
        for name in people.saved:
            resting = now < self.known.peek(name).alone_until
            resting = resting or self.terms.is_enough_with(name, now) is not None
            if not resting and self._may_resume(name, people, now):
                return self._ask_to_resume(name, now)
        return None

    def _may_resume(self, name: Player, people: People, now: float) -> bool:
        """Return whether the saved match is alive, and its opponent here and free."""
        user, known = people.users.get(name), self.known.peek(name)
        return (
            user is not None
            and is_free(user)
            and now >= max(known.dead_until, known.rests_until)
            and name not in self.terms.names.block
            and self.terms.never_agreed_to(people.saved.get(name)) is None
        )

    def _ask_to_resume(self, name: Player, now: float) -> Command:
        """Ask to resume; each failed try makes the next pause longer."""
        known, again = self.known.entry(name), self.settings.resume_again_after_s
        longest = max(again, self.settings.invite.leave_alone_s)
        known.alone_until = now + min(longest, again * 2.0**known.silences)
        known.silences = min(known.silences + 1, MOST_SILENCES)
        known.tried(now)
        self._agreed = self._invited = Agreed(name, None, to_resume=True)
        self._invited_at = now
        return c.InviteToResume(name)

    def _comes_first(self, people: People, now: float) -> Player | None:
        """Return the opponent of the interrupted match, if here, free and able to resume."""
        name = self._interrupted
        if name is None or self._idle_since is None or not self.settings.resume_saved:
            return None
        lost = people.saved_is_known and name not in people.saved
        if lost or now >= self._idle_since + RESUME_FIRST_S:
            self._interrupted = None
            return None
        return name if self._may_resume(name, people, now) else None

    def _may_come_first(self, people: People, now: float) -> bool:
        """Return whether the opponent of the interrupted match may still appear."""
        early = self._idle_since is not None and now < self._idle_since + WHO_LIST_S
        return self._interrupted is not None and early and not people.who_is_complete

    def _invite_again(self, people: People, me: Player, now: float) -> Command | None:
        offer, self._rematch = self._rematch, None
        if offer is None or now >= offer[1] or self._place_kept(now):
            return None
        if not self._may_invite(offer[0], people, me, now, named=True):
            self._rematch = offer
            return None
        return self._ask(offer[0], self._length, now)

    def _invite_idle(self, people: People, me: Player, idle: float, now: float) -> Command | None:
        invite = self.settings.invite
        if not invite.after_idle_s or idle < invite.after_idle_s or self._place_kept(now):
            return None
        if self.terms.is_quiet or self.terms.is_enough_today(now):
            return None
        preferred = self.terms.names.preferred
        everybody = people.users if invite.whom == "anyone" else ()
        others = (name for name in everybody if name not in preferred)
        wanted = sorted((*preferred, *others), key=lambda name: self.terms.drops(name) is not None)
        for name in map(Player, wanted):
            if self._may_invite(name, people, me, now, named=name in preferred):
                return self._ask(name, invite.match_length, now)
        return None

    def _may_invite(
        self, name: Player, people: People, me: Player, now: float, *, named: bool
    ) -> bool:
        """Return whether the user is here, free and welcome; `named`: by the operator."""
        user, terms, invite = people.users.get(name), self.terms, self.settings.invite
        if user is None or name == me or not is_free(user) or not invite.rating.holds(user.rating):
            return False
        if now < self.known.peek(name).alone_until or self._may_be_saved(name, people, now):
            return False
        stranger = Invitation(name, invite.match_length, to_resume=False, since=now)
        known = named or name in terms.names.allow
        return not (
            terms.is_enough_with(name, now)
            or terms.objects_to(name, user, now, named=named)
            or (None if known else terms.objects_to_standing(stranger, user))
            or terms.others_first(name, people, me, now)
        )

    def _ask(self, name: Player, length: int, now: float) -> Command:
        self.known.entry(name).tried(now)
        self._agreed = self._invited = Agreed(name, length, to_resume=False)
        self._invited_at = now
        return c.Invite(name, length)

    def _may_be_saved(
        self, name: Player, people: People, now: float, *, warned: bool = False
    ) -> bool:
        """Return whether a new match may overwrite a saved one, listed or remembered."""
        known = self.known.peek(name)
        if now < known.dead_until:
            return False
        if self.terms.never_agreed_to(people.saved.get(name)) is not None:
            return False
        unfinished = now < known.unfinished_at + DAY_S
        return warned or name in people.saved or (unfinished and not people.saved_is_known)

    def _place_kept(self, now: float) -> Player | None:
        """Return the opponent whose place we keep, for whom no new match begins."""
        kept = self._kept_for
        return kept[0] if kept is not None and now < kept[1] else None

    def _still_waiting(self, now: float) -> bool:
        """Return whether our invitation is open; no answer in time is a refusal."""
        if self._invited_at is None or self._agreed is None:
            return False
        if now < self._invited_at + self.settings.invite.wait_s:
            return True
        if not self._agreed.to_resume:
            self._left_alone(self._agreed.opponent, now + self.settings.invite.leave_alone_s)
        self._agreed = self._invited_at = None
        return False

    def _asked(self) -> Player | None:
        """Return the user of our open invitation."""
        open_one = self._agreed if self._invited_at is not None else None
        return None if open_one is None else open_one.opponent

    def _waits_for(self, name: str) -> bool:
        return self._asked() == name

    def _asks_to_resume(self, name: str) -> bool:
        return self._waits_for(name) and self._agreed is not None and self._agreed.to_resume

    def _left_alone(self, name: str, until: float) -> None:
        known = self.known.entry(name)
        known.alone_until = max(known.alone_until, until)
        if self._waits_for(name):
            self._agreed = self._invited_at = None
