"""Unpacks zip and tar archives and files of gzip, bzip2 and xz, in memory and inside each other.

Nothing is written to disk, so the name of a member leads nowhere. No member is larger than a file
that is read (`MOST` in protocols.formats.reading), a tar archive is read as a stream, and an
archive that holds too much of anything is refused: a bomb costs no more than `MOST_UNPACKED`.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any, BinaryIO, NamedTuple

from sixprime.protocols import readers
from sixprime.protocols.formats.reading import HEAD, MIB, MOST, TooLarge

DEPTH = 3  # archives inside an archive
AT_ONCE = MIB
MOST_MEMBERS = 100_000
MOST_UNPACKED = 512 * MIB  # of one file, with everything inside it
MOST_MEMORY = 128 * MIB  # of the dictionary of xz
_ENTRY = b"PK\x01\x02"  # begins the entry of a member in the directory of a zip archive
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others cannot be unpacked in small pieces
_TAR_HEAD = 512


class Member(NamedTuple):
    """A file in a packed file, or the reason why it cannot be unpacked; its name is a path."""

    name: str
    data: bytes = b""
    fault: str = ""


def is_packed(data: bytes) -> bool:
    """Return whether `members` unpacks a file that begins with these bytes."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06", *_STREAMS)) or _is_tar(data)


def members(name: str, data: bytes) -> Iterator[Member]:
    """Yield the match files in a packed file, and the faults of broken ones.

    Files of other kinds are left out, as in a folder; one fault says that there are no others.
    """
    is_empty = True
    try:
        for member in _Unpacking().members(name, data, DEPTH):
            is_empty = False
            yield member
    except TooLarge as error:
        yield Member(name, fault=error.reason)
    else:
        if is_empty:
            yield Member(name, fault="no match file in it")


class _Unpacking:
    """The unpacking of one file, which counts everything inside it."""

    def __init__(self) -> None:
        self._members = self._bytes = 0

    def count(self, more: int) -> None:
        self._bytes += more
        if self._bytes > MOST_UNPACKED:
            raise _too_large(f"{MOST_UNPACKED:,} bytes")

    def members(self, name: str, data: bytes, depth: int) -> Iterator[Member]:
        try:
            for member in self._opened(name, data):
                self._members += 1
                if self._members > MOST_MEMBERS:
                    raise _too_large(f"{MOST_MEMBERS:,} files")
                if member.fault or not is_packed(member.data):
                    yield from [member] if member.fault or _is_match_file(member) else []
                elif depth:
                    yield from self.members(*member[:2], depth - 1)
                else:
                    yield member._replace(fault="packed too often: unpack it")
        except TooLarge:
            raise
        except _FAULTS as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            yield Member(name, fault=f"it cannot be unpacked: {reason or type(error).__name__}")

    def _opened(self, name: str, data: bytes) -> Iterator[Member]:
        opener = next((_STREAMS[sign] for sign in _STREAMS if data.startswith(sign)), None)
        if opener is not None:
            with opener(data) as stream:
                head = stream.read(_TAR_HEAD)
            with opener(data) as stream:
                if _is_tar(head):
                    yield from self._tar(name, stream)
                else:
                    inner = PurePosixPath(name).stem
                    yield _whole(f"{name}/{inner}", _Forwards(stream, self.count))
        elif _is_tar(data):
            yield from self._tar(name, BytesIO(data))
        else:
            yield from self._zip(name, data)

    def _zip(self, name: str, data: bytes) -> Iterator[Member]:
        if data.count(_ENTRY) > MOST_MEMBERS:
            raise _too_large(f"{MOST_MEMBERS:,} files")
        with zipfile.ZipFile(BytesIO(data)) as archive:
            for entry in archive.infolist():
                inner = f"{name}/{entry.filename}"
                if entry.is_dir() or not _is_promising(entry.filename):
                    continue
                if entry.flag_bits & 1:
                    yield Member(inner, fault="a password protects it")
                elif entry.compress_type not in _METHODS:
                    yield Member(inner, fault="packed by an unusual method: unpack it")
                else:
                    with archive.open(entry) as file:
                        yield _whole(inner, _Forwards(file, self.count), entry.file_size)

    def _tar(self, name: str, stream: BinaryIO) -> Iterator[Member]:
        forwards: Any = _Forwards(stream, self.count)
        with tarfile.open(fileobj=forwards, mode="r:") as archive:
            while (entry := archive.next()) is not None:
                archive.members.clear()  # type: ignore[attr-defined]  # it keeps them all
                if entry.isreg() and not entry.issparse() and _is_promising(entry.name):
                    file = archive.extractfile(entry)
                    assert file is not None
                    yield _whole(f"{name}/{entry.name}", file, entry.size)


class _Forwards:
    """An unpacked stream that is read forwards, in pieces of bounded size, and counted."""

    def __init__(self, stream: Any, count: Callable[[int], None]) -> None:
        self._stream, self._count, self._at = stream, count, 0

    def read(self, size: int) -> bytes:
        if size > MOST["bytes unpacked"]:
            raise _too_large(f"{MOST['bytes unpacked']:,} bytes in one piece")
        data: bytes = self._stream.read(size)
        self._at += len(data)
        self._count(len(data))
        return data

    def tell(self) -> int:
        return self._at

    def seek(self, place: int) -> None:
        if place < self._at:
            raise tarfile.ReadError("it points backwards")
        while self._at < place and self.read(min(place - self._at, AT_ONCE)):
            pass


def _too_large(what: str) -> TooLarge:
    return TooLarge(0, f"more than {what} in one archive: split it")


def _whole(name: str, file: Any, size: int = 0) -> Member:
    """Read a member; the archive's word for its size may be a lie."""
    most, parts = MOST["bytes unpacked"], []
    while size <= most and (part := file.read(AT_ONCE)):
        parts.append(part)
        size = max(size, sum(map(len, parts)))
    if size > most:
        return Member(name, fault=f"more than {most:,} bytes in one file: split it")
    return Member(name, b"".join(parts))


def _is_promising(name: str) -> bool:
    """Return whether the name is that of a match file or a packed file, and not hidden."""
    path = PurePosixPath(name)
    is_hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts if part != "..")
    return not is_hidden and readers.promises(path.suffix)


def _is_match_file(member: Member) -> bool:
    suffix = PurePosixPath(member.name).suffix.lower()
    is_named_so = suffix not in readers.TEXTS and readers.promises(suffix)
    return is_named_so or readers.looks_known(member.data[:HEAD])


def _is_tar(data: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(data[:_TAR_HEAD], "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _xz(data: bytes) -> lzma.LZMAFile:
    lzma.LZMADecompressor(memlimit=MOST_MEMORY).decompress(data[:HEAD], 1)
    return lzma.LZMAFile(BytesIO(data))


_STREAMS: Mapping[bytes, Callable[[bytes], Any]] = {
    b"\x1f\x8b": lambda data: gzip.GzipFile(fileobj=BytesIO(data)),
    b"BZh": lambda data: bz2.BZ2File(BytesIO(data)),
    b"\xfd7zXZ\0": _xz,
}
_FAULTS = (
    *(OSError, EOFError, ValueError, RuntimeError, NotImplementedError, zlib.error),
    *(lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError),
)
