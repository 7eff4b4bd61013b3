"""Events on their way from a bot to its database, in memory and in a file.

**The order of events.** The events of a bot are numbered as they are noted. The database holds a
beginning of this sequence, and this queue holds all the rest, in order. The waiting file holds a
beginning of the queue, perhaps after events that the database has taken since. So database and file
together are always the sequence up to some event, without a gap, after a failure at any statement
and a kill at any time: only a commit takes events from the queue, a failure ends the whole
transaction, and the file is appended to or replaced as a whole. An event whose data the database
rejects is the one exception: it is dropped alone.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from typing import TypeVar

from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.archive.sparefile import SpareFile
from sixprime.bot.matchlog.events import Event

MOST_WAITING = 20_000  # events kept while the database is away
T = TypeVar("T")


class Noted:
    """An event on its way; `done` is settled when it is in the database, waits or is dropped."""

    __slots__ = ("done", "event", "number")

    def __init__(self, event: Event, number: int) -> None:
        self.event = event
        self.number = number  # in the order of noting
        self.done: Future[None] = running()

    def settle(self, fault: Exception | None) -> None:
        """Tell the result, once."""
        if self.done.done():
            return
        if fault is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(fault)


def running() -> Future[T]:
    """Return a future that cannot be cancelled: a noted event will be written."""
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()
    return future


class WaitingEvents:
    """One bot's queue; one thread takes from it, any thread may add to it and `hold` it."""

    def __init__(self, file: SpareFile) -> None:
        self.file = file
        self._numbers = itertools.count(1)
        self._events: deque[Noted] = deque()

    def __len__(self) -> int:
        return len(self._events)

    def put(self, event: Event) -> Noted:
        """Add an event after all others."""
        noted = Noted(event, next(self._numbers))
        self._events.append(noted)
        return noted

    def put_first(self, events: Sequence[Event]) -> None:
        """Add the events before all others, unless they wait already."""
        known = {id(noted.event) for noted in self._events.copy()}
        missing = [Noted(event, 0) for event in events if id(event) not in known]
        self._events.extendleft(reversed(missing))
        self.file.disorder()

    def after(self, count: int, last: int) -> Noted | None:
        """Return the event after so many others, if its number is not above `last`."""
        noted = self._events[count] if count < len(self._events) else None
        return None if noted is None or noted.number > last else noted

    @property
    def last(self) -> Noted | None:
        """The newest event."""
        return self._events[-1] if self._events else None

    def taken(self, results: Sequence[Exception | None]) -> None:
        """Remove events that the database has, or never will have; their faults in order."""
        for fault in results:
            self._events.popleft().settle(fault)
        if not self._events:
            self.file.clear()

    def failed(self, fault: Exception, last: int) -> None:
        """Hold all events after a failure, and settle those up to this number with the fault."""
        while len(self._events) > MOST_WAITING and self._events[-1].number <= last:
            lost = ArchiveError("the database is away for too long, events are lost")
            self._events.pop().settle(lost)
        self.hold()
        for noted in self._events.copy():
            if noted.number > last:
                break
            noted.settle(fault)

    @property
    def is_held(self) -> bool:
        """Return whether all events are in the file."""
        last = self.last
        return last is None or self.file.holds(last.event)

    def hold(self) -> None:
        """Keep all events in the file, too."""
        self.file.hold(noted.event for noted in reversed(self._events.copy()))
