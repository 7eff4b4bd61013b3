"""`sixprime archive export`: match files out of an archive."""

from __future__ import annotations

import sys
from argparse import Namespace

from sixprime.bot.analysis.annotation import with_stored_analysis
from sixprime.bot.analysis.store import keys
from sixprime.bot.archive.collection.exporting import export
from sixprime.bot.archive.collection.selection import chosen
from sixprime.bot.cli.collection.verbs.choosing import opened, readable, selection_of
from sixprime.bot.cli.line.errors import reason_of, refusing
from sixprime.bot.cli.line.shared import MATCH_FORMATS
from sixprime.bot.cli.progress import bar
from sixprime.bot.process.printable import counted


def export_matches(options: Namespace) -> int:
    count, lost = 0, set[str]()
    with opened(options) as archive:
        skipped = readable(archive)
        for match_id in options.match or ():
            archive.row(match_id)  # refuses an unknown ID
        ids = [row.id for row in chosen(archive, selection_of(options, archive))]
        formats = options.to or MATCH_FORMATS
        with bar("exporting") as progress, refusing(OSError, at=options.folder):
            known = [key for key, _ in keys(archive)]
            work = export(
                archive, ids, options.folder, formats, progress, known, with_stored_analysis
            )
            for match_id, written, fault in work:
                if fault is not None:
                    skipped.report(f"match {match_id}", reason_of(fault))
                if written is not None:
                    count += len(written.files)
                    lost |= {f"{name} has no place for {why}" for name, why in written.lost.items()}
                    for name, why in written.left_out.items():
                        skipped.report(f"match {match_id} not as {name}", why)
    for words in sorted(lost):
        print(f"{words}: left out", file=sys.stderr)
    print(f"{counted(count, 'file')} in {options.folder}", file=sys.stderr)
    return skipped.code
