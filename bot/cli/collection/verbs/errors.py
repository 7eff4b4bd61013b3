"""`sixprime archive errors` and `openings`: where equity is lost."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace
from functools import partial

from sixprime.bot.analysis.collection.answers import count_analysed, lost_by_kind, openings_of
from sixprime.bot.analysis.worst import Lost
from sixprime.bot.archive.collection.names import known_names
from sixprime.bot.archive.collection.selection import seen
from sixprime.bot.cli.analyses import with_rollouts
from sixprime.bot.cli.collection.verbs.choosing import opened, selection_of
from sixprime.bot.cli.collection.verbs.collecting import settings_key, worst_of
from sixprime.bot.cli.columns import table
from sixprime.bot.cli.files import write_out
from sixprime.bot.process.printable import counted, printable
from sixprime.bot.reports.html import MatchError, error_page
from sixprime.bot.reports.text import identified, kind_words, one_error
from sixprime.engine.analysis.values import Error, MatchAnalysis, decisions


def show_errors(options: Namespace) -> int:
    of_account = _is_of_account(options)
    with opened(options) as archive:
        key = settings_key(archive, options.analysis)
        matches = seen(archive, selection_of(options, archive))
        count = count_analysed(archive, matches, key)
        tallies = lost_by_kind(archive, matches, key, of_account=of_account)
        lost = worst_of(archive, matches, key, options.most, of_account=of_account)
        known = known_names(archive)
        worst = [
            each._replace(below=known.our_seat(each.analysis.players))
            for each in _shown(list(lost), options)
        ]
    kinds = [(kind, tally.errors, tally.given) for kind, tally in tallies]
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
    for place, each in enumerate(worst if not options.html else (), start=1):
        where = f"match {each.match_id}, "
        print(printable(one_error(each.analysis, place, each.error, where)), end="\n\n")
    print(f"{counted(count, 'match')}, errors as {key} sees them")
    return 0


def _is_of_account(options: Namespace) -> bool:
    return bool(options.me or options.player is not None)


def _shown(worst: list[tuple[Lost, MatchAnalysis]], options: Namespace) -> list[MatchError]:
    """Return the errors with their analyses, rolled out if asked; worst first."""
    found = []
    for match_id, analysis in {lost.match_id: analysis for lost, analysis in worst}.items():
        errors = [lost.error for lost, _ in worst if lost.match_id == match_id]
        if options.rollout:
            analysis = with_rollouts(analysis, partial(_errors_of, errors), options)
        found += [MatchError(match_id, analysis, _now(analysis, error)) for error in errors]
    return sorted(found, key=_rank)


def _rank(shown: MatchError) -> tuple[float, int, int, int, str]:
    error = shown.error
    return error.verdict.error, shown.match_id, error.game, error.turn, error.what.value


def _errors_of(errors: list[Error], analysis: MatchAnalysis) -> list[Error]:
    return errors


def _now(analysis: MatchAnalysis, error: Error) -> Error:
    """Return the error with its verdict of now: a rollout may have found that it was none."""
    turn = analysis.turn_of(error)
    verdict = next(each for what, _, each in decisions(turn) if what is error.what)
    return replace(error, verdict=verdict)


def _plain(shown: MatchError) -> dict[str, object]:
    analysis, error = shown.analysis, shown.error
    return {
        "player": analysis.players[error.seat],
        "game": error.game + 1,
        "turn": error.turn + 1,
        "what": error.what.value,
        "given": -error.verdict.error,
        "ids": identified(analysis, error),
    }


def show_openings(options: Namespace) -> int:
    of_account = _is_of_account(options)
    with opened(options) as archive:
        key = settings_key(archive, options.analysis)
        matches = seen(archive, selection_of(options, archive))
        book = openings_of(archive, matches, key, of_account=of_account)
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
