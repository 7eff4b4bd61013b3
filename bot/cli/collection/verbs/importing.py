"""`sixprime archive import`: match files into an archive."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.bot.cli.collection.verbs.options import Verb, opened
from sixprime.bot.cli.filereading import strict_argument
from sixprime.bot.cli.main import UsageError
from sixprime.bot.process.printable import counted, printable
from sixprime.engine.system.cores import usable_cores

if TYPE_CHECKING:
    from sixprime.bot.archive.collection.importing import Broken

READ = (
    "XG (.xg, .xgp, text exports), OGXM (.ogxm, .gvab), BGBlitz and BackGammonRoom (.bgf), "
    "SGF (.sgf), FIBS oldmoves (.oldmoves, .fibs), JellyFish (.mat, .gam, .pos), GamesGrid (.sgg), "
    "TrueMoneyGames (.tmg), PartyGammon and GammonEmpire (.gam), BKG (.bkg), JavaFIBS and "
    "bgammon.org (.match), gnubg's text with boards (.txt), lists of positions (.pos, .xgid)"
)


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="PATH",
        help=f"files, or folders of files, known by what is in them: {READ}",
    )
    strict_argument(parser)


def _import(options: argparse.Namespace) -> int:
    from sixprime.bot.archive.collection.importing import Imported, import_files
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
        "reads match files and skips what is already archived",
        "import old/*.sgf evenings",
        _import_arguments,
        _import,
    ),
)
