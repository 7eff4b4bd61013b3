"""A bot's records for the archive, and its questions to it.

An archive that fails or hangs stops no game: we log it and play on.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from sixprime.bot.archive.database import ArchiveAway, is_away, reason_of
from sixprime.bot.client.metrics import BotMetrics
from sixprime.bot.client.thinking import Considered
from sixprime.bot.matchlog.events import Event, Evidence, Way, Who, Wire
from sixprime.bot.matchlog.recorder import Recorder
from sixprime.bot.matchlog.scribe import Scribe
from sixprime.bot.settings.blanking import Blank, BlankedStream
from sixprime.bot.settings.schema import Profile
from sixprime.engine.system.faults import Surviving
from sixprime.protocols.fibs.lifecycle import MatchEnds, PutAside
from sixprime.protocols.fibs.wire.commands import Command
from sixprime.protocols.fibs.wire.messages import Message, Player
from sixprime.protocols.servers import MatchInPlay, Session

KEPT_LINES = 200  # kept as evidence
SHOWN_LINES = 40  # of the evidence in the log
LONGEST_LINE = 1_000
ARCHIVE_WITHIN_S = 10.0  # without an answer; then the database hangs and we play on
HELD_WITHIN_S = 2.0  # for the file of waiting events
STILL_HANGS_S = 0.1  # for a hanging database, or disk
MOST_SCRIBES = 50  # of saved matches
RATED_WITHIN_S = 5.0  # after the end of a match


@dataclass(slots=True)
class AwaitedRating:
    """A finished match that waits for the who lines with the new ratings."""

    scribe: Scribe
    missing: set[str]
    until: float


class Records:
    """One bot's records, across its connections."""

    def __init__(
        self,
        profile: Profile,
        level: str,
        recorder: Recorder,
        metrics: BotMetrics,
        log: Any,
        clock: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC),
    ) -> None:
        self.recorder = recorder
        self.log = log
        self.now = clock
        self.noted: list[Callable[[Event], None]] = []  # other listeners
        self._profile = profile
        self.level = level
        self._metrics = metrics
        self._scribe: Scribe | None = None  # of the match in play
        self._scribes: dict[Player, Scribe] = {}
        self._rating: AwaitedRating | None = None
        self._hangs = False
        self.asked_at: float | None = None  # a question that the archive has not answered yet
        self.away: str | None = None  # the reason why events cannot be written now
        self._is_held = True  # waiting events are in their file
        self._may_be_back = False  # something has to be written, which would show it
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self.connected("")

    def connected(self, password: str) -> None:
        """Note a new connection, on which we log in with this password."""
        self.blank = Blank([password])
        self._wire = {ours: BlankedStream(self.blank) for ours in (True, False)}
        self._pieces = {True: b"", False: b""}  # the beginnings of unfinished lines, by `ours`
        self._lines.clear()

    def who(self, opponent: str) -> Who:
        """Return the identity of a match; an opponent may be called like our password."""
        server, account = self._profile.server.host, self._profile.account.user
        return Who(server, account, self.blank(opponent))

    # --- the match in play

    def match_begins(self, opponent: Player, session: Session) -> None:
        """Continue with the Scribe of a resumed match if we still have it, or start one."""
        self.finish_last()
        scribe = self._scribes.pop(opponent, None)
        if scribe is None:
            scribe = Scribe(self.who(opponent), session, self.level)
        else:
            scribe.resume(session)
        self._scribe = self._scribes[opponent] = scribe
        while len(self._scribes) > MOST_SCRIBES:
            del self._scribes[next(iter(self._scribes))]

    def on_message(self, message: Message, match: MatchInPlay | None) -> None:
        """Record a message, if it is about the match."""
        if self._scribe is not None:
            self.note(self._scribe.events_of(message, match, self.now()))

    def decided(self, decision: Considered) -> None:
        """Record the analysis behind our next command."""
        if self._scribe is not None:
            self._scribe.decided(decision.analysis)

    def on_sent(self, command: Command) -> None:
        if self._scribe is not None:
            self.note(self._scribe.said(command, self.now()))

    def sending(self, command: Command) -> None:
        """Record our decision; `kept` comes before `next`, so it is durable before it is sent."""
        if self._scribe is not None:
            self.note(self._scribe.sending(command, self.now()))

    def match_over(self, ends: MatchEnds, now: float) -> None:
        """Record a won or lost match, perhaps once saved; the ratings come later."""
        scribe = self._scribe or self._scribes.get(ends.opponent)
        if scribe is not None:
            self.note(scribe.over(ends, self.now()))
            self._scribes.pop(ends.opponent, None)
            names = {str(self._profile.account.user), str(ends.opponent)}
            self._rating = AwaitedRating(scribe, names, now + RATED_WITHIN_S)
        self._scribe = None

    def match_saved(self, why: PutAside) -> None:
        if self._scribe is not None:
            self.note(self._scribe.saved(why, self.now()))
            self.finish(self._scribe.who)
        self._scribe = None

    def on_rating(self, name: str) -> None:
        """Take the ratings of a who line."""
        if self._rating is not None:
            self._rating.missing.discard(name)
            if not self._rating.missing:
                self.finish_last()

    def tick(self, now: float) -> None:
        """Stop waiting for who lines after a while."""
        if self._rating is not None and now >= self._rating.until:
            self.finish_last()

    def finish_last(self) -> None:
        """Record the ratings known after the last match, and write its files."""
        if self._rating is not None:
            rating, self._rating = self._rating, None
            self.note(rating.scribe.rated(self.now()))
            self.finish(rating.scribe.who)

    def forget(self, opponent: str) -> None:
        """Forget a saved match that is over."""
        self._scribes.pop(Player(opponent), None)

    # --- lines of the conversation

    def wire(self, data: bytes, *, ours: bool) -> None:
        """Keep the last lines as evidence, and the lines of a match for its raw log."""
        *lines, rest = (self._pieces[ours] + self._wire[ours].feed(data)).split(b"\n")
        self._pieces[ours] = rest[:LONGEST_LINE]
        way = Way.SAID if ours else Way.HEARD
        for each in lines:
            line = each[:LONGEST_LINE].decode("latin-1").rstrip("\r")
            self._lines.append(f"{way.value} {line}")
            if self._scribe is not None and self._profile.archive.raw_log:
                self.note([Wire(self._scribe.who, self.now(), way, line)])

    def evidence(self, what: str) -> None:
        """Record the last lines as evidence of a problem."""
        if self._scribe is not None:
            self.note([Evidence(self._scribe.who, self.now(), what, tuple(self._lines))])
        self.log.error("evidence", what=what, lines=list(self._lines)[-SHOWN_LINES:])

    # --- the archive

    def note(self, events: Iterable[Event]) -> None:
        """Record these events, in this order."""
        for event in events:
            self._may_be_back = True
            with self._playing_on(type(event).__name__):
                self.recorder.note(event)
            for listener in self.noted:
                listener(event)

    def finish(self, who: Who) -> None:
        """Write the files of a match whose events are all recorded."""
        with self._playing_on("files"):
            self.recorder.finish(who)

    async def kept(self, *, at_last: bool = False) -> None:
        """Wait until every event is durable; `at_last` gives a hung archive its full time again.

        An event is durable in the database, or else in the file of waiting events. If neither takes
        it in time, we play on and say so.
        """
        self._hangs = self._hangs and not at_last
        async with self.asking("notes"):
            await self.recorder.kept()
            if self.away is not None and self._may_be_back and not self.recorder.is_waiting:
                self.log.info("the archive is back")
                self.away = None
                self._is_held = True
        if self.away is not None and self.recorder.is_waiting:
            await self._held()

    async def _held(self) -> None:
        """Wait until the waiting events are in their file, but not for ever."""
        fault: str | None = f"the disk does not answer within {HELD_WITHIN_S:g} s"
        with suppress(TimeoutError):
            async with asyncio.timeout(HELD_WITHIN_S if self._is_held else STILL_HANGS_S):
                fault = await self.recorder.held()
        if fault is not None and self._is_held:
            self.log.error("what happens is in memory only", why=fault)
            self.away = f"{self.away}; what happens is in memory only: {fault}"
        self._is_held = fault is None

    def _playing_on(self, what: str) -> Surviving:
        """Return a context that logs the fault of its block, which must not stop the game."""

        def report(error: Exception) -> None:
            self._metrics.errors.labels(self._profile.name, "archive").inc()
            if (away := _away(error)) is None:
                self.log.error("the archive failed", what=what, exc_info=error)
            elif self.away is None:
                self.log.error(
                    "the archive is away, what happens is kept for it", why=reason_of(away)
                )
            self.away = self.away if away is None else reason_of(away)
            self._may_be_back = self.recorder.is_waiting

        return Surviving(report)

    @asynccontextmanager
    async def asking(self, what: str) -> AsyncIterator[None]:
        """Do as `_playing_on`, and limit the time; recorded events are still written."""
        limit = asyncio.timeout(STILL_HANGS_S if self._hangs else ARCHIVE_WITHIN_S)
        self.asked_at = asyncio.get_running_loop().time()
        with self._playing_on(what):
            try:
                async with limit:
                    yield
            except TimeoutError:
                if not limit.expired():
                    raise
                if not self._hangs:  # else it has been logged
                    raise ArchiveAway(f"no answer within {ARCHIVE_WITHIN_S:g} s") from None
            finally:
                self.asked_at = None
        self._hangs = limit.expired()


def _away(error: Exception) -> Exception | None:
    """Return the error that shows that the database is away, if it does."""
    found = error.subgroup(is_away) if isinstance(error, ExceptionGroup) else error
    while isinstance(found, ExceptionGroup):
        found = found.exceptions[0]
    return found if found is not None and is_away(found) else None
