"""One process per account, by a lock that ends with its process."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import structlog

from sixprime.bot.control.controlsocket import Occupied
from sixprime.bot.settings.schema import Profile
from sixprime.engine import cache_folder

log = structlog.get_logger("bot.control")


@contextmanager
def playing_alone(profiles: Iterable[Profile]) -> Iterator[None]:
    """Hold the locks of these accounts; Occupied if another process of this user plays one.

    A lock that cannot be had for another reason is a warning.
    """
    held: list[int] = []
    try:
        for profile in profiles:
            try:
                held.append(_locked(profile))
            except OSError as error:
                why = error.strerror or str(error)
                log.warning("cannot make sure that nobody else plays the account", why=why)
        yield
    finally:
        for number in held:
            os.close(number)


def _locked(profile: Profile) -> int:
    account, server = profile.account.user, profile.server
    where = f"{account} at {server.host}:{server.port}"
    folder = cache_folder() / "control"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{hashlib.sha256(where.lower().encode()).hexdigest()[:12]}.lock"
    number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.lockf(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        holder = os.read(number, 20).decode("ascii", "replace").strip()
        os.close(number)
        raise Occupied(f"{where} is played by another process already ({holder})") from None
    except OSError:
        os.close(number)
        raise
    os.ftruncate(number, 0)
    os.write(number, f"{os.getpid()}\n".encode())
    return number
