"""Probes that show whether the server is still there and hears us.

The session sends `time`, which is always allowed, cheap and answered, when nothing was received or
sent for a while, and now and then in any case: a line may be dead in our direction only. Until the
server has answered anything on this connection, the session asks at once: some servers accept a
login and read nothing afterwards.
"""

from __future__ import annotations

from sixprime.protocols.fibs.wire import account
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import AskTime, AskWho, Command, Login
from sixprime.protocols.fibs.wire.login import ServerTime
from sixprime.protocols.fibs.wire.messages import Message, Unknown
from sixprime.protocols.fibs.wire.refusals import Refused
from sixprime.protocols.fibs.wire.talk import Notice

SILENT_AFTER_S = 150.0  # without a line: probe
PROBE_WITHIN_S = 30.0  # no answer: the line is dead
HEARD_AGAIN_S = 240.0  # while others talk: check that the server hears us
ANSWER_WITHIN_S = 60.0  # or we ask for the time once more: servers lose commands
TIMES_UNANSWERED = 2  # then the server does not hear us
MOST_IGNORED = 3  # such questions, if no answer was ever understood
KEEP_ALIVE_S = 150.0  # nothing sent
FIRST_ANSWER_S = 30.0  # to our first command, and to a question after it
_ANSWERS = (
    *(ServerTime, Refused, Notice, Unknown, FibsBoard),
    *(account.VariableSet, account.VariableIs, account.Toggled, account.ToggleIs),
    *(account.SavedHead, account.SavedMatch, account.NoSavedMatches),
)


class LineWatch:
    """The times at which something was received and sent."""

    def __init__(self, now: float) -> None:
        self._heard_at = now
        self.sent_at = now
        self.probed_at: float | None = None  # by a probe that waits for any sign of life
        self._asked_at = now
        self._unanswered = 0
        self._ignored = 0
        self._tells_time = False  # an answer was understood at least once
        self._commands = 0  # since the login, until the first answer
        self._hears_us = False  # it has answered one of them

    def note_received(self, now: float) -> None:
        self._heard_at = now
        self.probed_at = None

    def note_own_line(self) -> None:
        """Note that the server has sent our own who line."""
        self._ignored = 0

    def receive(self, message: Message) -> None:
        if isinstance(message, _ANSWERS):
            self._ignored = 0
            self._hears_us = self._hears_us or self._commands > 0
        if isinstance(message, ServerTime):
            self._tells_time = True
            self._unanswered = 0

    def note_sent(self, command: Command, now: float) -> None:
        instead = isinstance(command, AskWho) and now >= self.deadline  # this server has no `time`
        self.sent_at = now
        if not isinstance(command, Login):
            self._asked_at = self._asked_at if self._commands else now
            self._commands += 1
        if isinstance(command, AskTime) or instead:
            self.probed_at = self._asked_at = now
            self._unanswered += 0 if instead else 1
            self._ignored += 1

    def forgive(self) -> None:
        """Forget the questions that a match left unanswered: boards came."""
        self._unanswered = self._ignored = 0

    def is_dead(self, now: float, *, in_match: bool) -> bool:
        """Return whether the server is silent or deaf; in a match, boards show that it hears us."""
        if self.probed_at is not None:
            return now >= self.probed_at + PROBE_WITHIN_S
        deaf = self._tells_time and self._unanswered >= TIMES_UNANSWERED
        deaf = deaf or (self._is_unheard and self._ignored >= TIMES_UNANSWERED)
        deaf = (deaf and now >= self._ask_at) or self._ignored > MOST_IGNORED
        return deaf and not in_match

    @property
    def deadline(self) -> float:
        """Time at which to ask for the time, or to give up."""
        if self.probed_at is not None:
            return self.probed_at + PROBE_WITHIN_S
        return min(self._heard_at + SILENT_AFTER_S, self.sent_at + KEEP_ALIVE_S, self._ask_at)

    @property
    def _is_unheard(self) -> bool:
        """True if we have sent commands and nothing came that can be an answer to one."""
        return self._commands > 0 and not self._hears_us

    @property
    def _ask_at(self) -> float:
        if self._is_unheard:
            return self._asked_at + FIRST_ANSWER_S
        waits = self._tells_time and self._unanswered
        return self._asked_at + (ANSWER_WITHIN_S if waits else HEARD_AGAIN_S)
