"""`sixprime archive copy` and `backup`: second archives with the same rows."""

from __future__ import annotations

import datetime as dt
import json
import sys
from argparse import Namespace

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.copying import Copied, copy_archive
from sixprime.bot.cli.collection.verbs.choosing import opened, opened_at, settings_at
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.progress import bar
from sixprime.bot.process.printable import counted


def copy_whole_archive(options: Namespace) -> int:
    first, second = settings_at(options.from_), settings_at(options.to)
    if first.database == second.database:
        raise UsageError("SRC and DST are the same archive")
    with opened_at(first) as source, opened_at(second, creates=True) as target:
        copied = _copied(source, target)
    _print(copied, options.to, options)
    return 0


def back_archive_up(options: Namespace) -> int:
    """Write a backup, which gets its name when it is complete; a stopped one resumes."""
    now = dt.datetime.now(dt.UTC)
    folder = options.to.is_dir()
    path = options.to / f"archive-{now:%Y-%m-%d-%H%M%S}.db" if folder else options.to
    if path.exists() and not options.replace:
        raise UsageError(f"{path} exists already (--replace)")
    if not path.parent.is_dir():
        raise UsageError(f"{path.parent} is not a folder")
    part = path.with_name(f"{path.name}.part")
    with opened(options) as source, opened_at(settings_at(str(part)), creates=True) as target:
        copied = _copied(source, target)
    with refusing(OSError, at=path):
        part.replace(path)
    _print(copied, str(path), options)
    return 0


def _copied(source: Archive, target: Archive) -> Copied:
    try:
        with bar("copying") as progress:
            return copy_archive(source, target, progress)
    except KeyboardInterrupt:
        again = "interrupted; run the same command again to continue"
        print(f"sixprime archive: {again}", file=sys.stderr)
        raise


def _print(copied: Copied, place: str, options: Namespace) -> None:
    if options.json:
        print(json.dumps({"to": place, "written": copied.written, "rows": copied.rows}))
        return
    found = ", ".join(f"{count} {name}" for name, count in copied.rows.items() if count)
    print(f"{place} holds the same: {found or 'nothing'}; {counted(copied.written, 'row')} written")
