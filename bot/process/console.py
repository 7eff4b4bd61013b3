"""stderr for programs that must go on when its reader stops: Ctrl-S, a full pipe.

A thread writes. While it keeps up, `write` waits for it, so that the lines of several writers stay
in order. Once it falls behind, lines wait for it, and the oldest of too many are dropped.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections import deque

from sixprime.bot.process.printable import discard

PATIENCE_S = 0.2
MOST_LINES = 1_000
_GONE = (errno.EIO, errno.EPIPE)  # the reader


class Console:
    """A stream to stderr, or to nothing; it never raises, and hardly ever waits."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque()  # not written yet; a thread runs while there are any
        self._stalled = False
        self._changed = threading.Condition()

    def write(self, text: str) -> None:
        """Write a line, now or as soon as the reader goes on."""
        with self._changed:
            if len(self._lines) >= MOST_LINES:
                del self._lines[1]  # the first is being written
            self._lines.append(text)
            if len(self._lines) == 1:
                self._start_thread()
            if not self._stalled:
                self._stalled = not self._changed.wait_for(lambda: not self._lines, PATIENCE_S)

    def flush(self) -> None:
        """Do nothing: lines are written at once or wait for the reader."""

    def _start_thread(self) -> None:
        try:
            threading.Thread(target=self._write_all, name="console", daemon=True).start()
        except RuntimeError:  # there are too many, or the interpreter is about to end
            self._write_all()

    def _write_all(self) -> None:
        left = True
        while left:
            _put(self._lines[0])
            with self._changed:
                self._lines.popleft()
                left = bool(self._lines)
                self._stalled = self._stalled and left
                self._changed.notify_all()


def _put(text: str) -> None:
    stream = sys.stderr
    try:
        place = stream.fileno()
    except (OSError, ValueError, AttributeError):  # no file, closed, or no stderr at all
        place = None
    try:
        if place is None:
            stream.write(text)
            return
        left = text.encode(stream.encoding, "backslashreplace")
        while left:  # past the stream, whose lock a thread that waits would keep at exit
            left = left[os.write(place, left) :]
    except (ValueError, AttributeError):
        pass
    except OSError as error:
        if error.errno in _GONE:
            discard(stream)
