"""`sixprime convert`: match files from one format into another."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.bot.cli.collection import documents
from sixprime.bot.cli.filereading import matches_in, strict_argument
from sixprime.bot.cli.main import Skipped, UsageError, refusing
from sixprime.bot.printable import counted

if TYPE_CHECKING:
    from sixprime.protocols.formats.record import Match

_FORMATS = ("oldmoves", "sgf", "mat")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the two files and what they are."""
    parser.description = (
        "Convert a file of matches between FIBS oldmoves (.fibs, .oldmoves), SGF as gnubg has it\n"
        "(.sgf) and Jellyfish .mat, or make a document with boards: text as gnubg's (.txt), HTML\n"
        "(.html), PDF and PNG pictures (.pdf, .png: the extra `print`). IN may be of any format\n"
        "that `archive import` reads, positions too; OUT is known by its suffix."
    )
    parser.epilog = (
        "examples:\n"
        "  sixprime convert match.sgf match.mat\n"
        "  sixprime convert evening.fibs folder --to sgf      one file per match\n"
        "  sixprime convert evening.fibs third.sgf --match 3\n"
        "  sixprime convert - - --to mat < match.sgf > match.mat\n"
        "  sixprime convert match.sgf match.pdf               boards of every move\n"
        "  sixprime convert match.sgf board.png --game 2 --move 7\n"
        "  echo XGID=... | sixprime convert - board.html"
    )
    parser.add_argument("input", metavar="IN", help="a file, or - for standard input")
    parser.add_argument("output", metavar="OUT", help="a file, a folder, or - for standard output")
    parser.add_argument("--from", dest="source", metavar="FORMAT", help="format of IN")
    strict_argument(parser)
    parser.add_argument(
        "--to",
        dest="target",
        choices=(*_FORMATS, "ogxm", *documents.DOCUMENTS),
        help="format of OUT",
    )
    parser.add_argument("--match", type=int, metavar="N", help="only the Nth match of IN")
    documents.arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Read, convert, write."""
    matches = _read(options)
    if options.match is not None:
        if not 1 <= options.match <= len(matches):
            raise UsageError(f"{options.input}: no match {options.match}, there are {len(matches)}")
        matches = [matches[options.match - 1]]
    if document := documents.target_of(options):
        return documents.write(matches, options, document)
    if options.game is not None or options.move is not None:
        raise UsageError("--game and --move are for text, html, pdf and png")
    suffix = "" if options.output == "-" else Path(options.output).suffix.lower()
    if options.target == "ogxm" or (options.target is None and suffix == ".ogxm"):
        return _write_ogxm(matches, options)
    return _write(matches, options)


def _read(options: argparse.Namespace) -> list[Match]:
    from sixprime.protocols.formats.record import BadMatchFile

    with refusing(OSError, BadMatchFile, at=options.input):
        return matches_in(options.input, "convert", strict=options.strict, form=options.source)


def _write(matches: list[Match], options: argparse.Namespace) -> int:
    """Write the matches; 1 if some could not be written to the folder, which are skipped."""
    from sixprime.bot.archive.matchfiles import FORMATS, format_of_suffix, write_whole
    from sixprime.protocols.formats.record import CannotCarry

    output = Path(options.output)
    in_folder = options.output != "-" and output.is_dir()
    by_suffix = None if options.output == "-" or in_folder else format_of_suffix(output)
    target = options.target or by_suffix
    if target is None:
        raise UsageError(
            f"{options.output}: which format? use --to {', '.join(_FORMATS + documents.DOCUMENTS)}"
        )
    form, skipped, texts = FORMATS[target], Skipped("convert"), []
    stem = "matches" if options.input == "-" else Path(options.input).stem
    for number, match in enumerate(matches, start=1):
        place, numbered = options.input, stem
        if len(matches) > 1:
            place, numbered = f"{place}: match {number}", f"{stem}-{number}"
        if in_folder and len(matches) > 1:
            with skipped.at(place):
                write_whole(output / f"{numbered}{form.suffixes[0]}", form.write(match))
            continue
        with refusing(CannotCarry, at=place):
            texts.append(form.write(match))
    if texts and in_folder:
        output /= f"{stem}{form.suffixes[0]}"
    with refusing(OSError, at=options.output):
        if options.output == "-":
            sys.stdout.buffer.write("\n".join(texts).encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
        elif texts:
            write_whole(output, "\n".join(texts))
    if len(texts) > 1:
        print(
            f"{counted(len(texts), 'match')} in one file; gnubg reads only the first"
            " (a folder as OUT gives each its own)",
            file=sys.stderr,
        )
    return skipped.code


def _write_ogxm(matches: list[Match], options: argparse.Namespace) -> int:
    """Each match as a file of bytes; 1 if some could not be written to the folder."""
    from sixprime.bot.archive.matchfiles import write_whole
    from sixprime.protocols.formats.record import CannotCarry
    from sixprime.protocols.formats.xg import ogxm

    output, skipped = Path(options.output), Skipped("convert")
    if options.output != "-" and output.is_dir():
        stem = "matches" if options.input == "-" else Path(options.input).stem
        for number, match in enumerate(matches, start=1):
            named = stem if len(matches) == 1 else f"{stem}-{number}"
            with skipped.at(f"{options.input}: match {number}"):
                write_whole(output / f"{named}{ogxm.SUFFIX}", ogxm.write(match))
        return skipped.code
    if len(matches) != 1:
        raise UsageError(
            f"{options.input}: {counted(len(matches), 'match')}; OGXM holds one: OUT is a folder"
        )
    with refusing(CannotCarry, at=options.input):
        data = ogxm.write(matches[0])
    with refusing(OSError, at=options.output):
        if options.output == "-":
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            write_whole(output, data)
    return 0
