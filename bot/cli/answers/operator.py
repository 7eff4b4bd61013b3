"""The JSON of `sixprime status` and `doctor`."""

from __future__ import annotations

from typing import TypedDict

from sixprime.bot.cli.operator.doctor import Checked


class WaitingOfBot(TypedDict):
    """The reason why a bot does nothing now."""

    reason: str  # label of the metric `sixprime_waiting`
    sentence: str  # the bot is its subject
    since_s: float | None  # seconds ago
    until_s: float | None  # seconds from now
    ends_with: str  # order of `sixprime control` that ends it; may be empty


class _Troubles(TypedDict):
    offline_s: float
    offline_why: str
    dials_in_s: float | None
    refused: bool  # the server refused the login
    troubles: int  # matches that could not go on
    trouble: str  # the last of them; empty without one
    unknown_lines: int
    archive: str | None  # reason why it is away
    stopping: bool
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
