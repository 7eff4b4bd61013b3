"""Probes that show whether the server is still there and hears us, and the order of its answers.

The session sends `time`, which is always allowed, cheap and answered, when nothing was received or
sent for a while, and now and then in any case: a line may be dead in our direction only. Until the
server has answered anything on this connection, the session asks at once: some servers accept a
login and read nothing afterwards.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from sixprime.protocols.fibs.wire import account
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import AskTime, AskWho, Command, Login
from sixprime.protocols.fibs.wire.login import ServerTime, Welcome
from sixprime.protocols.fibs.wire.messages import Message, Unknown
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused
from sixprime.protocols.fibs.wire.talk import Notice
from sixprime.protocols.fibs.wire.users import User

SILENT_AFTER_S = 150.0  # without a line: probe
PROBE_WITHIN_S = 30.0  # no answer: the line is dead
HEARD_AGAIN_S = 240.0  # while others talk: check that the server hears us
ANSWER_WITHIN_S = 60.0  # or we ask for the time once more: servers lose commands
TIMES_UNANSWERED = 2  # then the server does not hear us
MOST_IGNORED = 3  # such questions, if no answer was ever understood
KEEP_ALIVE_S = 150.0  # nothing sent
FIRST_ANSWER_S = 20.0  # to our first command, and to a question after it
_ANSWERS = (
    *(ServerTime, Refused, Notice, Unknown, FibsBoard),
    *(account.VariableSet, account.VariableIs, account.Toggled, account.ToggleIs),
    *(account.SavedHead, account.SavedMatch, account.NoSavedMatches),
)
LONGEST_TRIP_S = 120.0  # there and back; an answer that takes longer is lost
_TIMELESS = (Refusal.UNKNOWN_COMMAND, Refusal.NOT_IMPLEMENTED)  # answers to `time`, too


@dataclass(frozen=True, slots=True)
class CommandMark:
    """A place in the order of our commands: behind so many questions, at this time."""

    questions: int
    at: float


class AnswerOrder:
    """The order of our commands and of the server's answers.

    Invariant: a line answers a command only if the server can have written it later. Servers answer
    in our order, however long that takes, and boards look alike. So a command has been heard or is
    lost once the answer to a question behind it is here: nothing else looks like the answer to
    `time`. Without such an answer it has, too, after `LONGEST_TRIP_S`.
    """

    def __init__(self) -> None:
        self.trip_s = 0.0  # of the last question: there and back
        self._questions = self._answered = 0
        self._open: deque[tuple[int, float, type[Command]]] = deque()

    def mark(self, now: float) -> CommandMark:
        """Return the place of a command that is sent now."""
        return CommandMark(self._questions, now)

    def has_passed(self, mark: CommandMark, now: float) -> bool:
        """Return whether lines from now on are later than the command at this place."""
        return self._answered > mark.questions or now >= mark.at + LONGEST_TRIP_S

    def within(self, seconds: float) -> float:
        """Return the time to wait for an answer: longer where the way is long."""
        return max(seconds, 2 * self.trip_s)

    def note_question(self, command: Command, now: float) -> None:
        """Note a question whose answer `receive` will know."""
        while self._open and now >= self._open[0][1] + LONGEST_TRIP_S:
            self._open.popleft()
        self._questions += 1
        self._open.append((self._questions, now, type(command)))

    def receive(self, message: Message, now: float, me: str) -> None:
        match message:
            case ServerTime():
                self._note_answer(AskTime, now)
            case Refused(why, about) if why in _TIMELESS and about.partition(" ")[0] == "time":
                self._note_answer(AskTime, now)
            case User(name) if name == me:
                self._note_answer(AskWho, now)
            case Welcome():
                self._note_answer(Login, now)

    def _note_answer(self, kind: type[Command], now: float) -> None:
        """Note the answer to the oldest such question; those before it are lost."""
        alike = [(number, at) for number, at, other in self._open if other is kind]
        if alike:
            self._answered = alike[0][0]
            self.trip_s = now - alike[-1][1]  # an older one may be lost
            self._open = deque(question for question in self._open if question[0] > alike[0][0])


class LineWatch:
    """The times at which something was received and sent."""

    def __init__(self, now: float) -> None:
        self.order = AnswerOrder()
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

    def receive(self, message: Message, now: float, me: str) -> None:
        self.order.receive(message, now, me)
        if isinstance(message, _ANSWERS):
            self._ignored = 0
            self._hears_us = self._hears_us or self._commands > 0
        if isinstance(message, ServerTime):
            self._tells_time = True
            self._unanswered = 0

    def note_sent(self, command: Command, now: float, *, is_question: bool) -> None:
        """Note a command; the answer to a question shows how far the server has heard us."""
        if is_question or isinstance(command, Login):
            self.order.note_question(command, now)
        due = now >= self.deadline
        instead = isinstance(command, AskWho) and due  # this server has no `time`
        self.sent_at = now
        if not isinstance(command, Login):
            self._asked_at = self._asked_at if self._commands else now
            self._commands += 1
        if isinstance(command, AskTime) or instead:
            self.probed_at = now if due else self.probed_at
            self._asked_at = now
            self._unanswered += 0 if instead else 1
            self._ignored += 1

    def note_match_end(self, *, boards_came: bool) -> None:
        """Forget the questions that a match left unanswered, if boards came meanwhile."""
        if boards_came:
            self._unanswered = self._ignored = 0

    def is_dead(self, now: float, *, in_match: bool) -> bool:
        """Return whether the server is silent or deaf; in a match, boards show that it hears us."""
        if self.probed_at is not None:
            return now >= self.deadline
        deaf = self._tells_time and self._unanswered >= TIMES_UNANSWERED
        deaf = deaf or (self._is_unheard and self._ignored >= TIMES_UNANSWERED)
        deaf = (deaf and now >= self._ask_at) or self._ignored > MOST_IGNORED
        return deaf and not in_match

    @property
    def deadline(self) -> float:
        """Time at which to ask for the time, or to give up."""
        if self.probed_at is not None:
            return self.probed_at + self.order.within(PROBE_WITHIN_S)
        return min(self._heard_at + SILENT_AFTER_S, self.sent_at + KEEP_ALIVE_S, self._ask_at)

    @property
    def _is_unheard(self) -> bool:
        """True if we have sent commands and nothing came that can be an answer to one."""
        return self._commands > 0 and not self._hears_us

    @property
    def _ask_at(self) -> float:
        if self._is_unheard:
            return self._asked_at + self.order.within(FIRST_ANSWER_S)
        waits = self._ignored > 0 or (self._tells_time and self._unanswered)
        return self._asked_at + (self.order.within(ANSWER_WITHIN_S) if waits else HEARD_AGAIN_S)
