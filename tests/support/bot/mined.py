"""The command line with mines: `python -m tests.support.bot.mined FILE ARGUMENTS-OF-SIXPRIME`.

A mine kills this process with SIGKILL at one exact place, which a signal from outside would almost
never hit. It is laid by writing `PLACE` or `PLACE:NUMBER` to the file while the process runs; then
it goes off when the place is passed, perhaps for that time, and the file is gone.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from sixprime.bot.archive import live, matchfiles, writer
from sixprime.bot.archive.live import LiveArchive
from sixprime.bot.cli import main
from sixprime.bot.matchlog.eventjson import kind_of
from sixprime.bot.matchlog.events import Event
from sixprime.bot.sandbox.store import Store
from sixprime.engine.system.wholefiles import write_whole

PLACES = (
    "before noting",
    "after noting",
    "after a commit",
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


class Mines:
    """Where this process dies."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def passes(self, place: str) -> None:
        """Die, if a mine lies here."""
        try:
            laid, _, number = self._file.read_text().partition(":")
        except FileNotFoundError:
            return
        if laid != place:
            return
        if int(number or 1) > 1:
            self._file.write_text(f"{place}:{int(number) - 1}")
            return
        self._file.unlink()
        os.kill(os.getpid(), signal.SIGKILL)

    def set(self) -> None:
        """From now on mines are looked for."""
        self._around_noting()
        self._around_committing()
        self._around_files()

    def _around_noting(self) -> None:
        write = LiveArchive._write
        together = live.write_together

        def mined(archive: LiveArchive, connection: Connection, event: Event) -> None:
            kind = kind_of(event)
            for when in ("before", "after"):
                self.passes(f"{when} noting")
                self.passes(f"{when} noting {kind}")
                if when == "before":
                    write(archive, connection, event)

        def mined_together(queue: Any) -> Any:
            fault = together(queue)
            self.passes("after a commit")
            return fault

        LiveArchive._write = mined  # type: ignore[assignment,method-assign]
        live.write_together = writer.write_together = mined_together  # type: ignore[attr-defined]

    def _around_committing(self) -> None:
        commit = Store.commit

        def mined(store: Store, saves: Any) -> None:
            if saves.matches:
                self.passes("before committing")
            commit(store, saves)
            if saves.matches:
                self.passes("after committing")
            if saves.last_games:
                self.passes("after committing a game")

        Store.commit = mined  # type: ignore[assignment,method-assign]

    def _around_files(self) -> None:
        write_files = LiveArchive.write_files
        sync = os.fsync

        def mined_files(archive: LiveArchive, match_id: int) -> Any:
            self.passes("before the files")
            written = write_files(archive, match_id)
            self.passes("after the files")
            return written

        def mined_whole(path: Path, text: str | bytes, mode: int = 0o666) -> None:
            write_whole(path, text, mode)
            self.passes("between the files")

        def mined_sync(handle: int) -> None:
            sync(handle)
            self.passes("within a file")

        LiveArchive.write_files = mined_files  # type: ignore[assignment,method-assign]
        matchfiles.write_whole = mined_whole  # type: ignore[attr-defined]
        os.fsync = mined_sync  # type: ignore[assignment]


if __name__ == "__main__":
    Mines(Path(sys.argv[1])).set()
    sys.argv[1:2] = []
    main.run()
