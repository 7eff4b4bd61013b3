"""`sixprime convert`: match files from one format into another."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sixprime.bot.cli.declaring import option
from sixprime.bot.cli.filereading import matches_in, strict_argument
from sixprime.bot.cli.main import Skipped, UsageError, refusing
from sixprime.bot.process.printable import counted
from sixprime.engine.system.wholefiles import write_whole

if TYPE_CHECKING:
    from sixprime.protocols.formats.record import Match

TEXTS = ("oldmoves", "sgf", "mat")  # the formats of which a file may hold several matches
DOCUMENTS = ("text", "html", "pdf", "png")


class WrittenAs(NamedTuple):
    """What a match is written as."""

    suffix: str
    parts: Callable[[Match], Iterable[bytes]]  # files of their own, if there are several


def arguments(parser: argparse.ArgumentParser) -> None:
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
        "--to", dest="target", choices=(*TEXTS, "ogxm", *DOCUMENTS), help="format of OUT"
    )
    parser.add_argument("--match", type=int, metavar="N", help="only the Nth match of IN")
    parser.add_argument("--game", type=int, metavar="N", help="a document of this game alone")
    option(parser, "--move", "N", "a document of this move's position alone", int)


def run(options: argparse.Namespace) -> int:
    matches = _read(options)
    if options.match is not None:
        if not 1 <= options.match <= len(matches):
            raise UsageError(f"{options.input}: no match {options.match}, there are {len(matches)}")
        matches = [matches[options.match - 1]]
    return _write(matches, options, _name_of(options))


def _read(options: argparse.Namespace) -> list[Match]:
    from sixprime.protocols.formats.record import BadMatchFile

    with refusing(OSError, BadMatchFile, at=options.input):
        return matches_in(options.input, "convert", strict=options.strict, form=options.source)


def _name_of(options: argparse.Namespace) -> str:
    """The format of OUT, by `--to` or by its suffix."""
    from sixprime.bot.archive.matchfiles import format_of_suffix
    from sixprime.bot.reports.export.documents import document_of_suffix
    from sixprime.protocols.formats.xg import ogxm

    output, name = Path(options.output), options.target
    if name is None and options.output != "-" and not output.is_dir():
        name = document_of_suffix(output) or format_of_suffix(output)
        name = "ogxm" if output.suffix.lower() == ogxm.SUFFIX else name
    if name is None:
        known = ", ".join(TEXTS + DOCUMENTS)
        raise UsageError(f"{options.output}: which format? use --to {known}")
    if name not in DOCUMENTS and (options.game is not None or options.move is not None):
        raise UsageError("--game and --move are for text, html, pdf and png")
    return str(name)


def _target(name: str, options: argparse.Namespace) -> WrittenAs:
    from sixprime.bot.archive.matchfiles import FORMATS
    from sixprime.bot.reports.export.documents import DOCUMENTS as KNOWN
    from sixprime.bot.reports.export.scenes import acts
    from sixprime.protocols.formats.xg import ogxm

    if name in TEXTS:
        form = FORMATS[name]
        return WrittenAs(
            form.suffixes[0], lambda match: [form.write(match).encode("utf-8", "replace")]
        )
    if name == "ogxm":
        return WrittenAs(ogxm.SUFFIX, lambda match: [ogxm.write_ogxm(match)])
    document = KNOWN[name]
    return WrittenAs(
        document.suffix,
        lambda match: document.parts(match, acts(match, options.game, options.move)),
    )


def _write(matches: list[Match], options: argparse.Namespace, name: str) -> int:
    """Write the matches; 1 if some could not be written to the folder, which are skipped."""
    from sixprime.bot.reports.export.scenes import NoSuchScene
    from sixprime.protocols.formats.record import BadRecord, CannotCarry

    target, output, several = _target(name, options), Path(options.output), len(matches) > 1
    in_folder = options.output != "-" and output.is_dir()
    if several and not in_folder and name not in TEXTS:
        raise UsageError(
            f"{options.input}: {counted(len(matches), 'match')}, and a document holds one:"
            " give a folder as OUT, or choose with --match"
        )
    skipped, texts = Skipped("convert"), list[bytes]()
    stem = "matches" if options.input == "-" else Path(options.input).stem
    for number, match in enumerate(matches, start=1):
        place = f"{options.input}: match {number}" if several else options.input
        with (
            skipped.at(place)
            if several and in_folder
            else refusing(CannotCarry, NoSuchScene, BadRecord, at=place),
            _installed(name),
        ):
            if in_folder:
                named = f"{stem}-{number}" if several else stem
                _put(target.parts(match), output / f"{named}{target.suffix}")
            elif several:
                texts += target.parts(match)
            else:
                _put(target.parts(match), output)
    if texts:
        _put([b"\n".join(texts)], output)
        print(
            f"{counted(len(texts), 'match')} in one file; gnubg reads only the first"
            " (a folder as OUT gives each its own)",
            file=sys.stderr,
        )
    return skipped.code


@contextmanager
def _installed(name: str) -> Iterator[None]:
    """UsageError where a document needs a library that is not there."""
    try:
        yield
    except ImportError as error:
        why = f"--to {name}: {error.name} is missing: pip install 'sixprime[print]'"
        raise UsageError(why) from error


def _put(parts: Iterable[bytes], path: Path) -> None:
    """The parts as files, numbered if there are several; `-` is standard output."""
    ahead, *more = islice(rest := iter(parts), 2)
    if str(path) == "-":
        if more:
            raise UsageError("a match is many pictures: give a file as OUT")
        sys.stdout.buffer.write(ahead)
        sys.stdout.buffer.flush()
        return
    with refusing(OSError, at=path):
        if not more:
            write_whole(path, ahead)
            return
        number = 0
        for number, part in enumerate(chain((ahead, *more), rest), start=1):
            write_whole(path.with_name(f"{path.stem}-{number}{path.suffix}"), part)
    print(f"{number} pictures: {path.stem}-1{path.suffix} and so on", file=sys.stderr)
