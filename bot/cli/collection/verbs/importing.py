"""`sixprime archive import`: match files into an archive, once or as they come."""

from __future__ import annotations

import json
import signal
import sys
import time
from argparse import Namespace
from pathlib import Path

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.importing import Broken, Imported, import_files
from sixprime.bot.archive.collection.watching import FolderWatch
from sixprime.bot.cli.collection.verbs.choosing import opened
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.progress import bar
from sixprime.bot.process.printable import counted, printable
from sixprime.engine.system.cores import usable_cores
from sixprime.protocols.formats.reading import read_with

LOOK_S = 2.0  # between looks at a watched folder


def import_matches(options: Namespace) -> int:
    if options.watch:
        return _watch(options)
    if not options.files:
        raise UsageError("say which files or folders")
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
    if not options.json:
        for path in imported.known:
            print(printable(f"{path}: already archived"))
        _print_read(imported)
    _sum_up(imported, as_json=options.json)
    _print_broken(imported)
    if interrupted:
        print(
            "sixprime archive: interrupted; run the same import again to continue", file=sys.stderr
        )
        return 130
    return 1 if imported.broken else 0


def _watch(options: Namespace) -> int:
    """Import files as they come, until Ctrl-C or SIGTERM."""
    folders = options.files or [Path()]
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder}: no folder to watch")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    watch = FolderWatch(folders)
    with opened(options, creates=True) as archive:
        try:
            _look_again_and_again(archive, watch, options)
        except KeyboardInterrupt:
            _show_status("")
    _sum_up(watch.total, as_json=options.json)
    return 1 if watch.total.broken else 0


def _look_again_and_again(archive: Archive, watch: FolderWatch, options: Namespace) -> None:
    names, trouble = ", ".join(map(str, watch.folders)), ""
    if not sys.stderr.isatty():
        print(printable(f"watching {names}"), file=sys.stderr)
    while True:
        news = watch.import_ready(archive, strict=options.strict, processes=usable_cores())
        if news.files:
            _show_status("")
        if not options.json:
            _print_read(news)
        _print_broken(news)
        if watch.trouble not in ("", trouble):
            _show_status("")
            print(f"sixprime archive: {printable(watch.trouble)}: waiting", file=sys.stderr)
        trouble = watch.trouble
        _show_status(printable(f"watching {names}: {_counts(watch.total)}"))
        time.sleep(LOOK_S)


def _show_status(line: str) -> None:
    """Show the last line of a terminal anew."""
    if sys.stderr.isatty():
        print(f"\r\x1b[2K{line}", end="", file=sys.stderr, flush=True)


def _print_read(imported: Imported) -> None:
    for path, found in imported.remarks.items():
        print(printable(f"{path}: {read_with(found)}"), flush=True)


def _print_broken(imported: Imported) -> None:
    for fault in imported.broken:
        print(f"sixprime archive: {printable(str(fault))}", file=sys.stderr)


def _sum_up(imported: Imported, *, as_json: bool) -> None:
    if not as_json:
        print(_counts(imported))
        return
    why = {str(fault.path): _words(fault) for fault in imported.broken}
    remarks = {str(path): list(map(str, all_)) for path, all_ in imported.remarks.items() if all_}
    plain = {"added": imported.added, "skipped": imported.skipped, "broken": why}
    print(json.dumps({**plain, "remarks": remarks}))


def _counts(imported: Imported) -> str:
    broken = len(imported.broken)
    unread = f", {broken} of {counted(imported.files, 'file')} refused" if broken else ""
    added = counted(len(imported.added), "match")
    return f"{added} added, {imported.skipped} already archived{unread}"


def _words(broken: Broken) -> str:
    return f"line {broken.line}: {broken.reason}" if broken.line else broken.reason
