"""A sandbox and bots in one event loop, and a recorder that remembers everything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sixprime.bot.client.service import Service
from sixprime.bot.client.stopping import Stop
from sixprime.bot.matchlog.events import (
    Acted,
    Event,
    GameOver,
    GameStarted,
    MatchSaved,
    MatchStarted,
    Way,
    Who,
    Wire,
)
from sixprime.bot.matchlog.recorder import NullRecorder
from sixprime.bot.sandbox.config import PasswordCost, SandboxConfig
from sixprime.bot.sandbox.loadtest.clients import PASSWORD
from sixprime.bot.sandbox.run import dice_source
from sixprime.bot.sandbox.serve import SandboxServer
from sixprime.bot.sandbox.state.limits import Limits
from sixprime.bot.sandbox.store import make_accounts
from sixprime.bot.settings.file import read_config
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import Config, MetricsSettings, Profile
from sixprime.engine.search.players import player_named
from sixprime.protocols.formats.record import Game, Match, Player, SetBoard
from sixprime.protocols.formats.replay import moments

FAST = """
server: {host: 127.0.0.1, port: PORT, command_gap_s: 0, reconnect: {first_s: 0.2, jitter: 0}}
player:
  level: pips
  thinking: {cheaper_level: pips}
  pace: {least_s: 0, most_s: 0}
"""
LOBBY = "lobby: {accept: {bots: true, matches_per_opponent_and_day: 0}}\n"


class Memory(NullRecorder):
    """A recorder for tests."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.finished: list[Who] = []
        self.said: list[tuple[str, Sequence[Event]]] = []  # our lines, and what was durable before
        self._durable = 0

    def note(self, event: Event) -> None:
        if isinstance(event, Wire) and event.way is Way.SAID:
            durable = self.events[: self._durable]
            last = [each for each in durable if not isinstance(each, Wire)][-1:]
            self.said.append((event.line, last))
        self.events.append(event)

    async def kept(self) -> None:
        self._durable = len(self.events)

    def finish(self, who: Who) -> None:
        self.finished.append(who)

    async def results(self, account: str, opponent: str) -> tuple[int, int]:
        return 1, 2

    def of(self, *kinds: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kinds)]

    @property
    def matches(self) -> list[Match]:
        """What the events tell, as records; a resumed match goes on."""
        told: list[Match] = []
        games: list[Game] = []
        for event in self.events:
            match event:
                case MatchStarted(who, _, length, resumed, _, ours, theirs):
                    if resumed and told:
                        continue
                    games = []
                    us = Player(who.account, ours.rating, experience_before=ours.experience)
                    them = Player(who.opponent, theirs.rating)
                    told.append(Match((us, them), length or 0))
                case GameStarted(_, _, score, crawford):
                    games.append(Game(score, crawford))
                case Acted(_, _, action):
                    games[-1] = _with(games[-1], action)
                case GameOver(_, _, result):
                    games[-1] = Game(games[-1].score, games[-1].crawford, games[-1].actions, result)
            if told:
                told[-1] = Match(told[-1].players, told[-1].length, tuple(games))
        return told


def _with(game: Game, action: Any) -> Game:
    return Game(game.score, game.crawford, (*game.actions, action), game.result)


def check_replay(match: Match) -> None:
    """Every action of every game is possible where it stands."""
    for game in match.games:
        for _ in moments(match, game):
            pass


def gaps(match: Match) -> int:
    """How often the board had to be set up anew."""
    return sum(isinstance(action, SetBoard) for game in match.games for action in game.actions)


class Hall:
    """A server that can be restarted, on one port."""

    def __init__(self, folder: Path, names: list[str], **settings: Any) -> None:
        self.database = folder / "sandbox.db"
        self.port = 0
        self._settings = {"seed": 7, "house_pause_s": 0.0} | settings
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        make_accounts(self.database, names, PASSWORD)

    async def start(self) -> None:
        config = SandboxConfig(
            database=self.database,
            limits=Limits(command_burst=100_000, commands_per_s=10_000),
            password_cost=PasswordCost(n=2, r=1, p=1),
            **self._settings,
        )
        self._stop = asyncio.Event()
        server = SandboxServer(config, dice_source(self._settings["seed"]), player_named)
        self._task = asyncio.create_task(server.run("127.0.0.1", self.port, self._stop))
        listening = asyncio.create_task(server.listening.wait())
        await asyncio.wait([self._task, listening], return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            await self._task
        self.port = server.port
        self.server = server

    async def end(self) -> None:
        self._stop.set()
        if self._task is not None:
            await self._task

    async def restart(self) -> None:
        await self.end()
        self._settings["seed"] += 1
        await self.start()


@asynccontextmanager
async def hall(folder: Path, *names: str, **settings: Any) -> AsyncIterator[Hall]:
    """A running server with these accounts."""
    made = Hall(folder, list(names), **settings)
    await made.start()
    try:
        yield made
    finally:
        await made.end()


def config_for(port: int, text: str) -> Config:
    """Fast settings for a server on this port; `text` adds to them."""
    lobby = "" if "\nlobby:" in text else LOBBY
    config = read_config(FAST.replace("PORT", str(port)) + lobby + text, Path("test.yaml"))
    return config.model_copy(update={"metrics": MetricsSettings(listen=None)})


class Crew:
    """A service with keepers that can be looked at."""

    def __init__(self, config: Config, password: str = PASSWORD, **others: Any) -> None:
        self.memories: dict[str, Memory] = {}
        passwords = {profile.name: Secret(password) for profile in config.profiles}
        self.service = Service(config, passwords, recorder=self._recorder, **others)
        self.ended: bool | None = None

    def _recorder(self, profile: Profile) -> Memory:
        return self.memories.setdefault(profile.name, Memory())

    async def run(self) -> None:
        self.ended = await self.service.run()

    async def until(self, happened: Callable[[], bool], within_s: float = 110.0) -> None:
        async with asyncio.timeout(within_s):
            while True:
                if happened() or self.ended is not None:
                    return
                await asyncio.sleep(0.02)

    def saved(self, name: str) -> int:
        return len(self.memories[name].of(MatchSaved))


@asynccontextmanager
async def crew(config: Config, **others: Any) -> AsyncIterator[Crew]:
    """Running bots, stopped at the end."""
    made = Crew(config, **others)
    task = asyncio.create_task(made.run())
    try:
        yield made
    finally:
        made.service.request_stop(Stop.SAVE)
        await task


def said(memory: Memory) -> str:
    """The whole conversation of the matches."""
    return "\n".join(f"{e.way.value} {e.line}" for e in memory.events if isinstance(e, Wire))
