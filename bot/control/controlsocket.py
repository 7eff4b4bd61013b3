"""The place of the control socket, and access to it.

It is in a folder that only its owner can enter. The default depends only on the path of the
settings file, so changes in that file do not hide a running bot.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sixprime.engine import cache_folder
from sixprime.engine.system.errors import Unavailable
from sixprime.engine.system.faults import undone_by

SUFFIX = ".sock"
WITHIN_S = 5.0  # to connect; a process that hangs does not accept
MOST_WAITING = 16  # clients that are not accepted yet


class Occupied(Unavailable):
    """Another process listens there."""


def own_place(config: Path, profile: str | None) -> Path:
    """Return the default place for a process that runs this file, or one profile of it."""
    # a home folder may be shared by machines, a socket is not
    file = _digest(f"{socket.gethostname()} {config.expanduser().resolve()}")
    one = "" if profile is None else f"-{_digest(profile)}"
    return cache_folder() / "control" / f"{file}{one}{SUFFIX}"


def likely_places(config: Path, profile: str | None) -> list[Path]:
    """Return the places where a process of this file and profile may listen, likeliest first."""
    whole = own_place(config, None)
    if profile is not None:
        return [own_place(config, profile), whole]
    return [whole, *sorted(whole.parent.glob(f"{whole.stem}-*{SUFFIX}"))]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def listen(path: Path) -> socket.socket:
    """Return a listening socket at this place; Unavailable if others could use it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _opened(path.parent) as folder:
            if fault := _fault(path.parent, os.fstat(folder)):
                raise Unavailable(fault)
            fcntl.flock(folder, fcntl.LOCK_EX)  # two processes that start must not both succeed
            _clear(path, folder)
            return _bound(_address(folder, path))
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror or error}") from error


def remove(path: Path, ours: socket.socket) -> None:
    """Stop listening, and delete the file unless another process has replaced it."""
    try:
        with _opened(path.parent) as folder:
            fcntl.flock(folder, fcntl.LOCK_EX)
            ours.close()
            _clear(path, folder)
    except (OSError, Unavailable):
        ours.close()


def connected(path: Path) -> socket.socket:
    """Return a connection to the process that listens there; OSError if none does."""
    with _opened(path.parent) as folder:
        return _connected(_address(folder, path))


def _connected(address: str) -> socket.socket:
    ours = socket.socket(socket.AF_UNIX)
    with undone_by(ours.close):
        ours.settimeout(WITHIN_S)
        ours.connect(address)
    return ours


def _clear(path: Path, folder: int) -> None:
    """Delete a socket that a killed process has left; Occupied if somebody listens."""
    try:
        found = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise Unavailable(f"{path} is not a socket but another kind of file")
    try:
        _connected(_address(folder, path)).close()
    except ConnectionRefusedError:
        os.unlink(path.name, dir_fd=folder)
    except OSError as error:
        raise Occupied(f"another process holds {path}: {error.strerror or error}") from error
    else:
        raise Occupied(f"another process listens at {path}: are these bots running already?")


def _bound(address: str) -> socket.socket:
    ours = socket.socket(socket.AF_UNIX)
    with undone_by(ours.close):
        ours.bind(address)
        Path(address).chmod(0o600)
        ours.listen(MOST_WAITING)
    return ours


def folder_fault(path: Path) -> str:
    """Say why the socket cannot be in this folder; nothing if it can, or if none is there yet."""
    try:
        return _fault(path, path.stat())
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{path}: {error.strerror or error}"


def _fault(path: Path, folder: os.stat_result) -> str:
    if folder.st_uid != os.geteuid() or stat.S_IMODE(folder.st_mode) & 0o077:
        return f"others can enter {path}: chmod 700, or set control.socket to another place"
    return ""


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield number
    finally:
        os.close(number)


def _address(folder: int, path: Path) -> str:
    """Return the path, through the open folder if possible, since the system allows 107 bytes."""
    short = Path(f"/proc/self/fd/{folder}")
    return str(short / path.name) if short.exists() else str(path)
