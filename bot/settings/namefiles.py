"""Files of user names, one per line, which may change while bots play.

`#` begins a comment. Several profiles may name the same file. A file that breaks, or goes away,
changes nothing: the last good list stays.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sixprime.bot.settings.schema import Lobby
from sixprime.bot.settings.values import user_name
from sixprime.engine.system.errors import ConfigError

LARGEST = 2**20  # bytes


@dataclass(frozen=True, slots=True)
class ListedNames:
    """The users whom the operator names, in the settings, by orders and in files.

    Settings (and orders, which are settings) outweigh the files; among the files, blocking
    outweighs.
    """

    block: frozenset[str]
    allow: frozenset[str]
    preferred: tuple[str, ...]  # best first


class NameFiles:
    """The files of one bot's settings, as they were when last read."""

    def __init__(self) -> None:
        self._names: dict[Path, tuple[str, ...]] = {}
        self._stamps: dict[Path, object] = {}

    def reread(self, lobby: Lobby) -> Mapping[str, str | None]:
        """Read the changed files; return the fault of each by its setting, or None."""
        found: dict[str, str | None] = {}
        for setting, path in files_of(lobby):
            stamp = _stamp(path)
            if stamp == self._stamps.get(path):
                continue
            self._stamps[path] = stamp
            try:
                self._names[path] = names_of(path)
                found[setting] = None
            except ConfigError as error:
                found[setting] = f"{path}: {error}"
        return found

    def listed(self, lobby: Lobby) -> ListedNames:
        accept, invite = lobby.accept, lobby.invite
        block, allow = frozenset(accept.block), frozenset(accept.allow)
        blocked = block | (self._in(accept.block_file) - allow)
        allowed = allow | (self._in(accept.allow_file) - blocked)
        filed = () if invite.preferred_file is None else self._names.get(invite.preferred_file, ())
        return ListedNames(blocked, allowed, tuple(dict.fromkeys((*invite.preferred, *filed))))

    def _in(self, path: Path | None) -> frozenset[str]:
        return frozenset(() if path is None else self._names.get(path, ()))


def checked(lobby: Lobby) -> NameFiles:
    """Return the files of these settings, all of them read; ConfigError."""
    files = NameFiles()
    faults = [f"{setting}: {fault}" for setting, fault in files.reread(lobby).items() if fault]
    if faults:
        raise ConfigError("; ".join(faults))
    return files


def files_of(lobby: Lobby) -> Iterator[tuple[str, Path]]:
    """Yield the files that these settings name, by setting."""
    for setting, path in (
        ("lobby.accept.block_file", lobby.accept.block_file),
        ("lobby.accept.allow_file", lobby.accept.allow_file),
        ("lobby.invite.preferred_file", lobby.invite.preferred_file),
    ):
        if path is not None:
            yield setting, path


def names_of(path: Path) -> tuple[str, ...]:
    """Return the names in a file; ConfigError if there is none, or it holds other lines."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
            raise ConfigError(f"not a plain file of at most {LARGEST} bytes")
        return tuple(names_in(path.read_bytes()))
    except OSError as error:
        raise ConfigError(error.strerror or "cannot be read") from None


def names_in(data: bytes) -> Iterator[str]:
    """Yield the names in a file's bytes; ConfigError names the first line that is not one."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError("not a text file in UTF-8") from None
    for number, line in enumerate(text.split("\n"), 1):
        if word := line.partition("#")[0].strip():
            try:
                yield user_name(word)
            except ValueError as error:
                raise ConfigError(f"line {number}: {error}") from None


def _stamp(path: Path) -> object:
    """Return a value that changes with the file."""
    try:
        found = path.stat()
    except OSError as error:
        return error.errno
    return found.st_mtime_ns, found.st_size, found.st_ino
