"""The browser's matches, each in a file that is rewritten after every step."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from starlette.exceptions import HTTPException

from sixprime.bot.web.play.boardmatch import BoardMatch, match_from_plain, match_to_plain
from sixprime.engine.codec import tree_of
from sixprime.engine.system.wholefiles import private_folder, write_json

_KEY = re.compile(r"[a-z0-9]{16}")
MOST_LISTED = 50
NO_MATCH = "There is no such match."


class MatchStore:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        private_folder(folder)

    def add(self, match: BoardMatch) -> str:
        """Store a new match and return its key, which is hard to guess."""
        key = secrets.token_hex(8)
        self.save(key, match)
        return key

    def save(self, key: str, match: BoardMatch) -> None:
        write_json(self._path(key), match_to_plain(match))

    def open_match(self, key: str) -> BoardMatch:
        """Return the match of this key; 404 if no readable match has it."""
        try:
            match = match_from_plain(tree_of(self._path(key).read_bytes()))
            match.replay()  # a BadRecord is a ValueError
            return match
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise HTTPException(404, NO_MATCH) from error

    def recent(self) -> Iterator[tuple[str, BoardMatch]]:
        """Yield the matches, latest first."""
        files = sorted(self.folder.glob("*.json"), key=lambda path: -path.stat().st_mtime)
        for path in files[:MOST_LISTED]:
            with suppress(HTTPException):
                yield path.stem, self.open_match(path.stem)

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise HTTPException(404, NO_MATCH)
        return self.folder / f"{key}.json"
