"""`sixprime analyse`: how well, and how luckily, the players of recorded matches played."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.bot.cli.analysisoptions import (
    rollout_arguments,
    setting_arguments,
    settings_of,
    with_rollouts,
)
from sixprime.bot.cli.declaring import file, flag, number
from sixprime.bot.cli.filereading import matches_in, strict_argument
from sixprime.bot.cli.leveloptions import level_of, threads_of
from sixprime.bot.cli.main import Skipped, UsageError, at_least, refusing
from sixprime.bot.process.printable import counted, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sixprime.bot.analysis.rollouts import Spot
    from sixprime.bot.reports.text import Only
    from sixprime.engine.analysis.examiner import Examiner
    from sixprime.engine.analysis.settings import AnalysisSettings
    from sixprime.engine.analysis.values import Error, MatchAnalysis
    from sixprime.protocols.formats.record import Match

WORST = 5  # errors shown


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "examples:\n"
        "  sixprime analyse match.sgf\n"
        "  sixprime analyse match.sgf --level supremo --sgf analysed.sgf    for gnubg to show\n"
        "  sixprime analyse match.sgf --html report.html                    for a browser\n"
        "  sixprime analyse match.mat --player anna --rollout-errors --trials 324\n"
        "  sixprime analyse evening.fibs --level expert --json > evening.json\n"
        "FILE is anything `archive import` takes; errors are judged at the chosen level"
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="one or more match files")
    number(parser, "--worst", WORST, f"errors to show ({WORST})")
    flag(parser, "--games", "a table for each game")
    parser.add_argument("--player", metavar="NAME", help="only this player's errors")
    parser.add_argument("--game", type=at_least(1), metavar="N", help="only errors of this game")
    parser.add_argument("--turn", type=at_least(1), metavar="N", help="only errors of this turn")
    rollout_arguments(parser, "--rollout-errors")
    flag(
        parser,
        "--rollout-marked",
        "roll out the plays and cubes that gnubg's `cmark` has marked in the file",
    )
    flag(parser, "--json", "one JSON object per match instead")
    strict_argument(parser)
    file(parser, "--sgf", "write the match with its analysis, for gnubg", metavar="OUT")
    file(parser, "--html", "write a page to read; a folder for several", metavar="OUT")
    setting_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Analyse the files one by one; what cannot be read or analysed is reported and skipped."""
    from sixprime.bot.analysis.rollouts import marked
    from sixprime.engine.system.wholefiles import write_whole

    only = _read(options.files[0], options.strict) if len(options.files) == 1 else None
    count = len(options.files) if only is None else len(only)
    _check_places(options, count)
    settings = settings_of(options)
    examiner = _examiner(options, settings)
    skipped, number = Skipped("analyse"), 0

    def worst(analysis: MatchAnalysis) -> list[Error]:
        return _only(options).of(analysis)[: options.worst]

    for name in options.files:
        matches = [] if only is None else only
        if only is None:
            with skipped.at(name):
                matches = matches_in(name, "analyse", strict=options.strict)
        for place, match in enumerate(matches, start=1):
            number += 1
            with skipped.at(name):
                analysis = _analysed(f"{name} ({place} of {len(matches)})", match, examiner)
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


def _check_places(options: argparse.Namespace, count: int) -> None:
    """Reject outputs that cannot be written before the analysis, not after."""
    if options.sgf is not None and count > 1:
        raise UsageError(f"--sgf is for one match, but there are {count}")
    if options.html is not None and count > 1 and not options.html.is_dir():
        raise UsageError(f"--html: {options.html} is not a folder, for {counted(count, 'match')}")
    if options.sgf is not None and options.sgf.is_dir():
        raise UsageError(f"--sgf: {options.sgf} is a folder")
    for name, path in (("--sgf", options.sgf), ("--html", options.html)):
        if path is not None and not (path.is_dir() or path.parent.is_dir()):
            raise UsageError(f"{name}: {path.parent} is not a folder")


def _read(name: str, strict: bool) -> list[Match]:
    from sixprime.protocols.formats.record import BadMatchFile

    with refusing(OSError, BadMatchFile, at=name):
        return matches_in(name, "analyse", strict=strict)


def _examiner(options: argparse.Namespace, settings: AnalysisSettings) -> Examiner:
    from sixprime.bot.cli.ready import get_ready
    from sixprime.engine.analysis.examiner import Examiner
    from sixprime.engine.nets.weights import BadWeights, load_brain

    threads = threads_of(options, level_of(options))
    get_ready()
    with refusing(BadWeights):
        return Examiner(load_brain(options.weights), settings, threads)


def _analysed(label: str, match: Match, examiner: Examiner) -> MatchAnalysis:
    from sixprime.bot.analysis.matches import examined
    from sixprime.bot.cli.progress import bar

    with bar(label) as progress:
        return examined(match, examiner, progress)


def _sgf(match: Match, analysis: MatchAnalysis) -> str:
    from sixprime.bot.analysis.annotation import with_analysis
    from sixprime.bot.archive.matchfiles import FORMATS

    return FORMATS["sgf"].write(with_analysis(match, analysis))


def _page_path(out: Path, name: str, number: int) -> Path:
    return out / f"{number:03}-{Path(name).stem}.html" if out.is_dir() else out


def _page(match: Match, analysis: MatchAnalysis) -> str:
    from sixprime.bot.analysis.recorded import analysis_in_record
    from sixprime.bot.reports.html import page

    return page(analysis, match, recorded=analysis_in_record(match))


def _only(options: argparse.Namespace) -> Only:
    from sixprime.bot.reports.text import Only

    return Only(options.player, options.game, options.turn)


def _show(
    analysis: MatchAnalysis,
    options: argparse.Namespace,
    name: str,
    several: bool,
    marks: Sequence[Spot],
) -> None:
    if options.json:
        from sixprime.engine.analysis.valuesjson import figures_to_json, match_to_json

        figures = figures_to_json(analysis)
        print(json.dumps({"file": name, **match_to_json(analysis), "figures": figures}))
        return
    from sixprime.bot.reports.text import listed, report

    if several:
        print(f"== {name}")
    print(report(analysis, options.worst, _only(options), by_game=options.games))
    if marks:
        found = [spot.judged(analysis) for spot in marks]
        print("\n" + printable(listed(f"Marked decisions ({len(found)})", analysis, found)))
    if several:
        print()
