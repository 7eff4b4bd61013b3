"""The one entry point: runs the declared command whose words were typed."""

from __future__ import annotations

import gc
import importlib
import io
import os
import re
import signal
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TextIO

from sixprime.bot.cli.line.command import ShellCommand
from sixprime.bot.cli.line.errors import UsageError, in_one_line, reason_of
from sixprime.bot.cli.line.parsing import parse
from sixprime.bot.cli.line.top import COMMANDS, SIXPRIME
from sixprime.bot.process.printable import discard

FIRST_STEPS = """\
Sixprime plays backgammon on FIBS servers, with an engine of its own.

  sixprime demo                             watch two bots play a match
  sixprime init                             write settings for a bot of yours
  sixprime play                             log in and play until stopped
  sixprime web                              play against it in the browser
  sixprime hint 4HPwATDgc/ABMA --dice 31    ask it about a position
  sixprime analyse match.mat                see what a match cost you

`sixprime --help` lists all commands, `sixprime COMMAND --help` explains one.
"""
_BARE_XGID = re.compile(r"-[-A-Pa-p]{25}:")  # argparse would take it for an option


def run(arguments: Sequence[str] | None = None) -> None:
    """Run the console script."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    for stream, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, stream) is None:  # closed; the next file that is opened would be it
            setattr(sys, stream, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without a ±; files are bytes
    warnings.showwarning = _warn_in_one_line
    if "play" in words:  # a closing terminal must not end the imports; play handles it
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    sys.exit(main(words))


def _warn_in_one_line(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"sixprime: {message}", file=sys.stderr)


def main(words: list[str]) -> int:
    """Run one command and return its exit code; every expected failure is one line on stderr."""
    chosen = next((word for word in words if word in COMMANDS), "")
    name = f"sixprime {chosen}".rstrip()
    try:
        code = _run(words)
        sys.stdout.flush()  # report a full disk here, not when Python exits
    except UsageError as error:
        if "--debug" in words:
            raise
        print(f"{name}: {in_one_line(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `sixprime ... | head`
        discard(sys.stdout)
        return 0
    except Exception as error:  # the last line of defence: no traceback for users
        if "--debug" in words:
            raise
        kind = f"{type(error).__name__}: " if isinstance(error, ValueError) else ""
        print(f"{name}: {kind}{in_one_line(reason_of(error))}", file=sys.stderr)
        if isinstance(error, OSError):
            discard(sys.stdout)
        return 1
    return code


def _run(words: list[str]) -> int:
    if not words:
        print(FIRST_STEPS, end="")
        return 0
    words = [f"XGID={word}" if _BARE_XGID.match(word) else word for word in words]
    command, options = parse(words, SIXPRIME)
    work = work_of(command)
    gc.enable()  # after the imports, during which sixprime.__main__ wants it off
    return work(options)


def work_of(command: ShellCommand) -> Callable[[Namespace], int]:
    """Import the function that does the work of a command."""
    if command.needs is not None:
        library, extra = command.needs
        if find_spec(library) is None:
            raise UsageError(f"{library} is missing: pip install 'sixprime[{extra}]'")
    module, _, function = command.work.partition(":")
    work: Callable[[Namespace], int] = getattr(
        importlib.import_module(f"sixprime.bot.cli.{module}"), function
    )
    return work
