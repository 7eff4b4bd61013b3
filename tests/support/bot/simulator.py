"""Clients and the sandbox in one loop with virtual time: an evening of play takes a moment.

`Simulator` joins a World and some players by links that may be faulty; every event stands in one
heap. The players are real protocol sessions that play by the state machine alone: random legal
plays, cube actions and resignations. Everything follows from the seed.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

from sixprime.bot.sandbox.loadtest.robot import random_answer
from sixprime.bot.sandbox.network.chaos import CALM, Chaos, Rates
from sixprime.bot.sandbox.network.input import InputLines
from sixprime.bot.sandbox.state.accounts import UserAccount, WaitingMessage
from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.sandbox.state.match import LastGame, Pair, UnfinishedMatch
from sixprime.bot.sandbox.state.passwordqueue import PasswordCheck
from sixprime.bot.sandbox.state.server import Effects, Stored
from sixprime.bot.sandbox.world import World
from sixprime.engine.dice import roll
from sixprime.protocols.fibs.lifecycle import Ended
from sixprime.protocols.fibs.match import MatchInPlay
from sixprime.protocols.fibs.progress import KnownServer, Progress
from sixprime.protocols.fibs.questions import JoinNextGame, Question
from sixprime.protocols.fibs.session import Session
from sixprime.protocols.fibs.states import Awaited, ConnectionState, Failure, GameStage
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.board import BrokenBoard
from sixprime.protocols.fibs.wire.messages import Player as Name
from sixprime.protocols.fibs.wire.messages import Unknown
from sixprime.protocols.fibs.wire.refusals import Refused

LATENCY_S = 0.03
DIAL_AGAIN_S = 10.0
PATIENCE_S = 600.0  # with an opponent who does not join the next game
MERGE_S = 1.0  # so long a piece waits for another one to be merged with


class Stuck(AssertionError):
    """Nothing came of it in a long time; the text has the seed."""


class Untiring(Progress):
    """Of people, who may say the same as often as they like."""

    def free_at(self, command: c.Command, *, in_match: bool) -> float:
        return float("-inf")

    def is_spent(self, setting: c.Command, now: float) -> bool:
        return False


class Dice:
    """Single dice from a seed, fast."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def die(self) -> int:
        return self._random.randint(1, 6)


@dataclass(slots=True)
class Way:
    """One direction of a connection."""

    chaos: Chaos
    last: float = 0.0  # when the last piece arrives


class Link:
    """One connection: bytes both ways, each with its own faults and never out of order."""

    def __init__(self, simulator: Simulator, player: Robot, sid: int) -> None:
        self.simulator = simulator
        self.player = player
        self.sid = sid
        self.lines = InputLines(1_024)
        self.open = True
        self._up = Way(Chaos(simulator.random, simulator.rates))
        self._down = Way(Chaos(simulator.random, simulator.rates))

    @property
    def deaf(self) -> bool:
        """Does nothing reach the client any more?"""
        return self._down.chaos.dead

    def to_server(self, data: bytes) -> None:
        self._send(self._up, data, self.simulator.server_receives)

    def to_client(self, data: bytes) -> None:
        self._send(self._down, data, self._client_receives)

    def _client_receives(self, link: Link, data: bytes) -> None:
        self.player.receives(link, data)

    def _send(self, way: Way, data: bytes, deliver: Callable[[Link, bytes], None]) -> None:
        simulator = self.simulator
        way.chaos.rates = simulator.rates
        way.last = max(way.last, simulator.now + simulator.latency_s())
        pieces = way.chaos.passes(data)
        for piece in pieces:
            way.last += piece.after_s
            simulator.at(way.last, partial(self._deliver, deliver, piece.data))
            if piece.cut:
                simulator.at(way.last, self.cut)
                return
        if not pieces:
            simulator.at(way.last + MERGE_S, partial(self._send_rest, way, deliver))

    def _send_rest(self, way: Way, deliver: Callable[[Link, bytes], None]) -> None:
        """What waited to be merged goes alone, behind what is still on its way."""
        way.last = max(way.last, self.simulator.now)
        self.simulator.at(way.last, partial(self._deliver, deliver, way.chaos.rest()))

    def _deliver(self, deliver: Callable[[Link, bytes], None], data: bytes) -> None:
        if data and self.open:
            deliver(self, data)

    def cut(self) -> None:
        """Both ends see that the connection is gone."""
        if self.open:
            self.open = False
            self.simulator.server_loses(self)
            self.player.loses(self)


