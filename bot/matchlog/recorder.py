"""The interface through which a bot writes to the archive and asks it questions.

The client calls `note` in the order of events, and awaits `kept` before it sends a command that
depends on them: what was kept survives a crash. Questions are answered after all that was noted
before them; only the bot that asks waits. A recorder that fails must not stop the game, so
the client logs what it raises and plays on.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, Protocol

from sixprime.bot.matchlog.events import Event, GameRecovered, Who
from sixprime.protocols.formats.record import Match


class Standing(NamedTuple):
    """How an opponent's matches with the accounts of an archive ended."""

    finished: int
    left: int  # matches that the opponent left and did not resume within an hour
    behind: int  # of these, while behind in points, or level in points and behind in the race


class Recorder(Protocol):
    """Records matches; events are those of bot.matchlog.events."""

    def note(self, event: Event) -> None:
        """Record an event; durable after `kept`, but a Wire may wait for the next other event."""

    async def kept(self) -> None:
        """Wait until all that was noted is durable; raises what went wrong with it."""

    @property
    def is_waiting(self) -> bool:
        """Is something that was noted not written yet?"""

    def finish(self, who: Who) -> None:
        """The match is over or put aside, and all about it has been noted: write its files."""

    async def results(self, account: str, opponent: str) -> tuple[int, int]:
        """Finished matches with this opponent: won, lost."""

    async def recent(self, server: str, account: str, within_s: float) -> list[tuple[str, float]]:
        """Recent matches, oldest first: the opponent, and how many seconds ago it began."""

    async def standings(self, server: str) -> dict[str, Standing]:
        """Of the opponents who recently left a match while behind."""

    async def missed(self, server: str, account: str, alive: Collection[str]) -> Who | None:
        """The account's latest match, if it or a game of it (may have) ended without our hearing.

        `alive` are the opponents whose matches the server still has, so those are not over.
        """

    async def recover(self, recovered: GameRecovered) -> Match | None:
        """Note the game, if it is the one that was missed, and return the match as it is now."""


class NullRecorder:
    """For bots without an archive: records nothing and knows no earlier match."""

    is_waiting = False

    def note(self, event: Event) -> None: ...

    async def kept(self) -> None: ...

    def finish(self, who: Who) -> None: ...

    async def results(self, account: str, opponent: str) -> tuple[int, int]:
        return 0, 0

    async def recent(self, server: str, account: str, within_s: float) -> list[tuple[str, float]]:
        return []

    async def standings(self, server: str) -> dict[str, Standing]:
        return {}

    async def missed(self, server: str, account: str, alive: Collection[str]) -> Who | None:
        return None

    async def recover(self, recovered: GameRecovered) -> Match | None:
        return None
