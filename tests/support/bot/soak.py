"""Days of unattended play in virtual time, and what must be true of them.

    python -m tests.support.bot.soak --matches 10000 --out soak.jsonl
    python -m tests.support.bot.soak --matches 2000 --dialects 10 --out dialects.jsonl

The real service with its archive (eight bots of different policies) plays against three guests and
against itself on the sandbox's world, through the faults of a network, restarts and refused moves.
A block is one service and one archive; each is judged and leaves a line of JSON in `--out`, so a
long soak goes on where it was stopped. What the archive says is compared with what the server
itself kept of every game. The same seed is the same evening again. With `--dialects N` the
network is calm and the server one of N that nobody has seen: what an archive lacks of a game is
then counted, and a fault is a match that is stuck, lost or there twice, or a command refused too
often.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType, ModuleType
from typing import Any, TypeVar
from unittest.mock import patch

import structlog
from sqlalchemy import text

from sixprime.bot.archive.archive import MatchStatus
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.writer import ArchiveRecorder
from sixprime.bot.client.ladder import ladder
from sixprime.bot.client.service import Service
from sixprime.bot.client.stopping import Stop
from sixprime.bot.client.thinking import Rung, Thinker
from sixprime.bot.sandbox.loadtest.robot import random_answer
from sixprime.bot.sandbox.network.chaos import CALM, Rates
from sixprime.bot.sandbox.state.dialect import Dialect, made_up
from sixprime.bot.sandbox.state.match import Pair, UnfinishedMatch
from sixprime.bot.sandbox.state.server import CommandRefused, Effects, UserSession
from sixprime.bot.sandbox.world import World
from sixprime.bot.settings.file import read_config
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import ArchiveSettings, Config, MetricsSettings, Profile
from sixprime.engine.game import Answer
from sixprime.engine.position import MatchState, Play, Position
from sixprime.engine.rules import legal_plays
from sixprime.engine.search.players import PipCounter
from sixprime.protocols.fibs.questions import JoinNextGame, Question
from sixprime.protocols.fibs.states import Awaited
from sixprime.protocols.fibs.wire import commands as c
from sixprime.protocols.fibs.wire.messages import Player as Name
from sixprime.protocols.formats.record import Game, Interruption, Match, SetBoard
from tests.support.bot.processes import Served, Story, _story_of, story_of
from tests.support.bot.simulator import Link, Robot
from tests.support.bot.virtual import PASSWORD, PromptThread, VirtualLoop, VirtualServer, at_once

T = TypeVar("T")
MANNERS = """
server: {host: 127.0.0.1, command_gap_s: 0.05, reconnect: {first_s: 2, most_s: 30}}
player:
  level: pips
  thinking: {cheaper_level: pips}
  pace: {least_s: 0.1, most_s: 0.6}
  patience: {keep_place_s: 20}
lobby:
  resume_again_after_s: 60
"""
POLICIES = (
    MANNERS
    + """\
  accept: {bots: true, matches_per_opponent_and_day: 0, match_lengths: [1, 2, 3, 5]}
  invite: {after_idle_s: 2, wait_s: 10, leave_alone_s: 30}
profiles:
  anna: {account: {user: anna}, lobby: {invite: {preferred: [ben, emil, greta], match_length: 1}}}
  ben: {account: {user: ben}, lobby: {invite: {after_idle_s: 0}}}
  carl: {account: {user: carl}, lobby: {invite: {whom: anyone, match_length: 3}}}
  dora:
    account: {user: dora}
    lobby:
      accept: {unlimited: true, match_lengths: [1]}
      invite: {preferred: [gast, greta, gwen], match_length: 1}
  emil: {account: {user: emil}, lobby: {invite: {preferred: [fay, hal, ben], match_length: 2}}}
  fay:
    account: {user: fay}
    lobby:
      accept: {only_allowed: true, allow: [emil, hal, gwen]}
      invite: {after_idle_s: 0}
  gus: {account: {user: gus}, lobby: {invite: {preferred: [carl, hal], match_length: 1}}}
  hal:
    account: {user: hal}
    player: {level: LEVEL}
    lobby: {invite: {whom: anyone, match_length: 1}}