class Robot:
    """A client that plays by the state machine alone."""

    def __init__(self, simulator: Simulator, name: str, seed: int) -> None:
        self.simulator = simulator
        self.name = name
        self.random = random.Random(seed)
        self.session = self._fresh()
        self.link: Link | None = None
        self.invites: str | None = None  # whom, when idle
        self.length: int | None = 1
        self.results: list[tuple[bool, tuple[int, int]]] = []  # won, score
        self.refused: list[str] = []
        self.unknown_lines = 0
        self.plays = 0  # commands of the game that were sent
        self.games_before_leaving: int | None = None
        self.games = 0  # finished, of the last match
        self._match: MatchInPlay | None = None
        self._between_games = False
        self._timer = 0.0
        self._thinking: Question | None = None
        self._counted: object = None
        self._wake_at = 0.0

    def _fresh(self) -> Session:
        login = c.Login("sixprime_simulator", self.name, "secret99")
        return Session(login, self.simulator.now, known=KnownServer(progress=Untiring()))

    def dial(self) -> None:
        """Connect (again)."""
        self.session = self._fresh()
        self._thinking = None
        self.link = self.simulator.connect(self)
        self.pump()

    def loses(self, link: Link) -> None:
        """The connection is gone."""
        if link is self.link:
            self.link = None
            self.simulator.at(self.simulator.now + DIAL_AGAIN_S, self._redial)

    def _redial(self) -> None:
        if self.link is None:
            self.dial()

    def receives(self, link: Link, data: bytes) -> None:
        """Bytes from the server."""
        if link is not self.link:
            return
        now = self.simulator.now
        for message in self.session.receive(data, now):
            if isinstance(message, Refused | BrokenBoard):
                self.refused.append(f"{message}")
            self.unknown_lines += isinstance(message, Unknown)
            self._note_game()
            self._note_result()
        self.pump()

    def _note_game(self) -> None:
        match = self.session.match
        if match is None:
            return
        if match is not self._match:
            self._match, self.games, self._between_games = match, 0, False
        is_over = match.stage is not GameStage.ON
        self.games += is_over and not self._between_games
        self._between_games = is_over

    def _note_result(self) -> None:
        last = self.session.last_match
        if last is not None and last is not self._counted and last.ended in (Ended.WON, Ended.LOST):
            self._counted = last
            self.results.append((last.ended is Ended.WON, last.score))

    def pump(self) -> None:
        """Say what the session wants to say, think about what it is asked, set the timer."""
        now = self.simulator.now
        session = self.session
        while (command := session.wanted(now)) is not None:
            self.say(command)
        if session.state is ConnectionState.CLOSED:
            self._hang_up()
            return
        question = session.question()
        if question is not None and question != self._thinking:
            self._thinking = question
            self.simulator.at(now + self.random.uniform(0.1, 1.0), lambda: self._decide(session))
        elif session.state is ConnectionState.IDLE:
            self._in_the_lobby(now)
        elif session.waiting.what is Awaited.OPPONENT_TO_JOIN:
            self._wait_or_leave(session.waiting.since + PATIENCE_S)
        if session.deadline is not None:
            self._wait_for(session.deadline)

    def _wait_or_leave(self, until: float) -> None:
        if self.simulator.now < until:
            self._wait_for(until)
        else:
            self.say(c.Leave())

    def _wait_for(self, deadline: float) -> None:
        """Look again then, unless we do so earlier."""
        now = self.simulator.now
        if self._timer <= now or deadline < self._timer - 1e-6:
            self._timer = max(deadline, now + 1e-3)
            self.simulator.at(self._timer, self._on_timer)

    def _on_timer(self) -> None:
        if self.link is not None:
            self.pump()

    def _hang_up(self) -> None:
        if self.simulator.rates is CALM:  # garbage in a login can make the password wrong
            assert self.session.failure is not Failure.LOGIN_REFUSED
        link, self.link = self.link, None
        if link is not None and link.open:
            link.open = False
            if self.session.failure is not Failure.SILENT:  # or the server would never know
                self.simulator.server_loses(link)
        self.simulator.at(self.simulator.now + DIAL_AGAIN_S, self._redial)

    def say(self, command: c.Command) -> None:
        """Send a command, if the session allows and affords it."""
        if not self.session.may_send(command, self.simulator.now):
            return
        data = self.session.send(command, self.simulator.now)
        if self.link is not None and self.link.open:
            self.link.to_server(data)

    # ---- decisions

    def _decide(self, session: Session) -> None:
        if session is not self.session or self.link is None:
            return
        self._thinking = None
        question = session.question()
        command = None if question is None else self._answer(question)
        if command is not None and session.may_send(command, self.simulator.now):
            self.plays += 1
            self.say(command)
        self.pump()

    def _answer(self, question: Question) -> c.Command | None:
        if isinstance(question, JoinNextGame):
            return self._next_game()
        return random_answer(question, self.random)

    def _next_game(self) -> c.Command:
        wanted = self.games_before_leaving
        if wanted is not None and self.games >= wanted:
            return c.Leave()
        return c.JoinNext()

    def _in_the_lobby(self, now: float) -> None:
        people = self.session.people
        for invitation in list(people.invitations.values()):
            if invitation.may_be_answered(now) and self.simulator.open:
                self.say(c.Join(invitation.opponent))
                return
        friend = people.users.get(Name(self.invites)) if self.invites else None
        if friend is None or now < self._wake_at or not self.simulator.open:
            return
        if friend.ready and friend.opponent is None:
            self._wake_at = now + 20.0
            self.simulator.at(self._wake_at + 1e-3, self._on_timer)
            if friend.name in people.saved:
                self.say(c.InviteToResume(friend.name))
            else:
                self.say(c.Invite(friend.name, self.length))


