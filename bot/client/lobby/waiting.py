"""Reasons for which a bot does nothing now, as values and as text for people."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sixprime.bot.process.printable import duration

Reason = Literal[
    "refused",  # the login
    "engine",  # does not work
    "stopping",
    "stopped",
    "line",  # lost, or the server does not answer: we dial again
    "connecting",
    "login",  # the server's dialogue, until we are in the lobby
    "settings",  # of the account
    "budget",  # of commands without effect
    "archive",  # away
    "paused",
    "shutdown",  # of the server
    "thinking",
    "opponent",  # in a match, or to come back
    "server",  # does not answer
    "leaving",  # a match
    "invitation",  # ours is open
    "inquiry",  # about an inviter
    "quiet hours",
    "limit",  # of matches in a day
    "rest",  # everybody who could play rests
    "tries",  # everybody who could play has had too many
    "nobody",  # is here, free and welcome
    "idle",  # we invite nobody, or not yet
]
REASONS: tuple[Reason, ...] = get_args(Reason)
SOON_S = 3_600.0  # times nearer than this show seconds
DAY_S = 86_400.0
BECAUSE = ", because "


@dataclass(frozen=True, slots=True)
class Waiting:
    """One sentence that says why a bot does nothing now.

    The subject of `sentence` is the bot, which is not named: "rests with anna, because the
    server loaded a finished match". It has no times, no command and no full stop: `text_of` adds
    them: `until` before a ", because ", the others at the end.
    """

    reason: Reason  # the label of `sixprime_waiting`
    sentence: str
    since: float | None = None  # by the clock of the loop
    until: float | None = None
    ends_with: str = ""  # the order of `sixprime control` that ends it, such as "forgive anna"

    def shown(self, now: float, digits: int | None = None) -> dict[str, Any]:
        """Return it as JSON, with rounded times relative to now."""
        since, until = self.since, self.until
        return {
            "reason": self.reason,
            "sentence": self.sentence,
            "since_s": None if since is None else max(0, round(now - since, digits)),
            "until_s": None if until is None else max(0, round(until - now, digits)),
            "ends_with": self.ends_with,
        }


def text_of(shown: Mapping[str, Any], now: dt.datetime, *, relative: bool = True) -> str:
    """Return the sentence of `Waiting.shown` with its times, by the clock and the zone of `now`.

    Without `relative` it stays the same while time passes.
    """
    head, because, cause = str(shown["sentence"]).partition(BECAUSE)
    since_s, until_s, order = shown["since_s"], shown["until_s"], shown["ends_with"]
    if until_s is not None:
        head += f" until {_clock(now, until_s)}" + (f" ({duration(until_s)})" if relative else "")
    began = relative and since_s is not None
    tail = f" (since {_clock(now, -since_s)}, {duration(since_s)})" if began else ""
    return f"{head}{because}{cause}{tail}" + (f": control {order}" if order else "")


def _clock(now: dt.datetime, after_s: float) -> str:
    """Return a time of day, with the day if it is another and far."""
    at = now + dt.timedelta(seconds=after_s)
    day = f"{at:%a} " if at.date() != now.date() and abs(after_s) >= DAY_S / 2 else ""
    zone = " UTC" if now.tzinfo is dt.UTC else ""
    return f"{day}{at:%H:%M:%S}{zone}" if abs(after_s) < SOON_S else f"{day}{at:%H:%M}{zone}"
