"""`sixprime archive decisions`: every analysed decision as a row of a table."""

from __future__ import annotations

import csv
import json
import sys
from argparse import Namespace
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path

from sixprime.bot.analysis.collection.dataset import NAMES, current_analyses, stored_decisions
from sixprime.bot.analysis.collection.parquetfiles import TOGETHER, Exported, export_decisions
from sixprime.bot.archive.archive import Archive
from sixprime.bot.cli.collection.verbs.choosing import opened
from sixprime.bot.cli.collection.verbs.collecting import settings_key
from sixprime.bot.cli.line.errors import Skipped, UsageError, refusing
from sixprime.bot.cli.progress import bar
from sixprime.bot.process.printable import counted, csv_cell
from sixprime.engine.system.errors import Unavailable
from sixprime.engine.system.wholefiles import written_whole

_NAMED = frozenset(map(NAMES.index, ("player", "opponent", "server", "played_at")))  # by strangers


def write_decisions(options: Namespace) -> int:
    if (options.parquet is None) == (options.csv is None):
        raise UsageError("say where to: --parquet FOLDER, or --csv FILE")
    with opened(options) as archive, bar("writing decisions") as progress:
        key = settings_key(archive, options.analysis)
        if options.csv is not None:
            with refusing(OSError, at=options.csv):
                exported = _write_csv(archive, options.csv, key, progress)
        else:
            with refusing(OSError, Unavailable, at=options.parquet):
                exported = export_decisions(archive, options.parquet, key, progress)
    skipped = Skipped("archive")
    for match_id in exported.unreadable:
        skipped.report(f"match {match_id}", "its analysis cannot be read")
    if options.json:
        print(json.dumps({"written": exported.written, "there": exported.there, "analysis": key}))
    else:
        news = f"{counted(exported.written, 'match')} written, {exported.there} were there"
        print(f"{news}: {options.parquet or options.csv}", file=sys.stderr)
    return skipped.code


def _write_csv(
    archive: Archive, path: Path, key: str, progress: Callable[[int, int], None]
) -> Exported:
    ids, exported = list(current_analyses(archive, key)), Exported()
    with written_whole(path) as file:
        text = TextIOWrapper(file, "utf-8", "backslashreplace", newline="")
        table = csv.writer(text)
        table.writerow(NAMES)
        for start in range(0, len(ids), TOGETHER):
            for stored in stored_decisions(archive, key, ids[start : start + TOGETHER]):
                if stored.rows is None:
                    exported.unreadable.append(stored.match)
                    continue
                exported.written += 1
                table.writerows(
                    [csv_cell(value) if i in _NAMED else value for i, value in enumerate(row)]
                    for row in stored.rows
                )
            progress(start, len(ids))
        text.detach()  # flushes it, and leaves the file open
    return exported
