"""Files that are read whole, written whole or not at all, and files for our user alone."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

LARGEST = 2**29  # bytes: a thousand times a long match; devices such as /dev/zero have no end
PART = 2**20


def read_whole(path: Path, largest: int = LARGEST) -> bytes:
    """What a file or a pipe holds; OSError, also if that is more than `largest` bytes."""
    with path.open("rb") as file:
        return read_to_end(file, largest)


def read_to_end(file: BinaryIO, largest: int = LARGEST) -> bytes:
    """The same of an open file."""
    parts, size = [], 0
    while part := file.read(PART):
        parts.append(part)
        size += len(part)
        if size > largest:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return b"".join(parts)


def is_device(path: Path) -> bool:
    """Must it be written in place, not replaced by a new file (/dev/stdout, a pipe)?"""
    return path.exists() and not (path.is_file() or path.is_dir())


def private_folder(folder: Path) -> None:
    """Make a folder, and those above it, for our user alone; those that exist stay as they are."""
    for each in (*reversed(folder.parents), folder):
        if not each.exists():
            each.mkdir(0o700, exist_ok=True)


def private_file(path: Path) -> None:
    """Make an empty file, in such a folder, for our user alone, unless there is one."""
    private_folder(path.parent)
    if not path.exists():
        path.touch(0o600)


def shifted(path: Path, keep: int) -> None:
    """Move a file to FILE.1, FILE.1 to FILE.2 and so on; the oldest of more than `keep` goes."""
    names = [path, *(path.with_name(f"{path.name}.{number + 1}") for number in range(keep))]
    for older, newer in zip(names[::-1], names[-2::-1], strict=False):
        with suppress(FileNotFoundError):
            newer.replace(older)
    if not keep:
        path.unlink(missing_ok=True)


@contextmanager
def written_whole(path: Path, part: str = "", mode: int = 0o666) -> Iterator[BinaryIO]:
    """A file to write to, safe on disk under its name once the block has ended.

    If the block or the machine fails, the old content is still there. Until then the file is called
    `part`, or NAME.tmp. A new file gets this mode, less the umask; an existing one keeps its own.
    """
    if is_device(path):
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()  # where a link points
    fresh = path.with_name(part or f"{path.name}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | (os.O_EXCL if part else os.O_TRUNC)
    try:
        with os.fdopen(os.open(fresh, flags, mode), "wb") as file:
            if path.exists():
                os.fchmod(file.fileno(), path.stat().st_mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a new name durable, where the system can."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems cannot; the file itself is safe
        pass
    finally:
        os.close(handle)


def write_json(path: Path, tree: object, indent: int | None = None) -> None:
    """Write one JSON value, ended by a newline, whole or not at all."""
    with written_whole(path) as file:
        file.write((json.dumps(tree, indent=indent) + "\n").encode())
