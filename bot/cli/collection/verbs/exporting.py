"""`sixprime archive export`: match files out of an archive."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sixprime.bot.cli.collection.verbs.listing import FORMS
from sixprime.bot.cli.collection.verbs.options import (
    Verb,
    opened,
    readable,
    selection_of,
    which_arguments,
)
from sixprime.bot.cli.main import refusing
from sixprime.bot.process.printable import counted


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
        ids = [row.id for row in chosen(archive, selection_of(options, archive))]
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


VERBS = (
    Verb(
        "writes match files, one per match",
        "export folder --to sgf",
        _export_arguments,
        _export,
        json=False,
    ),
)
