"""`sixprime archive copy` and `backup`: a second archive that holds the same."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.bot.cli.collection.verbs.options import Verb, opened, opened_at, settings_at
from sixprime.bot.cli.declaring import flag
from sixprime.bot.cli.main import UsageError, refusing
from sixprime.bot.process.printable import counted

if TYPE_CHECKING:
    from sixprime.bot.archive.archive import Archive
    from sixprime.bot.archive.collection.copying import Copied


def _copy_arguments(parser: argparse.ArgumentParser) -> None:
    what = "a file, a URL, or settings (.yaml) that name an archive"
    parser.add_argument("from_", metavar="SRC", help=what)
    parser.add_argument("to", metavar="DST", help="another; what it lacks is written")


def _copy(options: argparse.Namespace) -> int:
    first, second = settings_at(options.from_), settings_at(options.to)
    if first.database == second.database:
        raise UsageError("SRC and DST are the same archive")
    with opened_at(first) as source, opened_at(second, creates=True) as target:
        copied = _copied(source, target)
    _print(copied, options.to, options)
    return 0


def _backup_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("to", type=Path, metavar="FILE", help="an SQLite file, or a folder for one")
    flag(parser, "--replace", "replace an older backup of this name")


def _backup(options: argparse.Namespace) -> int:
    """The file gets its name only when it is complete; a stopped backup resumes."""
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
    from sixprime.bot.archive.collection.copying import copy_archive
    from sixprime.bot.cli.progress import bar

    try:
        with bar("copying") as progress:
            return copy_archive(source, target, progress)
    except KeyboardInterrupt:
        again = "interrupted; run the same command again to continue"
        print(f"sixprime archive: {again}", file=sys.stderr)
        raise


def _print(copied: Copied, place: str, options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps({"to": place, "written": copied.written, "rows": copied.rows}))
        return
    found = ", ".join(f"{count} {name}" for name, count in copied.rows.items() if count)
    print(f"{place} holds the same: {found or 'nothing'}; {counted(copied.written, 'row')} written")


VERBS = (
    Verb(
        "copies a whole archive into another database, and compares both",
        "copy archive/sixprime.db server.yaml",
        _copy_arguments,
        _copy,
        source=False,
    ),
    Verb(
        "writes a copy of the archive as one file, also while bots play",
        "backup /backups",
        _backup_arguments,
        _backup,
    ),
)
