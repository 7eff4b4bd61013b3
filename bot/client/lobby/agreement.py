"""Our agreements: the last join, and the last invitation while it is open.

Invariant: of two that have invited each other to the same kind of match, only one joins at first,
since a server may begin two matches for two joins. Both sides know the rule: the lesser name joins.
The greater name waits CROSSED_S for that, and joins then: the opponent may not know the rule.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.protocols.fibs.people import Invitation, People
from sixprime.protocols.fibs.wire.messages import Player

JOIN_WITHIN_S = 5.0  # after our join; then the invitation has lapsed
CROSSED_S = 15.0  # after our invitation that crossed another, for the lesser name to join


@dataclass(frozen=True, slots=True)
class Agreed:
    """The terms of a match; resuming ignores `length`."""

    opponent: Player
    length: int | None
    to_resume: bool


class Agreement:
    """Our last join and our last invitation on this connection."""

    def __init__(self) -> None:
        self.last: Agreed | None = None
        self.invited_at: float | None = None  # while our invitation is open
        self._invited: Agreed | None = None  # by us; the server keeps it open
        self.joining: tuple[Player, float] | None = None  # until when a join counts as open

    def invite(self, agreed: Agreed, now: float) -> None:
        self.last = self._invited = agreed
        self.invited_at = now

    def join(self, agreed: Agreed, now: float) -> None:
        self.last, self.invited_at = agreed, None
        self.joining = (agreed.opponent, now + JOIN_WITHIN_S)

    def asked(self) -> Agreed | None:
        """Return our open invitation."""
        return self.last if self.invited_at is not None else None

    def asks(self, name: str, *, to_resume: bool = False) -> bool:
        """Return whether our invitation to this user is open, and to resume if so asked."""
        asked = self.asked()
        if asked is None or asked.opponent != name:
            return False
        return asked.to_resume or not to_resume

    def is_joining(self, people: People, now: float) -> bool:
        """Return whether we have accepted an invitation to a match that has not begun."""
        if self.joining is None:
            return False
        name, until = self.joining
        if name in people.invitations and now < until:
            return True
        people.forget_invitation(name)
        self.joining = None
        return False

    def waits_for_join(self, invitation: Invitation, me: Player, now: float) -> bool:
        """Return whether our invitation has crossed this one, and the inviter joins ours first."""
        asked, name = self.asked(), invitation.opponent
        if asked is None or self.invited_at is None or now >= self.invited_at + CROSSED_S:
            return False
        same_kind = asked.opponent == name and asked.to_resume is invitation.to_resume
        return same_kind and (name.lower(), name) < (me.lower(), me)

    def lapse(self, name: str | None = None) -> None:
        """Note that this user, or nobody, will answer our invitation; the server keeps it open."""
        if name is None or self.asks(name):
            self.last = self.invited_at = None

    def covers(self, match: Agreed) -> bool:
        return match in (self.last, self._invited)

    def with_opponent(self, name: Player) -> list[Agreed]:
        """Return the terms that a match with this opponent may have, the last first."""
        return [
            agreed
            for agreed in (self.last, self._invited)
            if agreed is not None and agreed.opponent == name
        ]

    def match_begins(self) -> None:
        self._invited = self.invited_at = self.joining = None

    def clear(self) -> None:
        """Forget everything: a match is over, or the connection is new."""
        self.last = self._invited = self.invited_at = self.joining = None
