"""`sixprime archive export` and `import`: match files out of an archive, and into it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.bot.cli.collection.verbs.asking import (
    Verb,
    opened,
    readable,
    selection_of,
    which_arguments,
)
from sixprime.bot.cli.collection.verbs.listing import FORMS
from sixprime.bot.cli.filereading import strict_argument
from sixprime.bot.cli.main import UsageError, refusing
from sixprime.bot.printable import counted, printable
from sixprime.engine.cores import usable_cores

if TYPE_CHECKING:
    from sixprime.bot.archive.importing import Broken


def _export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to write them")
    parser.add_argument("--to", choices=FORMS, action="append", help="format (all three)")
    which_arguments(parser, ids=True)


def _export(options: argparse.Namespace) -> int:
    from sixprime.bot.archive.collection.selection import chosen
    from sixprime.bot.archive.matchfiles import write_match

    count = 0
    with opened(options) as archive:
        skipped = readable(archive)
        for match_id in options.match or ():
            archive.row(match_id)  # which says if there is none
        ids = [row.id for row in chosen(archive, selection_of(options))]
        stems = archive.stems()
        for match_id in ids:
            with skipped.at(f"match {match_id}"):
                match = archive.match(match_id)
                with refusing(OSError, at=options.folder):
                    written = write_match(
                        match, options.folder, stems[match_id], options.to or FORMS
                    )
                count += len(written.files)
                for name, why in written.left_out.items():
                    skipped.report(f"match {match_id} not as {name}", why)
    print(f"{counted(count, 'file')} in {options.folder}", file=sys.stderr)
    return skipped.code


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", type=Path, nargs="+", metavar="PATH", help="files, or folders of files"
    )
    strict_argument(parser)


def _import(options: argparse.Namespace) -> int:
    from sixprime.bot.archive.importing import Imported, import_files
    from sixprime.bot.cli.progress import bar
    from sixprime.protocols.formats.reading import read_with

    imported, interrupted = Imported(), False
    with opened(options, creates=True) as archive:
        try:
            with bar("importing") as progress:
                cores = usable_cores()
                import_files(
                    archive,
                    options.files,
                    progress,
                    imported,
                    strict=options.strict,
                    processes=cores,
                )
        except KeyboardInterrupt:
            interrupted = True
    if not imported.files and not interrupted:
        raise UsageError(f"no match file in {', '.join(map(str, options.files))}")
    added, skipped, broken = imported.added, imported.skipped, imported.broken
    if options.json:
        why = {str(each.path): _words(each) for each in broken}
        remarks = {
            str(path): list(map(str, all_)) for path, all_ in imported.remarks.items() if all_
        }
        print(json.dumps({"added": added, "skipped": skipped, "broken": why, "remarks": remarks}))
    else:
        for path in imported.known:
            print(printable(f"{path}: already archived"))
        for path, found in imported.remarks.items():
            print(printable(f"{path}: {read_with(found)}"))
        unread = f", {len(broken)} of {counted(imported.files, 'file')} refused" if broken else ""
        print(f"{counted(len(added), 'match')} added, {skipped} already archived{unread}")
    for each in broken:
        print(f"sixprime archive: {printable(str(each))}", file=sys.stderr)
    if interrupted:
        print(
            "sixprime archive: interrupted; run the same import again to continue", file=sys.stderr
        )
        return 130
    return 1 if broken else 0


def _words(broken: Broken) -> str:
    return f"line {broken.line}: {broken.reason}" if broken.line else broken.reason


VERBS = (
    Verb(
        "export",
        "writes match files, one per match",
        "export folder --to sgf",
        _export_arguments,
        _export,
        json=False,
    ),
    Verb(
        "import",
        "reads match files and skips what is already archived",
        "import old/*.sgf evenings",
        _import_arguments,
        _import,
    ),
)
