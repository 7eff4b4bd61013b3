"""A demonstration: a server of our own, two bots on real sockets, rated matches, a record.

It runs the code of `sixprime sandbox` and `sixprime play` in one process, on a free loopback port.
The first bot keeps the archive, and the screen shows each event that it records. The seed gives the
dice and both levels are deterministic, so the same seed gives the same match.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.archive.writer import ArchiveRecorder, ArchiveThread, close_all
from sixprime.bot.client.service import Service
from sixprime.bot.client.stopping import Stop
from sixprime.bot.matchlog.events import Event, MatchOver, Who
from sixprime.bot.matchlog.recorder import NullRecorder, Recorder
from sixprime.bot.sandbox.config import SandboxConfig
from sixprime.bot.sandbox.run import dice_source
from sixprime.bot.sandbox.serve import SandboxServer as Sandbox
from sixprime.bot.sandbox.state.dialect import Dialect
from sixprime.bot.sandbox.state.limits import Limits
from sixprime.bot.sandbox.store import make_accounts
from sixprime.bot.settings.archiveplace import address_of
from sixprime.bot.settings.passwords import Secret
from sixprime.bot.settings.schema import (
    AcceptSettings,
    AccountSettings,
    ArchiveSettings,
    Config,
    InviteSettings,
    Lobby,
    MetricsSettings,
    Pace,
    PlayerSettings,
    Profile,
    ServerSettings,
    Thinking,
)
from sixprime.engine.position import Variant
from sixprime.engine.system.errors import Unavailable

HOST = "127.0.0.1"
FIRST, SECOND = "anna", "ben"
LEVELS = {FIRST: "world-class", SECOND: "intermediate"}
QUICK = Pace(least_s=0.0, most_s=0.0)
UNHURRIED = Thinking(
    within_s=60.0, cheaper_within_s=30.0
)  # otherwise a slow machine would play differently
UNLIMITED = Limits(command_burst=1_000_000, commands_per_s=10_000, chat_burst=10_000)
START_S, POINT_S = 300.0, 120.0  # far longer than a match ever takes


@dataclass(frozen=True, slots=True)
class Plan:
    """The matches to play and the folder of their record."""

    folder: Path
    length: int
    matches: int
    seed: int
    variant: Variant = Variant.STANDARD
    within_s: float | None = None  # then it gives up; None: by the number of points

    @property
    def limit_s(self) -> float:
        """Longest duration of the whole demonstration."""
        points_s = POINT_S * self.length * self.matches
        return START_S + points_s if self.within_s is None else self.within_s

    @property
    def archive(self) -> ArchiveSettings:
        """Archive settings of the first bot."""
        database = address_of(str(self.folder / "archive.db"))
        return ArchiveSettings(
            database=database, folder=self.folder / "matches", formats=self.formats
        )

    @property
    def formats(self) -> tuple[Literal["oldmoves", "sgf", "mat"], ...]:
        """Formats of the match files; oldmoves carries the standard game alone."""
        standard = self.variant is Variant.STANDARD
        return ("oldmoves", "sgf", "mat") if standard else ("sgf", "mat")


@dataclass(frozen=True, slots=True)
class Listening:
    port: int


@dataclass(frozen=True, slots=True)
class Filed:
    """A match is over, and its files are written if they could be."""

    who: Who


DemoEvent = Event | Listening | Filed
Tell = Callable[[DemoEvent], None]


class DemoArchive(LiveArchive):
    """An archive that reports when the files of a match are written."""

    def __init__(self, settings: ArchiveSettings, tell: Tell) -> None:
        super().__init__(settings)
        self.tell = tell
        self.is_over = False  # a match, whose files are not written yet

    def finish(self, who: Who) -> None:
        """See LiveArchive; also called when a match is saved."""
        try:
            super().finish(who)
        finally:
            if self.is_over:
                self.is_over = False
                self.tell(Filed(who))


@dataclass
class DemoRecorder(ArchiveRecorder):
    """A recorder that reports each event, for the screen."""

    archive: DemoArchive

    def note(self, event: Event) -> None:
        super().note(event)
        self.archive.is_over |= isinstance(event, MatchOver)
        self.archive.tell(event)


class Demo:
    def __init__(self, plan: Plan, show: Tell) -> None:
        self.plan = plan
        self._show = show
        self._service: Service | None = None
        self._is_stopping = False

    def request_stop(self) -> None:
        """Stop without finishing the match."""
        self._is_stopping = True
        if self._service is not None:
            self._service.request_stop(Stop.SAVE)

    async def run(self) -> bool:
        """Play all matches; False if stopped before the end; Unavailable."""
        limit = asyncio.timeout(self.plan.limit_s)
        try:
            with TemporaryDirectory(prefix="sixprime-demo-") as scratch:
                async with limit:
                    return await self._run(Path(scratch))
        except TimeoutError:
            if not limit.expired():
                raise
            raise Unavailable(f"not over after {self.plan.limit_s:g} s, given up") from None
        except ExceptionGroup as several:
            raise _first(several) from several

    async def _run(self, scratch: Path) -> bool:
        password = secrets.token_urlsafe(16)
        make_accounts(scratch / "sandbox.db", [FIRST, SECOND], password)
        dialect = Dialect(variant=self.plan.variant)
        database = scratch / "sandbox.db"
        settings = SandboxConfig(database=database, limits=UNLIMITED, dialect=dialect)
        sandbox = Sandbox(settings, dice_source(self.plan.seed))
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(sandbox.run(HOST, 0, stop))
            await sandbox.listening.wait()
            self._show(Listening(sandbox.port))
            try:
                return await self._play(sandbox.port, Secret(password))
            finally:
                stop.set()

    async def _play(self, port: int, password: Secret) -> bool:
        if self._is_stopping:
            return False
        events: asyncio.Queue[DemoEvent | None] = asyncio.Queue()  # None: both bots have left
        profiles = tuple(self._profile(name, port) for name in (FIRST, SECOND))
        loop = asyncio.get_running_loop()

        def tell(event: DemoEvent) -> None:  # in the archive's thread
            loop.call_soon_threadsafe(events.put_nowait, event)

        archive = DemoArchive(self.plan.archive, tell)
        written = DemoRecorder(archive, ArchiveThread())

        def recorder(profile: Profile) -> Recorder:
            return written if profile.name == FIRST else NullRecorder()

        config = Config(profiles=profiles, metrics=MetricsSettings(listen=None))
        passwords = {FIRST: password, SECOND: password}
        self._service = service = Service(config, passwords, recorder=recorder)
        try:
            async with asyncio.TaskGroup() as group:
                bots = group.create_task(service.run())
                bots.add_done_callback(lambda _: events.put_nowait(None))
                over = await self._follow(events)
                service.request_stop(Stop.FINISH)
            return over
        finally:
            close_all([written])

    async def _follow(self, events: asyncio.Queue[DemoEvent | None]) -> bool:
        """Show events; return whether all matches were played."""
        missing = self.plan.matches
        while missing:
            event = await events.get()
            if event is None:
                if self._is_stopping:
                    return False
                raise Unavailable("the bots left before the match was over")
            self._show(event)
            missing -= isinstance(event, Filed)
        return True

    def _profile(self, name: str, port: int) -> Profile:
        """Return the profile of a quick bot that plays the other; the first one invites."""
        length = self.plan.length
        accept = AcceptSettings(bots=True, match_lengths=(length,), matches_per_opponent_and_day=0)
        invite = InviteSettings(match_length=length)
        archive = ArchiveSettings(database=None, folder=None)
        if name == FIRST:
            invite = InviteSettings(match_length=length, after_idle_s=0.1, preferred=(SECOND,))
            archive = self.plan.archive
        return Profile(
            name=name,
            server=ServerSettings(host=HOST, port=port, command_gap_s=0.0, stop_within_s=3.0),
            account=AccountSettings(user=name),
            player=PlayerSettings(level=LEVELS[name], pace=QUICK, thinking=UNHURRIED),
            lobby=Lobby(accept=accept, invite=invite),
            archive=archive,
        )


def _first(several: ExceptionGroup) -> Exception:
    """Return the first error inside nested exception groups."""
    error = several.exceptions[0]
    return _first(error) if isinstance(error, ExceptionGroup) else error
