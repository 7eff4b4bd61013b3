"""`sixprime convert`: match files from one format into another."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.bot.cli.main import UsageError, refusing

if TYPE_CHECKING:
    from sixprime.protocols.formats.record import Match

_FORMATS = ("oldmoves", "sgf", "mat")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the two files and what they are."""
    parser.description = (
        "Convert a file of matches between FIBS oldmoves (.fibs, .oldmoves), SGF as gnubg has it\n"
        "(.sgf) and Jellyfish .mat. IN is known by its suffix or its content, OUT by its suffix."
    )
    parser.epilog = (
        "examples:\n"
        "  sixprime convert match.sgf match.mat\n"
        "  sixprime convert evening.fibs folder --to sgf      one file per match\n"
        "  sixprime convert evening.fibs third.sgf --match 3\n"
        "  sixprime convert - - --to mat < match.sgf > match.mat"
    )
    parser.add_argument("input", metavar="IN", help="a file, or - for standard input")
    parser.add_argument("output", metavar="OUT", help="a file, a folder, or - for standard output")
    parser.add_argument("--from", dest="source", choices=_FORMATS, help="format of IN")
    parser.add_argument("--to", dest="target", choices=_FORMATS, help="format of OUT")
    parser.add_argument("--match", type=int, metavar="N", help="only the Nth match of IN")


def run(options: argparse.Namespace) -> int:
    """Read, convert, write."""
    matches = _read(options.input, options.source)
    if options.match is not None:
        if not 1 <= options.match <= len(matches):
            raise UsageError(f"{options.input}: no match {options.match}, there are {len(matches)}")
        matches = [matches[options.match - 1]]
    return _write(matches, options)


def _read(name: str, source: str | None) -> list[Match]:
    from sixprime.bot.archive.matchfiles import FORMATS, format_of_suffix, format_of_text
    from sixprime.protocols.formats.record import BadMatchFile, decode

    with refusing(OSError, at=name):
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    text = decode(data)
    found = source or (name != "-" and format_of_suffix(Path(name))) or format_of_text(text)
    if not found:
        raise UsageError(f"{name}: neither suffix nor content says what it is; use --from")
    with refusing(BadMatchFile, at=name):
        return FORMATS[found].read(text)


def _write(matches: list[Match], options: argparse.Namespace) -> int:
    """Write the matches; 1 if some could not be written to the folder."""
    from sixprime.bot.archive.matchfiles import FORMATS, format_of_suffix, write_whole

    output = Path(options.output)
    in_folder = options.output != "-" and output.is_dir()
    by_suffix = None if options.output == "-" or in_folder else format_of_suffix(output)
    target = options.target or by_suffix
    if target is None:
        raise UsageError(f"{options.output}: which format? use --to oldmoves, sgf or mat")
    texts = _texts(matches, target, options.input, whole=not in_folder)
    with refusing(OSError, at=options.output):
        if options.output == "-":
            sys.stdout.buffer.write("\n".join(texts.values()).encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
        elif in_folder:
            stem = "matches" if options.input == "-" else Path(options.input).stem
            for number, text in texts.items():
                numbered = f"{stem}-{number}" if len(matches) > 1 else stem
                write_whole(output / f"{numbered}{FORMATS[target].suffixes[0]}", text)
        else:
            write_whole(output, "\n".join(texts.values()))
    if len(texts) > 1 and not in_folder:
        print(
            f"{len(texts)} matches in one file; gnubg reads only the first (a folder as OUT gives"
            " each its own)",
            file=sys.stderr,
        )
    return 0 if len(texts) == len(matches) else 1


def _texts(matches: list[Match], target: str, name: str, whole: bool) -> dict[int, str]:
    """The file texts by match number; skips matches that the format cannot hold, unless `whole`."""
    from sixprime.bot.archive.matchfiles import FORMATS
    from sixprime.protocols.formats.record import CannotCarry

    texts: dict[int, str] = {}
    for number, match in enumerate(matches, start=1):
        try:
            texts[number] = FORMATS[target].write(match)
        except CannotCarry as error:
            place = f"match {number}: " if len(matches) > 1 else ""
            if whole or len(matches) == 1:
                raise UsageError(f"{name}: {place}{error}") from error
            print(f"sixprime convert: {name}: {place}{error}", file=sys.stderr)
    return texts
