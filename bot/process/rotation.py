"""A log file that rotates itself.

It is opened again, without a signal, when another program (logrotate) has moved it away or another
process has rotated it.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from sixprime.engine.system.wholefiles import private_file, shifted

DAY_S = 86_400


class RotatedFile:
    """A text file to append to; it raises OSError, and grows on if it cannot be rotated."""

    def __init__(self, path: Path, most_bytes: int, days: int, keep: int) -> None:
        self._path = path
        self._most, self._days, self._keep = most_bytes, days, keep  # 0: without a limit
        self._number = -1
        self._open()

    def _open(self) -> None:
        private_file(self._path)
        fresh = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self.close()
        self._number = fresh

    def write(self, text: str) -> None:
        if self._number < 0:
            raise ValueError("closed")
        data = text.encode("utf-8", "backslashreplace")
        self._rotate_if_due(len(data))
        while data:
            data = data[os.write(self._number, data) :]

    def _rotate_if_due(self, size: int) -> None:
        if not self._is_in_place():
            self._open()  # or fail: the moved file may be deleted
        with suppress(OSError):
            if self._is_due(size):
                fcntl.flock(self._number, fcntl.LOCK_EX)  # of two processes, one rotates
                mode = os.fstat(self._number).st_mode & 0o777
                if rotates := self._is_in_place():
                    shifted(self._path, self._keep)
                self._open()
                if rotates:
                    os.fchmod(self._number, mode)  # its readers may still read it

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(self._path.stat(), os.fstat(self._number))
        except FileNotFoundError:
            return False
        except OSError:  # the folder is closed to us
            return True

    def _is_due(self, size: int) -> bool:
        found = os.fstat(self._number)
        if not found.st_size:
            return False
        is_full = bool(self._most) and found.st_size + size > self._most
        period = DAY_S * self._days
        return is_full or (bool(period) and time.time() // period != found.st_mtime // period)

    def flush(self) -> None:
        """Do nothing: each write reaches the file."""

    def close(self) -> None:
        if self._number >= 0:
            os.close(self._number)
            self._number = -1
