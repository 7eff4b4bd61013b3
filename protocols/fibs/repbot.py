"""Asking RepBot, a user that keeps reputations, by `tell`, and reading its answers."""

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
    """None: RepBot knows nothing of this user, or there is no such user."""

    name: Player
    value: int | None
    verdict: str = ""


def ask(name: Player, repbot: str = NAMES[0]) -> Tell:
    """The question; wait for the answer 8 s at most, and ask once per user and hour."""
    return Tell(Player(repbot), f"ask {name}")


def reputation(message: Said, repbot: str = NAMES[0]) -> Reputation | None:
    """The answer, if RepBot itself said this and it is one."""
    if message.name != repbot:
        return None
    found = _REPUTATION.fullmatch(message.text)
    if found:
        return Reputation(Player(found[1]), int(found[2]), found[3])
    found = _NONE.fullmatch(message.text) or _NOBODY.fullmatch(message.text)
    return Reputation(Player(found[1]), None) if found else None
