"""One bot on one server: what it hears, what it does, over many connections.

A Client does no I/O. A Conversation tells it every message after the session has taken notice, and
asks it what to say when the session itself has nothing to say. Thinking is started here and comes
back through `stir`; whatever is decided is said only if the same question still stands.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import random
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from enum import IntEnum

import structlog

from sixprime.bot.archive.events import (
    Event,
    Evidence,
    Keeper,
    MatchOver,
    Rated,
    Recalled,
    Resigning,
    Standing,
    Way,
    Who,
    Wire,
)
from sixprime.bot.archive.gaps import LookBack
from sixprime.bot.archive.recovery import Recall
from sixprime.bot.client.activity import Activity, activity
from sixprime.bot.client.chat import Answer, Chatter, Facts
from sixprime.bot.client.deciders import level_name
from sixprime.bot.client.lobby import DAY_S, Desk
from sixprime.bot.client.metrics import Metrics
from sixprime.bot.client.scribe import Scribe
from sixprime.bot.client.thinking import Decision, Thinker
from sixprime.bot.settings.schema import Profile
from sixprime.protocols.fibs.match import Awaited, Ended, Match
from sixprime.protocols.fibs.questions import JoinNextGame, Question
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.states import IN_LOBBY, ONLINE, State
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire import matchmessages as m
from sixprime.protocols.fibs.wire import messages as s
from sixprime.protocols.fibs.wire.board import BrokenBoard
from sixprime.protocols.fibs.wire.commands import Command, IllegalCommand, Login
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused
from sixprime.protocols.formats.record import Match as Record

log = structlog.get_logger("bot")

LOBBY_LOOK_S = 1.0
QUIET_LOOK_S = 30.0
KEPT_LINES = 200  # for evidence
LONGEST_LINE = 1_000
STEADY_MATCH_S = 5.0  # between two tries to leave
STUCK_S = 600.0  # in a match, where not even the opponent can do anything
ARCHIVE_WITHIN_S = 10.0  # a database that answers nothing for so long hangs; we play on without,
STILL_HANGS_S = 0.1  # and wait no longer than this until it has answered
SHUTDOWN_S = 3_600.0  # after that a server that was to go down will not
MOST_CHAT = 20
MOST_SCRIBES = 50  # of matches that were put aside
RATED_WITHIN_S = 5.0  # of the end of a match
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
_WAITS = frozenset({Awaited.OPPONENT, Awaited.OPPONENTS_ANSWER, Awaited.OPPONENT_TO_JOIN})


class Stop(IntEnum):
    """How urgently to stop."""

    NO = 0
    FINISH = 1  # after the match
    SAVE = 2  # leave the match, the server saves it


@dataclass(slots=True)
class Asked:
    """The question that we think about, and what came of it."""

    question: Question
    not_before: float
    task: asyncio.Task[None] | None = None
    decision: Decision | None = None
    said: bool = False


@dataclass(slots=True)
class Rating:
    """A match is over, and the who lines with the new ratings are awaited."""

    scribe: Scribe
    missing: set[str]
    until: float


class Client:
    """See the module's docstring."""

    def __init__(
        self,
        profile: Profile,
        thinker: Thinker,
        keeper: Keeper,
        metrics: Metrics,
        *,
        dice: random.Random | None = None,
        clock: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
    ) -> None:
        self.profile = profile
        self.thinker = thinker
        self.metrics = metrics
        self.level = level_name(profile.player.level)
        self.desk = Desk(profile.lobby, profile.chat.bots)
        self.chatter = Chatter(profile.chat, self.level)
        self.session: Session | None = None
        self.connecting = False
        self.online_since = self.last_online = 0.0
        self.stop = Stop.NO
        self._online = False
        self.stir: Callable[[], None] = lambda: None
        self.log = log.bind(profile=profile.name)
        self._keeper = keeper
        self._clock = clock
        self._dice = dice or random.Random()
        self._group: asyncio.TaskGroup | None = None
        self._scribe: Scribe | None = None
        self._scribes: dict[Player, Scribe] = {}
        self._rating: Rating | None = None
        self._match: Match | None = None
        self._last: Match | None = None
        self._asked: Asked | None = None
        self._chat: deque[Command] = deque()
        self._leave: str | None = None  # the reason
        self._left_at = float("-inf")
        self._stuck_since = 0.0  # since then it is not the opponent whom we wait for
        self._open_again = float("inf")  # if the server has not gone down after all
        self._said_bye = False
        self._recollected = False
        self._reminded = False
        self._may_resign = True
        self._look_back = LookBack()
        self._answers: deque[Answer] = deque()  # that wait for the archive
        self._archive_hangs = False
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._pieces = {True: b"", False: b""}
        self._shown: Activity | None = None

    # --- a connection comes and goes

    def connects(self) -> None:
        """A connection is attempted."""
        self.connecting = True
        self.online_since = self.last_online  # not for a moment, so far
        self.show()

    def attach(self, session: Session, group: asyncio.TaskGroup, stir: Callable[[], None]) -> None:
        """A new connection."""
        self.session, self._group, self.stir = session, group, stir
        self.desk.connected()
        self.desk.closing = self.stop is not Stop.NO
        session.want_ready(not self.profile.lobby.paused)
        self._open_again = float("inf")
        self._asked = None
        self._chat.clear()
        self._leave = None
        self._look_back.connected()
        self._answers.clear()
        self._said_bye = False
        self._pieces = {True: b"", False: b""}
        self._lines.clear()

    def detach(self) -> None:
        """The connection is over."""
        self._drop_question()
        self._online = False
        if self._match is not None:
            self._put_aside("the connection is lost")
        self._finish_last()
        self.session = self._group = None
        self.stir = lambda: None
        self.show()

    def request_stop(self, how: Stop) -> None:
        """Stop, at least this urgently."""
        self.stop = max(self.stop, how)
        self.desk.closing = True
        self.show()
        self.stir()

    # --- what we hear

    def hear(self, message: Message, now: float) -> None:
        """Take notice of a message."""
        session = self.session
        assert session is not None
        if session.state in ONLINE:
            self._is_online(session, now)
        self.desk.hear(message, now)
        self._follow_match(session, message, now)
        self._look_back.hear(message)
        match message:
            case s.Said():
                self._answer(session, message, now)
            case s.Unknown(line) | s.LineTooLong(line):
                self.metrics.unknown_lines.labels(self.profile.name).inc()
                self.log.info("not understood", line=line, state=session.state.value)
            case Refused(why, about):
                self._hear_refusal(session, why, about)
            case BrokenBoard(line, reason):
                self.log.warning("a board that cannot be true", line=line, reason=reason)
            case s.Shutdown(text) if session.state in ONLINE:  # a banner tells the past, too
                self.log.warning("the server will go down", text=text)
                self.desk.closing = True
                self._open_again = now + SHUTDOWN_S
            case m.RejectsResignation():
                self._may_resign = False
            case m.GameStarts():
                self._may_resign = True
            case s.User(name):
                self._show_rating(session)
                self._hear_rating(name)
        self.show()

    def _is_online(self, session: Session, now: float) -> None:
        if not self._online:
            self._online, self.online_since = True, now
            self._lines.clear()  # a server may echo the line that has the password
            self.log.info("logged in", rating=session.rating, experience=session.experience)
        self.last_online = now

    def _follow_match(self, session: Session, message: Message, now: float) -> None:
        match = session.match
        if self._match is not None and match is not self._match:
            self._match_ends(self._match, message, now)
        if match is not None and match is not self._match:
            self._match_begins(session, match, message, now)
        if self._scribe is not None:
            self._note_all(self._scribe.hear(message, match, self._clock()))
        late = isinstance(message, m.YouWinMatch | m.WinsMatch) and match is None
        if late and self._last is not None and self._last.ended in (Ended.WON, Ended.LOST):
            self._finished(self._last, now)

    def _match_begins(self, session: Session, match: Match, message: Message, now: float) -> None:
        resumed = isinstance(message, m.Resumed | m.ResumedBy)
        if isinstance(message, m.NowPlaying | m.JoinedYou):
            self._leave = self.desk.objection(match.opponent, message.length, resumed)
        self._match = match
        self._last = None
        self._may_resign, self._reminded = True, False
        self._stuck_since = now
        self.desk.match_begins(match.opponent, now)
        user = session.people.users.get(match.opponent)
        self.thinker.faces(None if user is None else user.rating)
        self._scribe = self._scribe_of(match, session)
        self.log.info("match begins", opponent=match.opponent, length=match.length, resumed=resumed)
        if self._leave is not None:
            self._chat.append(c.Tell(match.opponent, self._leave))
            self.log.warning("not what was agreed to, leaving", length=match.length)
        elif greeting := self.chatter.greets(match.opponent, match.length, now):
            self._chat.append(greeting)

    def _match_ends(self, match: Match, message: Message, now: float) -> None:
        self._drop_question()
        self._leave = None
        if match.ended in (Ended.WON, Ended.LOST):
            if self._scribe is not None:
                self._note_all(self._scribe.hear(message, match, self._clock()))
            self._finished(match, now)
        else:
            self._last = match
            self._put_aside(type(message).__name__, now)

    def _finished(self, match: Match, now: float) -> None:
        won = match.ended is Ended.WON
        self._last = None
        self.log.info("match over", opponent=match.opponent, won=won, score=match.score)
        self.metrics.matches.labels(self.profile.name, "won" if won else "lost").inc()
        self.desk.match_ends(match.opponent, saved=False, now=now)
        if farewell := self.chatter.parts(match.opponent, match.score):
            self._chat.append(farewell)
        scribe = self._scribe or self._scribes.get(match.opponent)
        if scribe is not None:
            self._note_all(scribe.over(match, self._clock()))
            self._scribes.pop(match.opponent, None)
            names = {self.profile.account.user, match.opponent}
            self._rating = Rating(scribe, {str(name) for name in names}, now + RATED_WITHIN_S)
        self._match = self._scribe = None

    def _put_aside(self, reason: str, now: float | None = None) -> None:
        match = self._match
        if match is None:
            return
        self.log.info("match saved", opponent=match.opponent, reason=reason, score=match.score)
        self.metrics.matches.labels(self.profile.name, "saved").inc()
        if now is not None:
            place_s = 0.0 if self.stop else self.profile.player.patience.keep_place_s
            self.desk.match_ends(match.opponent, saved=True, now=now, place_s=place_s)
        if self._scribe is not None:
            self._note_all(self._scribe.saved(reason, self._clock()))
            self._finish(self._scribe.who)
        self._match = self._scribe = None

    def _hear_rating(self, name: str) -> None:
        if self._rating is not None:
            self._rating.missing.discard(name)
            if not self._rating.missing:
                self._finish_last()

    def _finish_last(self) -> None:
        """The last match is told to the end."""
        if self._rating is not None:
            rating, self._rating = self._rating, None
            self._note_all(rating.scribe.rated(self._clock()))
            self._finish(rating.scribe.who)

    def _hear_refusal(self, session: Session, why: Refusal, about: str) -> None:
        self.metrics.refused.labels(self.profile.name, why.name).inc()
        match = session.match
        self.log.info("refused", why=why.name, about=about, state=session.state.value)
        if match is not None and why in ILLEGAL_MOVES and match.refused >= 2:
            now = asyncio.get_running_loop().time()
            self._leave_in_trouble(match, "moves refused", "a second move is refused, leaving", now)

    def _leave_in_trouble(self, match: Match, kind: str, what: str, now: float) -> None:
        """We cannot go on; what helps to find out why is kept."""
        if self._leave is not None:
            return
        self.metrics.errors.labels(self.profile.name, kind).inc()
        self.log.error(what, opponent=match.opponent)
        self._evidence(what)
        self._leave = "Sorry, I have a problem and have to leave. Our match is saved."
        self.desk.troubled(match.opponent, now)

    def _answer(self, session: Session, message: s.Said, now: float) -> None:
        self.log.debug("told", name=message.name, text=message.text)
        answer = self.chatter.answers(message, session.people.users.get(message.name), now)
        if answer is None or len(self._chat) + len(self._answers) >= MOST_CHAT:
            return
        if answer.tells_record:
            self._answers.append(answer)
        else:
            self._chat.append(answer.told(Facts(self.level, session.rating, session.experience)))

    # --- what has to wait for the archive

    async def prepare(self) -> None:
        """Until all that was noted is durable, and the archive has answered what we have to ask."""
        session, back = self.session, self._look_back
        assert session is not None
        while True:
            async with self._answering_archive("notes"):
                await self._keeper.kept()
            if back.gives_up(asyncio.get_running_loop().time()):
                self.log.info("the server does not tell the last game")
            if not self._recollected:
                await self._recollect()
            elif back.told is not None:
                recall, back.told = back.told, None
                await self._keep_recalled(session, recall)
            elif back.is_due and self._may_look_back(session):
                back.is_due = False
                await self._find_missed(session)
            elif self._answers:
                await self._tell_record(session)
            else:
                return

    async def kept(self) -> None:
        """Until all that was noted is durable, before we stop; a hanging archive gets its time."""
        self._archive_hangs = False
        async with self._answering_archive("notes"):
            await self._keeper.kept()

    async def _recollect(self) -> None:
        """Matches of the last day that an earlier run of this program played count, too."""
        self._recollected = True
        host, account = self.profile.server.host, self.profile.account.user
        async with self._answering_archive("recent"):
            recent = await self._keeper.recent(host, account, DAY_S)
            now = asyncio.get_running_loop().time()
            for opponent, ago_s in recent:
                self.desk.played.note(Player(opponent), now - ago_s)

    async def _tell_record(self, session: Session) -> None:
        """Answer a question that takes a look into the archive."""
        answer, record = self._answers.popleft(), "unknown"
        async with self._answering_archive("record"):
            won, lost = await self._keeper.record(self.profile.account.user, answer.name)
            record = f"{won} won, {lost} lost"
        facts = Facts(self.level, session.rating, session.experience, record)
        self._chat.append(answer.told(facts))

    def _may_look_back(self, session: Session) -> bool:
        return self.stop is Stop.NO and session.state in _LOOKING_BACK

    async def _find_missed(self, session: Session) -> None:
        """Ask if the archive misses something of the last game."""
        alive = {str(name) for name in session.people.saved}
        if session.match is not None:
            alive.add(session.match.opponent)
        account, host = self.profile.account.user, self.profile.server.host
        async with self._answering_archive("missed"):
            self._look_back.found(await self._keeper.missed(host, account, alive))

    async def _keep_recalled(self, session: Session, recall: Recall) -> None:
        """Keep what the server told of the last game."""
        who = recall.who
        async with self._answering_archive("Recalled"):
            game = recall.game()
            told = None if game is None else Recalled(who, self._clock(), game)
            match = None if told is None else await self._keeper.recall(told)
            known = match is not None
            self.log.info("the server told the last game", opponent=who.opponent, is_ours=known)
            if match is not None:
                self._follow_recalled(session, who, match)

    def _follow_recalled(self, session: Session, who: Who, match: Record) -> None:
        in_play = session.match is not None and session.match.opponent == who.opponent
        is_over = match.winner is not None and match.length > 0
        if in_play and not is_over:
            return
        if match.winner is not None and is_over:  # what is in play now is another one
            if not in_play:
                self._scribes.pop(Player(who.opponent), None)
            over = MatchOver(who, self._clock(), match.winner, match.score)
            user = session.people.users.get(Player(who.opponent))
            theirs = Standing() if user is None else Standing(user.rating, user.experience)
            ours = Standing(session.rating, session.experience)
            self._note_all([over, Rated(who, self._clock(), ours, theirs)])
            self.log.info("match had ended", opponent=who.opponent, won=match.winner == 0)
        self._finish(who)

    # --- what we say

    def next(self, now: float) -> Command | None:
        """The next command; None: nothing now."""
        session = self.session
        if session is None or session.state not in ONLINE:
            return None
        if now >= self._open_again:
            self._open_again = float("inf")
            self.desk.closing = self.stop is not Stop.NO
        if self._rating is not None and now >= self._rating.until:
            self._finish_last()
        may_look_back = self._may_look_back(session)
        if may_look_back and self._look_back.is_due:
            self.stir()  # we are idle since this moment: first `prepare` asks the archive
            return None
        if may_look_back and (missed := self._look_back.missed) is not None:
            self.log.info("asking for the last game", opponent=missed.opponent)
            self._look_back.ask(missed, now)
            return c.AskOldMoves()
        command = self._next_in_match(session, now) if session.match is not None else None
        if command is None and session.match is None:
            self._drop_question()
        if command is None:
            command = self._next_chat(session)
        if command is None and session.match is None:
            command = self._next_in_lobby(session, now)
        return command if command is not None and _may_say(session, command) else None

    def _next_in_match(self, session: Session, now: float) -> Command | None:
        match = session.match
        assert match is not None
        between = self.stop is Stop.SAVE or self._leave is not None
        if between:
            if now < self._left_at + STEADY_MATCH_S or self._chat:
                return None
            self._left_at = now
            self.log.info("leaving", opponent=match.opponent)
            return c.Leave()
        if session.waiting.what in _WAITS:
            self._stuck_since = now
        elif now >= max(self._stuck_since, match.moved_at) + STUCK_S:
            self._leave_in_trouble(match, "stuck", "nothing happens, leaving", now)
            return None
        return self._next_answer(session, now) or self._patience(session, match, now)

    def _next_answer(self, session: Session, now: float) -> Command | None:
        question = session.question()
        if question is None:
            return None
        asked = self._asked
        if asked is None or asked.question != question:
            self._drop_question()
            self._asked = self._ask(question, now)
            return None
        decision = asked.decision
        if decision is None or decision.command is None or now < asked.not_before:
            return None
        self._asked = None
        if not session.may_send(decision.command):
            self.log.info("no longer an answer", command=type(decision.command).__name__)
            return None
        if self._scribe is not None:
            self._scribe.decided(decision)
        return decision.command

    def _ask(self, question: Question, now: float) -> Asked:
        pace = self.profile.player.pace
        asked = Asked(question, now + self._dice.uniform(pace.least_s, pace.most_s))
        assert self._group is not None
        asked.task = self._group.create_task(self._think(asked))
        return asked

    async def _think(self, asked: Asked) -> None:
        match = self.session.match if self.session is not None else None
        may_resign = self._may_resign and match is not None and match.may_resign
        asked.decision = await self.thinker.decide(asked.question, may_resign=may_resign)
        command = asked.decision.command
        if isinstance(command, c.Resign) and self._scribe is not None:
            self._note_all([Resigning(self._scribe.who, self._clock(), command.games)])
        if not isinstance(asked.question, JoinNextGame):
            took = self.metrics.deciding.labels(self.profile.name, asked.decision.step)
            took.observe(asked.decision.took_s)
        self.stir()

    def _drop_question(self) -> None:
        if self._asked is not None and self._asked.task is not None:
            self._asked.task.cancel()
        self._asked = None

    def _patience(self, session: Session, match: Match, now: float) -> Command | None:
        """With an opponent who does nothing."""
        patience = self.profile.player.patience
        if session.waiting.what not in _WAITS:
            self._reminded = False
            return None
        waited = now - session.waiting.since
        ask_after_s = float("inf") if self._reminded else patience.ask_after_s or float("inf")
        leave_after_s = patience.leave_after_s or float("inf")
        if waited < min(ask_after_s, leave_after_s):
            return None
        if not match.makes_sure(now):
            return None  # a line may be lost, and the opponent wait for us
        if waited >= leave_after_s:
            self._leave = "Sorry, I cannot wait any longer. Our match is saved."
            self._chat.append(c.Tell(match.opponent, self._leave))
            return None
        self._reminded = True
        return c.Kibitz("Are you still there?")

    def _next_chat(self, session: Session) -> Command | None:
        while self._chat:
            command = self._chat.popleft()
            if _may_say(session, command):
                return command
        return None

    def _next_in_lobby(self, session: Session, now: float) -> Command | None:
        if session.state not in IN_LOBBY:
            return None
        if self.stop is not Stop.NO:
            if self._said_bye:
                return None
            self._said_bye = True
            return c.Logout()
        if session.state not in (State.IDLE, State.AWAY) or self._look_back.is_asking:
            return None
        command = self.desk.wants(session.people, session.me, now)
        for name, reason in self.desk.declined:
            self.metrics.declined.labels(self.profile.name, reason).inc()
            self.log.info("declined", opponent=name, reason=reason)
        self.desk.declined.clear()
        return command

    def next_look(self, now: float) -> float:
        """When `next` may have something to say by itself."""
        session = self.session
        if session is None:
            return now + QUIET_LOOK_S
        if session.match is None:
            return now + (LOBBY_LOOK_S if session.state in IN_LOBBY else QUIET_LOOK_S)
        if self._asked is not None and self._asked.decision is not None:
            if self._asked.decision.command is not None and self._asked.not_before > now:
                return self._asked.not_before
            return now + LOBBY_LOOK_S
        return now + (LOBBY_LOOK_S if self._leave or self.stop else STEADY_MATCH_S)

    def said(self, command: Command, now: float) -> None:
        """A command is on its way."""
        if isinstance(command, Login):
            self.log.info("logging in", user=command.user)
        else:
            self.log.debug("say", line=command.line())
        if isinstance(command, c.Move):
            self.metrics.moves.labels(self.profile.name).inc()
        if self._scribe is not None:
            self._note_all(self._scribe.said(command, self._clock()))
        self.show()

    # --- the record

    def wire(self, data: bytes, *, ours: bool) -> None:
        """Keep the last lines as evidence, and those of a match for its raw log."""
        *lines, rest = (self._pieces[ours] + data).split(b"\n")
        self._pieces[ours] = rest[:LONGEST_LINE]
        way = Way.SAID if ours else Way.HEARD
        for each in lines:
            line = each[:LONGEST_LINE].decode("latin-1").rstrip("\r")
            self._lines.append(f"{way.value} {line}")
            if self._scribe is not None and self.profile.archive.raw_log:
                self._note_all([Wire(self._scribe.who, self._clock(), way, line)])

    def _evidence(self, what: str) -> None:
        if self._scribe is not None:
            kept = Evidence(self._scribe.who, self._clock(), what, tuple(self._lines))
            self._note_all([kept])
        self.log.error("evidence", what=what, lines=list(self._lines)[-40:])

    def _note_all(self, events: list[Event]) -> None:
        for event in events:
            with self._from_archive(type(event).__name__):
                self._keeper.note(event)
            self._look_back.note(event)

    @contextmanager
    def _from_archive(self, what: str) -> Iterator[None]:
        """What fails in here must not stop the game."""
        try:
            yield
        except Exception as error:
            self.metrics.errors.labels(self.profile.name, "archive").inc()
            self.log.error("the archive failed", what=what, exc_info=error)

    @asynccontextmanager
    async def _answering_archive(self, what: str) -> AsyncIterator[None]:
        """What hangs in here must not stop the game either; what was noted is still written."""
        limit = asyncio.timeout(STILL_HANGS_S if self._archive_hangs else ARCHIVE_WITHIN_S)
        with self._from_archive(what):
            try:
                async with limit:
                    yield
            except TimeoutError:
                if not (limit.expired() and self._archive_hangs):  # else it has been told
                    raise
        self._archive_hangs = limit.expired()

    def _finish(self, who: Who) -> None:
        with self._from_archive("files"):
            self._keeper.finish(who)

    def _scribe_of(self, match: Match, session: Session) -> Scribe:
        """Who followed the match before it was put aside, or a new one."""
        self._finish_last()
        scribe = self._scribes.pop(match.opponent, None)
        if scribe is None:
            scribe = Scribe(self._who(match), session, self.level)
        else:
            scribe.resume(session)
        self._scribes[match.opponent] = scribe
        while len(self._scribes) > MOST_SCRIBES:
            del self._scribes[next(iter(self._scribes))]
        return scribe

    def _who(self, match: Match) -> Who:
        return Who(self.profile.server.host, self.profile.account.user, match.opponent)

    # --- what others may know

    def show(self) -> None:
        """Log and publish the state, when it changes."""
        now = activity(self.session, connecting=self.connecting, stopping=self.stop > Stop.NO)
        if now is not self._shown:
            self._shown = now
            self.metrics.is_now(self.profile.name, now)
            self.log.debug("state", state=now.value)

    def _show_rating(self, session: Session) -> None:
        if session.rating is not None:
            self.metrics.rating.labels(self.profile.name).set(session.rating)
        if session.experience is not None:
            self.metrics.experience.labels(self.profile.name).set(session.experience)

    @property
    def online(self) -> bool:
        """Are we logged in?"""
        return self._online

    @property
    def playing(self) -> bool:
        """Is there a match?"""
        return self.session is not None and self.session.match is not None

    @property
    def state(self) -> Activity:
        """What this bot is doing."""
        return activity(self.session, connecting=self.connecting, stopping=self.stop > Stop.NO)


_LOOKING_BACK = frozenset({State.IDLE, State.AWAY, State.PLAYING, State.BETWEEN_GAMES})


def _may_say(session: Session, command: Command) -> bool:
    """Allowed now, and one well-formed line, whatever names are in it."""
    try:
        command.line()
    except IllegalCommand as error:
        log.warning("not said", why=str(error))
        return False
    return session.may_send(command)