class Simulator:
    """The loop; see the module's docstring."""

    def __init__(self, seed: int, rates: Rates = CALM, dialect: Dialect | None = None) -> None:
        self.seed = seed
        self.rates = rates
        self.random = random.Random(seed)
        self.now = 1_700_000_000.0
        self.began = self.now
        self.open = True  # may matches start?
        self.restarts = 0
        self.dialect = dialect or Dialect()
        self._dice = Dice(seed)
        self._heap: list[tuple[float, int, Callable[[], object]]] = []
        self._order = count()
        self._sids = count(1)
        self.links: dict[int, Link] = {}
        self.robots: dict[str, Robot] = {}
        self.accounts: dict[str, UserAccount] = {}
        self.matches: dict[Pair, UnfinishedMatch] = {}
        self.messages: dict[int, WaitingMessage] = {}
        self.last_games: dict[str, LastGame] = {}
        self.finished = 0  # matches that the server has scored
        self.world = self._new_world()

    # ---- time

    def at(self, time: float, happen: Callable[[], object]) -> None:
        """Let something happen later."""
        heapq.heappush(self._heap, (time, next(self._order), happen))

    def run(self, until: Callable[[], bool], limit_s: float) -> None:
        """Let time pass until a condition holds; Stuck after so many virtual seconds."""
        end = self.now + limit_s
        while not until():
            if not self._heap or self.now > end:
                raise Stuck(f"seed {self.seed}: {self.describe()}")
            time, _, happen = heapq.heappop(self._heap)
            self.now = max(self.now, time)
            happen()

    def describe(self) -> str:
        """Where everybody stands."""
        robots = (
            f"{r.name}: {r.session.state.name} waits for {r.session.waiting.what}"
            f" since {self.now - r.session.waiting.since:.0f} s, asked {r.session.question()},"
            f" last refused {r.refused[-3:]}"
            for r in self.robots.values()
        )
        return "; ".join([*robots, f"tables {list(self.world.server.matches.values())}"])

    def latency_s(self) -> float:
        """How long the next piece is on its way."""
        return LATENCY_S

    # ---- the server

    def add(self, name: str, **fields: object) -> Robot:
        """An account, and the robot that plays with it."""
        account = UserAccount(name, "secret99")
        account = replace(account, **fields)  # type: ignore[arg-type]
        self.world.server.put_account(account)
        self.accounts[name] = account
        robot = self.robots[name] = Robot(self, name, self.random.getrandbits(32))
        self.at(self.now + self.random.random(), robot.dial)
        return robot

    def _new_world(self) -> World:
        memory = Stored(
            self.accounts.values(),
            self.matches.values(),
            self.messages.values(),
            self.last_games.values(),
        )
        return World(lambda: roll(self._dice), self.dialect, None, memory)

    def restart(self) -> None:
        """The server dies and comes back with what it had saved."""
        self.restarts += 1
        for link in list(self.links.values()):
            link.open = False
            link.player.loses(link)
        self.links.clear()
        self.world = self._new_world()

    def restart_every(self, mean_s: float) -> None:
        """Now and then, until the faults end; 0: never."""

        def restart() -> None:
            if self.rates is not CALM:
                self.restart()
                self.restart_every(mean_s)

        if mean_s:
            self.at(self.now + self.random.expovariate(1 / mean_s), restart)

    def connect(self, robot: Robot) -> Link:
        """A robot dials."""
        link = Link(self, robot, next(self._sids))
        self.links[link.sid] = link
        self._happened(self.world.connected(link.sid, "host.example.com", self.now))
        return link

    def server_receives(self, link: Link, data: bytes) -> None:
        """Bytes from a client."""
        for line in link.lines.feed(data):
            if link.open:
                self._happened(self.world.received(link.sid, line, self.now))

    def server_loses(self, link: Link) -> None:
        """A connection is gone."""
        if self.links.pop(link.sid, None) is not None:
            self._happened(self.world.disconnected(link.sid, self.now))

    def tick(self) -> None:
        """What the server does from time to time."""
        self._happened(self.world.ticked(self.now))
        self.at(self.now + 30.0, self.tick)

    def _happened(self, effects: Effects) -> None:
        assert not effects.faults, effects.faults
        self._commit(effects)
        for sid, data in effects.output:
            if sid in self.links:
                self.links[sid].to_client(data)
        for question in effects.slow:
            assert isinstance(question, PasswordCheck)
            right = question.password == question.stored
            self._happened(self.world.password_checked(question.session, right, self.now))
        for sid in effects.closing:
            link = self.links.get(sid)
            if link is not None:
                self.at(self.now + 2 * LATENCY_S, link.cut)

    def _commit(self, effects: Effects) -> None:
        saves = effects.saves
        self.accounts.update(saves.accounts)
        self.last_games.update(saves.last_games)
        for pair, table in saves.matches.items():
            if table is None:
                assert all(name in saves.accounts for name in pair), "a match ended without result"
                self.matches.pop(pair, None)
                self.finished += 1
            else:
                before = self.matches.get(pair)
                self.finished += table.winner is not None and _is_open(before)
                self.matches[pair] = table
        for number, message in saves.messages.items():
            if message is None:
                self.messages.pop(number, None)
            else:
                self.messages[number] = message


