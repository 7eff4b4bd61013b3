"""`sixprime analyse`: reports of how well, and how luckily, recorded matches were played."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sixprime.bot.analysis.annotation import with_analysis
from sixprime.bot.analysis.matches import examined
from sixprime.bot.analysis.recorded import analysis_in_record
from sixprime.bot.analysis.rollouts import Spot, marked
from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.cli.analyses import brain_of, settings_of, with_rollouts
from sixprime.bot.cli.levels import level_of, threads_of
from sixprime.bot.cli.line.errors import Skipped, UsageError
from sixprime.bot.cli.matchfiles import matches_in, matches_or_refusal
from sixprime.bot.cli.progress import bar
from sixprime.bot.cli.ready import get_ready
from sixprime.bot.process.printable import counted, printable
from sixprime.bot.reports.html import page
from sixprime.bot.reports.text import listed, report
from sixprime.engine.analysis.examiner import Examiner
from sixprime.engine.analysis.portion import Only, facets_named
from sixprime.engine.analysis.values import Error, MatchAnalysis
from sixprime.engine.analysis.valuesjson import figures_to_json, match_to_json
from sixprime.engine.system.wholefiles import write_whole
from sixprime.protocols.formats.record import Match

SEATS = ("player 1", "player 2")


def analyse_files(options: Namespace) -> int:
    """Analyse the files one by one; report and skip any that cannot be read or analysed."""
    only = None
    if len(options.files) == 1:
        only = matches_or_refusal(options.files[0], "analyse", strict=options.strict)
    count = len(options.files) if only is None else len(only)
    _check_places(options, count)
    settings = settings_of(options)
    threads = threads_of(options, level_of(options))
    get_ready()
    examiner = Examiner(brain_of(options), settings, threads)
    skipped, number = Skipped("analyse"), 0

    def worst(analysis: MatchAnalysis) -> list[Error]:
        return _only(options).errors_of(analysis)[: options.most]

    for name in options.files:
        matches = [] if only is None else only
        if only is None:
            with skipped.at(name):
                matches = matches_in(name, "analyse", strict=options.strict)
        for place, match in enumerate(matches, start=1):
            number += 1
            with skipped.at(name):
                label = f"{name} ({place} of {len(matches)})"
                analysis = _analysed(label, match, examiner, _only(options))
                marks = marked(match, analysis) if options.rollout_marked else []
                if options.rollout or marks:
                    analysis = with_rollouts(
                        analysis, worst, options, settings.thresholds, marks, settings.bearoff
                    )
                _show(analysis, options, name, count > 1, marks)  # first: the disk may be full
                if options.sgf is not None:
                    with skipped.at(str(options.sgf)):
                        write_whole(options.sgf, _sgf(match, analysis))
                if options.html is not None:
                    path = _page_path(options.html, name, number)
                    with skipped.at(str(path)):
                        write_whole(path, _page(match, analysis))
    return skipped.code


def _check_places(options: Namespace, count: int) -> None:
    """Refuse outputs that cannot be written, before the analysis."""
    if options.sgf is not None and count > 1:
        raise UsageError(f"--sgf is for one match, but there are {count}")
    if options.html is not None and count > 1 and not options.html.is_dir():
        raise UsageError(f"--html: {options.html} is not a folder, for {counted(count, 'match')}")
    if options.sgf is not None and options.sgf.is_dir():
        raise UsageError(f"--sgf: {options.sgf} is a folder")
    for name, path in (("--sgf", options.sgf), ("--html", options.html)):
        if path is not None and not (path.is_dir() or path.parent.is_dir()):
            raise UsageError(f"{name}: {path.parent} is not a folder")


def _analysed(label: str, match: Match, examiner: Examiner, only: Only) -> MatchAnalysis:
    """Analyse a match; a player without a name is called by the seat."""
    first, second = match.players
    players = (
        replace(first, name=first.name or SEATS[0]),
        replace(second, name=second.name or SEATS[1]),
    )
    with bar(label) as progress:
        return examined(replace(match, players=players), examiner, progress, only)


def _sgf(match: Match, analysis: MatchAnalysis) -> str:
    return FORMATS["sgf"].write(with_analysis(match, analysis))


def _page_path(out: Path, name: str, number: int) -> Path:
    return out / f"{number:03}-{Path(name).stem}.html" if out.is_dir() else out


def _page(match: Match, analysis: MatchAnalysis) -> str:
    return page(analysis, match, recorded=analysis_in_record(match))


def _only(options: Namespace) -> Only:
    where = options.player, options.game, options.turn, options.from_
    return Only(*where, facets_named(options.only))


def _show(
    analysis: MatchAnalysis,
    options: Namespace,
    name: str,
    several: bool,
    marks: Sequence[Spot],
) -> None:
    if options.json:
        figures = figures_to_json(analysis)
        print(json.dumps({"file": name, **match_to_json(analysis), "figures": figures}))
        return
    if several:
        print(f"== {name}")
    print(report(analysis, options.most, _only(options), by_game=options.games))
    if marks:
        found = [spot.judged(analysis) for spot in marks]
        print("\n" + printable(listed(f"Marked decisions ({len(found)})", analysis, found)))
    if several:
        print()
