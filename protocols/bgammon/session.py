"""One connection: bytes in, messages out; commands in, bytes out. No I/O, and no clock of its own.

It has the shape of `protocols.fibs.session`: the driver reads, calls `receive(data, now)`, answers
each message before it takes the next, and sends the commands of `wanted(now)`, the session's own
housekeeping. Tables, questions and results come as the messages of `protocols.fibs`.

A user sits at one table at a time. We take a seat by CreateTable or JoinTable, the match begins
when the other seat is taken, and after its end we stay for `rematch_within_s` and leave.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from sixprime.protocols.bgammon import commands as b
from sixprime.protocols.bgammon.events import (
    EventLines,
    Failed,
    HistoryShown,
    Pinged,
    Seated,
    SeatLeft,
    TableShown,
    TablesListed,
    Told,
    Welcomed,
)
from sixprime.protocols.bgammon.match import BgammonMatch
from sixprime.protocols.bgammon.standing import (
    LEAVE_AGAIN_S,
    PONG_AGAIN_S,
    PROBE_WITHIN_S,
    SEATED_WITHIN_S,
    NoSetup,
    OwnSeat,
    Pulse,
    Tables,
)
from sixprime.protocols.bgammon.states import (
    ALLOWED,
    ENDINGS,
    NEXT,
    REMATCH_OFFERED,
    SHUTDOWN,
    TERMINATED,
)
from sixprime.protocols.fibs.lifecycle import Beginning, Ended, MatchBegins, MatchEnds, PutAside
from sixprime.protocols.fibs.people import People
from sixprime.protocols.fibs.progress import KnownServer
from sixprime.protocols.fibs.questions import ANSWERS, Question
from sixprime.protocols.fibs.session import Awaiting
from sixprime.protocols.fibs.states import ONLINE, ConnectionState, Failure, Happening, Stateful
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire import login, matches
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand, Login
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.users import User

LOGIN_WITHIN_S = 30.0
REMATCH_WITHIN_S = 20.0
MOST_RATINGS_ASKED = 4
STANDARD = 0  # of TableShown.variant
_SEATING = (b.CreateTable, b.JoinTable, b.AskHistory)  # never at a table
_HOUSEKEEPING = (b.RollForStart, b.MakeStep, b.Confirm, b.TakeBack)


@dataclass(frozen=True, slots=True)
class RematchOffered(Message):
    """The last opponent wants another match; OfferRematch accepts."""

    opponent: Player


class BgammonSession(Stateful):
    """See the module's docstring."""

    transitions = NEXT

    def __init__(
        self,
        login: Login,
        now: float,
        known: KnownServer | None = None,
        rematch_within_s: float = REMATCH_WITHIN_S,
    ) -> None:
        super().__init__()
        self.login = login
        self.known = known or KnownServer()
        self.me = Player(login.user)
        self.people = People()
        self.people.saved_is_known = True
        self.match: BgammonMatch | None = None
        self.last_match: BgammonMatch | None = None
        self.rating: float | None = None
        self.experience: int | None = None
        self.setup = NoSetup()
        self.unseen_opponent: Player | None = None  # the server always shows our match
        self.known.dialect.note_unknown("oldmoves")
        self.tables = Tables()
        self.seat = OwnSeat()
        self.rematch_within_s = rematch_within_s
        self.held_until = float("-inf")
        self.waiting = Awaiting(self.state, now)
        self._lines = EventLines()
        self._pulse = Pulse(now)

    @property
    def is_bot(self) -> bool:
        """True if the server takes us for a program, by our name."""
        return b.is_bot(self.me)

    # --- bytes in

    def receive(self, data: bytes, now: float) -> Iterator[Message]:
        """Yield the messages that these bytes complete: answer each before taking the next."""
        if data:
            self._pulse.heard_at, self._pulse.probed_at = now, None
        for event in self._lines.feed(data):
            for message in self._take(event, now):
                if isinstance(message, FibsBoard):
                    self.known.progress.note_board(message, now)
                self._note_waiting(now)
                yield message
            self._note_waiting(now)

    def events(self) -> list[MatchBegins | MatchEnds]:
        """Return nothing: here only lines begin and end matches."""
        return []

    def _take(self, event: Message, now: float) -> list[Message]:
        match event:
            case Told(text) if text.startswith(TERMINATED):
                self._fail(_failure_of(text))
            case Pinged():
                self._pulse.is_pinged = True
                return []
            case _ if self.state is ConnectionState.CLOSED:
                return []
            case Welcomed(name) if self.state is ConnectionState.LOGGING_IN:
                self.me = name
                self.known.welcomed = True
                self.tables.ask_at = now + SEATED_WITHIN_S  # it may put us back into a match
                if self.login.password:
                    self.tables.ratings_wanted.append(name)
                self._move(Welcomed)
            case _ if self.state in ONLINE:
                return self._take_online(event, now)
        return [event]

    def _take_online(self, event: Message, now: float) -> list[Message]:
        match event:
            case Told(text):
                return self._take_sentence(event, text, now)
            case Failed("create" | "join"):
                self.seat.asked_at = None
            case TablesListed(tables):
                self.tables.open, self.tables.listed_at = tables, now
            case HistoryShown(name, single, multi):
                return self._note_ratings(name, single, multi)
            case Seated(name, table) if name == self.me:
                self.seat = OwnSeat(table)
            case SeatLeft(name):
                return [event, *self._note_left(name, now)]
            case TableShown():
                return self._take_table(event, now)
            case _ if self.match is not None:
                return self._take_match(event, now)
        return [event]

    def _take_sentence(self, event: Message, text: str, now: float) -> list[Message]:
        if text == REMATCH_OFFERED and self.last_match is not None:
            return [RematchOffered(self.last_match.opponent)]
        if text.startswith(SHUTDOWN):
            return [login.Shutdown(text)]
        return [event] if self.match is None else self._take_match(event, now)

    def _take_match(self, event: Message, now: float) -> list[Message]:
        match = self.match
        assert match is not None
        told = match.receive(event, now)
        if match.ended is not None:
            self.seat.leave_at = now + self.rematch_within_s
            told += self._ends(match.ended)
        return told or [event]

    def _note_left(self, name: Player, now: float) -> list[Message]:
        match = self.match
        if name == self.me:
            self.seat = OwnSeat()
            return self._leaves()
        if match is None or name != match.opponent:
            return []
        if not match.has_begun:
            return self._ends(Ended.SAVED, PutAside.OPPONENT_LEFT)
        match.absent_since = now
        return []

    def _take_table(self, shown: TableShown, now: float) -> list[Message]:
        if shown.is_watched or shown.variant != STANDARD:
            self.seat.is_wrong = True
            return []
        told: list[Message] = []
        opponent, match = shown.theirs.name, self.match
        self._note_seats(shown)
        if match is not None and opponent not in ("", match.opponent):
            told += self._ends(Ended.SAVED, PutAside.ANOTHER_MATCH)
        if self.match is None:
            score = shown.ours.points, shown.theirs.points
            if not opponent or shown.winner or max(score) >= shown.length:
                return told  # nobody is there yet, or it is the end of the last match
            told += self._begins(shown, now)
        assert self.match is not None
        told += self.match.receive(shown, now)
        self._move(Happening.GAME_OVER if self.match.between_games else Happening.BOARD_SHOWN)
        return told

    def _begins(self, shown: TableShown, now: float) -> list[Message]:
        opponent = shown.theirs.name
        is_new = shown.started == 0
        self.match = BgammonMatch(opponent, shown, now)
        self.seat.leave_at = None
        self.known.progress.match_begins()
        self._move(MatchBegins)
        if is_new:
            begins = MatchBegins(opponent, Beginning.NEW, shown.length)
            return [begins, matches.NowPlaying(opponent, shown.length)]
        return [MatchBegins(opponent, Beginning.RESUMED), matches.Resumed(opponent)]

    def _leaves(self) -> list[Message]:
        """Note that we have left the table; a match that has begun is lost by who left first."""
        match = self.match
        if match is None:
            return []
        absent = match.absent_since is not None
        why = PutAside.OPPONENT_LEFT if absent else PutAside.WE_LEFT
        if not match.has_begun:
            return self._ends(Ended.SAVED, why)
        return self._ends(Ended.WON if absent else Ended.LOST, why)

    def _ends(self, how: Ended, why: PutAside | None = None) -> list[Message]:
        match = self.match
        assert match is not None
        match.ended = how
        self.last_match, self.match = match, None
        if self.login.password and how is not Ended.SAVED:
            wanted = dict.fromkeys((*self.tables.ratings_wanted, self.me, match.opponent))
            self.tables.ratings_wanted = deque(wanted, MOST_RATINGS_ASKED)
        self._move(MatchEnds)
        return [MatchEnds(match.opponent, how, match.score, why)]

    # --- ratings

    def _note_seats(self, shown: TableShown) -> None:
        if shown.ours.rating > 0:
            self.rating = float(shown.ours.rating)
        if shown.theirs.name:
            self._note_user(shown.theirs.name, shown.theirs.rating, is_here=True)

    def _note_user(self, name: Player, rating: int, *, is_here: bool) -> User:
        opponent = self.me if is_here else None
        user = User(
            name, opponent, None, ready=True, away=False, rating=float(rating), experience=0
        )
        self.people.users.clear()  # one at a time: who is at our table
        self.people.users[name] = user
        return user

    def _note_ratings(self, name: Player, single: int, multi: int) -> list[Message]:
        """Take a player's ratings; the length of the last match says which of the two counts."""
        last = self.last_match
        rating = single if last is not None and last.length == 1 else multi
        if name.lower() != self.me.lower():
            return [self._note_user(name, rating, is_here=False)]
        self.rating = float(rating)
        return [User(self.me, None, None, ready=True, away=False, rating=self.rating, experience=0)]

    # --- questions, and the event we wait for

    def question(self) -> Question | None:
        """Return the decision the bot has to make now; it stays until it is answered."""
        return None if self.match is None else self.match.question()

    def _note_waiting(self, now: float) -> None:
        what = self.state if self.match is None else self.match.awaited()
        if what is not self.waiting.what:
            self.waiting = Awaiting(what, now)

    # --- commands out

    def send(self, command: Command, now: float) -> bytes:
        """Return the bytes of a command; IllegalCommand if the server would refuse it now."""
        reason = self._why_not(command)
        if reason is None and not self.affords(command, now):
            reason = "too often, while nothing goes on"
        if reason is not None:
            raise IllegalCommand(f"{type(command).__name__} {reason}")
        line = b.line_of(command)
        if not isinstance(command, b.Pong):
            self.known.progress.sent(command, now)
        self._note_sent(command, now)
        self._note_waiting(now)
        return line.encode() + b"\n"

    def may_send(self, command: Command, now: float) -> bool:
        """Return whether `send` would accept the command now."""
        return self._why_not(command) is None and self.affords(command, now)

    def affords(self, command: Command, now: float) -> bool:
        """Return whether the command was not sent too often; a dead line is probed in any case."""
        probes = isinstance(command, b.ListTables) and self._pulse.is_silent(now)
        return probes or now >= self.free_at(command)

    def free_at(self, command: Command) -> float:
        """Return the time from which the budget of commands has room for it."""
        if isinstance(command, b.Pong):
            return self._pulse.ponged_at + PONG_AGAIN_S
        return self.known.progress.free_at(command, in_match=self.match is not None)

    def _why_not(self, command: Command) -> str | None:
        if type(command) not in ALLOWED[self.state]:
            return f"while {self.state.value}"
        match, reason = self.match, None
        if isinstance(command, _SEATING) and self.seat.is_taken:
            reason = "while we sit at a table, or have asked for one"
        elif isinstance(command, _HOUSEKEEPING):
            is_due = match is not None and match.due() == command
            reason = None if is_due else "when it is not due"
        elif type(command) in ANSWERS:
            reason = self._why_no_answer(command)
        else:
            reason = self._why_not_about_others(command)
        return reason

    def _why_not_about_others(self, command: Command) -> str | None:
        match, last = self.match, self.last_match
        match command:
            case b.JoinTable(table) if self.is_bot and not b.is_bot(str(table)):
                return "at a table where a person may sit: the server would stop for ever"
            case b.OfferRematch() if last is None or self.seat.leave_at is None:
                return "without a match that is over"
            case c.Resign(games) if match is not None and not match.may_resign:
                return "out of our turn"
            case c.Resign(games) if match is not None and games < match.lost_games:
                return f"loses {match.lost_games} games here"
            case c.Tell(name):
                partner = match or (last if self.seat.leave_at is not None else None)
                here = match is None or match.absent_since is None
                is_partner = partner is not None and partner.opponent == name and here
                return None if is_partner else "to somebody who is not at our table"
        return None

    def _why_no_answer(self, command: Command) -> str | None:
        question = self.question()
        if not isinstance(question, ANSWERS[type(command)]):
            return f"is no answer: {'nothing is asked' if question is None else question}"
        if isinstance(command, c.Double) and not getattr(question, "may_double", False):
            return "is forbidden by the cube or the score"
        return None

    def _note_sent(self, command: Command, now: float) -> None:
        match command:
            case Login():
                self._move(Happening.LOGIN_SENT)
                self._pulse.heard_at = now
            case b.Pong():
                self._pulse.ponged_at, self._pulse.is_pinged = now, False
            case b.ListTables() if self._pulse.is_silent(now):
                self._pulse.probed_at = now
            case c.Leave():
                self.seat.left_at = now
            case b.CreateTable() | b.JoinTable():
                self.seat.asked_at = now
            case b.AskHistory(name) if name in self.tables.ratings_wanted:
                self.tables.ratings_wanted.remove(name)
            case b.OfferRematch():
                self.seat.leave_at = now + self.rematch_within_s
        if self.match is not None:
            self.match.sent(command, now)

    # --- time

    def wanted(self, now: float) -> Command | None:
        """Return the session's own next command; call again until there is none."""
        self.held_until = float("-inf")
        if self.state is ConnectionState.AWAITING_PROMPT:
            command: Command | None = self.login
        elif self.state is ConnectionState.LOGGING_IN:
            if now >= self._pulse.heard_at + LOGIN_WITHIN_S:
                self._fail(Failure.LOGIN_SILENT)
            return None
        else:
            command = self._wanted_online(now) if self.state in ONLINE else None
        self._note_waiting(now)
        if command is not None and not self.affords(command, now):
            self.held_until = self.free_at(command)
            return None
        return command

    def _wanted_online(self, now: float) -> Command | None:
        pulse, match = self._pulse, self.match
        deaf = match is not None and now >= match.unheard_at
        if deaf or (pulse.probed_at is not None and now >= pulse.probed_at + PROBE_WITHIN_S):
            self._fail(Failure.SILENT)
            return None
        if pulse.is_pinged and now >= pulse.ponged_at + PONG_AGAIN_S:
            return b.Pong()
        if pulse.is_silent(now):
            return b.ListTables()
        if self.seat.is_left(now):
            return c.Leave()
        if match is not None:
            return match.wants(now)
        if self.seat.asked_at is not None and now >= self.seat.asked_at + SEATED_WITHIN_S:
            self.seat.asked_at = None
        wanted = self.tables.ratings_wanted
        asks = wanted and not self.seat.is_taken and now >= self.tables.ask_at
        return b.AskHistory(wanted[0]) if asks else None

    @property
    def deadline(self) -> float | None:
        """Time at which to call `wanted` at the latest; None if the connection is over."""
        if self.state is ConnectionState.CLOSED:
            return None
        if self.state not in ONLINE:
            return max(self._pulse.heard_at + LOGIN_WITHIN_S, self.held_until)
        times = [self._pulse.deadline]
        if self.seat.leave_at is not None or self.seat.is_wrong:
            times.append(max(self.seat.leave_at or 0.0, self.seat.left_at + LEAVE_AGAIN_S))
        if self.match is None and self.seat.asked_at is not None:
            times.append(self.seat.asked_at + SEATED_WITHIN_S)
        if self.match is None and self.tables.ratings_wanted and not self.seat.is_taken:
            times.append(self.tables.ask_at)
        if self.match is not None and self.match.open.until is not None:
            times.append(self.match.open.until)
        ends = () if self.match is None else (self.match.unheard_at,)
        return min(max(min(times), self.held_until), self._pulse.deadline, *ends)

    @property
    def probed_at(self) -> float | None:
        """Time of a probe that still waits for any sign of life."""
        return self._pulse.probed_at


def _failure_of(text: str) -> Failure:
    """Return why the server ends the connection, by its own words."""
    return next((why for words, why in ENDINGS if words in text), Failure.KICKED)
