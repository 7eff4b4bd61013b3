"""Several bots in one process: dial, play, dial again, stop when asked to.

No unexpected error stops a bot: it is logged with its context, the connection is closed, and the
bot dials again. Only the refusal of a login that never worked in this process ends a bot, because
only the operator can help. A login that has worked is tried again, however the server answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import structlog

from sixprime.bot.client.client import Client
from sixprime.bot.client.connection import (
    REFUSALS,
    Backoff,
    CannotConnect,
    Connection,
    Dial,
)
from sixprime.bot.client.ladder import ladder
from sixprime.bot.client.lobby.waiting import Reason, Waiting
from sixprime.bot.client.metrics import LOST, UNHEALTHY_AFTER_S, BotMetrics, MetricsServer
from sixprime.bot.client.networks import NETWORKS
from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import BrokenEngine, Thinker
from sixprime.bot.client.waiting import WaitingLog
from sixprime.bot.matchlog.recorder import NullRecorder, Recorder
from sixprime.bot.process.printable import Sentence, reworded
from sixprime.bot.settings.namefiles import files_of
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import Config, Profile
from sixprime.engine.system.endpoint import Endpoint
from sixprime.protocols.fibs.progress import LOGINS, MINUTE_S, KnownServer
from sixprime.protocols.fibs.states import Failure
from sixprime.protocols.fibs.wire.board import FibsBoard
from sixprime.protocols.fibs.wire.commands import Login
from sixprime.protocols.formats.ids import BadId, match_id, position_id
from sixprime.protocols.servers import Session

log = structlog.get_logger("bot")

STOP_RECHECK_S = 0.2
NAMES_RECHECK_S = 5.0
ENGINE_AGAIN_S = 600.0  # before we check again whether the engine works
CLOSED_LOGINS = 6  # in a row; then the server does not want a login that never worked
REFUSED = Sentence("does not dial, because the server refuses name or password")
LOGINS_SPENT = Sentence(
    "%(count)s logins have led to no new board, so one goes out every %(minutes)s minutes",
    count=LOGINS.at_once, minutes=f"{LOGINS.every_s / MINUTE_S:g}",
)  # fmt: skip


def think_alone(profile: Profile) -> Thinker:
    return Thinker(ladder(profile.player), resigns=profile.player.resign != "never")


class Bot:
    """One profile, supervised."""

    def __init__(self, client: Client, password: Secret, dial: Dial | None = None) -> None:
        self.client = client
        self.refused = False  # the login
        self.broken = False  # because its engine does not work
        self._password = password
        self.on_order: Callable[[str], None] = lambda _: None  # the operator's, for a recording
        network = NETWORKS[client.profile.server.kind]
        self.dial = dial or network.dial
        self._backoff = Backoff(client.profile.server.reconnect, kicks=not network.keeps_seats)
        self._stopping = asyncio.Event()
        self._began: float | None = None
        self._offline: Waiting | None = None  # during a pause between connections
        self._offline_why = ""
        self._wake = asyncio.Event()  # ends a pause
        self.known = KnownServer()
        self.log = structlog.get_logger("bot", profile=self.profile.name)
        self._waits = WaitingLog(self.profile.name, client.metrics, self.log)

    @property
    def profile(self) -> Profile:
        """Return the settings by which it plays now."""
        return self.client.profile

    @property
    def stopped(self) -> bool:
        """Return whether it has gone on request; others of this process may play on."""
        client = self.client
        is_gone = client.session is None and not client.presence.connecting
        return is_gone and client.stopping.how is not Stop.NO

    def adopt(self, profile: Profile) -> None:
        """Continue with these settings; account, server and archive are the same."""
        self._backoff.settings = profile.server.reconnect
        self.client.adopt(profile)

    def request_stop(self, how: Stop) -> None:
        """Stop at least this urgently; call it again if that takes too long."""
        self.on_order(how.name)
        self.client.request_stop(how)
        self._stopping.set()
        self._wake.set()

    async def run(self, *, stay: bool = False) -> None:
        """Play until stopped or unwanted or, unless `stay`, unable to play."""
        self._began = asyncio.get_running_loop().time()
        async with asyncio.TaskGroup() as group:
            playing = group.create_task(self._play(stay))
            others = [self._watch_stop(playing), self._watch_waiting()]
            tasks = [group.create_task(each) for each in others]
            await asyncio.wait([playing])
            for task in tasks:
                task.cancel()
        self._look()
        await self.client.records.kept(at_last=True)

    async def _watch_stop(self, playing: asyncio.Task[None]) -> None:
        """After a request to stop, stay only for a match that may be finished."""
        await self._stopping.wait()
        while True:
            if not (self.client.stopping.how is Stop.FINISH and self.client.playing):
                break
            await asyncio.sleep(STOP_RECHECK_S)
        if self.client.online:
            await asyncio.sleep(self.profile.server.stop_within_s)
            self.log.info("the server did not say good-bye")
        playing.cancel()

    async def _watch_waiting(self) -> None:
        """Show the reason for which the bot waits, and reread changed files of names."""
        while True:
            self._look()
            await asyncio.sleep(NAMES_RECHECK_S)
            if any(files_of(self.profile.lobby)):
                await self.client.reread_names()

    def _look(self) -> None:
        now = asyncio.get_running_loop().time()
        self._waits.look(self.waiting(now), now, self.client.records.now())

    async def _play(self, stay: bool) -> None:
        while not self._stopping.is_set():
            if not await self._can_think():
                if not stay:
                    self.broken = True
                    return
                fault = self.client.turn.thinker.fault
                sentence = f"does not dial, because its engine does not work: {fault}"
                await self._pause(ENGINE_AGAIN_S, "engine", sentence)
                continue
            self._offline_why = ""
            failure = await self._connection()
            if self._stopping.is_set():
                return
            here, welcomed = self.client.presence, self.known.welcomed
            online_s = here.last_online - here.online_since
            pause = self._backoff.after(failure, online_s, welcomed=welcomed)
            refused = failure is Failure.LOGIN_REFUSED or self._backoff.refusals >= CLOSED_LOGINS
            if refused and not welcomed:
                self.refused = True
                self.log.error("the server refuses name or password; not trying again")
                if stay:
                    await self._pause(None, "refused", REFUSED)
                if not stay or self._stopping.is_set():
                    return
                self.refused = False
                continue
            reason, cause = self._offline_cause(failure)
            budget_s = self.known.progress.login_at() - asyncio.get_running_loop().time()
            if budget_s > pause:
                reason, pause, cause = "budget", budget_s, LOGINS_SPENT
            why = LOST if failure is None else failure.name
            self.client.metrics.reconnects.labels(self.profile.name, why).inc()
            thinker = self.client.turn.thinker
            if thinker.fault is not None:
                why, pause = "the engine does not work", max(pause, ENGINE_AGAIN_S)
                reason = "engine"
                cause = Sentence("its engine does not work: %(fault)s", fault=thinker.fault)
            self.log.warning("offline", why=why, again_in_s=round(pause, 1))
            self._offline_why = self._offline_why or why
            sentence = Sentence("does not dial, because %(cause)s", cause=cause)
            await self._pause(pause, reason, sentence)

    async def _pause(self, pause_s: float | None, reason: Reason, sentence: str) -> None:
        """Wait this long, or until we are stopped or told to dial."""
        now = asyncio.get_running_loop().time()
        until = None if pause_s is None else now + pause_s
        self._offline = Waiting(reason, sentence, now, until, "dial")
        self._wake.clear()
        try:
            async with asyncio.timeout(0 if self._stopping.is_set() else pause_s):
                await self._wake.wait()
        except TimeoutError:
            pass
        self._offline = None

    def _offline_cause(self, failure: Failure | None) -> tuple[Reason, str]:
        """Return the reason for a pause after a connection that ended so."""
        if failure in REFUSALS:
            is_no = failure is Failure.LOGIN_REFUSED
            refuses = Sentence("refused the login") if is_no else Sentence("hung up on it")
            before = Sentence("has never worked")
            if self.known.welcomed:
                before = Sentence("has worked before")
            return "refused", Sentence(
                "the server %(refuses)s (%(times)s in a row), and this login %(before)s",
                refuses=refuses, times=self._backoff.refusals, before=before,
            )  # fmt: skip
        if self._backoff.suspects_twin:
            twin = "three short logins ended as if the account had logged in elsewhere"
            return "line", Sentence(twin)
        if failure is not None:
            why = Sentence(failure.value)
            return "line", Sentence("the connection ended (%(why)s)", why=why)
        return "line", self._offline_why or Sentence("the connection broke")

    def dial_now(self) -> None:
        """End a pause between two connections, or before the engine is tried again."""
        self.known.progress.allow_login()
        self._wake.set()

    @property
    def given_up(self) -> bool:
        """Return whether the server has refused it for good."""
        return self.refused and self._offline is None

    async def _can_think(self) -> bool:
        """Return whether our engine works; without it we play nobody."""
        thinker = self.client.turn.thinker
        if thinker.ready:
            return True
        try:
            await thinker.warm_up()
        except BrokenEngine as error:
            self.client.metrics.errors.labels(self.profile.name, "engine").inc()
            self.log.error("the engine does not work, not logging in", why=str(error))
            return False
        return True

    async def _connection(self) -> Failure | None:
        """Run one connection, from dialling to its end."""
        server = self.profile.server
        client = self.client
        client.connects()
        try:
            self.log.info("connecting", host=server.host, port=server.port)
            streams = await self.dial(server.host, server.port, server.connect_within_s)
            now = asyncio.get_running_loop().time()
            account = self.profile.account
            login = Login(account.client, account.user, self._password.text)
            session = NETWORKS[server.kind].session(login, now, self.known)
            if unknown := self.known.dialect.unknown:
                self.log.info("the server does not know", commands=sorted(unknown))
            talk = Connection(streams, session, client, server.command_gap_s)
            async with asyncio.TaskGroup() as group:
                client.attach(session, group, talk.stir.set)
                try:
                    return await talk.run()
                finally:
                    client.detach()
        except CannotConnect as error:
            self.log.warning("cannot connect", why=str(error))
            self._offline_why = str(error)
        except Exception as error:
            client.metrics.errors.labels(self.profile.name, "unexpected").inc()
            self.log.error("unexpected, connecting again", exc_info=error)
        finally:
            client.presence.connecting = False
            client.show()
        return None

    def waiting(self, now: float) -> Waiting:
        """Return the reason for which it does nothing now; every state has one."""
        waiting, blank = self._waiting(now), self.client.records.blank
        sentence, order = reworded(waiting.sentence, blank), blank(waiting.ends_with)
        return self._waits.dated(replace(waiting, sentence=sentence, ends_with=order), now)

    def _waiting(self, now: float) -> Waiting:
        client, session = self.client, self.client.session
        if self.given_up:
            return Waiting("refused", REFUSED)
        if self.stopped:
            return Waiting("stopped", Sentence("has stopped"))
        if session is not None:
            return client.waiting(session, now)
        if self._offline is not None:
            return self._offline
        if client.presence.connecting:
            address = self._address
            sentence = Sentence("waits for %(address)s to accept the connection", address=address)
            return Waiting("connecting", sentence)
        return Waiting("connecting", Sentence("prepares its engine before it dials"))

    @property
    def _address(self) -> str:
        return f"{self.profile.server.host}:{self.profile.server.port}"

    def status(self, now: float) -> dict[str, Any]:
        """Return the status as JSON, for `sixprime status` and health checks."""
        client, session, thinker = self.client, self.client.session, self.client.turn.thinker
        match = None if session is None else session.match
        here, tally = client.presence, client.presence.tally
        began = now if self._began is None else self._began
        works_at = max(began, self.known.progress.at, self.known.agreed_at)
        return {
            "profile": self.profile.name,
            "server": self._address,
            "account": self.profile.account.user,
            "level": client.chatter.level,
            "state": client.state.value,
            "healthy": not (self.refused or thinker.fault or client.records.away)
            and (self.stopped or now < works_at + UNHEALTHY_AFTER_S),
            "rating": None if session is None else session.rating,
            "experience": None if session is None else session.experience,
            "opponent": None if match is None else client.records.blank(match.opponent),
            "length": None if match is None else match.length,
            "score": None if match is None else list(match.score),
            **_shown_board(None if match is None else match.board),
            "uptime_s": round(now - began),
            "won": tally["won"],
            "lost": tally["lost"],
            "saved": tally["saved"],
            "offline_s": 0 if here.online else round(now - max(began, here.last_online)),
            "offline_why": "" if here.online else self._offline_why,
            "dials_in_s": None if self._offline is None else self._offline.shown(now)["until_s"],
            "refused": self.refused,  # the login
            "troubles": tally["troubles"],  # number of matches that could not go on
            "trouble": here.trouble,  # the last trouble
            "unknown_lines": tally["unknown lines"],
            "archive": client.records.away,  # the reason why it is away
            "stopping": client.stopping.how is not Stop.NO,
            "unfinished": [] if session is None else self._unfinished(session),
            "unknown_commands": sorted(self.known.dialect.unknown),  # to the server
            "failures": thinker.failures,  # of decisions
            "fault": thinker.fault,  # of the engine
            "waiting": self.waiting(now).shown(now),
        }

    def _unfinished(self, session: Session) -> list[str]:
        """Return the opponents of saved matches, except the match in play."""
        playing = None if session.match is None else session.match.opponent
        blank = self.client.records.blank
        return sorted(blank(name) for name in session.people.saved if name != playing)


def _shown_board(board: object) -> dict[str, str | None]:
    """Return a board as IDs; seat 0 of the Match ID is the bot."""
    if isinstance(board, FibsBoard):
        with suppress(BadId):  # a server may show anything
            ids = position_id(board.position()), match_id(board.match_state())
            return {"position": ids[0], "match": ids[1]}
    return {"position": None, "match": None}


RecorderFor = Callable[[Profile], Recorder]


class Service:
    def __init__(
        self,
        config: Config,
        passwords: Mapping[str, Secret],
        *,
        recorder: RecorderFor = lambda _: NullRecorder(),
        dial: Dial | None = None,  # as its kind of server wants it
        thinker: Callable[[Profile], Thinker] = think_alone,
    ) -> None:
        self.config = config
        self.thinker_for = thinker
        self.overview: Callable[[Mapping[str, Any]], dict[str, Any]] = lambda _: {}
        self.metrics = BotMetrics()
        for profile in config.profiles:
            self.metrics.expect(profile.name)
        self.bots = [
            Bot(
                Client(profile, thinker(profile), recorder(profile), self.metrics),
                passwords[profile.name],
                dial,
            )
            for profile in config.profiles
        ]
        self.port: int | None = None  # of the metrics endpoint

    def request_stop(self, how: Stop) -> None:
        log.info("stopping", how=how.name.lower())
        for bot in self.bots:
            bot.request_stop(how)

    def status(self) -> list[dict[str, Any]]:
        now = asyncio.get_running_loop().time()
        found = [bot.status(now) for bot in self.bots]
        return [bot | self.overview(bot) for bot in found]

    async def run(self, *, stay: bool = False) -> bool:
        """Run until all bots have stopped; False if a server refused one of them.

        `stay` is for supervisors that restart a process that ends: after a refused login it stays,
        unhealthy and idle, until it is asked to stop or dial, and it tries a broken engine again.
        """
        endpoint = await self._serve_metrics()
        try:
            async with asyncio.TaskGroup() as group:
                for bot in self.bots:
                    group.create_task(bot.run(stay=stay))
            refused = any(bot.refused for bot in self.bots)
        finally:
            if endpoint is not None:
                endpoint.close()
        return not refused

    async def _serve_metrics(self) -> asyncio.Server | None:
        address = self.config.metrics.listen
        if address is None:
            return None
        try:
            server = await MetricsServer(self.metrics, self.status).serve(Endpoint.parse(address))
        except OSError as error:
            log.warning("no metrics", listen=address, why=error.strerror)
            return None
        self.port = server.sockets[0].getsockname()[1]
        return server
