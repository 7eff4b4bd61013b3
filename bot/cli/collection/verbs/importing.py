"""`sixprime archive import`: match files into an archive."""

from __future__ import annotations

import json
import sys
from argparse import Namespace

from sixprime.bot.archive.collection.importing import Broken, Imported, import_files
from sixprime.bot.cli.collection.verbs.choosing import opened
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.progress import bar
from sixprime.bot.process.printable import counted, printable
from sixprime.engine.system.cores import usable_cores
from sixprime.protocols.formats.reading import read_with


def import_matches(options: Namespace) -> int:
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
        why = {str(fault.path): _words(fault) for fault in broken}
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
    for fault in broken:
        print(f"sixprime archive: {printable(str(fault))}", file=sys.stderr)
    if interrupted:
        print(
            "sixprime archive: interrupted; run the same import again to continue", file=sys.stderr
        )
        return 130
    return 1 if broken else 0


def _words(broken: Broken) -> str:
    return f"line {broken.line}: {broken.reason}" if broken.line else broken.reason
