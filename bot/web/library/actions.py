"""The long tasks of the archive: analyses, rollouts and imports."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import IO

from sixprime.bot.analysis.jobs import Outcome, analyse_archive
from sixprime.bot.analysis.matches import examined
from sixprime.bot.analysis.rollouts import STOP_AT, Spot, rolled_out
from sixprime.bot.analysis.store import keep, note_level, packed, unanalysed
from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.importing import Imported, import_files
from sixprime.bot.archive.database import ArchiveError
from sixprime.bot.process.printable import printable
from sixprime.bot.process.workers import at_lowest_priority, cores
from sixprime.bot.web.frame.tasks import LongTask, TaskEnded, TaskResult
from sixprime.bot.web.frame.texts import gettext, ngettext
from sixprime.bot.web.library.library import Library
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import MatchAnalysis
from sixprime.engine.search.players import shipped_brain
from sixprime.engine.search.rollout import RolloutSettings
from sixprime.engine.system.errors import Unavailable
from sixprime.protocols.formats.record import BadRecord

TRIALS = (36, 144, 324, 1296)
PAUSE_S = 0.005  # between files, for other threads
REMARKS = 3  # shown in full, per file
LONGEST_SHOWN = 80  # characters of a file's name
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,12}")


class Inbox:
    """Uploaded files in a folder of their own, with their original names for display."""

    def __init__(self, files: Sequence[tuple[str, IO[bytes]]]) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="sixprime-")
        self.files = [self._kept(number, *each) for number, each in enumerate(files)]

    def _kept(self, number: int, name: str, content: IO[bytes]) -> tuple[str, Path]:
        suffix = Path(name.replace("\\", "/")).suffix.lower()
        safe = suffix if _SUFFIX.fullmatch(suffix) else ""
        path = Path(self.folder.name) / f"{number}{safe}"
        with path.open("wb") as into:
            shutil.copyfileobj(content, into)
        return name, path


def analyse(archive: Archive, ids: Collection[int], level: str, task: LongTask) -> None:
    """Analyse these matches in a process of the lowest priority.

    A single match is analysed in this thread instead, so that each turn counts as progress.
    """
    outcome = Outcome()
    note_level(archive, level)
    settings = AnalysisSettings.of(level)
    if len(ids) == 1:
        _analyse_one(archive, next(iter(ids)), settings, task, outcome)
    else:
        _analyse_all(archive, frozenset(ids), settings, task, outcome)
    for match_id, why in sorted(outcome.broken.items()):
        task.add(
            TaskResult(
                gettext("match %(number)s", number=match_id),
                printable(why),
                bad=True,
                match_id=match_id,
            )
        )
    words = [ngettext("%(num)s match analysed", "%(num)s matches analysed", outcome.analysed)]
    if outcome.there:
        words.append(gettext("%(count)s were already", count=outcome.there))
    if outcome.broken:
        words.append(gettext("%(count)s could not be", count=len(outcome.broken)))
    task.summary = f"{', '.join(words)}."


def _analyse_all(
    archive: Archive,
    ids: frozenset[int],
    settings: AnalysisSettings,
    task: LongTask,
    outcome: Outcome,
) -> None:
    try:
        with cores(1, yielding=True) as pool:
            task.interrupt = pool.end
            if not task.stopping:
                analyse_archive(
                    archive, settings, pool, ids=ids, progress=task.progress, outcome=outcome
                )
    except (Unavailable, ArchiveError) as error:
        if not task.stopping:
            raise TaskEnded(str(error)) from error


def _analyse_one(
    archive: Archive, match_id: int, settings: AnalysisSettings, task: LongTask, outcome: Outcome
) -> None:
    at_lowest_priority()
    missing, outcome.there = unanalysed(archive, settings.key, {match_id})

    def count(done: int, total: int) -> None:
        if task.stopping:
            raise TaskEnded
        task.progress(done, total)

    for wanted in missing:
        try:
            made = examined(archive.match(match_id), Examiner(shipped_brain(), settings), count)
        except (ArchiveError, BadRecord) as error:
            outcome.broken[match_id] = str(error)
            return
        keep(archive, made.settings, [(wanted, packed(made))])
        outcome.analysed = 1


def roll_out(
    library: Library, match_id: int, spots: Mapping[str, Spot], trials: int, task: LongTask
) -> None:
    """Roll out marked decisions of a match, and store each result at once."""
    at_lowest_priority()
    settings = RolloutSettings(trials=trials, stop_at=STOP_AT)

    def judged(spot: Spot, was: MatchAnalysis) -> MatchAnalysis:
        return rolled_out(was, [spot], shipped_brain(), settings, spread=task.spread)

    try:
        for mark, spot in sorted(spots.items(), key=itemgetter(1)):
            library.judge_anew(match_id, partial(judged, spot))
            task.rolled.append(f"{match_id}/{mark}")
    except TaskEnded:
        pass
    task.summary = ngettext(
        "%(done)s of 1 decision rolled out.",
        "%(done)s of %(num)s decisions rolled out.",
        len(spots),
        done=len(task.rolled),
    )


def import_uploads(archive: Archive, inbox: Inbox, task: LongTask) -> None:
    """Import uploaded files one by one."""
    added = skipped = broken = files = 0
    with inbox.folder:
        for done, (name, path) in enumerate(inbox.files, start=1):
            if task.stopping:
                break
            found = import_files(archive, [path])
            added, skipped = added + len(found.added), skipped + found.skipped
            broken, files = broken + len(found.broken), files + found.files
            task.add(_result(name, found))
            task.progress(done, len(inbox.files))
            time.sleep(PAUSE_S)
    words = [ngettext("%(num)s match added", "%(num)s matches added", added)]
    if skipped:
        words.append(gettext("%(count)s archived already", count=skipped))
    if broken:
        words.append(
            ngettext(
                "%(broken)s of 1 file refused",
                "%(broken)s of %(num)s files refused",
                files,
                broken=broken,
            )
        )
    task.summary = f"{', '.join(words)}."


def shown_name(name: str) -> str:
    """Return the last part of a file's name, safe to show."""
    last = printable(re.split(r"[/\\]", name)[-1]).replace("\n", "?").strip() or gettext("a file")
    return last if len(last) <= LONGEST_SHOWN else last[: LONGEST_SHOWN - 1] + "…"


