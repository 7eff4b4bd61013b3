"""Tracks when the archive may lack part of the last game and must ask the server for it.

After a login, and after a game that we may have seen only in part, the archive has to be checked
(`is_due`). If it lacks something (`missed`), we ask the server for its list of the last game, once
more if no answer comes, and then the list has to be recorded (`listed`). The server lists one game
only, so an archive that is away must not delay this: we know of some gaps ourselves (`doubtful`).
"""

from __future__ import annotations

from sixprime.bot.archive.recovery import OldMovesReply
from sixprime.bot.matchlog.events import (
    Acted,
    Event,
    GameOver,
    GameStarted,
    MatchOver,
    MatchStarted,
    Who,
)
from sixprime.protocols.fibs.wire.messages import Message
from sixprime.protocols.formats.record import SetBoard

REPLY_WITHIN_S = 5.0
MOST_REQUESTS = 2  # of the same list


class GapTracker:
    def __init__(self) -> None:
        self.is_due = False
        self.missed: Who | None = None
        self.listed: OldMovesReply | None = None
        self.doubtful: Who | None = None  # a match whose last game we have seen in part
        self._has_gaps = True  # part of the match may be unknown
        self._is_whole = True  # the current game, seen from its beginning
        self._reply: OldMovesReply | None = None
        self._tries = 0

    def connected(self) -> None:
        """Start again on a new connection: anything may have been missed before it."""
        self._has_gaps = self.is_due = True
        self.missed = self.listed = self._reply = None
        self._tries = 0

    def note(self, event: Event) -> None:
        match event:
            case Acted(_, _, SetBoard()) | MatchStarted(resumed=True):
                self._has_gaps, self._is_whole = True, False
            case GameStarted() | GameOver() | MatchOver():
                if isinstance(event, GameOver) and not self._is_whole:
                    self.doubtful = event.who
                self.is_due = self.is_due or self._has_gaps
                self._is_whole, self._tries = True, 0

    def found(self, missed: Who | None) -> None:
        self.missed = missed
        if missed != self.doubtful:
            self.doubtful = None
        if missed is None:
            self._has_gaps = not self._is_whole

    def trust_ourselves(self) -> None:
        """Let a game that we have seen in part be asked for, though the archive does not answer."""
        if self._reply is None and self.listed is None and self._tries < MOST_REQUESTS:
            self.missed = self.doubtful

    @property
    def is_asking(self) -> bool:
        """Return whether the list is still to come."""
        return self._reply is not None

    def ask(self, who: Who, now: float) -> None:
        """Note that we ask for the server's list, and begin to wait for it."""
        self.missed = None
        self._reply = OldMovesReply(who, now + REPLY_WITHIN_S)
        self._tries += 1

    def collect(self, message: Message) -> None:
        if self._reply is not None:
            self._reply.collect(message)
            if self._reply.is_over:
                self._reply, self.listed = None, self._reply

    def gives_up(self, now: float) -> bool:
        """Stop waiting for a list that has not come in time; return whether that happened.

        The check is due again unless the list was asked for too often.
        """
        if self._reply is None or now < self._reply.until:
            return False
        self._reply = None
        self.is_due = self._tries < MOST_REQUESTS  # the answer may have been lost
        return True
