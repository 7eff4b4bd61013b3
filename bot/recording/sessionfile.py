r"""The text of a recorded session: bytes and times of one bot's connections.

    sixprime recording 1
    # ...                       remarks
    settings {"account": ...}   the bot's settings as JSON, without passwords and archive
    0.000 + fibs.com:4321 {...} a connection, seconds after the recording began, and the dialect
                                of this server as learned before
    0.062 S \nlogin:\x20        bytes of the server; a possible beginning of the password
                                stands later, with its own time
    0.063 C login ...\r\n       a command of the bot
    12.500 ! SAVE               the operator stopped the bot, or gave it an order (JSON)
    99.001 -                    the connection ended

Bytes are ASCII; backslash, line ends, the last blank and all other bytes are written as Python
writes them. The password stands as `***`. A crash may leave a last line without an end.
"""

from __future__ import annotations

import re
from bisect import insort
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from sixprime.engine.system.errors import InputError

FIRST = "sixprime recording 1"
REMARKS = (
    "# The password is blanked. Names, chat, and the IP and e-mail addresses that the server",
    "# shows are not: look through it before you give it to others.",
)
SETTINGS = "settings "
MOST_READ = 256_000_000  # bytes
BY_US = b"by the bot"  # after the mark of the end
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLAIN = {written[1]: char for char, written in _ESCAPES.items()}
_SPECIAL = re.compile(r"[^ -\[\]-~]| \Z")
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|([nrt\\]))|\\")
_LINE = re.compile(r"([0-9]{1,8}\.[0-9]{3}) ([SC+!-])(?: ([ -~]*))?")


class EntryMark(Enum):
    """The kind of a line."""

    SERVER = "S"
    BOT = "C"
    CONNECTED = "+"
    CLOSED = "-"
    OPERATOR = "!"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the file; `at` in seconds since the beginning."""

    at: float
    mark: EntryMark
    data: bytes = b""

    def line(self) -> str:
        """Return the entry as it is written, without the line's end."""
        text = _SPECIAL.sub(_escaped, self.data.decode("latin-1"))
        return f"{self.at:.3f} {self.mark.value} {text}".rstrip(" ")


@dataclass(slots=True)
class RecordedSession:
    """The settings of a file as JSON, and the entries of each connection."""

    settings: str | None = None
    connections: list[list[Entry]] = field(default_factory=list)


def _escaped(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0]) or f"\\x{ord(found[0]):02x}"


def _unescaped(found: re.Match[str]) -> str:
    if found[0] == "\\":
        raise ValueError("a backslash that begins nothing")
    return chr(int(found[1], 16)) if found[1] else _PLAIN[found[2]]


def entry_of(line: str) -> Entry:
    """Return the entry of a line; ValueError."""
    found = _LINE.fullmatch(line)
    if found is None:
        raise ValueError("neither time, mark and text, nor a remark")
    text = _ESCAPE.sub(_unescaped, found[3] or "")
    return Entry(float(found[1]), EntryMark(found[2]), text.encode("latin-1"))


def read_session(path: Path) -> RecordedSession:
    """Return the recording in this file; InputError, OSError."""
    with path.open("rb") as file:
        text = file.read(MOST_READ).decode("latin-1")
    if len(text) == MOST_READ:
        raise InputError(f"{path}: too large")
    first, *lines = text.replace("\r\n", "\n").split("\n")[:-1] or [""]  # the last has no end
    if first != FIRST:
        raise InputError(f"{path}: a recording begins with the line '{FIRST}'")
    session = RecordedSession()
    for number, line in enumerate(lines, 2):
        if line.startswith(SETTINGS):
            session.settings = line.removeprefix(SETTINGS)
        elif line and not line.startswith("#"):
            try:
                _add(session, entry_of(line))
            except ValueError as error:
                raise InputError(f"{path}:{number}: {error}") from None
    if not session.connections:
        raise InputError(f"{path}: there is no connection in it")
    return session


def _add(session: RecordedSession, entry: Entry) -> None:
    if entry.mark is EntryMark.CONNECTED:
        session.connections.append([])
    elif not session.connections:
        raise ValueError("before the first connection")
    entries = session.connections[-1]
    if entries and entry.at < (entries[0] if entry.mark is EntryMark.SERVER else entries[-1]).at:
        raise ValueError("earlier than the line before")
    insort(entries, entry, key=lambda each: each.at)
