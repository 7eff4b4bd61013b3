"""`sixprime convert` into documents with boards: text, HTML, PDF, PNG."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.bot.cli.main import Skipped, UsageError, refusing
from sixprime.bot.printable import counted

if TYPE_CHECKING:
    from sixprime.protocols.formats.record import Match

DOCUMENTS = ("text", "html", "pdf", "png")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what of a match a document shows."""
    parser.add_argument("--game", type=int, metavar="N", help="a document of this game alone")
    parser.add_argument(
        "--move", type=int, metavar="N", help="a document of this move's position alone"
    )


def target_of(options: argparse.Namespace) -> str | None:
    """The document asked for, by `--to` or by OUT's suffix."""
    from sixprime.bot.reports.export.documents import document_of_suffix

    if options.target is None and options.output != "-":
        return document_of_suffix(Path(options.output))
    return options.target if options.target in DOCUMENTS else None


def write(matches: list[Match], options: argparse.Namespace, target: str) -> int:
    """Write a document of each match; 1 if some were skipped, as they could not be shown."""
    from sixprime.bot.reports.export.documents import DOCUMENTS as KNOWN
    from sixprime.bot.reports.export.scenes import NoSuchScene, acts
    from sixprime.protocols.formats.record import BadRecord

    document, output = KNOWN[target], Path(options.output)
    in_folder = options.output != "-" and output.is_dir()
    if len(matches) > 1 and not in_folder:
        raise UsageError(
            f"{options.input}: {counted(len(matches), 'match')}, and a document holds one:"
            " give a folder as OUT, or choose with --match"
        )
    skipped = Skipped("convert")
    stem = "matches" if options.input == "-" else Path(options.input).stem
    for number, match in enumerate(matches, start=1):
        place, named = options.input, stem
        if len(matches) > 1:
            place, named = f"{place}: match {number}", f"{stem}-{number}"
        several = len(matches) > 1
        with skipped.at(place) if several else refusing(NoSuchScene, BadRecord, at=place):
            path = output / f"{named}{document.suffix}" if in_folder else output
            shown = acts(match, options.game, options.move)
            try:
                _put(document.parts(match, shown), path, options.output == "-")
            except ImportError as error:
                raise UsageError(
                    f"--to {target}: {error.name} is missing: pip install 'sixprime[print]'"
                ) from error
    return skipped.code


def _put(parts: Iterable[bytes], path: Path, standard: bool) -> None:
    """The parts as files, numbered if there are several."""
    from sixprime.bot.archive.matchfiles import write_whole

    ahead, *more = islice(rest := iter(parts), 2)
    if standard:
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
