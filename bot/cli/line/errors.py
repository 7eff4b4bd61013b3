"""Errors of the command line, each one clear line."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sixprime.bot.process.printable import printable
from sixprime.engine.system.errors import SixprimeError, shortened

SHOWN = 80  # characters of a long word in an error
_LONG = re.compile(r"\S{250,}")


class UsageError(SixprimeError):
    """Bad input from the user; the text is one clear line, and the exit code is 2."""


@contextmanager
def refusing(*errors: type[Exception], at: object = None) -> Iterator[None]:
    """Turn these errors into a UsageError; `at` names the place where they happened."""
    try:
        yield
    except BrokenPipeError:
        raise
    except errors as error:
        reason = _in_words(error) if isinstance(error, OSError) else str(error)
        place = getattr(error, "filename", None) if at is None else at
        raise UsageError(reason if place is None else f"{place}: {reason}") from error


class Skipped:
    """The failures of a command that works through many things: a line each, then it goes on."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.code = 0  # of the whole command

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        """Skip the rest of the block if it fails; a UsageError still ends the command."""
        try:
            yield
        except (BrokenPipeError, UsageError):
            raise
        except Exception as error:  # noqa: BLE001 - one failure does not stop the rest
            self.report(place, reason_of(error, place))

    def report(self, place: str, why: str) -> None:
        """Name on stderr a thing that is left out, and the reason."""
        self.code = 1
        print(f"sixprime {self.command}: {in_one_line(f'{place}: {why}')}", file=sys.stderr)


def reason_of(error: Exception, place: str = "") -> str:
    """Describe the error in one line, with its class if it is unexpected."""
    if isinstance(error, OSError):
        file = str(error.filename or place)
        return _in_words(error) if file == place else f"{file}: {_in_words(error)}"
    first = next(iter(str(error).strip().splitlines()), "")
    return first if isinstance(error, ValueError) else f"{type(error).__name__}: {first}"


def _in_words(error: OSError) -> str:
    """Return the operating system's text for this error, without the details that asyncio adds."""
    code = error.errno or 0
    return os.strerror(code) if code > 0 else error.strerror or str(error) or type(error).__name__


def in_one_line(error: str) -> str:
    """Shorten an error that quotes typed words, and remove characters that steer a terminal."""
    short = _LONG.sub(lambda word: f"{word[0][:SHOWN]}...", shortened(error))
    return printable(short).replace("\n", "?")
