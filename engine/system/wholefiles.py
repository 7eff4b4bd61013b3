"""Files read whole, files written whole or not at all, and private files."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from sixprime.engine.system.faults import undone_by

LARGEST = 2**29  # bytes: a thousand times a long match; devices such as /dev/zero have no end
AT_ONCE = 2**20
PART = ".part"  # the suffix of an unfinished file
LONGEST = 240  # bytes of a name that leave space for the suffix


def read_whole(path: Path, largest: int = LARGEST) -> bytes:
    """Return the bytes of a file or a pipe; OSError, also for more than `largest` bytes."""
    with path.open("rb") as file:
        return read_to_end(file, largest)


def read_to_end(file: BinaryIO, largest: int = LARGEST) -> bytes:
    """Return the bytes of an open file, as `read_whole` does."""
    parts, size = [], 0
    while part := file.read(AT_ONCE):
        parts.append(part)
        size += len(part)
        if size > largest:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return b"".join(parts)


def is_device(path: Path) -> bool:
    """Return whether a path must be written in place (/dev/stdout, a pipe), not replaced."""
    return path.exists() and not (path.is_file() or path.is_dir())


def private_folder(folder: Path) -> None:
    """Make a folder and its missing parents for the user alone."""
    for each in (*reversed(folder.parents), folder):
        if not each.exists():
            each.mkdir(0o700, exist_ok=True)


def private_file(path: Path) -> None:
    """Make an empty file for the user alone, with its folder, unless the file exists."""
    private_folder(path.parent)
    if not path.exists():
        path.touch(0o600)


def shifted(path: Path, keep: int) -> None:
    """Move a file to FILE.1, FILE.1 to FILE.2 and so on, and keep `keep` of them."""
    names = [path, *(path.with_name(f"{path.name}.{number + 1}") for number in range(keep))]
    for older, newer in zip(names[::-1], names[-2::-1], strict=False):
        with suppress(FileNotFoundError):
            newer.replace(older)
    if not keep:
        path.unlink(missing_ok=True)


@contextmanager
def written_whole(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Yield a file to write to, which is safe on disk under its name once the block has ended.

    If the block or the machine fails, the old content is still there; of several processes that
    write at once the last one counts. A new file gets this mode, less the umask; an existing one
    keeps its own.
    """
    if is_device(path):
        with path.open("wb") as device:
            yield device
        return
    path = path.resolve()  # where a link points
    file, part = _new_part(path, mode)
    with file, undone_by(lambda: part.unlink(missing_ok=True)):
        if path.exists():
            os.fchmod(file.fileno(), path.stat().st_mode)
        yield file
        file.flush()
        os.fsync(file.fileno())
        part.replace(path)
    sync_folder(path.parent)


def _new_part(path: Path, mode: int) -> tuple[BinaryIO, Path]:
    """Make a file beside `path`, locked so that `clear_parts` leaves it alone."""
    name = os.fsencode(path.name)[:LONGEST].decode(errors="ignore")
    while True:
        part = path.with_name(f".{name}.{token_hex(4)}{PART}")
        file = os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb")
        with suppress(OSError):  # some network file systems cannot
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink > 0:
            return file, part
        file.close()  # cleared before it was locked


def clear_parts(folder: Path, stem: str) -> None:
    """Remove the parts that killed processes have left of files with this stem."""
    for part in folder.iterdir():
        if part.name.startswith(f".{stem}.") and part.name.endswith(PART):
            with suppress(OSError), part.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()


def sync_folder(folder: Path) -> None:
    """Make a new name durable, where the system can."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems cannot; the file itself is safe
        pass
    finally:
        os.close(handle)


def write_whole(path: Path, text: str | bytes, mode: int = 0o666) -> None:
    """Write atomically: after a crash the file holds the new text or the old, whole."""
    with written_whole(path, mode) as file:
        file.write(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))


def write_json(path: Path, tree: object, indent: int | None = None) -> None:
    """Write one JSON value, ended by a newline, whole or not at all."""
    write_whole(path, json.dumps(tree, indent=indent) + "\n")


_LONGEST = 48  # bytes of one part of a name


def safe_part(text: str) -> str:
    """Return any text as part of a file name; different texts give different names.

    Letters, digits, `_` and `-` stay. The name is never empty, a path or hidden; a long one is cut,
    and a checksum keeps it unique.
    """
    safe = re.sub(r"[^A-Za-z0-9_-]", lambda found: f"~{ord(found[0]):x}~", text) or "~"
    if len(safe) <= _LONGEST:
        return safe
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe[: _LONGEST - 10]}~~{digest}"