def _is_open(table: UnfinishedMatch | None) -> bool:
    return table is not None and table.winner is None


def play_match(simulator: Simulator, length: int | None, storm_s: float = 0.0) -> None:
    """Two robots, alfa and bravo, play one match and come to rest; Stuck if they cannot.

    The faults last for `storm_s`; `length` None is an unlimited match, left after two games.
    """
    one, two = simulator.add("alfa"), simulator.add("bravo", rating=1611.5, experience=123)
    one.invites, one.length = two.name, length
    if length is None:
        one.games_before_leaving = 2
    simulator.at(simulator.now + 30.0, simulator.tick)
    if storm_s:
        simulator.restart_every(simulator.rates.restart_s)
        simulator.at(simulator.now + storm_s, lambda: setattr(simulator, "rates", CALM))
    simulator.run(lambda: _is_over(simulator, one, length), limit_s=storm_s + 200_000)
    simulator.open = False
    simulator.rates = CALM
    simulator.run(lambda: _at_rest(one) and _at_rest(two), limit_s=8_000)
    for robot in (one, two):
        robot.say(c.AskWho(Name(robot.name)))  # the last own line may have been lost
    end = simulator.now + 5.0
    simulator.run(lambda: simulator.now > end, limit_s=8_000)


def _is_over(simulator: Simulator, robot: Robot, length: int | None) -> bool:
    if length is not None:
        return simulator.finished > 0
    last = robot.session.last_match
    return last is not None and robot.games >= (robot.games_before_leaving or 0)


def _at_rest(robot: Robot) -> bool:
    session = robot.session
    return session.state is ConnectionState.IDLE and session.ready and robot.link is not None
