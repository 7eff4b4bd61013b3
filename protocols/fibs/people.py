"""Who is here, who invited us, and with whom we have a saved match."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from sixprime.protocols.fibs.wire.account import NoSavedMatches, SavedHead, SavedMatch
from sixprime.protocols.fibs.wire.matches import (
    Invited,
    InvitedToResume,
    SavedMatchWarning,
    TypeJoin,
)
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.users import LoggedOut, User, WhoEnds

MOST_USERS = 20_000  # more than any server ever had; beyond, the oldest are forgotten
MOST_INVITATIONS = 200
COMPLETE_AFTER_S = 1.0


@dataclass(frozen=True, slots=True)
class Invitation:
    """An open invitation to us; a user's last one counts."""

    opponent: Player
    length: int | None  # None: unlimited, unless it is to resume
    to_resume: bool
    since: float
    loses_saved_match: bool = False  # joining would destroy the match saved with this user
    complete: bool = False  # the line `Type 'join ...'` has come

    def may_be_answered(self, now: float) -> bool:
        """A warning about a saved match comes after the invitation: has it had time to arrive?"""
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
        """Keep the tables current."""
        match message:
            case User(name):
                self.users.pop(name, None)
                self.users[name] = message
                _forget_oldest(self.users, MOST_USERS)
                if message.opponent is not None:
                    self.invitations.pop(name, None)  # is playing now, with us or with others
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

    def withdrawn(self, name: str) -> None:
        """The invitation of this user is answered, or the server knows of none."""
        self.invitations.pop(Player(name), None)

    def match_begins(self) -> None:
        """Forget all invitations: whoever invited us has to do it again."""
        self.invitations.clear()

    def _invited(self, invitation: Invitation) -> None:
        self.invitations.pop(invitation.opponent, None)
        self.invitations[invitation.opponent] = invitation
        self._last_inviter = invitation.opponent
        _forget_oldest(self.invitations, MOST_INVITATIONS)

    def _change(self, name: Player | None, **changes: bool) -> None:
        if name is not None and name in self.invitations:
            self.invitations[name] = replace(self.invitations[name], **changes)  # type: ignore[arg-type]


Row = TypeVar("Row")


def _forget_oldest(table: dict[Player, Row], most: int) -> None:
    while len(table) > most:
        del table[next(iter(table))]
