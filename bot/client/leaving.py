"""Reasons to leave a match early; the server then saves it.

We leave a match that we have not agreed to, one in which the server refuses our moves, and one in
which nothing happens for too long: for minutes if we or the server are due, for as long as the
settings allow if the opponent is. Only progress counts (`protocols/fibs/progress.py`). If the
server does not let us leave, we end the connection. The session handles servers that move us from
match to match.
"""

from __future__ import annotations

from sixprime.bot.settings.schema import Patience
from sixprime.protocols.fibs.match import Awaited, MatchInPlay
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.refusals import ILLEGAL_MOVES, Refusal

LEAVE_AGAIN_S = 15.0  # between two tries to leave
LEAVE_WITHIN_S = 60.0  # after that the server is holding us
STUCK_S = 600.0  # without progress while the opponent is not due
LONGEST_WAIT_S = 12 * 3_600.0  # for a due opponent, if the settings set no limit
LOOK_WITHIN_S = 60.0  # between our last board and leaving an opponent
TROUBLE = "Sorry, I have a problem and have to leave. Our match is saved."
ASKED = "Sorry, I have to leave. Our match is saved."  # by the operator
TIRED = "Sorry, I cannot wait any longer. Our match is saved."
MOST_REFUSED = 1  # refused moves in one situation
_OPPONENTS = frozenset({Awaited.OPPONENT, Awaited.OPPONENTS_ANSWER, Awaited.OPPONENT_TO_JOIN})


class Leaving:
    """The reasons to leave the match in play."""

    def __init__(self, patience: Patience) -> None:
        self.reason: str | None = None  # told to the opponent; None: we stay
        self.patience = patience
        self._tried: list[float] = []  # times of our tries to leave this match
        self._began_at = float("-inf")
        self._reminded_at = float("-inf")

    def match_begins(self, objection: str | None, now: float) -> None:
        """Note that a match begins; an `objection` is a reason not to play it."""
        self.reason, self._began_at = objection, now
        self._tried.clear()

    def leave(self, now: float) -> Command | None:
        """Leave or try again; a try that the limit of commands prevents counts, too."""
        if self._tried and now < self._tried[-1] + LEAVE_AGAIN_S:
            return None
        self._tried.append(now)
        return c.Leave()

    def on_sent(self, command: Command, now: float) -> None:
        """Note a command, perhaps sent for another reason."""
        if isinstance(command, c.Leave) and now not in self._tried:
            self._tried.append(now)

    def is_held(self, now: float) -> bool:
        """Return whether the server keeps us from leaving."""
        return bool(self._tried) and now >= self._tried[0] + LEAVE_WITHIN_S

    def is_stuck(self, session: Session, now: float) -> bool:
        """Return whether nothing has happened for too long although the opponent is not due."""
        return session.waiting.what not in _OPPONENTS and now >= self.leaves_at(session)

    def leaves_at(self, session: Session) -> float:
        """Return the time at which nothing will have happened for too long."""
        ours = session.waiting.what not in _OPPONENTS
        patience_s = STUCK_S if ours else self.patience.leave_after_s or LONGEST_WAIT_S
        return self._idle_since(session) + patience_s

    def wait(self, session: Session, match: MatchInPlay, now: float) -> Command | None:
        """Ask an idle opponent once, then leave."""
        if session.waiting.what not in _OPPONENTS:
            return None
        since = self._idle_since(session)
        reminded = self._reminded_at >= since
        leave_at = self.leaves_at(session)
        ask_at = since + (self.patience.ask_after_s or float("inf"))
        if now < (leave_at if reminded else min(ask_at, leave_at)):
            return None
        if not match.ask_unless_fresh(now) and now < leave_at + LOOK_WITHIN_S:
            return None  # a line may be lost, and the opponent waits for us
        if now >= leave_at:
            self.reason = TIRED
            return c.Tell(match.opponent, TIRED)
        self._reminded_at = now
        return c.Tell(match.opponent, "Are you still there?")

    def _idle_since(self, session: Session) -> float:
        return max(self._began_at, session.known.progress.at)


def is_last_straw(why: Refusal, match: MatchInPlay) -> bool:
    """Return whether the server refuses a second move in the same situation."""
    return why in ILLEGAL_MOVES and match.refused > MOST_REFUSED
