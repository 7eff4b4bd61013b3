"""`sixprime archive analyse`: every match of an archive, on every core or on a Dask cluster."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from sixprime.bot.cli.analysisoptions import setting_arguments, settings_of
from sixprime.bot.cli.collection.verbs.options import Verb, opened, selection_of, which_arguments
from sixprime.bot.cli.declaring import option
from sixprime.bot.cli.main import MOST_THREADS, UsageError
from sixprime.bot.process.printable import counted

if TYPE_CHECKING:
    from sixprime.bot.analysis.jobs import Outcome
    from sixprime.bot.archive.archive import Archive
    from sixprime.bot.process.workers import Pool


def _arguments(parser: argparse.ArgumentParser) -> None:
    setting_arguments(parser)
    option(parser, "--processes", "N", "how many at a time (one a core)", int)
    option(parser, "--scheduler", "ADDRESS", "let this Dask cluster do it (extra `dask`)")
    which_arguments(parser, ids=True)


def _run(options: argparse.Namespace) -> int:
    with opened(options) as archive:
        return _analyse(archive, options)


def _analyse(archive: Archive, options: argparse.Namespace) -> int:
    from sixprime.bot.analysis.jobs import Outcome, analyse_archive
    from sixprime.bot.archive.collection.selection import Selection, chosen
    from sixprime.bot.cli.progress import bar
    from sixprime.bot.process.workers import NoPool

    settings = settings_of(options)
    for match_id in options.match or ():
        archive.row(match_id)  # refuses an unknown ID
    asked = selection_of(options, archive)
    ids = None if asked == Selection() else frozenset(row.id for row in chosen(archive, asked))
    outcome, stopped = Outcome(), ""
    try:
        with _pool(options) as pool, bar("analysing") as progress:
            analyse_archive(
                archive,
                settings,
                pool,
                ids=ids,
                weights=options.weights,
                progress=progress,
                outcome=outcome,
            )
    except NoPool as error:
        if not outcome.analysed:
            raise UsageError(str(error)) from error
        stopped = str(error)
    except KeyboardInterrupt:
        stopped = "interrupted"
    _print(outcome, settings.key, options)
    if stopped:
        again = "run the same command again to continue"
        print(f"sixprime archive: {stopped}; {again}", file=sys.stderr)
        return 130 if stopped == "interrupted" else 1
    return 1 if outcome.broken else 0


def _pool(options: argparse.Namespace) -> AbstractContextManager[Pool]:
    from sixprime.bot.cli.ready import get_ready
    from sixprime.bot.process.workers import cluster, cores

    if options.scheduler is not None:
        if options.weights is not None or options.processes is not None:
            raise UsageError("a cluster has its own nets and processes: no --weights, --processes")
        return cluster(options.scheduler)
    if options.threads is not None:
        raise UsageError("--threads is for one match; here it is --processes")
    if options.processes is not None and not 1 <= options.processes <= MOST_THREADS:
        raise UsageError(f"--processes {options.processes}: 1 to {MOST_THREADS} are possible")
    get_ready()
    return cores(options.processes)


def _print(outcome: Outcome, key: str, options: argparse.Namespace) -> None:
    if options.json:
        counts = {"settings": key, "analysed": outcome.analysed, "skipped": outcome.there}
        print(json.dumps({**counts, "broken": outcome.broken}))
    else:
        unable = f", {len(outcome.broken)} broken" if outcome.broken else ""
        analysed = counted(outcome.analysed, "match")
        print(f"{analysed} analysed, {outcome.there} were already{unable}")
    for match_id, why in sorted(outcome.broken.items()):
        print(f"sixprime archive: match {match_id}: {why}", file=sys.stderr)


VERBS = (
    Verb(
        "analyses every match that is not analysed yet, on every core",
        "analyse --level expert",
        _arguments,
        _run,
    ),
)
