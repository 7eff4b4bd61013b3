"""Facts about the bots of a process, shown by `sixprime status` and the pages.

The archive tells the matches of the day, the log its warnings and errors, the disk its room. All
are asked now and then in threads, since each may hang; a status shows the last answers.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.database import file_of, standing
from sixprime.bot.client.service import Bot, Service
from sixprime.bot.client.thinking import in_a_thread
from sixprime.bot.control.recent import RecentMatches, recent
from sixprime.bot.matchlog.events import Event, MatchOver, MatchSaved, MatchStarted, Rated
from sixprime.bot.process.diskroom import free_mib
from sixprime.bot.process.logs import LogTail
from sixprime.bot.process.printable import Sentence
from sixprime.bot.process.release import UNKNOWN, build, installed
from sixprime.bot.settings.schema import ArchiveSettings, Config
from sixprime.engine.system.faults import Surviving

log = structlog.get_logger("bot.control")

LOOK_S = 1.0
SETTLED_S = 2.0  # until the archive has stored an event
AGAIN_S = 300.0  # between questions to the archive when nothing happens
DISK_LOOK_S = 60.0
ODD_LINES = 50  # not understood: the server may have changed


NOT_TOLD: Mapping[str, Any] = {"day": None, "ratings": []}


@dataclass(slots=True)
class AskedArchive:
    """One bot's recent matches, and when the archive was asked and had news for us."""

    lately: RecentMatches | None = None
    shown: Mapping[str, Any] = field(default_factory=lambda: NOT_TOLD)
    asked_at: float = float("-inf")
    changed_at: float = float("-inf")

    def note_news(self, event: Event) -> None:
        """Note that the archive soon has something new."""
        if isinstance(event, MatchStarted | MatchSaved | MatchOver | Rated):
            self.changed_at = asyncio.get_running_loop().time()

    def is_due(self, now: float) -> bool:
        settled_at = self.changed_at + SETTLED_S
        is_new = self.asked_at < settled_at and now >= self.asked_at + LOOK_S
        return is_new or now >= self.asked_at + AGAIN_S


@dataclass(slots=True)
class OpenArchive:
    """An archive that is read here, opened again if its file is another one."""

    settings: ArchiveSettings
    archive: Archive | None = None
    file: tuple[int, ...] | None = None

    def opened(self) -> Archive | None:
        """Return it, or None if its file is missing; ArchiveError."""
        file = file_of(self.settings.database)
        now = (standing(file) or ())[:2]
        if file is not None and not now:
            return None
        if self.archive is None or self.file != now:
            self.archive, self.file = Archive(self.settings), now
        return self.archive


