"""One connection: bytes in, messages out; commands in, bytes out. No I/O, and no clock of its own.

The driver reads and calls `receive(data, now)` and answers each message before it takes the next.
After messages and at `deadline` it sends the commands of `wanted(now)`, the session's own
housekeeping: login, settings, requests for boards, probes of a silent line. `question()` returns
the decision that the bot has to make. `now` is any clock in seconds that never goes back.

The server is right: a board, our own who line or a refusal corrects our beliefs. But it may
contradict itself, or lead us in circles, so our commands are limited while there is no progress;
see `progress.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sixprime.protocols.fibs.lifecycle import (
    Beginning,
    Ended,
    MatchBegins,
    MatchEnds,
    PutAside,
    beginning,
    is_about,
    puts_aside,
)
from sixprime.protocols.fibs.linewatch import LineWatch
from sixprime.protocols.fibs.logindialogue import LoginDialogue
from sixprime.protocols.fibs.match import MatchInPlay
from sixprime.protocols.fibs.people import OwnLine, People
from sixprime.protocols.fibs.progress import KnownServer, Settling
from sixprime.protocols.fibs.questions import ANSWERS, Question
from sixprime.protocols.fibs.settings import READY, Setup
from sixprime.protocols.fibs.states import (
    ALLOWED,
    CONTEXTS,
    FAREWELLS,
    NEXT,
    ONLINE,
    Awaited,
    ConnectionState,
    Failure,
    Happening,
    Stateful,
)
from sixprime.protocols.fibs.wire import account, login, matches, users
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand, Login
from sixprime.protocols.fibs.wire.lines import Lines
from sixprime.protocols.fibs.wire.messages import LineTooLong, Message, Player
from sixprime.protocols.fibs.wire.parse import Context, parse
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused

UNWATCH_AGAIN_S = 60.0


@dataclass(frozen=True, slots=True)
class Awaiting:
    """The event a session waits for, and since when."""

    what: ConnectionState | Awaited
    since: float


class Session(Stateful):
    transitions = NEXT

    def __init__(
        self, login: Login, now: float, setup: Setup | None = None, known: KnownServer | None = None
    ) -> None:
        super().__init__()
        self.login = login
        self.known = known or KnownServer()
        self.me = Player(login.user)
        self.setup = setup or Setup()
        self.people = People()
        self.match: MatchInPlay | None = None
        self.last_match: MatchInPlay | None = None
        self.rating: float | None = None
        self.experience: int | None = None
        self._lines = Lines()
        self._line = LineWatch(now)
        self._dialogue = LoginDialogue(now)
        self._own = OwnLine(now, self._line.order)
        self.held_until = float("-inf")  # until then it has been sent too often
        self._events: list[MatchBegins | MatchEnds] = []  # of this line
        self.waiting = Awaiting(self.state, now)
        self._settling = Settling(self.known.progress)

    # --- bytes in

    def receive(self, data: bytes, now: float) -> Iterator[Message]:
        """Yield the messages that these bytes complete: answer each before taking the next.

        They include `MatchBegins` and `MatchEnds` where lines show it. Exhaust the iterator: the
        session does not see messages that are not taken.
        """
        if data:
            self._line.note_received(now)
        for line in self._lines.feed(data):
            message = line if isinstance(line, LineTooLong) else self._parse(line)
            self._take(message, now)
            events = self.events()
            if events and isinstance(events[-1], MatchBegins):
                yield from (*events, message)
            else:
                yield from (message, *events)

    def events(self) -> list[MatchBegins | MatchEnds]:
        """Return the events of the last message or of `wanted`, and forget them."""
        events, self._events = self._events, []
        return events

    def _parse(self, line: str) -> Message:
        message, match = parse(line, CONTEXTS.get(self.state, Context.ONLINE)), self.match
        if isinstance(message, FibsBoard) and match and is_about(message, match.opponent):
            return match.checked_board(message, self.known.progress)
        return message

    def _take(self, message: Message, now: float) -> None:
        if type(message) in FAREWELLS:
            self._fail(FAREWELLS[type(message)])
        elif self.state in ONLINE:
            self._take_online(message, now)
        else:
            self._take_login(message, now)
        self._note_waiting(now)

    def _take_login(self, message: Message, now: float) -> None:
        match message:
            case (
                login.LoginPrompt()
                | login.PasswordPrompt()
                | login.LoginFailed()
                | login.AlreadyLoggedIn()
            ) if Login in ALLOWED[self.state]:
                self._go_on(self._dialogue.note_prompt(message, self.state, now))
            case login.Welcome(name) if self._is_welcome(name):
                self.me = name  # as the server spells it from now on
                self.known.welcomed = True
                self._line.order.receive(message, now, self.me)
                self._move(login.Welcome)
                self._dialogue.note_step(now)
            case account.OwnInfo(name) if name == self.me:
                self.rating, self.experience = message.rating, message.experience
                self.setup.receive(message, now)
            case login.MotdBegins() | login.MotdEnds():
                self._move(type(message))
                self._own.expect_list(now)

    def _is_welcome(self, name: Player) -> bool:
        """Return whether a greeting of this user is ours: servers ignore the case of names."""
        return self._dialogue.logins > 0 and name.lower() == self.me.lower()

    def _go_on(self, step: Happening | Failure | None) -> None:
        if isinstance(step, Failure):
            self._fail(step)
        elif step is not None:
            self._move(step)

    def _take_online(self, message: Message, now: float) -> None:
        self._line.receive(message, now, self.me)
        self.setup.receive(message, now)
        self.people.receive(message, now)
        self._take_lobby(message, now)
        pauses = self.match is not None and self.match.between_games
        self._take_match(message, now)
        if isinstance(message, FibsBoard) and message.is_ours and message.opponent != self.me:
            self.known.progress.note_board(message, now, pauses=pauses)
        if self.match is None:
            self._move(type(message))
            self._check_all_set()

    def _check_all_set(self) -> None:
        if self.setup.done:
            self._move(Happening.ALL_SET)

    def _take_lobby(self, message: Message, now: float) -> None:
        match message:
            case users.User(name) if name == self.me:
                self.rating, self.experience = message.rating, message.experience
                self.setup.away = message.away
                self.setup.note_ready(message.ready)
                self._see_own_line(message.opponent, now)
            case users.WhoEnds():
                self._own.who_at = None
            case Refused(why, about) if why in _NO_INVITATION:
                self.people.forget_invitation(about)
                self._own.search_at = None
            case Refused(Refusal.PLAYING_ALREADY | Refusal.TWO_GAMES) if self.match is None:
                self._own.doubt(now)
            case Refused(Refusal.READY_FIRST):
                self.setup.note_ready(False)
            case Refused(Refusal.NOT_PLAYING | Refusal.NO_ONE_TO_LEAVE):
                self._put_aside(self._why_not_playing())
                self._own.who_at = now
            case Refused(Refusal.UNKNOWN_COMMAND | Refusal.NOT_IMPLEMENTED, about):
                self.known.dialect.note_unknown(about.partition(" ")[0])

    def _why_not_playing(self) -> PutAside:
        match = self.match
        if match is not None and match.is_over:
            return PutAside.ALREADY_OVER
        disputed = match is not None and match.has_accepted_resignation
        return PutAside.DISPUTED if disputed else PutAside.NOT_PLAYING

    def _see_own_line(self, opponent: Player | None, now: float) -> None:
        match = self.match
        answers, agrees = self._own.note_line(
            opponent, None if match is None else match.opponent, now
        )
        if answers:
            self._line.note_own_line()
            self.known.agreed_at = now if agrees else self.known.agreed_at
        if match is not None and opponent is None and match.confirmed:
            self._put_aside(self._why_not_playing())
        elif match is not None and match.opponent == opponent:
            match.confirmed = True

    def _take_match(self, message: Message, now: float) -> None:
        begins = beginning(message)
        if begins is not None and self._is_another_match(message, begins, now):
            self._begin_match(begins, now)
        match = self.match
        if match is None:
            self._take_late_result(message, now)
            return
        why = puts_aside(message, match.opponent)
        if why is not None:
            self._put_aside(PutAside.ALREADY_OVER if match.is_over else why)
            self._own.note_put_aside(match.opponent, now)
            return
        if is_about(message, match.opponent):
            match.receive(message, now)
        if match.ended is not None:
            self._end_match(match)
        elif match.between_games:
            self._move(Happening.GAME_OVER)
        else:
            self._move(Happening.GAME_STARTS if match.board is None else Happening.BOARD_SHOWN)

    def _is_another_match(self, message: Message, begins: MatchBegins, now: float) -> bool:
        opponent, match = begins.opponent, self.match
        if match is not None and match.opponent == opponent:
            return begins.how is not Beginning.FOUND
        if opponent == self.me or not isinstance(message, FibsBoard):
            return opponent != self.me
        if match is not None and self.known.progress.knows(message, in_this_match=False):
            return False  # an old one: a server that confuses matches could go on forever
        return message.turn != 0 or self._own.has_found(opponent, now)

    def _take_late_result(self, message: Message, now: float) -> None:
        """Take a result that comes late: some servers show us free before they say who won."""
        last = self.last_match
        if last is None or last.ended is not Ended.SAVED:
            return
        is_result = isinstance(message, matches.YouWinMatch | matches.WinsMatch)
        if is_result and is_about(message, last.opponent):
            last.receive(message, now)
            self._events.append(MatchEnds(last.opponent, last.ended, last.score))

    def _begin_match(self, begins: MatchBegins, now: float) -> None:
        self._put_aside(PutAside.ANOTHER_MATCH)
        self.match = MatchInPlay(begins, self.known.dialect, self._line.order, now)
        self.match.confirmed = self._own.opponent == begins.opponent
        self.known.progress.match_begins()
        self.people.match_begins()
        self._own.search_at = None
        self._events.append(begins)
        self._move(MatchBegins)

    def _put_aside(self, why: PutAside) -> None:
        if self.match is not None:
            self.match.ended = Ended.SAVED
            self._end_match(self.match, why)

    def _end_match(self, match: MatchInPlay, why: PutAside | None = None) -> None:
        assert match.ended is not None
        self._events.append(MatchEnds(match.opponent, match.ended, match.score, why))
        self.last_match, self.match = match, None
        self._own.search_at = None
        self._line.note_match_end(boards_came=match.requests.asked_at is None)
        self.setup.forget_saved()
        self._move(MatchEnds)

    # --- questions, and the event we wait for

    def question(self) -> Question | None:
        """Return the decision the bot has to make now; it stays until it is answered."""
        return None if self.match is None else self.match.question()

    def _note_waiting(self, now: float) -> None:
        what = self.state if self.match is None else self.match.awaited()
        if what is not self.waiting.what:
            self.waiting = Awaiting(what, now)
        if self.state in ONLINE:
            settled = self.state is ConnectionState.IDLE or self._is_resting
            self._settling.note(self.match, now, settled=settled)

    # --- commands out

    def send(self, command: Command, now: float) -> bytes:
        """Return the bytes of a command; IllegalCommand if the server would refuse it now."""
        reason = self._why_not(command)
        if reason is None and not self.affords(command, now):
            reason = "too often, while nothing goes on, or to a server that does not know it"
        if reason is not None:
            raise IllegalCommand(f"{type(command).__name__} {reason}")
        line = command.line()
        self.known.progress.sent(command, now)
        self._line.note_sent(command, now, is_question=command == self._keep_alive())
        self._note_sent(command, now)
        self._note_waiting(now)
        return line.encode("ascii") + b"\r\n"

    def may_send(self, command: Command, now: float) -> bool:
        """Return whether `send` would accept the command now."""
        return self._why_not(command) is None and self.affords(command, now)

    def affords(self, command: Command, now: float) -> bool:
        """Return whether the server knows the command and it was not sent too often."""
        return now >= self.free_at(command) and self.known.dialect.knows(command)

    def free_at(self, command: Command) -> float:
        """Return the time from which the budget of commands has room for it."""
        in_match = self.match is not None
        return self.known.progress.free_at(command, in_match=in_match)

    def _why_not(self, command: Command) -> str | None:
        if type(command) not in ALLOWED[self.state]:
            return f"while {self.state.value}"
        reason = None
        match command:
            case c.Join(name) if name not in self.people.invitations:
                reason = f"without an invitation from {name}"
            case c.Resign() if self.match is not None and not self.match.may_resign:
                reason = "while something else waits for an answer"
            case _ if type(command) in ANSWERS:
                reason = self._why_no_answer(command)
        return reason

    def _why_no_answer(self, command: Command) -> str | None:
        question = self.question()
        if not isinstance(question, ANSWERS[type(command)]):
            return f"is no answer: {'nothing is asked' if question is None else question}"
        if isinstance(command, c.Double) and not getattr(question, "may_double", False):
            return "is forbidden by the cube or the score"
        return None

    def _note_sent(self, command: Command, now: float) -> None:
        self._own.note_sent()
        match command:
            case Login():
                self._dialogue.note_sent(now)
                self._move(Happening.LOGIN_SENT)
            case c.AskWho(name):
                self._own.note_asked(name, self.me, now)
            case c.Join():
                self._own.note_join(now)
            case c.AskBoard() | c.Leave() if self.match is None:
                self._own.note_search(now)
        self.setup.sent(command, now)
        if self.match is not None:
            self.match.sent(command, now)

    # --- time

    def wanted(self, now: float) -> Command | None:
        """Return the session's own next command; call again until there is none."""
        if self.state is ConnectionState.CLOSED:
            return None
        self.held_until = float("-inf")
        online = self.state in ONLINE
        if online:
            self._end_overdue(now)
        command = self._wanted_online(now) if online else self._wanted_login(now)
        self._note_waiting(now)
        if command is not None and not self.affords(command, now):
            self.held_until = self.free_at(command)
            return None
        return command

    def _wanted_login(self, now: float) -> Command | None:
        if self._dialogue.is_our_turn(self.state, now):
            return self.login
        if now >= self._dialogue.until:
            self._fail(Failure.LOGIN_SILENT)
        return None

    def _end_overdue(self, now: float) -> None:
        """End a connection or match that has taken too long, even if we may not send anything."""
        match = self.match
        deaf = match is not None and now >= match.requests.unheard_at
        if deaf or self._line.is_dead(now, in_match=match is not None):
            self._fail(Failure.SILENT)
        elif match is not None and now >= match.left_at:
            self._put_aside(PutAside.ALREADY_OVER)
        elif now >= self._settling.until:
            self._settle()

    def _wanted_online(self, now: float) -> Command | None:
        if self._line.probed_at is not None or self.failure is not None:
            return None
        if now >= self._own.ask_at:
            return self.known.dialect.who(self.me)
        if now >= self._line.deadline:
            return self._keep_alive()
        if self.match is not None:
            return self.match.wants(now, self._keep_alive())
        return self._wanted_in_lobby(now)

    def _keep_alive(self) -> Command:
        """Return a command that the server answers."""
        time = c.AskTime()
        return time if self.known.dialect.knows(time) else self.known.dialect.who(self.me)

    def _wanted_in_lobby(self, now: float) -> Command | None:
        own = self._own
        if own.search_at is not None and now >= own.search_at:
            own.search_at = None
            if own.opponent is not None:
                return c.Leave() if own.is_lost else self.known.dialect.board
        if own.who_at is not None and now >= own.who_at:
            return self.known.dialect.who()
        if self.state is ConnectionState.WATCHING:
            return c.Unwatch() if now >= self._line.sent_at + UNWATCH_AGAIN_S else None
        spent = self.known.progress.is_spent
        command = None if self._is_resting else self.setup.next(now, lambda goal: spent(goal, now))
        if command is None:
            self._check_all_set()
        return command

    @property
    def _is_resting(self) -> bool:
        """True if we are away on purpose."""
        return self.state is ConnectionState.AWAY and not self.setup.ready

    def _settle(self) -> None:
        """Play with the settings as they are, or leave: we would never become idle."""
        if self.state is ConnectionState.SETTING_UP and not self._settling.fruitless:
            self.setup.give_up()
            self._check_all_set()
        else:
            self.give_up()

    @property
    def deadline(self) -> float | None:
        """Time at which to call `wanted` at the latest; None if the connection is over."""
        if self.state is ConnectionState.CLOSED:
            return None
        if self.state not in ONLINE:
            return max(self._dialogue.until, self.held_until)
        if self._line.probed_at is not None:
            return self._line.deadline
        times = [self._line.deadline, self._own.ask_at]
        if self.match is not None:
            times.append(self.match.deadline)
        else:
            times.append(self._own.deadline)
            if self.state is ConnectionState.WATCHING:
                times.append(self._line.sent_at + UNWATCH_AGAIN_S)
            elif self.setup.deadline is not None and not self._is_resting:
                times.append(self.setup.deadline)
        ends = () if self.match is None else (self.match.left_at, self.match.requests.unheard_at)
        return min(max(min(times), self.held_until), self._settling.until, *ends)

    @property
    def probed_at(self) -> float | None:
        """Time of a probe that still waits for any sign of life."""
        return self._line.probed_at

    @property
    def unseen_opponent(self) -> Player | None:
        """The opponent in a match that the server lists and does not show."""
        return self._own.opponent if self.match is None and self._own.is_lost else None

    @property
    def ready(self) -> bool:
        return self.setup.toggles.get(READY, False)


_NO_INVITATION = frozenset(
    {Refusal.NOT_INVITED, Refusal.INVITER_GONE, Refusal.INVITER_PLAYS_ELSEWHERE}
)
