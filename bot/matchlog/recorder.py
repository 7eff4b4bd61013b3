"""The interface through which a bot writes to the archive and asks it questions.

The client calls `note` in the order of events, and awaits `kept` before it sends a command that
depends on them: kept events survive a crash. Questions are answered after all events noted before
them; only the bot that asks waits. A failing recorder must not stop the game, so the client logs
its exceptions and plays on.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple, Protocol

from sixprime.bot.matchlog.events import Event, GameRecovered, Who
from sixprime.protocols.formats.record import Match


class Standing(NamedTuple):
    """An opponent's record with the accounts of an archive."""

    finished: int
    left: int  # matches that the opponent left and did not resume within an hour
    behind: int  # of these, while behind in points, or level in points and behind in the race


class Recorder(Protocol):
    """A recorder of matches; see bot.matchlog.events."""

    def note(self, event: Event) -> None:
        """Record an event; durable after `kept`, but a Wire may wait for the next other event."""

    async def kept(self) -> None:
        """Wait until all noted events are durable; raise their failures."""

    async def held(self) -> str | None:
        """Wait until events that wait for a database are in a file; return why they are not."""

    @property
    def is_waiting(self) -> bool:
        """Return whether noted events are still to be written."""

    def finish(self, who: Who) -> None:
        """Write the files of a match that is over or put aside."""

    async def results(self, account: str, opponent: str) -> tuple[int, int]:
        """Count the finished matches with this opponent: won, lost."""

    async def recent(self, server: str, account: str, within_s: float) -> list[tuple[str, float]]:
        """Return recent matches, oldest first: the opponent, and seconds since it began."""

    async def standings(self, server: str) -> dict[str, Standing]:
        """Return the record of every opponent who recently left a match while behind."""

    async def missed(self, server: str, account: str, alive: Collection[str]) -> Who | None:
        """Return the account's latest match, if it or a game of it may have ended unheard.

        `alive` are the opponents whose matches the server still has, so these are not over.
        """

    async def recover(self, recovered: GameRecovered) -> Match | None:
        """Note the game, if it is the missed one, and return the match as it is now."""


class NullRecorder:
    """A recorder for bots without an archive: it records nothing and knows no match."""

    is_waiting = False

    def note(self, event: Event) -> None: ...

    async def kept(self) -> None: ...

    async def held(self) -> str | None:
        return None

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
