"""The command line with a mine in it: `python -m tests.mined MINE sixprime's arguments...`

A mine kills this process with SIGKILL at one exact place, which a signal from outside would almost
never hit. `PLACE:NUMBER` goes off when the place is passed for that time.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bot import matchfiles
from bot.archive import Archive
from bot.cli import main
from bot.keeper import Event
from bot.sandbox.store import Store

PLACES = (
    "before noting",
    "after noting",
    "before noting GameOver",
    "after noting GameOver",
    "before noting MatchOver",
    "after noting MatchOver",
    "after noting MatchBegan",
    "before the files",
    "within a file",
    "between the files",
    "after the files",
)
SERVER_PLACES = ("before committing", "after committing", "after committing a game")


def _passes(number: int) -> Callable[[], None]:
    left = number

    def passed() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return passed


def lay(mine: str) -> None:
    """From now on this process dies there."""
    place, _, number = mine.partition(":")
    passed = _passes(int(number or 1))
    if "noting" in place:
        _lay_noting(place, passed)
    elif "committing" in place:
        _lay_committing(place, passed)
    else:
        _lay_files(place, passed)


def _lay_noting(place: str, passed: Callable[[], None]) -> None:
    when, _, kind = place.partition(" noting")
    note = Archive.note

    def mined(self: Archive, event: Event) -> None:
        here = type(event).__name__ in kind if kind else type(event).__name__ != "Wire"
        if here and when == "before":
            passed()
        note(self, event)
        if here and when == "after":
            passed()

    Archive.note = mined  # type: ignore[method-assign]


def _lay_committing(place: str, passed: Callable[[], None]) -> None:
    commit = Store.commit

    def mined(self: Store, saves: Any) -> None:
        here = bool(saves.last_games) if place.endswith("game") else bool(saves.tables)
        if here and place.startswith("before"):
            passed()
        commit(self, saves)
        if here and place.startswith("after"):
            passed()

    Store.commit = mined  # type: ignore[method-assign]


def _lay_files(place: str, passed: Callable[[], None]) -> None:
    write_files, write_whole, sync = Archive.write_files, matchfiles.write_whole, os.fsync

    def mined_files(self: Archive, match_id: int) -> Any:
        if place == "before the files":
            passed()
        written = write_files(self, match_id)
        if place == "after the files":
            passed()
        return written

    def mined_whole(path: Path, text: str) -> None:
        write_whole(path, text)
        if place == "between the files":
            passed()

    def mined_sync(handle: int) -> None:
        sync(handle)
        if place == "within a file":
            passed()

    Archive.write_files = mined_files  # type: ignore[method-assign]
    matchfiles.write_whole = mined_whole
    matchfiles.os.fsync = mined_sync  # type: ignore[attr-defined]


if __name__ == "__main__":
    lay(sys.argv[1])
    sys.argv[1:2] = []
    main.run()
