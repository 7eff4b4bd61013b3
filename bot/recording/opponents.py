"""Keeps across restarts which opponents to leave alone and whose saved match is over."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from pydantic import TypeAdapter

from sixprime.bot.client.lobby.acquaintances import FOR_EVER, Acquaintances, Memory
from sixprime.bot.client.lobby.rests import DAY_S
from sixprime.bot.recording.keptfile import KeptFile, keep_saving
from sixprime.bot.settings.blanking import Blank
from sixprime.bot.settings.schema import Profile

NAME = "opponents.json"
LONGEST_S = 7 * DAY_S


@dataclass(frozen=True, slots=True)
class KeptOpponent:
    """End times, in seconds since 1970; None: forever."""

    alone: int = 0
    rests: int = 0
    dead: int | None = 0


_FORM = TypeAdapter(dict[str, dict[str, KeptOpponent]])  # by account, the latest last, and name


def key(profile: Profile) -> str:
    return f"{profile.account.user}@{profile.server.host.lower()}:{profile.server.port}"


class OpponentFile:
    """A file of opponents, which processes may share; each account belongs to one of them."""

    def __init__(
        self,
        path: Path,
        known: Mapping[str, Acquaintances],
        blank: Blank,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._file = KeptFile(
            path, _FORM, "starting without what was known of opponents", "opponents not kept"
        )
        self._blank = blank  # somebody may be called like our password
        self._known = known
        self._clock = clock
        self._saved: dict[str, dict[str, KeptOpponent]] = {}

    async def keep(self) -> None:
        """Restore the known opponents, then save changes, until cancelled."""
        self.restore()
        await keep_saving(self.save)

    def restore(self) -> None:
        tree = self._file.contents()
        now = asyncio.get_running_loop().time()
        for account, known in self._known.items():
            self._saved[account] = tree.get(account, {})
            for name, each in self._saved[account].items():
                known.restore(name, self._memory(each), now)

    def save(self) -> None:
        """Save changed opponents; a file that cannot be written is a warning."""
        now = asyncio.get_running_loop().time()
        kept = {
            account: {
                name: self._kept(memory)
                for name, memory in known.lasting(now).items()
                if self._blank(name) == name
            }
            for account, known in self._known.items()
        }
        changed = {account: each for account, each in kept.items() if each != self._saved[account]}
        self._saved |= changed
        self._file.add(changed)

    def _kept(self, memory: Memory) -> KeptOpponent:
        """Return the memory to the minute, so that an unchanged one gives the same text."""
        alone, rests, dead = (
            round((self._clock() + left) / 60) * 60 if isfinite(left) else None for left in memory
        )
        return KeptOpponent(alone or 0, rests or 0, dead)

    def _memory(self, kept: KeptOpponent) -> Memory:
        now = self._clock()
        alone, rests, dead = (
            FOR_EVER if at is None else min(max(at - now, 0.0), LONGEST_S)
            for at in (kept.alone, kept.rests, kept.dead)
        )
        return Memory(alone, rests, dead)
