"""The JSON of `sixprime status` and `doctor`."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from sixprime.bot.cli.operator.doctor import Checked
from sixprime.bot.control.recent import PlayedMatch
from sixprime.bot.process.logs import LoggedEvent


class WaitingOfBot(TypedDict):
    """The reason why a bot does nothing now."""

    reason: str  # label of the metric `sixprime_waiting`
    sentence: str  # the bot is its subject
    since_s: float | None  # seconds ago
    until_s: float | None  # seconds from now
    ends_with: str  # order of `sixprime control` that ends it; may be empty
    next: str  # the bot's next act


class DayOfBot(TypedDict):
    """The matches of the last 24 hours."""

    count: int
    won: int
    lost: int
    points: tuple[int, int]  # the bot's come first
    gain: float | None  # of the bot's rating
    matches: list[PlayedMatch]  # the newest


class DiskRoom(TypedDict):
    """A folder that the bots write to, and its room."""

    folder: str
    free_mib: int


class ProcessOfBots(TypedDict):
    """The process of the bots."""

    version: str
    installed: str  # version that a restart would run
    build: str
    disk: list[DiskRoom]
    logged: list[LoggedEvent]  # warnings and errors that no bot caused


class _Overview(TypedDict):
    day: NotRequired[DayOfBot | None]  # None before the archive answers
    ratings: NotRequired[list[float]]  # after the last matches, oldest first
    logged: NotRequired[list[LoggedEvent]]  # warnings and errors of the last 24 hours
    process: NotRequired[ProcessOfBots]
    to_do: NotRequired[list[str]]  # the operator's next actions


class _Troubles(_Overview):
    offline_s: float
    offline_why: str
    dials_in_s: float | None
    refused: bool  # the server refused the login
    troubles: int  # matches that could not go on
    trouble: str  # the last of them; empty without one
    unknown_lines: int
    archive: str | None  # reason why it is away
    stopping: bool
    unfinished: list[str]  # opponents of saved matches
    unknown_commands: list[str]  # of ours, which the server does not know
    failures: int  # decisions in which the engine failed
    fault: str | None  # of the engine


class BotOfProcess(_Troubles):
    """A bot of a running process."""

    profile: str
    server: str
    account: str
    level: str
    state: str
    healthy: bool
    rating: float | None
    experience: int | None
    opponent: str | None
    length: int | None  # 0 is unlimited
    score: list[int] | None  # the bot's points come first
    position: str | None  # Position ID
    match: str | None  # Match ID; seat 0 is the bot
    uptime_s: float
    won: int  # matches since the start
    lost: int
    saved: int
    waiting: WaitingOfBot


BotsOfProcess = list[BotOfProcess]
Findings = list[Checked]
