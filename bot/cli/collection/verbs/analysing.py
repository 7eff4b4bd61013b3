"""`sixprime archive analyse`: analyses of all matches, on every core or on a Dask cluster."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import AbstractContextManager

from sixprime.bot.analysis.jobs import Outcome, analyse_archive
from sixprime.bot.analysis.store import USUAL_LEVEL, asked_level, note_level
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.selection import Selection, chosen
from sixprime.bot.cli.analyses import settings_of
from sixprime.bot.cli.collection.verbs.choosing import opened, selection_of
from sixprime.bot.cli.levels import level_named
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.line.values import MOST_THREADS
from sixprime.bot.cli.progress import bar
from sixprime.bot.cli.ready import get_ready
from sixprime.bot.process.printable import counted, duration
from sixprime.bot.process.timeleft import TimeLeft
from sixprime.bot.process.workers import Pool, cluster, cores
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.system.errors import Unavailable


def analyse_matches(options: Namespace) -> int:
    with opened(options) as archive:
        return _analyse(archive, options)


def _analyse(archive: Archive, options: Namespace) -> int:
    settings = _settings(archive, options)
    for match_id in options.match or ():
        archive.row(match_id)  # refuses an unknown ID
    asked = selection_of(options, archive)
    ids = None if asked == Selection() else frozenset(row.id for row in chosen(archive, asked))
    note_level(archive, options.level)
    outcome, stopped = Outcome(), ""
    try:
        with _pool(options) as pool, bar("analysing") as drawn:
            progress = _Told(options.level, outcome, drawn)
            analyse_archive(
                archive,
                settings,
                pool,
                ids=ids,
                weights=options.weights,
                progress=progress,
                outcome=outcome,
            )
    except Unavailable as error:
        if not outcome.analysed:
            raise UsageError(str(error)) from error
        stopped = str(error)
    except KeyboardInterrupt:
        stopped = "interrupted"
    _print(outcome, settings.key, options)
    if stopped:
        _say(f"{stopped}; run the same command again to continue")
        return 130 if stopped == "interrupted" else 1
    return 1 if outcome.broken else 0


class _Told:
    """Says on stderr how many matches are analysed already, and how long the rest will take."""

    def __init__(self, level: str, outcome: Outcome, drawn: Callable[[int, int], None]) -> None:
        self._level, self._outcome, self._drawn = level, outcome, drawn
        self._left: TimeLeft | None = TimeLeft()  # until it is said

    def __call__(self, done: int, total: int) -> None:
        if done == 0:
            there = self._outcome.there
            every = counted(there + total, "match")
            _say(f"{there} of {every} analysed at {self._level} already")
        seconds = self._left.after(done, total) if self._left is not None else None
        if seconds is not None and done < total:
            self._left = None
            _say(f"about {duration(seconds)} for the other {total - done}")
        self._drawn(done, total)


def _say(line: str) -> None:
    print(f"sixprime archive: {line}", file=sys.stderr)


def _settings(archive: Archive, options: Namespace) -> AnalysisSettings:
    """Return the settings of the options; without --level they keep the last one asked for."""
    if options.level is None:
        options.level = asked_level(archive) or USUAL_LEVEL
        last = f"{options.level}, the level of the last analysis here: say --level"
        try:
            level_named(options.level, options.levels_file)
        except UsageError as error:
            raise UsageError(f"{last}, or --levels-file: {error}") from error
    return settings_of(options)


def _pool(options: Namespace) -> AbstractContextManager[Pool]:
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


def _print(outcome: Outcome, key: str, options: Namespace) -> None:
    if options.json:
        counts = {
            "settings": key,
            "level": options.level,
            "analysed": outcome.analysed,
            "skipped": outcome.there,
        }
        print(json.dumps({**counts, "broken": outcome.broken}))
    else:
        unable = f", {len(outcome.broken)} broken" if outcome.broken else ""
        analysed = counted(outcome.analysed, "match")
        print(f"{analysed} analysed, {outcome.there} were already{unable}")
    for match_id, why in sorted(outcome.broken.items()):
        _say(f"match {match_id}: {why}")
