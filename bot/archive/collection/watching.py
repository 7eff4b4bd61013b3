"""Folders that are watched: every complete file in them is imported once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sqlalchemy.exc import DBAPIError

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.importing import Broken, Imported, import_files, is_match_file
from sixprime.bot.archive.database import reason_and_place


class _Stamp(NamedTuple):
    """A file without its content; another stamp means that somebody still writes."""

    size: int
    changed: int
    inode: int


class FolderWatch:
    """Folders under watch, and counts of all that was imported from them.

    A file is complete if two looks in a row find the same stamp. A copy of an imported file counts
    as archived already, and the same fault is told once.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = folders
        self.total = Imported()
        self.trouble = ""  # the reason why nothing can be imported now
        self._seen: dict[Path, _Stamp] = {}  # at the last look
        self._done: dict[Path, _Stamp] = {}
        self._told: set[Broken] = set()

    def look(self) -> list[Path]:
        """Return the files that are complete and not yet done, in the order of their names."""
        before, self._seen = self._seen, dict(self._stamps())
        ready = []
        for path, stamp in self._seen.items():
            if before.get(path) == stamp != self._done.get(path):
                if is_match_file(path):
                    ready.append(path)
                else:
                    self._done[path] = stamp
        gone = [str(folder) for folder in self.folders if not folder.is_dir()]
        self.trouble = f"no folder {', '.join(gone)}" if gone else ""
        return ready

    def _stamps(self) -> Iterator[tuple[Path, _Stamp]]:
        for top in self.folders:
            for folder, _, names in os.walk(top):
                for name in sorted(names):
                    with suppress(OSError):  # it is gone again
                        seen = (path := Path(folder, name)).stat()
                        yield path, _Stamp(seen.st_size, seen.st_mtime_ns, seen.st_ino)

    def import_ready(self, archive: Archive, *, strict: bool, processes: int) -> Imported:
        """Import the complete files, and return the news; a busy archive gets the rest later."""
        news, ready = Imported(), self.look()
        try:
            if ready:
                import_files(archive, ready, imported=news, strict=strict, processes=processes)
        except DBAPIError as error:
            self.trouble = reason_and_place(error)
            handled = {*news.known, *news.remarks, *(fault.path for fault in news.broken)}
            ready = [path for path in ready if path in handled]
        for path in ready:
            self._done[path] = self._seen[path]
        news.broken = [fault for fault in news.broken if fault not in self._told]
        self._told.update(news.broken)
        self.total.files += news.files
        self.total.added += news.added
        self.total.skipped += news.skipped
        self.total.broken += news.broken
        self.total.remarks.update({path: found for path, found in news.remarks.items() if found})
        return news
