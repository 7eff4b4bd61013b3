"""The value that says why a bot does nothing now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

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
    "opponent",  # in a match, or to come back
    "server",  # in a match
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


@dataclass(frozen=True, slots=True)
class Waiting:
    """One sentence that says why a bot does nothing now.

    The subject of `sentence` is the bot, which is not named: "rests with anna, because the
    server loaded a finished match". It has no times, no command and no full stop: `since`,
    `until` and `ends_with` follow it where it is shown.
    """

    reason: Reason  # the label of `sixprime_waiting`
    sentence: str
    since: float | None = None  # by the clock of the loop
    until: float | None = None
    ends_with: str = ""  # the order of `sixprime control` that ends it, such as "forgive anna"
