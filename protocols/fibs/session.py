"""One connection: bytes in, messages out; commands in, bytes out. No I/O, and no clock of its own.

The driver reads and calls `receive(data, now)`, answers each message before it takes the next, and
sends what `wanted(now)` hands out: the session's own housekeeping (login, settings, a look at the
board, a probe of a silent line). It calls `wanted` after messages and at `deadline`. What the bot
has to decide stands in `question()`. `now` is any clock in seconds that never goes back.

The server is the truth: whatever we believed, a board, our own who line or a refusal corrects it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from sixprime.protocols.fibs.match import Awaited, Ended, Match
from sixprime.protocols.fibs.people import People
from sixprime.protocols.fibs.questions import (
    AnswerDouble,
    AnswerResignation,
    ChoosePlay,
    JoinNextGame,
    Question,
    RollOrDouble,
)
from sixprime.protocols.fibs.relevance import is_about, match_of, puts_aside
from sixprime.protocols.fibs.settings import READY, Setup
from sixprime.protocols.fibs.states import ALLOWED, IN_LOBBY, IN_MATCH, NEXT, ONLINE, State
from sixprime.protocols.fibs.wire import account, login, matches, messages, users
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand, Login
from sixprime.protocols.fibs.wire.lines import Lines
from sixprime.protocols.fibs.wire.messages import LineTooLong, Message, Player
from sixprime.protocols.fibs.wire.parse import Context, parse
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused

PROMPT_WITHIN_S = 15.0  # then the login is sent anyway
LOGIN_WITHIN_S = 30.0  # from one step of the login to the next
SILENT_AFTER_S = 75.0  # nothing heard: probe
UNHEARD_S = 120.0  # boards asked for, and none came: what we say does not arrive
PROBE_WITHIN_S = 30.0  # no answer: the line is dead
HEARD_AGAIN_S = 240.0  # others talk: does the server still hear us?
TELLS_WITHIN_S = 60.0  # the time, or we ask once more: servers lose commands
TIMES_UNTOLD = 2  # what we say does not arrive
KEEP_ALIVE_S = 120.0  # nothing sent
WHO_WITHIN_S = 5.0  # of the end of the greeting
JOIN_WITHIN_S = 10.0  # of our join, or of our own who line that says that we play
LOGINS = 2


class Failure(Enum):
    """Why a connection is over; the driver decides when to dial again."""

    LOGIN_REFUSED = "wrong name or password: tell the operator, do not try again"
    LOGIN_SILENT = "the login was not answered, or not understood"
    LOGIN_CLOSED = "the server hung up when it had our login: a refusal, if it does so again"
    KICKED = "the same account logged in elsewhere: wait some minutes"
    TIMED_OUT = "the server thought us idle"
    SILENT = "the server does not answer any more"
    FAREWELL = "we said good-bye"


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a session waits for, and since when."""

    what: State | Awaited
    since: float