"""
)
ENGINE_LEVEL = "{plies: 0}"
GUESTS = ("gast", "greta", "gwen")
NETWORK = Rates(lose=0, repeat=0, swap=0)  # what can happen to lines in TCP, and junk
DEAF = replace(NETWORK, cut=0.005, half_open=0.005)  # connections die often, and silently
FOUL = Rates()  # lines vanish, come twice and change places: no network does that
RATES = {"calm": CALM, "network": NETWORK, "deaf": DEAF, "foul": FOUL}
LOOK_S = 20.0
LOOKS = 5
STUCK_S = 3_600.0  # without a change at a table where somebody sits, or a match won anywhere
PATIENCE_S = 600.0  # of a guest
DRAIN_S = 20_000.0  # for the last matches, when the faults are over
REFUSED = b"** You can't move to 5 in your first move.\r\n"
REFUSES, REFUSES_AGAIN = 0.0008, 0.2
MOST_WRONG = 20
MOST_REFUSED = 0.03  # of the commands


class Quick(PipCounter):
    """Plays tidily or anyhow, doubles, takes and resigns at random, so games are of all kinds."""

    def __init__(self, dice: random.Random, quits: float) -> None:
        self.dice = dice
        self.quits = quits

    def play(self, position: Position, match: MatchState) -> Play:
        if self.dice.random() < 0.7:
            return super().play(position, match)
        assert match.dice is not None
        return self.dice.choice(legal_plays(position, match.dice)).play

    def double(self, position: Position, match: MatchState) -> bool:
        return self.dice.random() < 0.06

    def answer(self, position: Position, match: MatchState) -> Answer:
        return Answer.TAKE if self.dice.random() < 0.6 else Answer.PASS

    def resign(self, position: Position, match: MatchState) -> int:
        return self.dice.choice((1, 1, 2, 3)) if self.dice.random() < self.quits else 0


class Guest(Robot):
    """An opponent of no manners: leaves, hangs up, falls silent, chatters, sends junk."""

    hosts: tuple[str, ...] = ()
    lengths: tuple[int | None, ...] = (1, 1, 1, 3, 9, None)
    rudeness = 1.0
    looks_s = (10.0, 90.0)  # between two looks for an opponent
    going = False  # no new matches

    def pump(self) -> None:
        """As every client, but no longer than a person sits at a table that nobody comes to."""
        super().pump()
        waiting, now = self.session.waiting, self.simulator.now
        deserted = waiting.what is Awaited.OPPONENT_TO_JOIN and now > waiting.since + PATIENCE_S
        if deserted and self.link is not None:
            self.say(c.Leave())

    def _answer(self, question: Question) -> c.Command | None:
        chance = self.random.random() / self.rudeness if self.rudeness else 1.0
        if chance < 0.004:
            return c.Leave()
        if chance < 0.006 and self.link is not None:
            self.simulator.at(self.simulator.now + 0.01, self.link.cut)
            return None
        if chance < 0.03 and self.link is not None:
            self.link.to_server(self.random.choice(NOISE))
        if isinstance(question, JoinNextGame):
            return self._next_game()
        return random_answer(question, self.random)

    def _next_game(self) -> c.Command:
        match = self.session.match
        assert match is not None
        if match.length is None and self.games >= 2:
            return c.Leave()
        return c.JoinNext()

    def _in_the_lobby(self, now: float) -> None:
        people = self.session.people
        for invitation in list(people.invitations.values()):
            if invitation.may_be_answered(now):
                self.say(c.Join(invitation.opponent))
                return
        if now < self._wake_at:
            return
        self._wake_at = now + self.random.uniform(*self.looks_s)
        self.simulator.at(self._wake_at + 1e-3, self._on_timer)
        friend = people.users.get(Name(self.random.choice(self.hosts)))
        if friend is None or not friend.ready or friend.opponent is not None:
            return
        if friend.name in people.saved:
            self.say(c.InviteToResume(friend.name))
        elif not self.going:
            self.say(c.Invite(friend.name, self.random.choice(self.lengths)))


NOISE = (
    b"shout I have never seen such dice\r\n",
    b"kibitz are you a bot?\r\n",
    b"kibitz \x1b[2J\x1b]0;owned\x07\r\n",
    b"say " + b"x" * 400 + b"\r\n",
    b"shout anna wins the 1 point match 1-0 .\r\n",
    b"tell hal help\r\n",
    b"\xff\xf6\xff\xfd\x01whois anna\r\n",
    b"frobnicate\r\n",
)


class Witness(VirtualServer):
    """A server that keeps a record of its own, watches its players, and refuses a legal move."""

    def __init__(self, seed: int, rates: Rates, dialect: Dialect | None = None) -> None:
        self._fresh: set[Pair] = set()  # matches that have just begun
        self.commands: Counter[str] = Counter()  # of the bots
        self.refused: Counter[str] = Counter()
        super().__init__(seed, rates, dialect)
        self.served: dict[Pair, list[Served]] = {}
        self.offences: list[str] = []
        self.changed: dict[Pair, float] = {}
        self.won_at = self.now
        self.moves = self.refusals = 0
        self._said: Counter[tuple[int, bytes]] = Counter()  # what moves were put on which link
        self._refused: dict[
            str, tuple[str, UnfinishedMatch | None, int]
        ] = {}  # and not looked at since
        self._again: str | None = None  # whose next move is refused as well

    def invite_guest(self, name: str, hosts: tuple[str, ...]) -> Guest:
        self.open_account(name)
        guest = Guest(self, name, self.random.getrandbits(32))
        guest.hosts = hosts
        self.robots[name] = guest
        self.at(self.now + 1 + self.random.random(), guest.dial)
        return guest

    def _commit(self, effects: Effects) -> None:
        for name, last in effects.saves.last_games.items():
            if name == min(last.match.players):
                self._known(last.match).games.append(_story_of(last.match))
        for pair, table in effects.saves.matches.items():
            self.changed[pair] = self.now
            if table is None or table.winner is not None:
                self.served[pair][-1].unfinished = None
                self.won_at = self.now
            else:
                self._known(table).unfinished = table
        super()._commit(effects)

    def _known(self, table: UnfinishedMatch) -> Served:
        matches = self.served.setdefault(table.pair, [])
        if table.pair in self._fresh:  # one that was saved is thrown away
            self._fresh.discard(table.pair)
            matches.append(Served(table, unfinished=table))
        return matches[-1]

    def _new_world(self) -> World:
        world = super()._new_world()
        put = world.server.put_match

        def put_and_note(match: UnfinishedMatch) -> UnfinishedMatch:
            if match.games == 0:
                self._fresh.add(match.pair)
            return put(match)

        world.server.put_match = put_and_note  # type: ignore[method-assign]
        obey = world._obey

        def obey_and_count(session: UserSession, word: str, text: str, line: str) -> None:
            typed = line.partition(" ")[0]
            bot = session.name not in GUESTS
            self.commands[typed] += bot
            try:
                obey(session, word, text, line)
            except CommandRefused as refusal:
                self.refused[f"{typed}: {refusal}"] += bot and str(refusal).startswith("**")
                raise

        world._obey = obey_and_count  # type: ignore[method-assign]
        return world

    def connect(self, robot: Robot) -> Link:
        link = super().connect(robot)
        put = link.to_server

        def put_and_note(data: bytes) -> None:
            if data.startswith(b"move "):
                self._said[link.sid, data.rstrip()] += 1
            put(data)

        link.to_server = put_and_note  # type: ignore[method-assign]
        return link

    def server_loses(self, link: Link) -> None:
        super().server_loses(link)
        self._said = Counter({each: n for each, n in self._said.items() if each[0] != link.sid})

    def server_receives(self, link: Link, data: bytes) -> None:
        for line in link.lines.feed(data):
            if not link.open:
                return
            session = self.world.server.sessions.get(link.sid)
            if session is None or not line.startswith("move "):
                self._happened(self.world.received(link.sid, line, self.now))
            else:
                self._moves(link, session.name, line)

    def _moves(self, link: Link, name: str, line: str) -> None:
        self.moves += 1
        table = self.world.server.match_of(name)
        said = self._said[link.sid, line.encode()]  # a foul network brings twice what was said once
        before, where, once = self._refused.get(name, ("", None, 0))
        if (before, where) == (line, table) and said > once and not link.deaf:
            self.offences.append(f"{name} repeats {line!r} without a look at the board")
        if self._is_in_the_mood(name, table):
            self._refused[name] = (line, table, said)
            self.refusals += 1
            link.to_client(REFUSED)
            return
        effects = self.world.received(link.sid, line, self.now)
        if not effects.saves.matches and any(b"** " in data for _, data in effects.output):
            self._refused[name] = (line, table, said)
            self.refusals += 1
        self._happened(effects)

    def _is_in_the_mood(self, name: str, table: UnfinishedMatch | None) -> bool:
        if self.rates is CALM or table is None:
            return False
        again, self._again = self._again, None
        if name == again:
            return True
        if self.random.random() < REFUSES:
            self._again = name if self.random.random() < REFUSES_AGAIN else None
            return True
        return False

    def _happened(self, effects: Effects) -> None:
        for sid, data in effects.output:
            session = self.world.server.sessions.get(sid)
            if session is not None and b"board:" in data:
                self._refused.pop(session.name, None)
        super()._happened(effects)

    def stuck_tables(self) -> list[str]:
        """Where somebody sits and nothing happens."""
        sat = set(self.world.server.playing.values())
        late = [pair for pair in sat if self.now > self.changed.get(pair, self.now) + STUCK_S]
        return [f"{pair}: {self.world.server.matches[pair]}" for pair in late]

    def unfinished(self) -> set[Pair]:
        """Matches that can end."""
        return {
            pair for pair, table in self.matches.items() if table.length and table.winner is None
        }


@dataclass(slots=True)
class Block:
    """What became of one block."""

    seed: int
    kind: str
    wanted: int
    quits: float  # how often players offer to resign: the shorter the games
    dialect: int | None = None  # the seed of the server's
    finished: int = 0  # matches won, as the server counts
    judged: int = 0  # matches in archives, finished or not; one of two bots counts twice
    games: int = 0
    actions: int = 0
    saved: int = 0  # matches that were put aside for good: unlimited ones, and two refused moves
    inexact: int = 0  # in the archive with something else than the server knows
    faults: list[str] = field(default_factory=list)
    refusals: int = 0
    moves: int = 0
    restarts: int = 0
    connections: int = 0
    virtual_s: float = 0.0
    cpu_s: float = 0.0
    reachable: tuple[int, int] = (0, 0)  # objects of the service, half way and at the end
    rss_mib: int = 0  # of the process, when all of the block is forgotten
    told: dict[str, int] = field(default_factory=dict)
    commands: int = 0
    refused: int = 0
    refused_why: dict[str, int] = field(default_factory=dict)


class Log:
    """Counts what is logged, and keeps what went wrong."""

    def __init__(self) -> None:
        self.told: Counter[str] = Counter()
        self.wrong: list[str] = []

    def __call__(self, _: Any, how: str, entry: MutableMapping[str, Any]) -> Mapping[str, Any]:
        self.told[entry["event"]] += 1
        failed = how in ("error", "critical", "exception") and entry["event"] not in EXPECTED
        if failed and len(self.wrong) < MOST_WRONG:
            self.wrong.append(_without_ends(entry))
        raise structlog.DropEvent


EXPECTED = frozenset({"a second move is refused, leaving", "evidence"})


def _without_ends(entry: Mapping[str, Any]) -> str:
    error = entry.get("exc_info")
    where = ""
    if isinstance(error, BaseException):
        frame = error.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        if frame is not None:
            where = f" at {frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}"
    return f"{ {k: repr(v)[:200] for k, v in entry.items()} }{where}"


@contextmanager
def counted() -> Iterator[Log]:
    """Nothing is printed; everything is counted."""
    log = Log()
    before = structlog.get_config()
    structlog.configure(processors=[log], cache_logger_on_first_use=False)
    try:
        yield log
    finally:
        structlog.configure(**before)


@contextmanager
def remembered_plays() -> Iterator[None]:
    """In one process everybody asks for the plays of the same rolls; find them once."""
    once = lru_cache(maxsize=2_000)(legal_plays)
    with ExitStack() as stack:
        modules = "archive.matchrecord matchlog.scribe"
        for module in (*modules.split(), "sandbox.loadtest.robot"):
            stack.enter_context(patch(f"sixprime.bot.{module}.legal_plays", once))
        for module in ("acting", "players"):
            stack.enter_context(patch(f"sixprime.engine.search.{module}.legal_plays", once))
        stack.enter_context(patch(f"{__name__}.legal_plays", once))
        yield


class Evening:
    """One block while it is played."""

    def __init__(
        self, block: Block, folder: Path, rates: Rates, *, files: bool, evidence: Path | None
    ) -> None:
        self.block = block
        self.rates = rates
        self.evidence = evidence
        self.settings = ArchiveSettings(
            database=f"sqlite:///{folder / 'archive.db'}",
            folder=folder / "matches" if files else None,
        )
        self.config = self._config()
        self.archives: dict[str, LiveArchive] = {}
        self.thread = PromptThread()

    def _config(self) -> Config:
        config = read_config(POLICIES.replace("LEVEL", ENGINE_LEVEL), Path("soak.yaml"))
        profiles = tuple(
            each.model_copy(update={"archive": self.settings}) for each in config.profiles
        )
        return config.model_copy(
            update={"metrics": MetricsSettings(listen=None), "profiles": profiles}
        )

    def _recorder(self, profile: Profile) -> ArchiveRecorder:
        archive = self.archives.setdefault(profile.name, LiveArchive(self.settings))
        return ArchiveRecorder(archive, self.thread)

    def _thinker(self, profile: Profile) -> Thinker:
        if profile.name == "hal":
            return Thinker(ladder(profile.player), run=at_once)
        dice = random.Random(f"{self.block.seed} {profile.name}")
        quits = self.block.quits / (1 if profile.name in "carl emil gus" else 5)
        return Thinker([Rung("quick", lambda: Quick(dice, quits), 5.0)], dice=dice, run=at_once)

    async def run(self) -> None:
        """Play, drain, stop; then judge."""
        block = self.block
        names = tuple(profile.name for profile in self.config.profiles)
        dialect = None if block.dialect is None else made_up(block.dialect)
        self.server = server = Witness(block.seed, self.rates, dialect)
        for name in names:
            server.open_account(name)
        guests = [server.invite_guest(name, names) for name in GUESTS]
        server.at(server.now + 30.0, server.tick)
        server.restart_every(self.rates.restart_s)
        passwords = {name: Secret(PASSWORD) for name in names}
        self.service = Service(
            self.config, passwords, recorder=self._recorder, dial=server.dial, thinker=self._thinker
        )
        for bot in self.service.bots:  # the same seed, the same evening
            dice = random.Random(f"{block.seed} {bot.profile.name}")
            bot.client.turn.dice = bot._backoff._dice = dice
        task = asyncio.create_task(self.service.run())
        await self._play(task)
        server.rates = CALM
        for guest in guests:
            guest.going = True
        for bot in self.service.bots:
            self._invites_no_more(bot.client.desk)
        await self._drain(task)
        self.service.request_stop(Stop.FINISH)
        try:
            await asyncio.wait_for(task, 2 * STUCK_S)
        except TimeoutError:
            block.faults.append(f"did not stop: {self._standing()}")
        await asyncio.sleep(1.0)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        block.faults += [f"a task is left: {each!r}" for each in left]
        self._count()

    @staticmethod
    def _invites_no_more(desk: Any) -> None:
        invite = desk.settings.invite.model_copy(update={"after_idle_s": 0.0})
        desk.settings = desk.settings.model_copy(update={"invite": invite})

    async def _play(self, task: asyncio.Task[bool]) -> None:
        server, block = self.server, self.block
        half = 0
        while server.finished < block.wanted and not block.faults:
            await asyncio.sleep(LOOK_S)
            self._look(task)
            if server.now > server.won_at + STUCK_S:
                block.faults.append(f"nobody wins anything: {self._standing()}")
            if not half and server.finished >= block.wanted // 2:
                half = await self._remembered(task)
        block.reachable = (half, await self._remembered(task))

    async def _remembered(self, task: asyncio.Task[bool]) -> int:
        """Objects of the service; the least of some looks, as a decision under way holds many."""
        looks = [reachable(self.service)]
        while len(looks) < LOOKS:
            await asyncio.sleep(LOOK_S)
            self._look(task)
            looks.append(reachable(self.service))
        return min(looks)

    def _look(self, task: asyncio.Task[bool]) -> None:
        block = self.block
        if task.done():
            block.faults.append(f"the service has ended: {task!r}")
        block.faults += [f"stuck at {each}" for each in self.server.stuck_tables()]
        tasks = len(asyncio.all_tasks())
        if tasks > 8 * len(self.service.bots) + 4:
            block.faults.append(f"{tasks} tasks")

    async def _drain(self, task: asyncio.Task[bool]) -> None:
        server = self.server
        end = server.now + DRAIN_S
        while self._goes_on() and not self.block.faults:
            await asyncio.sleep(LOOK_S)
            self._look(task)
            if server.now > end:
                self.block.faults.append(f"not resumed: {server.unfinished()}, {self._standing()}")
        await asyncio.sleep(LOOK_S)  # for the last questions

    def _goes_on(self) -> bool:
        """Is there a match that can end, or a bot that has not heard that a game has ended?"""
        server = self.server
        if any(link.deaf and link.open for link in server.links.values()):
            return True
        deceived = any(
            not bot.client.online
            or bot.client.playing != (bot.profile.name in server.world.server.playing)
            for bot in self.service.bots
        )
        return deceived or bool(server.unfinished() - self._troubled())

    def _troubled(self) -> set[Pair]:
        """Where two moves were refused: these rest for a day."""
        found, now = set(), asyncio.get_running_loop().time()
        for bot in self.service.bots:
            for name in bot.client.desk.known.resting(now):
                one, two = sorted((bot.profile.name, str(name)))
                found.add((one, two))
        return found

    def _standing(self) -> str:
        bots = ", ".join(
            f"{bot.profile.name} {bot.client.state.value}" for bot in self.service.bots
        )
        return f"{bots}; {self.server.describe()}"

    def _count(self) -> None:
        block, server = self.block, self.server
        block.finished, block.restarts = server.finished, server.restarts
        block.moves, block.refusals = server.moves, server.refusals
        block.faults += server.offences
        block.virtual_s = round(server.now - server.began)
        block.commands, block.refused = server.commands.total(), server.refused.total()
        block.refused_why = dict(server.refused.most_common(10))
        if block.dialect is not None and block.refused > MOST_REFUSED * block.commands:
            block.faults.append(f"{block.refused} of {block.commands} commands refused")
        for name, archive in self.archives.items():
            for fault in self._judge(name, archive):
                if self.rates.lose or (block.dialect is not None and " were played" not in fault):
                    block.inexact += 1
                else:
                    block.faults.append(f"{name}: {fault}")
        archive = next(iter(self.archives.values()))
        with archive.reading() as connection:
            verdict = connection.execute(text("PRAGMA integrity_check")).scalar()
            odd = connection.execute(text(MISCOUNTED)).scalar()
        if verdict != "ok" or odd:
            block.faults.append(f"integrity_check {verdict}, {odd} matches miss events")
        for each in self.archives.values():
            each.close()

    def _judge(self, name: str, archive: LiveArchive) -> Iterator[str]:
        kept: dict[str, list[Any]] = {}
        for row in archive.rows():
            if row.account == name:
                kept.setdefault(row.opponent, []).append(row)
        played: dict[str, list[Served]] = {}
        for pair, matches in self.server.served.items():
            if name in pair:
                played[pair[pair[0] == name]] = matches
        for opponent in sorted(kept.keys() | played.keys()):
            mine, theirs = kept.get(opponent, []), played.get(opponent, [])
            if len(mine) != len(theirs):
                yield f"{len(mine)} matches with {opponent}, {len(theirs)} were played"
            for row, served in zip(mine, theirs, strict=False):
                fault = self._differs(archive, row, served)
                if fault:
                    self._keep_evidence(archive, row, served, fault)
                    yield f"match {row.id} with {opponent}: {fault}"

    def _keep_evidence(self, archive: LiveArchive, row: Any, served: Served, fault: str) -> None:
        if self.evidence is None:
            return
        self.evidence.mkdir(parents=True, exist_ok=True)
        path = self.evidence / f"{self.block.kind}-{self.block.seed}-{row.account}-{row.id}.txt"
        told = [f"{i}.{j} {each}" for i, g in enumerate(served.games) for j, each in enumerate(g)]
        events = [f"{each}" for each in archive.events(row.id)]
        parts = [fault, f"{row}", *told, "", *events, "", archive.conversation(row.id)]
        path.write_text("\n".join(parts))

    def _differs(self, archive: LiveArchive, row: Any, served: Served) -> str | None:
        block = self.block
        match = archive.match(row.id)
        told = list(served.games)
        unfinished = served.unfinished
        if unfinished is not None and unfinished.in_game:
            told.append(_story_of(unfinished))
        block.judged += 1
        block.games += len(told)
        expected = MatchStatus.OVER if served.over else MatchStatus.SAVED
        block.saved += not served.over
        if row.state != expected.value:
            return f"is {row.state}, should be {expected.value}"
        if match.comment:
            return match.comment.partition("\n")[0]
        if row.length != served.table.length:
            return f"length {row.length} instead of {served.table.length}"
        if len(match.games) != len(told):
            return f"{len(match.games)} games, {len(told)} were played"
        for number, (game, story) in enumerate(zip(match.games, told, strict=True), start=1):
            block.actions += len(story)
            is_open = number == len(told) and not served.over
            fault = _game_differs(game, story_of(match, game), story, is_open=is_open)
            if fault:
                return f"game {number} of {len(told)}, {fault}"
        return _score_differs(match, served)


def _game_differs(game: Game, told: Story, kept: Story, *, is_open: bool) -> str | None:
    """Where an archive tells something else of a game than what the server kept."""
    mine, theirs = _answered(told), _answered(kept)
    if mine != theirs and any(isinstance(each, Interruption) for each in game.actions):
        mine, theirs = _without_refusals(mine), _without_refusals(theirs)
    if is_open and any(isinstance(each, SetBoard) for each in game.actions):
        rest = iter(theirs)  # a server lists no game before its end: a gap may stay
        mine = theirs if all(each in rest for each in mine) else mine
    if mine == theirs:
        return None
    pairs = enumerate(zip(mine, theirs, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(mine), len(theirs)))
    what = f"{mine[at : at + 3]} instead of {theirs[at : at + 3]}"
    return f"action {at + 1} of {len(theirs)}: {what}"


MISCOUNTED = (
    "SELECT count(*) FROM matches WHERE noted != "
    "(SELECT count(*) FROM events WHERE match_id = matches.id)"
)


def _answered(story: tuple[Any, ...]) -> list[Any]:
    """Without offers to resign that nobody answered; a dropped connection takes them back."""
    kept = []
    for each, after in zip(story, (*story[1:], (None, None)), strict=False):  # may be empty
        if each[1] != "wants to resign" or after[1] in ("accepts", "rejects"):
            kept.append(each)
    return kept


def _without_refusals(story: list[Any]) -> list[Any]:
    """Without rejected resignations: who goes cannot know if an open offer was rejected."""
    kept: list[Any] = []
    for each in story:
        if each[1] == "rejects" and kept and kept[-1][1] == "wants to resign":
            kept.pop()
        else:
            kept.append(each)
    return kept


def _score_differs(match: Match, served: Served) -> str | None:
    """What games were worth: no list of the server tells it of a resignation."""
    for number, (game, after) in enumerate(zip(match.games, match.games[1:], strict=False), 1):
        score = replace(match, games=(game,)).score
        if score != after.score:
            return f"the score is {score} after game {number}, and {after.score} before the next"
    if served.unfinished is None:
        ends = match.winner is not None and match.score[match.winner] >= served.table.length
        return None if ends else f"the score is {match.score}"
    table = served.unfinished
    score = (
        table.state.score if table.players[0] == match.players[0].name else table.state.score[::-1]
    )
    return None if match.score == score else f"the score is {match.score} instead of {score}"


def reachable(thing: object) -> int:
    """How many objects hang on this one; code and classes do not count."""
    seen = {id(thing)}
    front: list[object] = [thing]
    while front:
        batch, front = front[:1_000], front[1_000:]
        for each in gc.get_referents(*batch):
            if isinstance(each, type | ModuleType | FunctionType | Simulated) or id(each) in seen:
                continue
            seen.add(id(each))
            front.append(each)
    return len(seen)


Simulated = VirtualServer | asyncio.AbstractEventLoop | Link


def play_block(
    seed: int,
    matches: int,
    kind: str = "network",
    *,
    quits: float = 0.05,
    dialect: int | None = None,
    files: bool = False,
    evidence: Path | None = None,
) -> Block:
    """So many matches through the faults of this kind, and the verdict."""
    block = Block(seed, kind, matches, quits, dialect)
    rates = RATES[kind]
    began = time.process_time()
    memory = Path("/dev/shm")
    place = memory if memory.is_dir() else None
    with (
        TemporaryDirectory(prefix="sixprime-soak-", dir=place) as folder,
        counted() as log,
        remembered_plays(),
        asyncio.Runner(loop_factory=VirtualLoop) as runner,
    ):
        evening = Evening(block, Path(folder), rates, files=files, evidence=evidence)
        runner.run(evening.run())
    block.faults += log.wrong
    block.told = dict(log.told.most_common(40))
    block.connections = log.told["connecting"]
    del evening
    gc.collect()
    block.cpu_s = round(time.process_time() - began, 2)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    block.rss_mib = pages * resource.getpagesize() // 2**20
    return block


def kind_of(seed: int) -> str:
    """Most blocks have the faults of networks; some have none, some have impossible ones.

    None is deaf unless asked for: there a match now and then still lacks a turn, nobody knows why.
    """
    return {0: "calm", 5: "foul"}.get(seed % 10, "network")


def quits_of(seed: int) -> float:
    """Most blocks have short games, some are played to the end."""
    return 0.02 if seed % 4 == 3 else 0.3


def main() -> int:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--block", type=int, default=100, help="matches of one service")
    parser.add_argument("--seed", type=int, default=1, help="of the first block")
    parser.add_argument("--out", type=Path, default=Path("soak.jsonl"))
    parser.add_argument("--dialects", type=int, help="so many servers made up, a block each")
    parser.add_argument("--kind", choices=RATES, default=None)
    parser.add_argument("--quits", type=float, help="of decisions to roll; by default mixed")
    parser.add_argument("--evidence", type=Path, help="a folder for the matches with faults")
    options = parser.parse_args()
    done = [json.loads(line) for line in _lines(options.out)]
    seeds = {each["seed"] for each in done}
    number = 0
    while sum(each["finished"] for each in done) < options.matches:
        if options.dialects is not None and number >= options.dialects:
            break
        seed = options.seed + number
        kind = options.kind or (kind_of(seed) if options.dialects is None else "calm")
        wanted = options.block
        if options.dialects is not None:
            wanted = -(-options.matches // options.dialects)
        number += 1
        if seed in seeds:
            continue
        files = seed % 10 == 1
        block = play_block(
            seed,
            wanted,
            kind,
            dialect=None if options.dialects is None else seed,
            quits=quits_of(seed) if options.quits is None else options.quits,
            files=files,
            evidence=options.evidence,
        )
        done.append(asdict(block))
        with options.out.open("a") as file:
            file.write(json.dumps(asdict(block)) + "\n")
        sys.stdout.write(f"{json.dumps(summary(done))}\n")
        sys.stdout.flush()
    return 1 if summary(done)["faults"] else 0


ADDED = (
    *("finished", "judged", "games", "actions", "saved", "inexact", "refusals", "moves"),
    *("restarts", "connections", "cpu_s", "commands", "refused"),
)


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def summary(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    """All blocks in one object."""
    sums = {name: round(sum(block[name] for block in blocks), 1) for name in ADDED}
    faults = [f"seed {b['seed']} {b['kind']}: {fault}" for b in blocks for fault in b["faults"]]
    first, last = blocks[:1], blocks[-1:]
    return {
        "blocks": len(blocks),
        **sums,
        "rss_mib": [each["rss_mib"] for each in first + last],
        "faults": len(faults),
        "first_faults": faults[:5],
    }


if __name__ == "__main__":
    if sys.flags.hash_randomization:  # the order in sets decides what happens first
        again = [sys.executable, "-m", "tests.support.bot.soak", *sys.argv[1:]]
        os.execve(sys.executable, again, {**os.environ, "PYTHONHASHSEED": "0"})
    sys.exit(main())
