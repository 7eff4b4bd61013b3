"""One bot on one server, across its connections: takes messages, gives commands.

A Client reads and writes no bytes. A Connection gives it every message after the session has seen
it, and asks it for a command when the session has none of its own. The parts do the work: the lobby
(`desk`), chat, our turns, leaving, the archive.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

import structlog

from sixprime.bot.client.activity import Activity, Presence
from sixprime.bot.client.ladder import level_name
from sixprime.bot.client.leaving import ABSENT, ASKED, TROUBLE, Leaving, is_last_straw
from sixprime.bot.client.lobby.chat import ChatAnswer, Chatter, Facts
from sixprime.bot.client.lobby.reasons import lobby_waiting
from sixprime.bot.client.lobby.rests import Why
from sixprime.bot.client.lobby.waiting import Waiting
from sixprime.bot.client.metrics import BotMetrics
from sixprime.bot.client.networks import NETWORKS
from sixprime.bot.client.recollection import Recollection
from sixprime.bot.client.records import Records
from sixprime.bot.client.stopping import Stop, Stopping
from sixprime.bot.client.thinking import Thinker, in_a_thread
from sixprime.bot.client.turn import OwnTurn
from sixprime.bot.client.waiting import line_hold, lobby_hold, match_hold
from sixprime.bot.matchlog.recorder import Recorder
from sixprime.bot.process.printable import Sentence
from sixprime.bot.settings.namefiles import checked
from sixprime.bot.settings.schema import Profile
from sixprime.protocols.fibs.lifecycle import Beginning, Ended, MatchBegins, MatchEnds, PutAside
from sixprime.protocols.fibs.states import IN_LOBBY, ONLINE
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire import login, matches, messages, talk, turns, users
from sixprime.protocols.fibs.wire.board import BrokenBoard
from sixprime.protocols.fibs.wire.commands import Command, Login
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.fibs.wire.refusals import Refusal, Refused
from sixprime.protocols.servers import MatchInPlay, Session

LOBBY_RECHECK_S = 1.0
QUIET_RECHECK_S = 30.0
MATCH_RECHECK_S = 5.0
MOST_CHAT = 20
SLOW_ARCHIVE_S = 1.0  # then it is the reason for waiting


class Client:
    def __init__(
        self, profile: Profile, thinker: Thinker, recorder: Recorder, metrics: BotMetrics
    ) -> None:
        level = level_name(profile.player.level)
        self.profile = profile
        self.metrics = metrics
        self.log = structlog.get_logger("bot", profile=profile.name)
        self.session: Session | None = None
        self.stopping = Stopping()
        self.presence = Presence(profile.name, metrics, self.log)
        self.name_files = checked(profile.lobby)
        self._network = NETWORKS[profile.server.kind]
        self.desk = self._network.desk(profile, self.name_files)
        self.chatter = Chatter(profile.chat, level)
        self.records = Records(profile, level, recorder, metrics, self.log)
        self.recollection = Recollection(self.records, self.desk.known, self.stopping)
        self.leaving = Leaving(profile.player.patience, saves=not self._network.keeps_seats)
        self.turn = OwnTurn(profile, thinker, self.records, metrics)
        self.stir: Callable[[], None] = lambda: None
        self._successor: tuple[Thinker, str] | None = None  # the player and level of the next match
        self._chat: deque[Command] = deque()
        self._replies: deque[ChatAnswer] = deque()  # still without their facts from the archive

    # --- connecting and disconnecting

    def connects(self) -> None:
        self.presence.connects()
        self.show()

    def attach(self, session: Session, group: asyncio.TaskGroup, stir: Callable[[], None]) -> None:
        self.session, self.stir = session, stir
        session.setup.want_ready(not self.profile.lobby.paused)
        self.desk.connected(session)
        self.stopping.connected()
        self.leaving.reason = None
        self.turn.attach(group, stir)
        self.records.connected(session.login.password)
        self.recollection.gaps.connected()
        self._chat.clear()
        self._replies.clear()

    def detach(self) -> None:
        self.turn.drop()
        self.presence.online = False
        match = None if self.session is None else self.session.match
        if match is not None:
            self._put_aside(match.opponent, match.score, PutAside.LINE_LOST)
        self.records.finish_last()
        self.session = None
        self.stir = lambda: None
        self.show()

    def request_stop(self, how: Stop) -> None:
        self.stopping.request(how)
        self.show()
        self.stir()

    # --- the operator's orders

    def adopt(self, profile: Profile) -> None:
        """Continue with these settings; account, server and archive are the same."""
        self.profile = profile
        self.desk.adopt(profile.lobby, profile.chat.bots)
        self.chatter.settings = profile.chat
        self.leaving.patience = profile.player.patience
        self.turn.pace = profile.player.pace
        if self.session is not None:
            self.session.setup.want_ready(not profile.lobby.paused)
        self.stir()

    async def reread_names(self) -> None:
        """Reread changed files of names, outside the game's task: a disk may hang."""
        lobby = self.profile.lobby
        changed = await in_a_thread(lambda: self.name_files.reread(lobby))
        for setting, fault in changed.items():
            if fault is None:
                self.log.info("names read again", setting=setting)
            else:
                self.log.warning("names not read, keeping the old ones", setting=setting, why=fault)
        if changed:
            self.desk.adopt(self.profile.lobby, self.profile.chat.bots)

    def plays_with(self, thinker: Thinker, level: str, *, at_once: bool) -> None:
        """Play with another player, from the next match on or at once."""
        self._successor = thinker, level
        if at_once or not self.playing:
            self._succeed()

    def _succeed(self) -> None:
        if self._successor is not None:
            (self.turn.thinker, level), self._successor = self._successor, None
            self.chatter.level = self.records.level = level
        if self.session is not None and self.session.match is not None:
            user = self.session.people.users.get(self.session.match.opponent)
            self.turn.thinker.faces(None if user is None else user.rating)

    def leave_match(self, opponent: Player) -> None:
        """Leave the match, which is then saved and not resumed for a while."""
        self.desk.troubled(opponent, asyncio.get_running_loop().time(), Why.ORDER)
        self.says(self.leaving.farewell(opponent, ASKED))

    def says(self, command: Command) -> bool:
        """Queue this with other chat; False if too much is queued already."""
        if len(self._chat) >= MOST_CHAT:
            return False
        self._chat.append(command)
        self.stir()
        return True

    # --- messages

    def on_message(self, message: Message, now: float) -> None:
        """Pass a message to every part that needs it."""
        session = self.session
        assert session is not None
        if session.state in ONLINE:
            self.presence.on_message(session, now)
        self.desk.on_message(message, now)
        self._on_match_message(session, message, now)
        self.recollection.gaps.collect(message)
        match message:
            case talk.Said():
                self._on_chat(session, message, now)
            case messages.Unknown(line) | messages.LineTooLong(line):
                self.metrics.unknown_lines.labels(self.profile.name).inc()
                self.presence.tally["unknown lines"] += 1
                self.log.info("not understood", line=line, state=session.state.value)
            case Refused(why, about):
                self._on_refusal(session, why, about, now)
            case BrokenBoard(line, reason):
                self.log.warning("a board that cannot be true", line=line, reason=reason)
            case login.Shutdown(text) if (
                session.state in ONLINE
            ):  # a login banner may also report the past
                self.log.warning("the server will go down", text=text)
                self.stopping.goes_down(now)
            case users.User(name):
                self.presence.show_rating(session)
                self.records.on_rating(name)
                if session.match is not None and session.match.opponent == name:
                    self.leaving.note_line(message, session.me, now)
        self.show()

    def on_batch_end(self, now: float) -> None:
        """Start to think about the question, if there is one: no message follows for now."""
        session = self.session
        if session is not None and session.match is not None and not self.is_leaving:
            self.turn.start_thinking(session, now)

    @property
    def is_leaving(self) -> bool:
        without_engine = self.turn.thinker.fault is not None
        return self.stopping.how is Stop.SAVE or self.leaving.reason is not None or without_engine

    def _on_match_message(self, session: Session, message: Message, now: float) -> None:
        self.records.on_message(message, session.match)
        match message:
            case MatchBegins():
                self._match_begins(session, message, now)
            case MatchEnds():
                self._match_ends(session, message, now)
            case turns.RejectsResignation():
                self.turn.allow_resigning(False)
            case matches.GameStarts():
                self.turn.allow_resigning(True)

    def _match_begins(self, session: Session, begins: MatchBegins, now: float) -> None:
        opponent, match = begins.opponent, session.match
        length = begins.length if match is None else match.length
        resumed = begins.how is Beginning.RESUMED
        objection = None
        if begins.how is Beginning.NEW:
            objection = self.desk.objection(opponent, begins.length, resumed)
        self.leaving.match_begins(objection, now)
        self.desk.match_begins(opponent, now, new=begins.how is Beginning.NEW)
        self._succeed()
        self.turn.allow_resigning(True)
        self.records.match_begins(opponent, session)
        self.log.info("match begins", opponent=opponent, length=length, resumed=resumed)
        if objection is not None:
            self.desk.objects(opponent)
            self._chat.append(c.Tell(opponent, objection))
            self.log.warning("not what was agreed to, leaving", length=length)
        elif greeting := self.chatter.greets(opponent, length, now):
            self._chat.append(greeting)

    def _match_ends(self, session: Session, ends: MatchEnds, now: float) -> None:
        self.turn.drop()
        was_absent, self.leaving.reason = self.leaving.reason == ABSENT, None
        if ends.by is None:
            self._finished(ends, now)
        else:
            line_lost = was_absent or ends.by.is_line_lost
            keeps = line_lost and self.stopping.how is Stop.NO
            self.desk.match_ends(
                ends.opponent,
                saved=True,
                now=now,
                place_s=self.profile.player.patience.keep_place_s if keeps else 0.0,
                got_on=line_lost and session.known.progress.at > self.leaving.began_at,
            )
            if ends.by is PutAside.ALREADY_OVER:
                self.desk.over(ends.opponent, now)
            self._put_aside(ends.opponent, ends.score, ends.by)

    def _finished(self, ends: MatchEnds, now: float) -> None:
        won = ends.how is Ended.WON
        self.log.info("match over", opponent=ends.opponent, won=won, score=ends.score)
        self._count_match("won" if won else "lost")
        self.desk.match_ends(ends.opponent, saved=False, now=now)
        if farewell := self.chatter.parts(ends.opponent, ends.score):
            self._chat.append(farewell)
        self.records.match_over(ends, now)

    def _put_aside(self, opponent: Player, score: tuple[int, int], why: PutAside) -> None:
        self.log.info("match saved", opponent=opponent, reason=why.value, score=score)
        self._count_match("saved")
        self.records.match_saved(why)

    def _on_refusal(self, session: Session, why: Refusal, about: str, now: float) -> None:
        self.metrics.refused.labels(self.profile.name, why.name).inc()
        match = session.match
        self.log.info("refused", why=why.name, about=about, state=session.state.value)
        if session.known.dialect.unknown & {about.partition(" ")[0]}:
            self.log.info("the server does not know", commands=[about.partition(" ")[0]])
        if match is not None and is_last_straw(why, match):
            self._leave_in_trouble(match, "moves refused", "a second move is refused, leaving", now)

    def _leave_in_trouble(self, match: MatchInPlay, kind: str, what: str, now: float) -> None:
        """Leave a match that cannot go on, and keep evidence of why."""
        if self.leaving.reason is not None:
            return
        self._count_error(kind)
        self._has_trouble(match.opponent, what)
        self.records.evidence(what)
        self.says(self.leaving.farewell(match.opponent, TROUBLE))
        self.desk.troubled(match.opponent, now)

    def _has_trouble(self, opponent: Player, what: str) -> None:
        self.log.error(what, opponent=opponent)
        self.presence.tally["troubles"] += 1
        self.presence.trouble = f"{what} (against {self.records.blank(opponent)})"

    def _count_match(self, result: str) -> None:
        self.metrics.matches.labels(self.profile.name, result).inc()
        self.presence.tally[result] += 1

    def _count_error(self, kind: str) -> None:
        self.metrics.errors.labels(self.profile.name, kind).inc()

    def _on_chat(self, session: Session, message: talk.Said, now: float) -> None:
        self.log.debug("told", name=message.name, text=message.text)
        reply = self.chatter.answers(message, session.people.users.get(message.name), now)
        if reply is None or len(self._chat) + len(self._replies) >= MOST_CHAT:
            return
        if reply.tells_record:
            self._replies.append(reply)
        else:
            self._chat.append(reply.filled(self._facts(session)))

    def _facts(self, session: Session, record: str = "unknown") -> Facts:
        return Facts(self.chatter.level, session.rating, session.experience, record)

    # --- answers from the archive

    async def prepare(self) -> None:
        """Wait until every event is durable and the archive has answered our questions."""
        session = self.session
        assert session is not None
        await self.recollection.settle(session)
        while self._replies:
            await self._tell_record(session, self._replies.popleft())
            await self.recollection.settle(session)

    async def _tell_record(self, session: Session, reply: ChatAnswer) -> None:
        """Answer a chat question that needs the archive."""
        record = "unknown"
        async with self.records.asking("record"):
            user = self.profile.account.user
            won, lost = await self.records.recorder.results(user, reply.name)
            record = f"{won} won, {lost} lost"
        self._chat.append(reply.filled(self._facts(session, record)))

    # --- commands

    def next(self, now: float) -> Command | None:
        """Return the next command; None if there is nothing to say now."""
        session = self.session
        if session is None or session.state not in ONLINE:
            return None
        self.records.tick(now)
        if self.recollection.waits(session):
            self.stir()  # we have just become idle: `prepare` asks the archive first
            return None
        if command := self.recollection.next(session, now):
            return command
        if session.match is not None:
            return self._next_in_match(session, session.match, now) or self._next_chat(session, now)
        self.turn.drop()
        return self._next_chat(session, now) or self._next_in_lobby(session, now)

    def _next_in_match(self, session: Session, match: MatchInPlay, now: float) -> Command | None:
        if self.is_leaving and self.leaving.is_held(now):
            self._count_error("cannot leave")
            self._has_trouble(match.opponent, "the server does not let us leave")
            session.give_up()
            return None
        if self.is_leaving:
            command = None if self._chat else self._leave(now)
            if command is not None:
                self.log.info("leaving", opponent=match.opponent)
            return command
        if self.leaving.is_stuck(session, now):
            self._leave_in_trouble(match, "stuck", "nothing happens, leaving", now)
            return None
        return self.turn.answer(session, now) or self.leaving.wait(session, match, now)

    def _leave(self, now: float) -> Command | None:
        """Return the command that leaves the match, so that it can go on later if we stop."""
        command = self.leaving.leave(now)
        stays = self._network.keeps_seats and self.leaving.reason is None
        return c.Logout() if command is not None and stays else command

    def _next_chat(self, session: Session, now: float) -> Command | None:
        while self._chat:
            command = self._chat.popleft()
            if session.affords(command, now):
                return command
        return None

    def _next_in_lobby(self, session: Session, now: float) -> Command | None:
        if session.state not in IN_LOBBY:
            return None
        if self.stopping.how is not Stop.NO or self.turn.thinker.fault is not None:
            if self.stopping.is_held(now):
                session.give_up()
            return c.Logout() if self.stopping.says_bye(now) else None
        if self._lobby_hold(session, now) is not None:
            return None
        self.desk.closing = self.stopping.server_goes_down(now)
        command = self.desk.wants(session.people, session.me, now)
        for name, reason in self.desk.declined:
            self.metrics.declined.labels(self.profile.name, reason).inc()
            self.log.info("declined", opponent=name, reason=reason)
        self.desk.declined.clear()
        return command

    def wake_at(self, now: float) -> float:
        """Return the time at which `next` may have a command even without a message."""
        session = self.session
        if session is None:
            return now + QUIET_RECHECK_S
        if session.match is None:
            return now + (LOBBY_RECHECK_S if session.state in IN_LOBBY else QUIET_RECHECK_S)
        if (answer_at := self.turn.wake_at(now)) is not None:
            return answer_at
        return now + (LOBBY_RECHECK_S if self.is_leaving or self.stopping.how else MATCH_RECHECK_S)

    def on_sent(self, command: Command, now: float) -> None:
        if isinstance(command, Login):
            self.log.info("logging in", user=command.user)
        else:
            self.log.debug("say", line=self._network.line(command))
        if isinstance(command, c.Move):
            self.metrics.moves.labels(self.profile.name).inc()
        unseen = None if self.session is None else self.session.unseen_opponent
        if isinstance(command, c.Leave) and unseen is not None:
            self._has_trouble(unseen, "the server shows no board of our match, leaving")
            self.desk.troubled(unseen, now)
        self.leaving.on_sent(command, now)
        self.records.on_sent(command)
        self.show()

    def wire(self, data: bytes, *, ours: bool) -> None:
        """Pass on raw bytes, sent or received."""
        self.records.wire(data, ours=ours)

    # --- for logs, metrics and tests

    def waiting(self, session: Session, now: float) -> Waiting:
        """Return the reason for which it does nothing on this connection."""
        since, match = session.waiting.since, session.match
        asked_at = self.records.asked_at
        if asked_at is not None and now >= asked_at + SLOW_ARCHIVE_S:
            sentence = Sentence("waits for the archive to store the last events")
            return Waiting("archive", sentence, asked_at)
        if (hold := line_hold(session, now)) is not None:
            return hold
        if match is not None and self.is_leaving:
            sentence = Sentence("leaves the match with %(name)s", name=match.opponent)
            return Waiting("leaving", sentence, since)
        if match is not None:
            leaves_at = self.leaving.leaves_at(session)
            return match_hold(session, match, self.turn.decided, leaves_at, now)
        return self._lobby_waiting(session, now)

    def _lobby_waiting(self, session: Session, now: float) -> Waiting:
        since, fault = session.waiting.since, self.turn.thinker.fault
        if self.stopping.how is not Stop.NO:
            sentence = Sentence("stops and waits for the server to hang up")
            return Waiting("stopping", sentence, since)
        if fault is not None:
            told = Sentence("logs out, because its engine does not work: %(fault)s", fault=fault)
            return Waiting("engine", told, since)
        if (hold := self._lobby_hold(session, now)) is not None:
            return hold
        if self.profile.lobby.paused:
            sentence = Sentence("begins no match, because it is paused")
            return Waiting("paused", sentence, ends_with="resume")
        if self.stopping.server_goes_down(now):
            sentence = Sentence("begins no match, because the server will go down")
            return Waiting("shutdown", sentence)
        return lobby_waiting(self.desk, session.people, session.me, now)

    def _lobby_hold(self, session: Session, now: float) -> Waiting | None:
        paused, asks = self.profile.lobby.paused, self.recollection.gaps.is_asking
        return lobby_hold(session, paused=paused, asks=asks, now=now)

    def show(self) -> None:
        self.presence.show(self.session, stopping=self.stopping.how > Stop.NO)

    @property
    def online(self) -> bool:
        return self.presence.online

    @property
    def playing(self) -> bool:
        return self.session is not None and self.session.match is not None

    @property
    def state(self) -> Activity:
        return self.presence.activity(self.session, stopping=self.stopping.how > Stop.NO)
