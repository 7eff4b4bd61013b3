"""Reasons to leave a match early; the server then saves it.

We leave a match that we have not agreed to, one in which the server refuses our moves, and one in
which nothing happens for too long: for minutes if we or the server are due, for as long as the
settings allow if the opponent is. Only progress counts (`protocols/fibs/progress.py`). We also
leave within seconds if the opponent's who lines say twice that the opponent plays no longer with
us: a server may say nothing else when a lost opponent is back. If the server does not let us leave,
we end the connection. The session handles servers that move us from match to match.
"""

from __future__ import annotations

from sixprime.bot.settings.schema import Patience
from sixprime.protocols.fibs.states import Awaited
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.refusals import ILLEGAL_MOVES, Refusal
from sixprime.protocols.fibs.wire.users import User
from sixprime.protocols.servers import MatchInPlay, Session

LEAVE_AGAIN_S = 15.0  # between two tries to leave
LEAVE_WITHIN_S = 60.0  # after that the server is holding us
STUCK_S = 600.0  # without progress while the opponent is not due
LONGEST_WAIT_S = 12 * 3_600.0  # for a due opponent, if the settings set no limit
CLOCK_S = 660.0  # a server on which leaving loses gives nobody more time than this
LOOK_WITHIN_S = 60.0  # between our last board and leaving an opponent
TROUBLE = "Sorry, I have a problem and have to leave."
ASKED = "Sorry, I have to leave."  # by the operator
TIRED = "Sorry, I cannot wait any longer."
ABSENT = "Your line was lost."
SAVED = "Our match is saved."
ABSENT_S = 3.0  # without progress, before we believe a who line
MOST_REFUSED = 1  # refused moves in one situation
_OPPONENTS = frozenset({Awaited.OPPONENT, Awaited.OPPONENTS_ANSWER, Awaited.OPPONENT_TO_JOIN})


class Leaving:
    """The reasons to leave the match in play."""

    def __init__(self, patience: Patience, *, saves: bool = True) -> None:
        self.saves = saves  # the server saves a match that we leave; else we lose it
        self.reason: str | None = None  # None: we stay
        self.patience = patience
        self._tried: list[float] = []  # times of our tries to leave this match
        self.began_at = float("-inf")
        self._reminded_at = float("-inf")
        self._is_at_table = False  # by the opponent's who line, in this match
        self._absent_at: float | None = None  # the first line that denied it
        self._asked_who = False
        self._is_absent = False  # by a second line

    def match_begins(self, objection: str | None, now: float) -> None:
        """Note that a match begins; an `objection` is a reason not to play it."""
        self.reason, self.began_at = objection, now
        self._tried.clear()
        self._is_at_table = self._is_absent = False
        self._absent_at = None

    def note_line(self, opponent: User, me: Player, now: float) -> None:
        """Note the opponent's who line; a line from before the match denies nothing."""
        if opponent.opponent == me:
            self._is_at_table, self._is_absent = True, False
            self._absent_at = None
        elif self._is_at_table and self._absent_at is None:
            self._absent_at, self._asked_who = now, False
        elif self._absent_at is not None and self._asked_who:
            self._is_absent = True

    def farewell(self, opponent: Player, reason: str) -> c.Tell:
        """Decide to leave for this reason, and return the words that tell the opponent."""
        self.reason = reason
        return c.Tell(opponent, f"{reason} {SAVED}" if self.saves else reason)

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
        return self._idle_since(session) + max(patience_s, 0.0 if self.saves else CLOCK_S)

    def wait(self, session: Session, match: MatchInPlay, now: float) -> Command | None:
        """Ask an idle opponent once, then leave."""
        if session.waiting.what not in _OPPONENTS:
            return None
        since = self._idle_since(session)
        denied_at = float("inf") if self._absent_at is None else max(self._absent_at, since)
        if now >= denied_at + ABSENT_S and (command := self._leave_absent(session, match)):
            return command
        reminded = self._reminded_at >= since
        leave_at = self.leaves_at(session)
        ask_at = since + (self.patience.ask_after_s or float("inf"))
        if now < (leave_at if reminded else min(ask_at, leave_at)):
            return None
        if not match.ask_unless_fresh(now) and now < leave_at + LOOK_WITHIN_S:
            return None  # a line may be lost, and the opponent waits for us
        if now >= leave_at:
            return self.farewell(match.opponent, TIRED)
        self._reminded_at = now
        return c.Tell(match.opponent, "Are you still there?")

    def _leave_absent(self, session: Session, match: MatchInPlay) -> Command | None:
        """Ask for the opponent's line once, and leave if it denies our match again."""
        if self._is_absent:
            return self.farewell(match.opponent, ABSENT)
        if self._asked_who:
            return None
        self._asked_who = True
        return session.known.dialect.who(match.opponent)

    def _idle_since(self, session: Session) -> float:
        return max(self.began_at, session.known.progress.at)


def is_last_straw(why: Refusal, match: MatchInPlay) -> bool:
    """Return whether the server refuses a second move in the same situation."""
    return why in ILLEGAL_MOVES and match.refused > MOST_REFUSED
