"""Writes everything sent and received on a bot's connections, for `sixprime play --record`.

Each line is written at once, so a crash loses at most the last. A file ends with a connection when
it has grown large: the next connection moves it to `FILE.1`, as log files are, and begins a new
one. A tape that cannot be written stops no bot.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import os
from collections.abc import Mapping
from pathlib import Path

import structlog
from pydantic.main import IncEx

from sixprime.bot.client.connection import Dial, Streams
from sixprime.bot.recording.dialects import packed
from sixprime.bot.recording.sessionfile import (
    BY_US,
    FIRST,
    REMARKS,
    SETTINGS,
    Entry,
    EntryMark,
)
from sixprime.bot.settings.blanking import Blank, BlankedStream
from sixprime.bot.settings.schema import Profile
from sixprime.engine.system.errors import InputError
from sixprime.engine.system.wholefiles import private_folder, shifted
from sixprime.protocols.fibs.progress import KnownServer

log = structlog.get_logger("bot")

LARGE = 16_000_000  # bytes; then the next connection begins a new file
KEPT = 3  # older files
MOST = 64_000_000  # bytes; then nothing is recorded until the next connection
TOO_LONG = "# too long: the rest of this connection is not recorded"
_NOT_TOLD: Mapping[str, IncEx | bool] = {
    "archive": True,
    "account": {"password_env", "password_file"},
}


class Tape:
    def __init__(self, path: Path, profile: Profile, password: str) -> None:
        self._path = path
        self._blank = Blank([password])
        self._header = "\n".join(
            (
                FIRST,
                *REMARKS,
                f"# {profile.name} at {profile.server.host}:{profile.server.port},"
                f" begun {dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M:%S} UTC",
                self._blank(SETTINGS + profile.model_dump_json(exclude=_NOT_TOLD)),
            )
        )
        self._began: float | None = None
        self._size = 0
        self._file: int | None = None
        try:
            private_folder(path.parent)
            self._begin()
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from error

    def recording(self, dial: Dial, known: KnownServer) -> Dial:
        """Dial likewise, and record the streams."""

        async def recorded(host: str, port: int, within_s: float) -> Streams:
            streams = await dial(host, port, within_s)
            self._connected(f"{host}:{port} {packed(known.dialect)}")
            both = RecordedStreams(streams, self, self._blank)
            return Streams(both, both)

        return recorded

    def ordered(self, order: str) -> None:
        """Note an order of the operator: to stop, or by `sixprime control`."""
        self.note(EntryMark.OPERATOR, self._blank(order).encode("ascii", "replace"))

    def note(self, mark: EntryMark, data: bytes = b"", at: float | None = None) -> None:
        """Write a line, timed by the running loop, now or `at` an earlier time."""
        now = asyncio.get_running_loop().time() if at is None else at
        self._began = now if self._began is None else self._began
        if self._file is not None and self._size < MOST:
            try:
                self._write(Entry(now - self._began, mark, data).line())
                if self._size >= MOST:
                    self._write(TOO_LONG)
            except OSError as error:
                log.error("the recording failed", file=str(self._path), why=error.strerror)
                self._close()

    def _connected(self, where: str) -> None:
        if self._size >= LARGE and self._file is not None:
            self._close()
            try:
                self._begin()
            except (OSError, InputError) as error:
                log.error("the recording failed", file=str(self._path), why=str(error))
        self.note(EntryMark.CONNECTED, where.encode())

    def _begin(self) -> None:
        """Begin a new file; an older recording of this name is moved aside."""
        if self._path.exists():
            if not self._path.is_file():
                raise InputError(f"{self._path}: not a file")
            with self._path.open("rb") as file:
                if file.read(len(FIRST)) != FIRST.encode():
                    raise InputError(f"{self._path}: exists, and is not a recording")
            shifted(self._path, KEPT)
        self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self._size = 0
        self._write(self._header)

    def _write(self, text: str) -> None:
        assert self._file is not None
        data = (text + "\n").encode("ascii", "replace")
        while data:
            written = os.write(self._file, data)
            self._size += written
            data = data[written:]

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


class RecordedStreams:
    """Both directions of one connection, on their way between server and bot."""

    def __init__(self, streams: Streams, tape: Tape, blank: Blank) -> None:
        self._streams = streams
        self._tape = tape
        self._heard, self._said = BlankedStream(blank), BlankedStream(blank)
        self._open = True
        self._heard_at = 0.0
        self.wait_closed = getattr(streams.writer, "wait_closed", None)

    async def read(self, n: int) -> bytes:
        try:
            data = await self._streams.reader.read(n)
        except OSError:
            self._end(b"by the server")
            raise
        if data:
            self._heard_at = asyncio.get_running_loop().time()
        if kept := self._heard.feed(data):
            self._tape.note(EntryMark.SERVER, kept)
        if not data:
            self._end(b"by the server")
        return data

    def write(self, data: bytes) -> None:
        self._tape.note(EntryMark.BOT, self._said.feed(data))
        self._streams.writer.write(data)

    async def drain(self) -> None:
        await self._streams.writer.drain()

    def close(self) -> None:
        self._end(BY_US)
        self._streams.writer.close()

    def _end(self, whose: bytes) -> None:
        if self._open:
            self._open = False
            if rest := self._heard.rest():
                self._tape.note(EntryMark.SERVER, rest, self._heard_at)
            self._tape.note(EntryMark.CLOSED, whose)
