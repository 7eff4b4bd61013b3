"""Reasons for which a bot does nothing now, as values and as text for people."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sixprime.bot.process.printable import Sentence, duration

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
LEAVES = Sentence("leaves the match, if nothing happens")
DIALS = Sentence("dials again")
_LOGS_IN = Sentence("comes to the lobby, else dials again")
_INVITES = Sentence("plays on, with whoever is welcome then")
NEXT: Mapping[Reason, str] = {
    "refused": Sentence("nothing, until an operator mends the password and lets it dial"),
    "engine": Sentence("tests the engine again"),
    "stopping": Sentence("ends"),
    "stopped": Sentence("nothing"),
    "line": DIALS,
    "connecting": Sentence("logs in"),
    "login": _LOGS_IN,
    "settings": _LOGS_IN,
    "budget": Sentence("sends its next command"),
    "archive": Sentence("plays on, and keeps what happens for the archive"),
    "paused": Sentence("nothing, until an operator lets it play"),
    "shutdown": Sentence("dials again, once the server is back"),
    "thinking": Sentence("sends its decision"),
    "opponent": Sentence("plays, once the opponent is there"),
    "server": Sentence("hangs up and dials again, if the server stays silent"),
    "leaving": Sentence("goes to the lobby, or hangs up"),
    "invitation": Sentence("asks somebody else, if no answer comes"),
    "inquiry": Sentence("accepts or declines the invitation"),
    "quiet hours": _INVITES,
    "limit": _INVITES,
    "rest": Sentence("plays with this opponent again"),
    "tries": Sentence("plays with this opponent again"),
    "nobody": Sentence("plays with the first who is welcome"),
    "idle": Sentence("plays with the first who invites it and is welcome"),
}


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
    then: str = ""  # the bot's next action, if it is not the usual one of the reason

    @property
    def next_act(self) -> str:
        return self.then or NEXT[self.reason]

    def shown(self, now: float, digits: int | None = None) -> dict[str, Any]:
        """Return it as JSON, with rounded times relative to now."""
        since, until = self.since, self.until
        return {
            "reason": self.reason,
            "sentence": self.sentence,
            "since_s": None if since is None else max(0, round(now - since, digits)),
            "until_s": None if until is None else max(0, round(until - now, digits)),
            "ends_with": self.ends_with,
            "next": self.next_act,
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
