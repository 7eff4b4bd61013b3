"""`sixprime transcribe`: a live match of two people, entered line by line."""

from __future__ import annotations

import datetime as dt
import importlib
import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

from sixprime.bot.archive.collection.importing import keep_match
from sixprime.bot.archive.matchfiles import FORMATS, format_of_suffix, lost_in
from sixprime.bot.cli.collection.verbs.choosing import opened
from sixprime.bot.cli.files import write_out
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.process.printable import printable
from sixprime.bot.reports.export.scenes import Scene
from sixprime.bot.reports.export.text import board
from sixprime.bot.transcribing.sheet import EntrySheet, help_lines, is_complete
from sixprime.bot.transcribing.words import state_words
from sixprime.engine.system.errors import InputError
from sixprime.engine.system.wholefiles import read_whole
from sixprime.protocols.formats.record import CannotCarry, decode, split_lines

_PROMPT = "> "
_BEGIN = "Begin with `match 7` or `money`, and `players Anna, Ben`. `?` lists all entries."
_SHOWN = {"?", "help", "show"}
_QUIT = {"quit", "exit"}


class SheetFile:
    """The lines of a sheet in a file, each safe on disk before the next is asked for."""

    def __init__(self, path: Path) -> None:
        with refusing(OSError, at=path):
            text = decode(read_whole(path)) if path.exists() else ""
            with path.open("ab") as file:
                if text and not text.endswith("\n"):  # an editor wrote it
                    file.write(b"\n")
        self.path, self.lines = path, split_lines(text)

    def append(self, line: str) -> None:
        with refusing(OSError, at=self.path), self.path.open("ab") as file:
            file.write(f"{line}\n".encode())
            file.flush()
            os.fsync(file.fileno())


def transcribe_match(options: Namespace) -> int:
    by_person = sys.stdin.isatty()
    form = None if options.out is None else format_of_suffix(options.out)
    if options.out is not None and form is None:
        raise UsageError(f"{options.out}: name it .sgf, .mat or .fibs")
    path = _free_file() if options.file is None and by_person else options.file
    sheet, kept = EntrySheet(), None if path is None else SheetFile(path)
    if kept is not None:
        _fill(sheet, str(path), kept.lines)
        if by_person and not kept.lines:
            _enter(sheet, kept, f"date {dt.datetime.now().astimezone().date()}")
    if by_person:
        with suppress(ImportError):
            importlib.import_module("readline")  # edits lines, and recalls them
        print(printable(f"Every line is kept in {path}. {_told(sheet)}"))
    _converse(sheet, kept, by_person=by_person)
    return _end(sheet, path, form, options)


def _converse(sheet: EntrySheet, kept: SheetFile | None, *, by_person: bool) -> None:
    """Enter lines until there are no more; a text ends at its first fault, with a UsageError."""
    for number, line in enumerate(_typed(prompted=by_person), start=1):
        word = line.lower()
        if word in _QUIT:
            return
        try:
            if word in _SHOWN:
                print("\n".join(_shown(sheet, word)), flush=True)
                continue
            _enter(sheet, kept, line)
        except InputError as error:
            if not by_person:
                raise UsageError(f"line {number}: {error}") from error
            print(printable(str(error)))
            continue
        if by_person and line:
            print(printable(_told(sheet)))


def _free_file() -> Path:
    """Return today's file that is not complete, or a new one."""
    day = dt.datetime.now().astimezone().date()
    for number in count(1):
        path = Path(f"match-{day}{'' if number == 1 else f'-{number}'}.txt")
        sheet = EntrySheet()
        if path.exists():
            _fill(sheet, str(path), split_lines(decode(read_whole(path))))
        if not is_complete(sheet):
            return path
    raise AssertionError


def _fill(sheet: EntrySheet, name: str, lines: list[str]) -> None:
    for number, line in enumerate(lines, start=1):
        with refusing(InputError, at=f"{name}:{number}"):
            sheet.write(line)


def _typed(*, prompted: bool) -> Iterator[str]:
    """Yield the lines of standard input."""
    while True:
        try:
            line = input(_PROMPT if prompted else "")
        except EOFError:
            return
        yield line.strip()


def _enter(sheet: EntrySheet, kept: SheetFile | None, line: str) -> None:
    sheet.write(line)
    if kept is not None and line:
        kept.append(line)


def _told(sheet: EntrySheet) -> str:
    if sheet.match is None:
        return _BEGIN
    return state_words(sheet.match) + (" `quit` archives it." if is_complete(sheet) else "")


def _shown(sheet: EntrySheet, word: str) -> list[str]:
    if word != "show":
        return [*help_lines(), "  show, quit                show the board; leave"]
    if sheet.match is None:
        return [_BEGIN]
    replay = sheet.match.replay()
    scene = Scene(0, 0, replay.position, replay.state)
    return [*board(sheet.match.record, scene), state_words(sheet.match)]


def _end(sheet: EntrySheet, path: Path | None, form: str | None, options: Namespace) -> int:
    """Write the match out, and archive it once it is complete."""
    if sheet.match is None:
        raise UsageError("no match was entered")
    record = sheet.match.record
    if form is not None:
        with refusing(CannotCarry, at=options.out):
            write_out(options.out, FORMATS[form].write(record))
        if lost := lost_in(record, form):
            print(f"{form} has no place for {lost}: left out", file=sys.stderr)
    if path is not None and not is_complete(sheet):
        print(printable(f"{state_words(sheet.match)} Go on with: sixprime transcribe {path}"))
        return 0
    with opened(options, creates=True) as archive:
        added = keep_match(archive, record)
    print("already archived" if added is None else f"archived as match {added}")
    return 0