def _result(name: str, found: Imported) -> TaskResult:
    shown = shown_name(name)
    faults = [
        gettext("line %(line)s: %(why)s", line=each.line, why=each.reason)
        if each.line
        else each.reason
        for each in found.broken
    ]
    if found.files == len(faults) == 1:
        return TaskResult(shown, printable(faults[0]), bad=True)
    words = (
        [ngettext("%(num)s match added", "%(num)s matches added", len(found.added))]
        if found.added
        else []
    )
    words += (
        [
            ngettext(
                "%(num)s match archived already", "%(num)s matches archived already", found.skipped
            )
        ]
        if found.skipped
        else []
    )
    if faults:  # in an archive of files
        where = found.broken[0].path.name
        words.append(
            printable(
                gettext(
                    "%(count)s of %(files)s refused: %(where)s: %(why)s",
                    count=len(faults),
                    files=found.files,
                    where=where,
                    why=faults[0],
                )
            )
        )
    for remarks in found.remarks.values():
        words += [printable(str(each)) for each in remarks[:REMARKS]]
        words += (
            [ngettext("%(num)s more remark", "%(num)s more remarks", len(remarks) - REMARKS)]
            if len(remarks) > REMARKS
            else []
        )
    match_id = found.added[0] if len(found.added) == 1 else None
    told = "; ".join(words) or gettext("nothing in it")
    return TaskResult(shown, told, match_id=match_id, bad=bool(faults))
