"""Users who are here, invitations, saved matches, and our own who line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sixprime.protocols.fibs.linewatch import AnswerOrder
from sixprime.protocols.fibs.wire.account import NoSavedMatches, SavedHead, SavedMatch
from sixprime.protocols.fibs.wire.matches import (
    Invited,
    InvitedToResume,
    SavedMatchWarning,
    TypeJoin,
)
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.users import LoggedOut, User, WhoEnds

MOST_USERS = 20_000  # more than on any server; beyond that the oldest are forgotten
MOST_INVITATIONS = 200
COMPLETE_AFTER_S = 1.0
WHO_WITHIN_S = 5.0  # after the end of the greeting
ANSWER_WITHIN_S = 10.0  # a line that comes later is no answer
JOIN_WITHIN_S = 10.0  # after our join, or after the line says that we play
MOST_SEARCHES = 2  # for a match in the line without a board
ASK_AGAIN_S = 300.0


@dataclass(frozen=True, slots=True)
class Invitation:
    """An open invitation to us; the last one of a user counts."""

    opponent: Player
    length: int | None  # None: unlimited, unless it is to resume
    to_resume: bool
    since: float
    loses_saved_match: bool = False  # joining would destroy the match saved with this user
    complete: bool = False  # the line `Type 'join ...'` has come

    def may_be_answered(self, now: float) -> bool:
        """Return whether a warning about a saved match has had time to follow the invitation."""
        return self.complete or now >= self.since + COMPLETE_AFTER_S


class People:
    """The lobby, as far as the server has shown it."""

    def __init__(self) -> None:
        self.users: dict[Player, User] = {}
        self.invitations: dict[Player, Invitation] = {}
        self.saved: dict[Player, SavedMatch] = {}
        self.saved_is_known = False  # by a list that the server has sent
        self.who_is_complete = False
        self._last_inviter: Player | None = None

    def receive(self, message: Message, now: float) -> None:
        match message:
            case User(name):
                self.users.pop(name, None)
                self.users[name] = message
                _forget_oldest(self.users, MOST_USERS)
                if message.opponent is not None:
                    self.invitations.pop(name, None)  # plays now, with us or with others
            case WhoEnds():
                self.who_is_complete = True
            case LoggedOut(name):
                self.users.pop(name, None)
                self.invitations.pop(name, None)
            case SavedHead() | NoSavedMatches():
                self.saved.clear()
                self.saved_is_known = True
            case SavedMatch(_, name):
                self.saved[name] = message
                _forget_oldest(self.saved, MOST_USERS)
            case _:
                self._receive_invitation(message, now)

    def _receive_invitation(self, message: Message, now: float) -> None:
        match message:
            case Invited(name, length):
                self._invited(Invitation(name, length, to_resume=False, since=now))
            case InvitedToResume(name):
                self._invited(Invitation(name, None, to_resume=True, since=now))
            case SavedMatchWarning():
                self._change(self._last_inviter, loses_saved_match=True)
            case TypeJoin(name):
                self._change(name, complete=True)

    def forget_invitation(self, name: str) -> None:
        """Forget this user's invitation: it is answered, or the server has none."""
        self.invitations.pop(Player(name), None)

    def match_begins(self) -> None:
        """Forget all invitations: users have to invite us again."""
        self.invitations.clear()

    def _invited(self, invitation: Invitation) -> None:
        self.invitations.pop(invitation.opponent, None)
        self.invitations[invitation.opponent] = invitation
        self._last_inviter = invitation.opponent
        _forget_oldest(self.invitations, MOST_INVITATIONS)

    def _change(self, name: Player | None, **changes: bool) -> None:
        if name is not None and name in self.invitations:
            self.invitations[name] = replace(self.invitations[name], **changes)  # type: ignore[arg-type]


class OwnLine:
    """Our own who line, which may show us as playing, and contradict us."""

    def __init__(self, now: float, order: AnswerOrder) -> None:
        self._order = order
        self.opponent: Player | None = None  # as the line last said
        self.who_at: float | None = None  # ask for the whole list then
        self.search_at: float | None = None  # ask for a board then: we may be playing
        self.ask_at = now + ASK_AGAIN_S  # ask for the line alone
        self._searches = 0
        self._searched_at = float("-inf")
        self._asked_at = float("-inf")  # for the line alone, and it has not come

    def expect_list(self, now: float) -> None:
        """Wait for the list, which should follow the greeting."""
        self.who_at = now + WHO_WITHIN_S

    def note_join(self, now: float) -> None:
        self.search_at = now + JOIN_WITHIN_S

    def note_put_aside(self, opponent: Player, now: float) -> None:
        """Look for the match soon if our line still shows it: its end may be an old one."""
        if self.opponent == opponent:
            self.search_at = now + JOIN_WITHIN_S

    def note_search(self, now: float) -> None:
        """Note that we have asked for the board of an unknown match, or have left it."""
        left = self.is_lost
        self._searches += 1
        self._searched_at = now
        self.search_at = None if left else now + JOIN_WITHIN_S
        self.ask_at = min(self.ask_at, now + JOIN_WITHIN_S) if left else self.ask_at

    @property
    def is_lost(self) -> bool:
        """True if our searches found no match: then only leaving gets us out of it."""
        return self._searches >= MOST_SEARCHES

    def has_found(self, opponent: Player, now: float) -> bool:
        """Return whether our search has found a board with this opponent."""
        return opponent == self.opponent and now <= self._searched_at + self._within_s

    @property
    def _within_s(self) -> float:
        return self._order.within(ANSWER_WITHIN_S)

    def doubt(self, now: float) -> None:
        """Check the connection soon: the server seems to think that we are in a match."""
        if self.search_at is None and not self.is_lost:
            self.ask_at = min(self.ask_at, now)

    def note_sent(self) -> None:
        """Note that we send something: a line that comes from now on may be its answer."""
        self._asked_at = float("-inf")

    def note_asked(self, name: Player | None, me: Player, now: float) -> None:
        self.who_at = None
        if name == me:
            self._asked_at = now
            self.ask_at = now + ASK_AGAIN_S

    def note_line(
        self, opponent: Player | None, playing: Player | None, now: float
    ) -> tuple[bool, bool]:
        """Note our line; return whether it answers us, and whether it agrees with us."""
        answers = now <= self._asked_at + self._within_s
        self._asked_at, self.opponent = float("-inf"), opponent
        if opponent is None:
            self.search_at = None
            self._searches = 0
        elif playing is None and self.search_at is None and not self.is_lost:
            self.search_at = now + JOIN_WITHIN_S
        return answers, opponent == playing

    @property
    def deadline(self) -> float:
        """Time of the next check in the lobby."""
        times = (self.ask_at, self.who_at, self.search_at)
        return min(time for time in times if time is not None)


def _forget_oldest(table: dict[Player, Any], most: int) -> None:
    while len(table) > most:
        del table[next(iter(table))]