class Overview:
    def __init__(
        self, service: Service, folders: Iterable[Path] = (), tail: LogTail | None = None
    ) -> None:
        self._service = service
        self._notices = service.config.notices
        self._folders = sorted(set(folders))
        self.tail = tail or LogTail()
        self._asked = {bot.profile.name: AskedArchive() for bot in service.bots}
        for bot in service.bots:
            bot.client.records.noted.append(self._asked[bot.profile.name].note_news)
        self._archives: dict[ArchiveSettings, OpenArchive] = {}
        self._running = self._installed = installed()
        self._build = build()
        self._disk: list[dict[str, Any]] = []
        service.overview = self.facts

    async def run(self) -> None:
        """Keep the facts fresh until cancelled."""
        looking = asyncio.create_task(self._look_at_disk())
        try:
            while True:
                for bot in self._service.bots:
                    await self.ask_archive(bot)
                await asyncio.sleep(LOOK_S)
        finally:
            looking.cancel()

    async def _look_at_disk(self) -> None:
        while True:
            self._disk = await in_a_thread(
                lambda: [
                    {"folder": str(folder), "free_mib": free}
                    for folder in self._folders
                    if (free := free_mib(folder)) is not None
                ]
            )
            now = await in_a_thread(installed)
            self._installed = self._installed if now == UNKNOWN else now
            await asyncio.sleep(DISK_LOOK_S)

    async def ask_archive(self, bot: Bot) -> None:
        """Ask the archive about this bot, if there may be anything new."""
        asked, profile = self._asked[bot.profile.name], bot.profile
        now = asyncio.get_running_loop().time()
        if profile.archive.database is None or not asked.is_due(now):
            return
        asked.asked_at = now
        place = self._archives.setdefault(profile.archive, OpenArchive(profile.archive))

        def ask() -> RecentMatches | None:
            archive = place.opened()
            now = dt.datetime.now(dt.UTC)
            return None if archive is None else recent(archive, profile, now)

        with Surviving(_report_silence):
            asked.lately = await in_a_thread(ask)
            asked.shown = NOT_TOLD if asked.lately is None else asked.lately.shown()

    def lately(self, profile: str) -> RecentMatches:
        """Return its recent matches, as the archive told them last."""
        return self._asked[profile].lately or RecentMatches()

    def facts(self, status: Mapping[str, Any]) -> dict[str, Any]:
        """Return further fields of the status of this bot."""
        profile = str(status["profile"])
        logged = _logged(self.tail, profile)
        facts = {
            **self._asked[profile].shown,
            "logged": logged,
            "process": {
                "version": self._running,
                "installed": self._installed,
                "build": self._build,
                "disk": self._disk,
                "logged": _logged(self.tail, ""),
            },
        }
        return facts | {"to_do": [*self._of_bot(status, logged), *self._of_process()]}

    def _of_bot(
        self, status: Mapping[str, Any], logged: list[dict[str, Any]]
    ) -> Iterator[Sentence]:
        """Yield the operator's next actions on this bot, the most urgent first."""
        offline_s, account = status["offline_s"], status["account"]
        if status["refused"]:
            yield Sentence(
                "log in as %(name)s by telnet, mend the password, then type `control dial`",
                name=account,
            )
        elif offline_s >= self._notices.offline_after_s and not status["stopping"]:
            yield Sentence("try whether %(server)s answers telnet", server=status["server"])
        if status["fault"]:
            yield Sentence("read the log, and install Sixprime again if a file is damaged")
        if status["archive"]:
            yield Sentence("make the archive answer: %(why)s", why=status["archive"])
        if errors := sum(kind["count"] for kind in logged if kind["level"] != "warning"):
            yield Sentence(
                "look for the %(count)s errors on the page Operating, under The log", count=errors
            )
        if status["unknown_lines"] >= ODD_LINES:
            yield Sentence("report the lines `not understood`: the server may have changed")
        if status["waiting"]["reason"] == "paused":
            yield Sentence("type `control resume` to end the pause")

    def _of_process(self) -> Iterator[Sentence]:
        for place in self._disk:
            if place["free_mib"] < self._notices.disk_mib:
                yield Sentence(
                    "make room at %(folder)s, where %(free)s MiB are free",
                    folder=place["folder"],
                    free=place["free_mib"],
                )
        if self._installed != self._running:
            yield Sentence(
                "restart it: %(new)s is installed, %(old)s runs",
                new=self._installed,
                old=self._running,
            )


def _logged(tail: LogTail, profile: str) -> list[dict[str, Any]]:
    return [
        {"level": kind.level, "event": kind.event, "count": kind.count, "last": kind.last}
        for kind in tail.troubles_of(profile)
    ]


def folders_of(config: Config) -> Iterator[Path]:
    """Yield the folders that the bots write to."""
    archives = [bot.archive for bot in config.profiles if bot.archive.database is not None]
    files = [config.logging.file, *(file_of(archive.database) for archive in archives)]
    yield from (file.parent for file in files if file is not None)
    yield from (archive.folder for archive in archives if archive.folder is not None)


def _report_silence(error: Exception) -> None:
    log.warning("the archive does not answer", exc_info=error)
