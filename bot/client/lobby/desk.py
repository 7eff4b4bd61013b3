"""The lobby: the invitations that we accept, decline and send.

Pure: `People` are the users that the server shows, `now` is any clock in seconds. `acquaintances`
keeps our history with each opponent, `terms` judges them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence

from sixprime.bot.client.lobby.acquaintances import FOR_EVER, IN_EARNEST_S
from sixprime.bot.client.lobby.agreement import Agreed, Agreement
from sixprime.bot.client.lobby.rests import DAY_S, NEVER, Why, is_free
from sixprime.bot.client.lobby.terms import (
    BREAK,
    NOT_YET,
    PLACE_KEPT,
    RESTS,
    SAVED_FIRST,
    Declined,
    Inquiry,
    MatchTerms,
)
from sixprime.bot.settings.namefiles import NameFiles
from sixprime.bot.settings.schema import Lobby
from sixprime.protocols.fibs.people import Invitation, People
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused
from sixprime.protocols.fibs.wire.talk import IsAway, Said
from sixprime.protocols.fibs.wire.users import LoggedOut
from sixprime.protocols.servers import Session

SETTLE_S = 3.0  # in the lobby, before we invite anybody
REFUSED_AGAIN_S = 600.0  # before we ask a busy user again
RESUME_FIRST_S = 300.0  # after a reconnect, for the interrupted match alone
REMATCH_S = 30.0  # after a match, for the opponent to be free for a rematch
WHO_LIST_S = 10.0  # after a reconnect, for the server's list of users
SOON_S = 30.0  # until the end of a rest; then an invitation waits for it
MOST_SILENCES = 20  # counted; the pause is then the longest


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
        self.last_declined: tuple[Player, str, float] | None = None  # with its time
        self.agreement = Agreement()
        self.idle_since: float | None = None
        self.kept_for: tuple[Player, float] | None = None
        self._playing: Player | None = None
        self.interrupted: Player | None = None  # the opponent when our connection was lost
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
        known = self.known.entry(name)
        known.rests.forgive()
        known.alone_until = NEVER
        if self._may_be_saved(name, people, now):
            self._wish = self._ask_to_resume(name, now)
        else:
            self._wish = self._ask(name, length, now)
        return self._wish

    def forgive(self, name: Player) -> None:
        """Forget rests, refusals, tries and drops of this user, by the operator's order."""
        self.known.entry(name).forgive()

    def obey(self, orders: Mapping[str, bool | None]) -> None:
        """Take the operator's orders about users: allowed, blocked or neither."""
        self.terms.orders = orders

    # --- messages, in the lobby or not

    def on_message(self, message: Message, now: float) -> None:
        """Note an answer of the server."""
        self.known.on_message(message, now)
        match message:
            case Said(name) if name == self.settings.accept.reputation.repbot:
                self.terms.on_message(message)
            case Said(name, text) if self.agreement.asks(name) and text in NOT_YET:
                self._is_busy(name, now)
            case Said(name) if self.agreement.asks(name):
                self._said_no(name, now)
                if self.place_kept(now) == name:
                    self.kept_for = None
            case IsAway(name) if self.agreement.asks(name):
                self._is_busy(name, now)
            case LoggedOut(name) if self.agreement.asks(name):
                self._is_busy(name, now)
            case Refused(why, about):
                self._on_refusal(why, Player(about), now)

    def _on_refusal(self, why: Refusal, about: Player, now: float) -> None:
        asked = self.agreement.asked()
        match why:
            case Refusal.REFUSES_GAMES | Refusal.PLAYING_ELSEWHERE | Refusal.NO_SUCH_USER:
                self._is_busy(about, now)
            case Refusal.NOT_EXPERIENCED | Refusal.LENGTH_TOO_LONG if asked is not None:
                self._said_no(asked.opponent, now)
            case Refusal.NO_SAVED_MATCH | Refusal.SAVED_MATCH_CORRUPT if asked is not None:
                known = self.known.entry(asked.opponent)
                known.unfinished_at = NEVER
                known.dead_until = max(known.dead_until, now + DAY_S)
                self._is_busy(asked.opponent, now)

    def match_begins(self, opponent: Player, now: float, *, new: bool = True) -> None:
        """Note that a match begins or goes on."""
        known = self.known.entry(opponent)
        known.playing_since = known.unfinished_at = now
        known.alone_until = known.rests.busy_until = NEVER
        known.silences = 0
        self._withdraw(opponent)
        if new or known.dead_until < FOR_EVER:
            known.dead_until = NEVER
        if new or opponent != self.interrupted:
            self.known.add_match(opponent, now, new=new)
        agreed = self.agreement.with_opponent(opponent)
        lengths = (each.length for each in agreed)
        self._length = next(lengths, None) or self.settings.invite.match_length
        self._wanted_new = not new and any(not each.to_resume for each in agreed)
        self._rematch = None
        self._playing, self.interrupted = opponent, None
        self.kept_for = self._wish = self.idle_since = None
        self.agreement.match_begins()

    def match_ends(
        self, opponent: Player, saved: bool, now: float, place_s: float = 0.0, got_on: bool = False
    ) -> None:
        """Note that a match is over, or saved.

        If a line was lost, `place_s` says how long to keep the opponent's place, and `got_on` that
        there was progress before, so that nobody is to blame.
        """
        known = self.known.entry(opponent)
        known.played_at = now
        self.terms.meets(opponent, None, now)
        if not saved:
            known.unfinished_at = NEVER
            self._rematch = (opponent, now + REMATCH_S) if self.settings.rematches else None
        if not saved or got_on:
            known.rests.got_on()
        elif now >= known.playing_since + IN_EARNEST_S:
            known.rests.excused()
        self._playing = self.idle_since = None
        self.agreement.lapse()
        keeps = saved and place_s and not known.rests.is_on(now)
        self.kept_for = (opponent, now + place_s) if keeps else None

    def objects(self, opponent: Player) -> None:
        """Note that we leave a match for good: we have not agreed to it."""
        self.known.entry(opponent).unfinished_at = NEVER

    def troubled(self, opponent: Player, now: float, why: Why = Why.TROUBLE) -> None:
        """Let the match with this opponent rest: it cannot go on now."""
        self.known.entry(opponent).rests.begin(why, now)

    def over(self, opponent: Player, now: float) -> None:
        """Note that the saved match with this opponent is finished, even if the server lists it.

        We never resume it. A new match with the opponent is welcome, but after a rest if the server
        has just loaded the finished one instead.
        """
        known = self.known.entry(opponent)
        known.rests.excused()
        if self._wanted_new:
            known.rests.begin(Why.LOADED_OVER, now)
        known.dead_until = FOR_EVER
        known.unfinished_at = NEVER
        if self.interrupted == opponent:
            self.interrupted = None
        if self.kept_for is not None and self.kept_for[0] == opponent:
            self.kept_for = None

    def connected(self, session: Session | None = None) -> None:
        """Note a new connection, on which open invitations have lapsed."""
        if self._playing is not None:  # the line was lost: not the opponent's fault
            self.interrupted, self._playing = self._playing, None
            self.known.entry(self.interrupted).rests.excused()
        if self.idle_since is not None:
            self.known.line_lost(self.idle_since)
        self.agreement.clear()
        self.idle_since = self._rematch = None
        self._away_said = False

    def objection(self, opponent: Player, length: int | None, resumed: bool) -> str | None:
        """Return the reason to leave a new match that we have not agreed to; None: we play it.

        An inviter can change the offer while we join.
        """
        if resumed:
            return None
        if self.agreement.covers(Agreed(opponent, length, to_resume=False)):
            return None
        declined = self.terms.objects_to_length(opponent, length)
        return None if declined is None else declined.sentence

    # --- commands in the lobby

    def wants(self, people: People, me: Player, now: float) -> Command | None:
        """Return the next command in the lobby; None if there is nothing to say now."""
        self.terms.forget_counts()
        if self.idle_since is None:
            self.idle_since = now
        if self._wish is not None:
            wish, self._wish = self._wish, None
            return wish
        if self.settings.paused is not self._away_said:  # the session says that we are back
            self._away_said = self.settings.paused
            if self._away_said and self.settings.away:
                return c.Away(self.settings.away)
        if people.saved_is_known:
            self.known.note_list(people.saved, now)
        if self.agreement.is_joining(people, now):
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
            if self.agreement.waits_for_join(invitation, me, now):
                continue
            if invitation.opponent != self.interrupted and self._may_come_first(people, now):
                continue
            if command := self._answer(invitation, people, me, now):
                return command
        return None

    def _answer(
        self, invitation: Invitation, people: People, me: Player, now: float
    ) -> Command | None:
        name = invitation.opponent
        self.terms.meets(name, people.users.get(name), now)
        welcome = self.terms.is_welcome(name)
        stopping = self.closing or self.settings.paused
        leaving = stopping or (self.terms.is_quiet and not welcome)
        saved = self._may_be_saved(name, people, now, warned=invitation.loses_saved_match)
        rests = self.known.peek(name).rests.is_on(now) and not welcome
        if rests and not stopping and self._waits_for_rest(invitation, now):
            return self._tell(name, BREAK, now) if invitation.to_resume else None
        if saved and not (invitation.to_resume or leaving or rests):
            people.forget_invitation(name)
            return self._saved_first(name, now)
        inquiry = self.terms.inquire(invitation, people, now, reputation=not (leaving or rests))
        if inquiry is not Inquiry.DONE:
            return None if inquiry is Inquiry.WAITING else inquiry
        declined = self._judge(invitation, people, me, now)
        if declined is None and (drops := self._tell_drops(name, now)):
            return drops
        if declined is None:
            self._withdraw(name)
            self.agreement.join(Agreed(name, invitation.length, invitation.to_resume), now)
            self.known.entry(name).rests.tried(now)
            return c.Join(name)
        people.forget_invitation(name)
        self.declined.append((name, declined.reason))
        self.last_declined = name, declined.reason, now
        return self._tell(name, declined.sentence, now)

    def _withdraw(self, name: Player) -> None:
        """Take back our open invitation to anybody but this user: it can lead to no match."""
        asked = self.agreement.asked()
        if asked is not None and asked.opponent != name:
            self.known.entry(asked.opponent).rests.excused()

    def _waits_for_rest(self, invitation: Invitation, now: float) -> bool:
        """Return whether an invitation waits for the end of a rest; one to resume always does."""
        rest = self.known.peek(invitation.opponent).rests.last
        if rest is None or rest.why is Why.ORDER:
            return False
        return invitation.to_resume or now >= rest.until - SOON_S

    def _judge(
        self, invitation: Invitation, people: People, me: Player, now: float
    ) -> Declined | None:
        """Return the reason to decline; None: we accept."""
        if self.closing or self.settings.paused:
            return Declined("stopping", "Sorry, I am about to leave.")
        name, terms, to_resume = invitation.opponent, self.terms, invitation.to_resume
        if to_resume and self.known.peek(name).dead_until == FOR_EVER:
            return Declined("over", "Sorry, our saved match is over. Invite me to a new one.")
        if terms.is_welcome(name):
            return None
        if (self.place_kept(now) or self._comes_first(people, now)) not in (None, name):
            return Declined("place kept", PLACE_KEPT)
        if to_resume:
            return terms.objects_to_rest(name, now) or terms.never_agreed_to(people.saved.get(name))
        return terms.objects_to_new(invitation, people, me, now)

    def _saved_first(self, name: Player, now: float) -> Command | None:
        if self.agreement.asks(name, to_resume=True):
            return None  # it is their turn to join
        self._wish = self._tell(name, SAVED_FIRST, now)
        return self._ask_to_resume(name, now)

    def _tell(self, name: Player, sentence: str, now: float) -> Command | None:
        """Tell one polite sentence, unless this user has had it recently."""
        known, again_after_s = self.known.entry(name), self.settings.decline_again_after_s
        if not known.may_be_told(sentence, now, again_after_s, of_rest=sentence in RESTS):
            return None
        known.rests.tried(now)
        return c.Tell(name, sentence)

    def _tell_drops(self, name: Player, now: float) -> Command | None:
        """Tell an opponent once that we notice abandoned matches."""
        known, drops = self.known.peek(name), self.terms.drops(name)
        if drops is None or known.told_standing:
            return None
        known.told_standing = True
        known.rests.tried(now)
        return c.Tell(name, f"Let us finish this one, please: {drops}")

    # --- inviting

    def _invite(self, people: People, me: Player, now: float) -> Command | None:
        if self._still_waiting(now) or self.idle_since is None or not people.who_is_complete:
            return None
        idle = now - self.idle_since
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
            self.interrupted = None
            self.kept_for = (first, now + self.settings.invite.wait_s)
            return self._ask_to_resume(first, now)
        if self.terms.is_quiet:
            return None
        unlisted = () if people.saved_is_known else self.known.unfinished(now)
        for name in map(Player, dict.fromkeys((*people.saved, *unlisted))):
            known = self.known.peek(name)
            is_busy = now < known.rests.busy_until and not known.rests.is_back
            leaves_alone = is_busy or now < known.alone_until
            if not leaves_alone and self._may_resume(name, people, now):
                return self._ask_to_resume(name, now)
        return None

    def _may_resume(self, name: Player, people: People, now: float) -> bool:
        """Return whether the saved match is alive, and its opponent here and free."""
        user, known = people.users.get(name), self.known.peek(name)
        return (
            user is not None
            and is_free(user)
            and now >= max(known.dead_until, known.rests.until)
            and name not in self.terms.names.block
            and self.terms.never_agreed_to(people.saved.get(name)) is None
        )

    def _ask_to_resume(self, name: Player, now: float) -> Command:
        """Ask to resume; each failed try makes the next pause longer."""
        known, again = self.known.entry(name), self.settings.resume_again_after_s
        longest = max(again, self.settings.invite.leave_alone_s)
        known.rests.leave_busy(now + min(longest, again * 2.0**known.silences))
        known.silences = min(known.silences + 1, MOST_SILENCES)
        known.rests.tried(now)
        self.agreement.invite(Agreed(name, None, to_resume=True), now)
        return c.InviteToResume(name)

    def _comes_first(self, people: People, now: float) -> Player | None:
        """Return the opponent of the interrupted match, if here, free and able to resume."""
        name = self.interrupted
        if name is None or self.idle_since is None or not self.settings.resume_saved:
            return None
        lost = people.saved_is_known and name not in people.saved
        if lost or now >= self.idle_since + RESUME_FIRST_S:
            self.interrupted = None
            return None
        return name if self._may_resume(name, people, now) else None

    def _may_come_first(self, people: People, now: float) -> bool:
        """Return whether the opponent of the interrupted match may still appear."""
        early = self.idle_since is not None and now < self.idle_since + WHO_LIST_S
        return self.interrupted is not None and early and not people.who_is_complete

    def _invite_again(self, people: People, me: Player, now: float) -> Command | None:
        offer, self._rematch = self._rematch, None
        if offer is None or now >= offer[1] or self.place_kept(now):
            return None
        if not self._may_invite(offer[0], people, me, now, named=True):
            self._rematch = offer
            return None
        return self._ask(offer[0], self._length, now)

    def _invite_idle(self, people: People, me: Player, idle: float, now: float) -> Command | None:
        invite = self.settings.invite
        if not invite.after_idle_s or idle < invite.after_idle_s or self.place_kept(now):
            return None
        if self.terms.is_quiet or self.terms.is_enough_today(now):
            return None
        name = self.next_invited(people, me, now)
        return None if name is None else self._ask(name, invite.match_length, now)

    def next_invited(self, people: People, me: Player, now: float) -> Player | None:
        preferred = self.terms.names.preferred
        for name in self.terms.invitable(people):
            if self._may_invite(name, people, me, now, named=name in preferred):
                return name
        return None

    def _may_invite(
        self, name: Player, people: People, me: Player, now: float, *, named: bool
    ) -> bool:
        """Return whether the user is here, free and welcome; `named`: by the operator."""
        user, terms, invite = people.users.get(name), self.terms, self.settings.invite
        if user is None or name == me or not is_free(user) or not invite.rating.holds(user.rating):
            return False
        known = self.known.peek(name)
        if now < max(known.alone_until, known.rests.busy_until):
            return False
        if self._may_be_saved(name, people, now):
            return False
        stranger = Invitation(name, invite.match_length, to_resume=False, since=now)
        is_known = named or name in terms.names.allow
        return not (
            terms.is_enough_with(name, now)
            or terms.objects_to(name, user, now, named=named)
            or (None if is_known else terms.objects_to_standing(stranger, user))
            or terms.others_first(name, people, me, now)
        )

    def _ask(self, name: Player, length: int, now: float) -> Command:
        self.known.entry(name).rests.tried(now)
        self.agreement.invite(Agreed(name, length, to_resume=False), now)
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

    def place_kept(self, now: float) -> Player | None:
        """Return the opponent whose place we keep, for whom no new match begins."""
        kept = self.kept_for
        return kept[0] if kept is not None and now < kept[1] else None

    def _still_waiting(self, now: float) -> bool:
        """Return whether our invitation is open; no answer in time is a refusal."""
        asked, invited_at = self.agreement.asked(), self.agreement.invited_at
        if asked is None or invited_at is None:
            return False
        if now < invited_at + self.settings.invite.wait_s:
            return True
        if not asked.to_resume:
            self._said_no(asked.opponent, now)
        self.agreement.lapse()
        return False

    def _said_no(self, name: str, now: float) -> None:
        known = self.known.entry(name)
        known.alone_until = max(known.alone_until, now + self.settings.invite.leave_alone_s)
        self.agreement.lapse(name)

    def _is_busy(self, name: str, now: float) -> None:
        """Ask this user again after a while, or once the user's line shows a change."""
        rests = self.known.entry(name).rests
        if self.agreement.asks(name):
            rests.excused()
        rests.leave_busy(max(rests.busy_until, now + REFUSED_AGAIN_S))
        self.agreement.lapse(name)
