"""`sixprime archive errors` and `openings`: where equity is lost."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from sixprime.bot.cli.analysisoptions import rollout_arguments, with_rollouts
from sixprime.bot.cli.collection.verbs.options import (
    Verb,
    analysis_argument,
    opened,
    selection_of,
    settings_key,
    which_arguments,
)
from sixprime.bot.cli.columns import table
from sixprime.bot.cli.declaring import file, number
from sixprime.bot.cli.main import new_file, threads, write_out
from sixprime.bot.process.printable import counted, printable

if TYPE_CHECKING:
    from sixprime.bot.analysis.collected import Collected
    from sixprime.bot.analysis.worst import Lost
    from sixprime.bot.archive.archive import Archive
    from sixprime.bot.reports.html import MatchError
    from sixprime.engine.analysis.values import Error, MatchAnalysis

WORST = 5


def _errors_arguments(parser: argparse.ArgumentParser) -> None:
    number(parser, "--worst", WORST, f"errors to show ({WORST})")
    file(parser, "--html", "write them to a page", metavar="OUT", kind=new_file)
    analysis_argument(parser)
    rollout_arguments(parser, "--rollout")
    parser.add_argument("--threads", type=threads, metavar="N", help="threads of a rollout (1)")
    which_arguments(parser, ids=True)
    parser.set_defaults(weights=None)


def _errors(options: argparse.Namespace) -> int:
    from sixprime.bot.analysis.worst import LostEquity
    from sixprime.bot.reports.html import error_page
    from sixprime.bot.reports.text import kind_words, one_error

    with opened(options) as archive:
        key, losses, count = settings_key(archive, options.analysis), LostEquity(options.worst), 0
        for match_id, analysis, seats in _collected(archive, options, key):
            losses.add(match_id, analysis, seats)
            count += 1
        worst = _shown(archive, key, losses.worst(), options)
    kinds = [(kind, tally.errors, tally.given) for kind, tally in losses.by_kind()]
    if options.html is not None:
        whose = "Our" if options.me else f"{options.player}'s" if options.player else "The"
        write_out(options.html, error_page(f"{whose} worst errors", kinds, worst))
    if options.json:
        errors = [{"match": each.match_id, **_plain(each)} for each in worst]
        by_kind = [{"kind": kind, "errors": n, "given": given} for kind, n, given in kinds]
        print(json.dumps({"matches": count, "kinds": by_kind, "worst": errors}))
        return 0
    rows = [
        (kind_words(kind), n, f"{given:.3f}", f"{given / max(n, 1):.3f}")
        for kind, n, given in kinds
    ]
    table(("decision", "errors", "given away", "each"), rows)
    print()
    for place, (match_id, analysis, error) in enumerate(worst if not options.html else (), start=1):
        print(printable(one_error(analysis, place, error, f"match {match_id}, ")), end="\n\n")
    print(f"{counted(count, 'match')}, errors as {key} sees them")
    return 0


def _shown(
    archive: Archive, key: str, worst: list[Lost], options: argparse.Namespace
) -> list[MatchError]:
    """The errors with their analyses, rolled out if asked; worst first."""
    from sixprime.bot.analysis.store import analysis_of
    from sixprime.bot.reports.html import MatchError

    found = []
    for match_id in dict.fromkeys(each.match_id for each in worst):
        analysis = analysis_of(archive, match_id, key)
        assert analysis is not None
        wanted = [each.error for each in worst if each.match_id == match_id]
        if options.rollout:
            analysis = with_rollouts(analysis, partial(_same, wanted), options)
        found += [MatchError(match_id, analysis, _now(analysis, each)) for each in wanted]
    return sorted(found, key=lambda each: each.error.verdict.error)


def _same(errors: list[Error], analysis: MatchAnalysis) -> list[Error]:
    return errors


def _now(analysis: MatchAnalysis, error: Error) -> Error:
    """The error as judged now: a rollout may have found that it was none."""
    from dataclasses import replace

    from sixprime.engine.analysis.values import decisions

    turn = analysis.turn_of(error)
    verdict = next(each for what, _, each in decisions(turn) if what is error.what)
    return replace(error, verdict=verdict)


def _plain(shown: MatchError) -> dict[str, object]:
    from sixprime.bot.reports.text import identified

    _, analysis, error = shown
    return {
        "player": analysis.players[error.seat],
        "game": error.game + 1,
        "turn": error.turn + 1,
        "what": error.what.value,
        "given": -error.verdict.error,
        "ids": identified(analysis, error),
    }


def _openings_arguments(parser: argparse.ArgumentParser) -> None:
    analysis_argument(parser)
    which_arguments(parser, ids=True)


def _openings(options: argparse.Namespace) -> int:
    from sixprime.bot.analysis.openings import Openings

    book = Openings()
    with opened(options) as archive:
        key = settings_key(archive, options.analysis)
        for _, analysis, seats in _collected(archive, options, key):
            book.add(analysis, seats)
    if options.json:
        plain = [
            {"roll": f"{high}{low}", "play": play, "times": tally.times,
             "given": tally.given, "best": tally.best}
            for (high, low), plays in book.rolls() for play, tally in plays
        ]  # fmt: skip
        print(json.dumps({"settings": key, "plays": plain}, indent=2))
        return 0
    rows = [
        (f"{high}-{low}", play, tally.times, f"{tally.given / tally.times:.3f}",
         f"{tally.given:.3f}", "" if tally.best == play else tally.best)
        for (high, low), plays in book.rolls() for play, tally in plays
    ]  # fmt: skip
    table(("roll", "play", "times", "each", "given away", "better"), rows)
    print()
    print(f"first rolls, as {key} sees them; what cost most comes first")
    return 0


def _collected(archive: Archive, options: argparse.Namespace, key: str) -> Iterator[Collected]:
    from sixprime.bot.analysis.collected import collected
    from sixprime.bot.archive.collection.selection import chosen
    from sixprime.bot.cli.progress import bar

    rows = chosen(archive, selection_of(options, archive))
    of_account = options.me or options.player is not None
    with bar("reading analyses") as progress:
        yield from collected(archive, rows, key, of_account=of_account, progress=progress)


VERBS = (
    Verb(
        "shows where equity is lost, and the worst errors",
        "errors --me --worst 10 --rollout --html worst.html",
        _errors_arguments,
        _errors,
    ),
    Verb(
        "counts what is played with each first roll, and what it costs",
        "openings --me",
        _openings_arguments,
        _openings,
    ),
)