class Session:
    """The state of one connection."""

    def __init__(self, login: Login, now: float, setup: Setup | None = None) -> None:
        self.login = login
        self.me = Player(login.user)
        self.state = State.AWAITING_PROMPT
        self.failure: Failure | None = None
        self.setup = setup or Setup()
        self.people = People()
        self.match: Match | None = None
        self.last_match: Match | None = None
        self.rating: float | None = None
        self.experience: int | None = None
        self.invited: c.Invite | c.InviteToResume | None = None  # our own open invitation
        self.shutdown_announced = False
        self.unknown_lines = 0
        self._lines = Lines()
        self._in_motd = False
        self._prompted = False
        self._logins = 0
        self._step_until = now + PROMPT_WITHIN_S
        self._joining_until: float | None = None
        self._who_at: float | None = None
        self._heard_at = now
        self._sent_at = now
        self._probed_at: float | None = None
        self._time_asked_at = now
        self._times_untold = 0
        self._tells_time = False  # has this server ever, in words that we know?
        self._waiting = Waiting(self.state, now)

    # --- bytes in

    def receive(self, data: bytes, now: float) -> Iterator[Message]:
        """The messages these bytes complete, one by one: answer each before taking the next.

        Take them all: what is not taken is not heard.
        """
        if data:
            self._heard_at = now
            self._probed_at = None
        for line in self._lines.feed(data):
            message = line if isinstance(line, LineTooLong) else self._parse(line)
            self._take(message, now)
            yield message

    def _parse(self, line: str) -> Message:
        if self.state in (State.AWAITING_PROMPT, State.LOGGING_IN):
            return parse(line, Context.BANNER)
        return parse(line, Context.MOTD if self._in_motd else Context.ONLINE)

    def _take(self, message: Message, now: float) -> None:
        if self.state in (State.AWAITING_PROMPT, State.LOGGING_IN, State.GREETED):
            self._take_login(message, now)
        else:
            self._take_online(message, now)
        self._note_waiting(now)

    def _take_login(self, message: Message, now: float) -> None:
        match message:
            case (
                login.LoginPrompt()
                | login.PasswordPrompt()
                | login.LoginFailed()
                | login.AlreadyLoggedIn()
            ):
                if self.state is not State.GREETED:
                    self._take_prompt(message, now)
            case login.Welcome(name) if name == self.me and self._logins:
                self.state = State.GREETED
                self._step_until = now + LOGIN_WITHIN_S
            case login.MotdBegins():
                self._in_motd = True
            case account.OwnInfo(name) if name == self.me:
                self.rating, self.experience = message.rating, message.experience
                self.setup.receive(message, now)
            case login.MotdEnds() if self.state is State.GREETED:
                self._in_motd = False
                self._who_at = now + WHO_WITHIN_S
                self.state = State.SETTING_UP
            case _:
                self._take_closing(message)

    def _take_prompt(self, message: Message, now: float) -> None:
        if isinstance(message, login.PasswordPrompt | login.LoginFailed):
            if self.state is State.LOGGING_IN:
                garbled = isinstance(message, login.PasswordPrompt)  # we never give a name alone
                self._fail(Failure.LOGIN_SILENT if garbled else Failure.LOGIN_REFUSED)
        elif self._logins >= LOGINS:
            if isinstance(message, login.LoginPrompt):
                self._fail(Failure.LOGIN_REFUSED)
        else:  # after a login: refused, or a prompt that came twice; try once more
            self._prompted = isinstance(message, login.LoginPrompt)
            if self._logins:
                self.state = State.AWAITING_PROMPT
                self._step_until = now + LOGIN_WITHIN_S / 3

    def _take_online(self, message: Message, now: float) -> None:
        self._take_closing(message)
        if self.state is State.CLOSED:
            return
        if isinstance(message, messages.Unknown):
            self.unknown_lines += 1
        elif isinstance(message, login.Shutdown):
            self.shutdown_announced = True
        elif isinstance(message, login.ServerTime):
            self._tells_time = True
            self._times_untold = 0
        if not isinstance(message, users.User | account.OwnInfo) or message.name == self.me:
            self.setup.receive(message, now)
        self.people.receive(message, now)
        self._take_lobby(message, now)
        self._take_match(message, now)
        if self.match is None and not isinstance(message, FibsBoard):
            self.state = NEXT[self.state].get(type(message), self.state)
        if self.state is State.SETTING_UP and self.setup.done:
            self.state = State.IDLE

    def _take_closing(self, message: Message) -> None:
        failure = {
            login.KickedByTwin: Failure.KICKED,
            login.TimedOut: Failure.TIMED_OUT,
            login.Farewell: Failure.FAREWELL,
        }.get(type(message))
        if failure is not None and NEXT[self.state].get(type(message)) is State.CLOSED:
            self._fail(failure)

    def _take_lobby(self, message: Message, now: float) -> None:
        match message:
            case users.User(name) if name == self.me:
                self.rating, self.experience = message.rating, message.experience
                self.setup.away = message.away
                self.setup.sees_ready(message.ready)
                self._see_own_line(message.opponent, now)
            case users.WhoEnds():
                self._who_at = None
            case matches.YouInvited(name, length):
                self.invited = c.Invite(name, length)
            case matches.YouInvitedToResume(name):
                self.invited = c.InviteToResume(name)
            case Refused(why, about) if why in _NO_INVITATION:
                self.people.withdrawn(about)
                self._joining_until = None
            case users.LoggedOut(name) if (
                self.invited is not None and self.invited.opponent == name
            ):
                self.invited = None
            case Refused(Refusal.READY_FIRST):
                self.setup.sees_ready(False)
            case Refused(Refusal.NOT_PLAYING):
                self._end_match(Ended.SAVED, now)
                self._who_at = now

    def _see_own_line(self, opponent: Player | None, now: float) -> None:
        match = self.match
        if opponent is None:
            self._joining_until = None
            if match is not None and match.confirmed:
                self._end_match(Ended.SAVED, now)
        elif match is None:
            self._joining_until = now + JOIN_WITHIN_S
        elif match.opponent == opponent:
            match.confirmed = True

    def _take_match(self, message: Message, now: float) -> None:
        begins = match_of(message)
        if begins is not None and self._is_another_match(message, begins):
            self._begin_match(begins, isinstance(message, matches.Resumed | matches.ResumedBy), now)
        match = self.match
        if match is None:
            self._take_late_result(message, now)
            return
        if puts_aside(message, match.opponent):
            self._end_match(Ended.SAVED, now)
            return
        if is_about(message, match.opponent):
            match.receive(message, now)
        if match.ended is not None:
            self._end_match(match.ended, now)
        elif match.between_games:
            self.state = State.BETWEEN_GAMES
        else:
            self.state = State.STARTING if match.board is None else State.PLAYING

    def _is_another_match(self, message: Message, opponent: Player) -> bool:
        if self.match is None or self.match.opponent != opponent:
            return not (isinstance(message, FibsBoard) and message.turn == 0)
        return not isinstance(message, FibsBoard | matches.GameStarts)

    def _take_late_result(self, message: Message, now: float) -> None:
        """Some servers free us before they say who won."""
        last = self.last_match
        if last is None or last.ended is not Ended.SAVED:
            return
        if isinstance(message, matches.YouWinMatch | matches.WinsMatch) and is_about(
            message, last.opponent
        ):
            last.ended = None
            last.receive(message, now)

    def _begin_match(self, opponent: Player, resumed: bool, now: float) -> None:
        if self.match is not None:
            self._end_match(Ended.SAVED, now)
        self.match = Match(opponent, now, resumed)
        own = self.people.users.get(self.me)
        self.match.confirmed = own is not None and own.opponent == opponent
        self.people.match_begins()
        self.invited = None
        self._joining_until = None
        self.state = State.STARTING

    def _end_match(self, how: Ended, now: float) -> None:
        if self.match is None:
            return
        self.match.ended = how
        self.last_match, self.match = self.match, None
        self._joining_until = None
        self._times_untold = 0
        self.setup.saved_changed()
        self.state = State.SETTING_UP

    def hung_up(self) -> None:
        """The line is dead; not by us."""
        if self.failure is None and self.state is State.LOGGING_IN:
            self._fail(Failure.LOGIN_CLOSED)

    def _fail(self, failure: Failure) -> None:
        self.failure = failure
        self.state = State.CLOSED

    # --- what is asked, and what we wait for

    def question(self) -> Question | None:
        """What the bot has to decide now; it stays until it is answered."""
        return None if self.match is None else self.match.question()

    @property
    def waiting(self) -> Waiting:
        """What we wait for, and since when."""
        return self._waiting

    def _note_waiting(self, now: float) -> None:
        what = self.state if self.match is None else self.match.awaited()
        if what is not self._waiting.what:
            self._waiting = Waiting(what, now)

    # --- commands out

    def send(self, command: Command, now: float) -> bytes:
        """The bytes of a command; IllegalCommand if the server would refuse it now."""
        reason = self._why_not(command)
        if reason is not None:
            raise IllegalCommand(f"{type(command).__name__} {reason}")
        line = command.line()
        self._sent_at = now
        self._note_sent(command, now)
        self._note_waiting(now)
        return line.encode("ascii") + b"\r\n"

    def may_send(self, command: Command) -> bool:
        """Would `send` take it?"""
        return self._why_not(command) is None

    def _why_not(self, command: Command) -> str | None:
        if type(command) not in ALLOWED[self.state]:
            return f"while {self.state.value}"
        reason = None
        match command:
            case c.Join(name) if name not in self.people.invitations:
                reason = f"without an invitation from {name}"
            case c.Invite(name) | c.InviteToResume(name) if name == self.me:
                reason = "to ourselves"
            case Login() if self._logins >= LOGINS:
                reason = "once too often"
            case c.Resign() if self.match is not None and not self.match.may_resign:
                reason = "while something else waits for an answer"
            case _ if type(command) in _ANSWERS:
                reason = self._why_no_answer(command)
        return reason

    def _why_no_answer(self, command: Command) -> str | None:
        question = self.question()
        if not isinstance(question, _ANSWERS[type(command)]):
            return f"is no answer: {'nothing is asked' if question is None else question}"
        if isinstance(command, c.Double) and not getattr(question, "may_double", False):
            return "is forbidden by the cube or the score"
        return None

    def _note_sent(self, command: Command, now: float) -> None:
        match command:
            case Login():
                self._logins += 1
                self.state = State.LOGGING_IN
                self._prompted = False
                self._step_until = now + LOGIN_WITHIN_S
            case c.AskTime():
                self._probed_at = self._time_asked_at = now
                self._times_untold += 1
            case c.AskWho():
                self._who_at = None
            case c.Join():
                self._joining_until = now + JOIN_WITHIN_S
            case c.AskBoard() if self.match is None:
                self._joining_until = now + JOIN_WITHIN_S
        self.setup.sent(command, now)
        if self.match is not None:
            self.match.sent(command, now)

    # --- time

    def wanted(self, now: float) -> Command | None:
        """The next command of the session's own; call again until there is none."""
        if self.state is State.CLOSED:
            return None
        online = self.state in ONLINE
        command = self._wanted_online(now) if online else self._wanted_login(now)
        self._note_waiting(now)
        return command

    def _wanted_login(self, now: float) -> Command | None:
        late = now >= self._step_until
        if (
            self.state is State.AWAITING_PROMPT
            and self._logins < LOGINS
            and (self._prompted or late)
        ):
            return self.login
        if late:
            self._fail(Failure.LOGIN_SILENT)
        return None

    def _wanted_online(self, now: float) -> Command | None:
        if self._probed_at is not None:
            if now >= self._probed_at + PROBE_WITHIN_S:
                self._fail(Failure.SILENT)
            return None
        if self._is_unheard(now):
            self._fail(Failure.SILENT)
            return None
        if now >= self._time_due:
            return c.AskTime()
        command = self._wanted_in_match(now) if self.state in IN_MATCH else None
        if command is None and self.state in IN_LOBBY:
            command = self._wanted_in_lobby(now)
        return command

    def _is_unheard(self, now: float) -> bool:
        """Does what we say not arrive? In a match boards show it (UNHEARD_S)."""
        untold = self._tells_time and self._times_untold >= TIMES_UNTOLD
        return untold and self.match is None and now >= self._hearing_due

    @property
    def _hearing_due(self) -> float:
        """When to see, or to have seen, whether what we say arrives."""
        untold = self._tells_time and self._times_untold
        return self._time_asked_at + (TELLS_WITHIN_S if untold else HEARD_AGAIN_S)

    @property
    def _time_due(self) -> float:
        """When to ask for the time: a command that is always allowed, cheap and answered."""
        return min(self._heard_at + SILENT_AFTER_S, self._sent_at + KEEP_ALIVE_S, self._hearing_due)

    def _wanted_in_match(self, now: float) -> Command | None:
        match = self.match
        if match is None:
            return None
        if match.asked_at is not None and now >= match.asked_at + UNHEARD_S:
            self._fail(Failure.SILENT)
            return None
        return match.wants(now)

    def _wanted_in_lobby(self, now: float) -> Command | None:
        if self._joining_until is not None and now >= self._joining_until:
            self._joining_until = None
            own = self.people.users.get(self.me)
            if own is not None and own.opponent is not None:
                return c.AskBoard()
        if self._who_at is not None and now >= self._who_at:
            return c.AskWho()
        command = self.setup.next(now) if self.state is not State.AWAY else None
        if command is None and self.state is State.SETTING_UP and self.setup.done:
            self.state = State.IDLE
        return command

    @property
    def deadline(self) -> float | None:
        """When `wanted` has to be called at the latest; None: the connection is over."""
        if self.state is State.CLOSED:
            return None
        if self.state not in ONLINE:
            return self._step_until
        if self._probed_at is not None:
            return self._probed_at + PROBE_WITHIN_S
        times = [self._time_due]
        if self.match is not None:
            times.append(self.match.deadline)
            if self.match.asked_at is not None:
                times.append(self.match.asked_at + UNHEARD_S)
        else:
            setup = None if self.state is State.AWAY else self.setup.deadline
            times += [
                time for time in (self._joining_until, self._who_at, setup) if time is not None
            ]
        return min(times)

    def want_ready(self, ready: bool) -> None:
        """Whether others may invite us; brought about as soon as we are in the lobby."""
        self.setup.want_ready(ready)

    @property
    def ready(self) -> bool:
        """Does the server show us as ready?"""
        return self.setup.toggles.get(READY, False)


# Which question a command answers.
_ANSWERS: dict[type[Command], type[Question] | tuple[type[Question], ...]] = {
    c.Roll: RollOrDouble,
    c.Double: RollOrDouble,
    c.Move: ChoosePlay,
    c.Accept: (AnswerDouble, AnswerResignation),
    c.Reject: (AnswerDouble, AnswerResignation),
    c.JoinNext: JoinNextGame,
}
_NO_INVITATION = frozenset(
    {Refusal.NOT_INVITED, Refusal.INVITER_GONE, Refusal.INVITER_PLAYS_ELSEWHERE}
)
