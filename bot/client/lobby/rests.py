"""Rests from one opponent: one rule for all of them.

Every try with an opponent (an invitation, a join, a sentence) counts until a match between us is
finished or gets on. A try that the opponent could not answer does not count: the server refused the
invitation, the opponent was away, a match with another began, our line was lost, or the server
loaded a finished match. While we rest from an opponent we begin nothing with him, so nobody, and no
server that repeats itself, can keep us busy forever.

Invariant: any rest lasts minutes, and no invitation to resume a saved match is declined because of
one: it waits. The first rest lasts FIRST_REST_S, each further one in a row twice as long, at most
LONGEST_REST_S; a match that is finished or gets on ends the row, and so does an hour without a
rest. A rest ends early if the other side changes: the opponent logs in anew, the saved match leaves
the server's list, or the operator forgives. The first two end at most MOST_CHANGES rests and pauses
a day, until a match gets on. Only the operator's own `leave` lasts DAY_S, and ends by his order
alone.

Pure; `now` is any clock in seconds.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import NamedTuple

from sixprime.protocols.fibs.wire.users import User

DAY_S = 86_400.0
FIRST_REST_S = 60.0
LONGEST_REST_S = 600.0
ROW_S = 3_600.0  # without a rest; then a row of rests is over
MOST_CHANGES = 5  # of the other side that end a rest or a pause, in a day
MOST_TRIES = 6  # in TRIES_WITHIN_S; then we rest
TRIES_WITHIN_S = 3_600.0
NEVER = float("-inf")


def is_free(user: User) -> bool:
    return user.ready and not user.away and user.opponent is None


class Why(Enum):
    """Reasons to rest from an opponent; the value follows "because"."""

    TRIES = f"{MOST_TRIES} tries in an hour led to no match"
    TROUBLE = "the match could not go on"
    LOADED_OVER = "the server loaded a finished match"
    ORDER = "the operator left the match"
    EARLIER = "it did so before its restart"


class Rest(NamedTuple):
    why: Why
    since: float
    until: float


class Rests:
    """The tries with one opponent, the last rest, and the changes of the other side."""

    def __init__(self) -> None:
        self.last: Rest | None = None
        self.tries: deque[float] = deque()  # since a match was finished or got on
        self.busy_until = NEVER  # no invitations to one who was busy or silent
        self.is_back = False  # and has come back since, or is free again
        self._row = 0  # rests in a row
        self._listed = False  # the server has listed the saved match during this rest
        self._changes: deque[float] = deque()  # times at which a change ended a rest or pause
        self._login = 0  # time of the login that the server last showed
        self._is_gone = False  # has logged out
        self._was_free = True

    @property
    def until(self) -> float:
        """Return the end of the last rest."""
        return NEVER if self.last is None else self.last.until

    def is_on(self, now: float) -> bool:
        return now < self.until

    def begin(self, why: Why, now: float) -> None:
        """Rest by the rule, or for a day by the operator's order; another reason begins it anew."""
        if self.last is not None and now >= self.until + ROW_S:
            self._row = 0
        if self.is_on(now):
            self._row -= 1
        lasts_s = min(LONGEST_REST_S, FIRST_REST_S * 2.0 ** min(max(self._row, 0), 10))
        self.last = Rest(why, now, now + (DAY_S if why is Why.ORDER else lasts_s))
        self._row += 1
        self._listed = self._is_gone = False

    def leave_busy(self, until: float) -> None:
        """Ask a busy or silent user again at this time; to resume, once the user is back."""
        self.busy_until, self.is_back = until, False

    def restore(self, left_s: float, now: float) -> None:
        """Go on with a rest that began before a restart."""
        why = Why.ORDER if left_s > LONGEST_REST_S else Why.EARLIER
        self.last = Rest(why, now, now + left_s)

    # --- tries

    def tried(self, now: float) -> None:
        """Count an invitation, an answer or a sentence to this user; too many begin a rest."""
        self.tries.append(now)
        while len(self.tries) > MOST_TRIES:
            self.tries.popleft()
        is_enough = len(self.tries) == MOST_TRIES and self.tries[0] > now - TRIES_WITHIN_S
        if is_enough and not self.is_on(now):
            self.begin(Why.TRIES, now)

    def excused(self) -> None:
        """Take back the last try, and its rest: it worked, or failed by nobody's fault."""
        if self.tries:
            self.tries.pop()
        if self.last is not None and self.last.why is Why.TRIES:
            self.last, self._row = None, max(0, self._row - 1)

    def line_lost(self, since: float) -> None:
        """Take back the tries since this time, and their pause: nobody may have heard them."""
        while self.tries and self.tries[-1] >= since:
            self.excused()
            self.busy_until = NEVER

    def got_on(self) -> None:
        """Note that a match with this opponent was finished, or got on."""
        self.excused()
        self.tries.clear()
        self._changes.clear()
        self._row = 0

    def forgive(self) -> None:
        self.got_on()
        self.last, self.busy_until = None, NEVER

    # --- changes of the other side

    def note_line(self, user: User, now: float) -> None:
        """Note the user's line, which may show a new login, or that the user is free again."""
        logs_in = self._is_gone or self._login not in (0, user.login)
        comes = is_free(user) and (logs_in or not self._was_free)
        if comes and now < self.busy_until and not self.is_back:
            self.is_back = self._has_changed(now)
        if logs_in:
            self._end(now)
        self._login, self._is_gone, self._was_free = user.login, False, is_free(user)

    def note_logout(self) -> None:
        self._is_gone = True

    def note_list(self, now: float, *, listed: bool) -> None:
        """Note whether the server lists our saved match."""
        if self._listed and not listed:
            self._end(now)
        self._listed = listed

    def _end(self, now: float) -> None:
        last = self.last
        if last is None or last.why is Why.ORDER or not self.is_on(now):
            return
        if self._has_changed(now):
            self.last = last._replace(until=now)

    def _has_changed(self, now: float) -> bool:
        """Return whether a change may end a rest or pause once more, and count it."""
        while self._changes and self._changes[0] <= now - DAY_S:
            self._changes.popleft()
        if len(self._changes) >= MOST_CHANGES:
            return False
        self._changes.append(now)
        return True
