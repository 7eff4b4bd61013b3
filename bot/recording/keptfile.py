"""A small private JSON file of facts to remember across restarts, by key.

Several processes may share it: each rereads it before saving, and changes only its own keys.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

import structlog
from pydantic import TypeAdapter

from sixprime.bot.archive.matchfiles import PRIVATE
from sixprime.engine.system.wholefiles import private_folder, write_whole

log = structlog.get_logger("bot")

MOST_KEYS = 100
SAVE_S = 10.0

V = TypeVar("V")


class KeptFile(Generic[V]):
    """The file; the latest key comes last, and the oldest are dropped."""

    def __init__(
        self, path: Path, form: TypeAdapter[dict[str, V]], unread: str, unsaved: str
    ) -> None:
        self._path = path
        self._unread = unread  # warnings
        self._unsaved = unsaved
        self._form = form
        self._warned = False

    def contents(self) -> dict[str, V]:
        """Return the contents; empty, with one warning, if it cannot be read."""
        try:
            return self._form.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            if not self._warned:
                why = getattr(error, "strerror", None) or "broken"
                log.warning(self._unread, file=str(self._path), why=why)
            self._warned = True
            return {}

    def add(self, changed: Mapping[str, V]) -> None:
        """Save these; a file that cannot be written is a warning."""
        if not changed:
            return
        others = {key: each for key, each in self.contents().items() if key not in changed}
        tree = {**others, **changed}
        tree = {key: tree[key] for key in list(tree)[-MOST_KEYS:]}
        text = self._form.dump_json(tree, indent=1).decode() + "\n"
        try:
            private_folder(self._path.parent)
            write_whole(self._path, text, PRIVATE)
        except OSError as error:
            log.warning(self._unsaved, file=str(self._path), why=error.strerror)


async def keep_saving(save: Callable[[], None]) -> None:
    """Save again and again, and once more when cancelled."""
    try:
        while True:
            await asyncio.sleep(SAVE_S)
            save()
    finally:
        save()
