"""Questions to RepBot and its answers. RepBot is a user that keeps reputations."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sixprime.protocols.fibs.wire.commands import Tell
from sixprime.protocols.fibs.wire.messages import Player
from sixprime.protocols.fibs.wire.talk import Said
from sixprime.protocols.fibs.wire.templates import NAME

NAMES = ("RepBotNG", "RepBot")

_REPUTATION = re.compile(rf"({NAME})'s reputation is (-?[0-9]{{1,9}})\s*+\(?(\w*+)\)?.*+", re.ASCII)
_NONE = re.compile(rf"(?:User )?({NAME}) has no complainers or vouchers\.?", re.ASCII)
_NOBODY = re.compile(rf"ERROR: user ({NAME}) does not exist.*+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reputation:
    """The reputation of a user; `value` is None if RepBot knows nothing of them."""

    name: Player
    value: int | None
    verdict: str = ""


def ask(name: Player, repbot: str = NAMES[0]) -> Tell:
    """Return the question: wait 8 s at most for its answer, and ask once per user and hour."""
    return Tell(Player(repbot), f"ask {name}")


def reputation(message: Said, repbot: str = NAMES[0]) -> Reputation | None:
    """Return the answer that RepBot gives here; None if this is none."""
    if message.name != repbot:
        return None
    found = _REPUTATION.fullmatch(message.text)
    if found:
        return Reputation(Player(found[1]), int(found[2]), found[3])
    found = _NONE.fullmatch(message.text) or _NOBODY.fullmatch(message.text)
    return Reputation(Player(found[1]), None) if found else None
