"""Finds troubles of a process's bots in their status, as `sixprime status` shows it.

A trouble is reported when it begins, again while it lasts, and when it is over; a trouble that
comes and goes, once in `again_after_s`. All bots together report only so much in an hour.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import structlog

from sixprime.bot.client.lobby.waiting import Reason, text_of
from sixprime.bot.client.thinking import in_a_thread
from sixprime.bot.notices.delivery import OperatorNotice
from sixprime.bot.process.diskroom import free_mib
from sixprime.bot.process.printable import counted, printable
from sixprime.bot.process.release import UNKNOWN, installed
from sixprime.bot.settings.notices import NoticeSettings, Topic
from sixprime.engine.system.faults import Surviving

log = structlog.get_logger("bot.notices")

LOOK_S = 10.0
DISK_LOOK_S = 60.0
ODD_LINES = 50  # not understood within
ODD_WITHIN_S = 3_600.0  # mean that the server has changed
HOUR_S = 3_600.0
_OVER: Mapping[Topic, str] = {
    "offline": "online again",
    "waiting": "goes on",
    "archive": "the archive is back",
    "disk": "there is room on the disk again",
    "engine": "the engine works again",
}
_LONG: frozenset[Reason] = frozenset(
    {"login", "settings", "budget", "archive", "server", "leaving", "rest", "tries"}
)  # reasons that nobody wants to last
_FULL = ("full", "no space", "quota")  # as databases and systems say it

Status = Sequence[Mapping[str, Any]]


class Trouble(NamedTuple):
    topic: Topic
    profile: str
    text: str
    lasts: bool = True  # else it happened once and has no end


@dataclass(slots=True)
class ReportedTrouble:
    """A reported trouble: when it was reported last, and whether it lasts."""

    at: float
    lasts: bool
    goes_on: bool = True


class Noticing:
    """Decides what is reported; `now` is any clock in seconds."""

    def __init__(self, settings: NoticeSettings) -> None:
        self._settings = settings
        self._reported: dict[tuple[Topic, str], ReportedTrouble] = {}
        self._lately: deque[float] = deque()  # when notices were sent
        self._left_out = 0
        self._counted: dict[str, int] = {}  # troubles of each profile so far
        self._odd: dict[str, tuple[float, int]] = {}  # unknown lines: since when, and how many then

    def look(
        self, status: Status, now: float, others: Iterable[Trouble] = ()
    ) -> list[OperatorNotice]:
        """Return the notices due now; `others` are troubles of the whole process."""
        wrong = [*others, *(each for bot in status for each in self._troubles(bot, now))]
        wrong = [each for each in wrong if each.topic in self._settings.about]
        notices = [each for each in (self._begins(one, now) for one in wrong) if each]
        lasts = {(topic, str(bot["profile"])) for bot in status for topic in _lasts(bot)}
        return self._few([*notices, *self._ends(lasts.union(each[:2] for each in wrong))], now)

    def _troubles(self, bot: Mapping[str, Any], now: float) -> Iterator[Trouble]:
        name, waiting = str(bot["profile"]), bot.get("waiting")
        text = "has stopped" if waiting is None else text_of(waiting, dt.datetime.now(dt.UTC))
        if bot["refused"]:
            yield Trouble("refused", name, f"the server refuses the login; the bot {text}")
        elif bot["offline_s"] >= self._settings.offline_after_s and not bot["stopping"]:
            why = f": {bot['offline_why']}" if bot["offline_why"] else ""
            why += "" if waiting is None else f"; the bot {text}"
            minutes = round(bot["offline_s"] / 60)
            yield Trouble("offline", name, f"offline for {counted(minutes, 'minute')}{why}")
        elif self._is_long(waiting):
            yield Trouble("waiting", name, f"the bot {text}")
        if bot["troubles"] != self._counted.setdefault(name, 0):
            self._counted[name] = bot["troubles"]
            yield Trouble("stuck", name, f"left a match: {bot['trouble']}", lasts=False)
        if fault := bot["fault"]:
            yield Trouble("engine", name, f"the engine does not work: {fault}")
        if away := bot["archive"]:
            full = any(word in str(away).lower() for word in _FULL)
            yield Trouble("disk" if full else "archive", name, f"the archive is away: {away}")
        since, count = self._odd.setdefault(name, (now, bot["unknown_lines"]))
        if now >= since + ODD_WITHIN_S:
            self._odd[name] = now, bot["unknown_lines"]
        elif bot["unknown_lines"] >= count + ODD_LINES:
            self._odd[name] = now, bot["unknown_lines"]
            text = "much that the server says is not understood; is there an upgrade?"
            yield Trouble("upgrade", name, text, lasts=False)

    def _is_long(self, waiting: Mapping[str, Any] | None) -> bool:
        if waiting is None or waiting["reason"] not in _LONG:
            return False
        return bool(waiting["since_s"] >= self._settings.waiting_after_s)

    def _begins(self, trouble: Trouble, now: float) -> OperatorNotice | None:
        last = self._reported.get(trouble[:2])
        if last is not None and now < last.at + self._settings.again_after_s:
            return None
        self._reported[trouble[:2]] = ReportedTrouble(now, trouble.lasts)
        return OperatorNotice(
            trouble.topic, trouble.profile, " ".join(printable(trouble.text).split())
        )

    def _ends(self, wrong: set[tuple[Topic, str]]) -> Iterator[OperatorNotice]:
        for (topic, profile), last in self._reported.items():
            if last.goes_on and last.lasts and (topic, profile) not in wrong:
                last.goes_on = False
                if topic in _OVER:
                    yield OperatorNotice(topic, profile, _OVER[topic], over=True)

    def _few(self, notices: list[OperatorNotice], now: float) -> list[OperatorNotice]:
        while self._lately and self._lately[0] <= now - HOUR_S:
            self._lately.popleft()
        room = max(0, self._settings.most_an_hour - len(self._lately))
        sent, left_out = notices[:room], notices[room:]
        self._lately.extend([now] * len(sent))
        if sent and self._left_out:
            sent.append(
                OperatorNotice(sent[0].topic, "", f"{self._left_out} notices were left out")
            )
            self._left_out = 0
        self._left_out += len(left_out)
        return sent


def _lasts(bot: Mapping[str, Any]) -> Iterator[Topic]:
    """Topics still true of this bot, even once stopped."""
    if bot["offline_s"]:
        yield "offline"
    if bot["archive"]:
        yield from ("archive", "disk")


class TroubleWatch:
    """Checks a process at intervals."""

    def __init__(
        self,
        settings: NoticeSettings,
        status: Callable[[], Status],
        post: Callable[[OperatorNotice], None],
        folders: Iterable[Path],
    ) -> None:
        self._settings = settings
        self._status, self._post = status, post
        self._noticing = Noticing(settings)
        self._folders = sorted(set(folders))
        self._version = installed()
        self._found: list[Trouble] = []  # at the last check of the disk

    async def run(self) -> None:
        """Watch until cancelled; the last events are still reported."""
        looking = asyncio.create_task(self._look_at_disk())
        try:
            while True:
                self.look()
                await asyncio.sleep(LOOK_S)
        finally:
            looking.cancel()
            self.look()

    def look(self) -> None:
        now = asyncio.get_running_loop().time()
        with Surviving(_report):
            for each in self._noticing.look(self._status(), now, self._found):
                self._post(each)

    async def _look_at_disk(self) -> None:
        """Check the disk in a thread of its own, since a disk may hang."""
        while True:
            self._found = await in_a_thread(lambda: list(self._elsewhere()))
            await asyncio.sleep(DISK_LOOK_S)

    def _elsewhere(self) -> Iterator[Trouble]:
        for folder in self._folders:
            if (free := free_mib(folder)) is not None and free < self._settings.disk_mib:
                yield Trouble("disk", "", f"{folder}: {free} MiB are left on the disk")
                break
        now = installed()
        if now not in (self._version, UNKNOWN):
            text = f"{now} is installed, {self._version} runs: restart it"
            yield Trouble("upgrade", "", f"sixprime {text}")


def _report(error: Exception) -> None:
    log.error("cannot find out what is wrong", exc_info=error)
