"""Decides when to leave a match early; the server then saves it.

We leave if the match is not what we agreed to, if the server refuses our moves, if nothing happens
although it is not the opponent's turn, or if the opponent does nothing for too long.
"""

from __future__ import annotations

from sixprime.bot.settings.schema import Patience
from sixprime.protocols.fibs.match import Awaited, MatchInPlay
from sixprime.protocols.fibs.session import Session, Waiting
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.refusals import Refusal

LEAVE_AGAIN_S = 5.0  # between two tries to leave
STUCK_S = 600.0  # in a match, when it is not the opponent's turn either
TROUBLE = "Sorry, I have a problem and have to leave. Our match is saved."
TIRED = "Sorry, I cannot wait any longer. Our match is saved."
MOST_REFUSED = 1  # moves in one situation
ILLEGAL_MOVES = frozenset(
    {
        Refusal.TOO_FEW_MOVES,
        Refusal.TOO_MANY_MOVES,
        Refusal.BAD_STEP,
        Refusal.BAD_BEAROFF,
        Refusal.BAR_FIRST,
        Refusal.BAD_WORDS,
        Refusal.ILLEGAL_MOVE,
    }
)
_OPPONENTS = frozenset({Awaited.OPPONENT, Awaited.OPPONENTS_ANSWER, Awaited.OPPONENT_TO_JOIN})


class Leaving:
    """Decides for the match in play."""

    def __init__(self, patience: Patience) -> None:
        self.reason: str | None = None  # for the opponent; None: we stay
        self._patience = patience
        self._left_at = float("-inf")
        self._stuck_since = 0.0  # since when we have not been waiting for the opponent
        self._reminded = False

    def match_begins(self, objection: str | None, now: float) -> None:
        """A match begins; `objection` is why we will not play it."""
        self.reason = objection
        self._stuck_since = now
        self._reminded = False

    def stay(self) -> None:
        """The match or the connection has ended: forget the reasons to leave."""
        self.reason = None

    def leave(self, now: float) -> Command | None:
        """Leave, or try again."""
        if now < self._left_at + LEAVE_AGAIN_S:
            return None
        self._left_at = now
        return c.Leave()

    def is_stuck(self, waiting: Waiting, match: MatchInPlay, now: float) -> bool:
        """Has nothing happened for too long, although we are not waiting for the opponent?"""
        if waiting.what in _OPPONENTS:
            self._stuck_since = now
        return now >= max(self._stuck_since, match.moved_at) + STUCK_S

    def wait(self, session: Session, match: MatchInPlay, now: float) -> Command | None:
        """With an idle opponent: ask once, then leave."""
        if session.waiting.what not in _OPPONENTS:
            self._reminded = False
            return None
        waited = now - session.waiting.since
        ask_after_s = float("inf") if self._reminded else self._patience.ask_after_s or float("inf")
        leave_after_s = self._patience.leave_after_s or float("inf")
        if waited < min(ask_after_s, leave_after_s):
            return None
        if not match.makes_sure(now):
            return None  # a line may be lost, and the opponent wait for us
        if waited >= leave_after_s:
            self.reason = TIRED
            return c.Tell(match.opponent, TIRED)
        self._reminded = True
        return c.Kibitz("Are you still there?")


def is_last_straw(why: Refusal, match: MatchInPlay) -> bool:
    """Is this the second move that the server refuses in the same situation?"""
    return why in ILLEGAL_MOVES and match.refused > MOST_REFUSED
