"""`sixprime archive list` and `show`: which matches there are, and one of them."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.collection.verbs.options import (
    Verb,
    opened,
    readable,
    selection_of,
    which_arguments,
)
from sixprime.bot.cli.columns import table
from sixprime.bot.cli.declaring import file, flag
from sixprime.bot.cli.main import UsageError, at_least, refusing, write_out
from sixprime.bot.process.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sixprime.bot.archive.archive import Archive
    from sixprime.bot.archive.collection.selection import MatchSeen
    from sixprime.protocols.formats.record import Match

FORMS = ("oldmoves", "sgf", "mat")
_COLUMNS = ("id", "started", "account", "opponent", "length", "score", "state", "level", "rating")
_SPARE = ("level", "state", "account")  # in a narrow terminal
_INNER = ("record", "digest", "filed", "raw_bytes")


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    which_arguments(parser)
    parser.add_argument("--last", type=at_least(0), metavar="N", help="only the last N")


def _list(options: argparse.Namespace) -> int:
    from sixprime.bot.archive.collection.selection import chosen

    with opened(options) as archive:
        skipped, rows = readable(archive), chosen(archive, selection_of(options, archive))
    if options.last is not None:
        rows = rows[-options.last :] if options.last > 0 else []
    if options.json:
        print(json.dumps([_plain(row.columns) for row in rows], indent=2))
    else:
        heading = [each.replace("started", "started (UTC)") for each in _COLUMNS]
        table(heading, [_cells(row) for row in rows], _SPARE)
    return skipped.code


def _show_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("match", type=int, metavar="ID", help="as `list` shows it")
    parser.add_argument("--as", dest="form", choices=FORMS, help="as a match file")
    file(parser, "--html", "its analysis, as a page", metavar="OUT")
    flag(parser, "--raw", "what went over the wire")


def _show(options: argparse.Namespace) -> int:
    from sixprime.bot.archive.matchfiles import FORMATS
    from sixprime.protocols.formats.record import CannotCarry
    from sixprime.protocols.formats.recordjson import to_json

    with opened(options) as archive:
        row, match = archive.row(options.match), archive.match(options.match)
        if options.html:
            _write_page(archive, match, options)
        elif options.raw:
            print(printable(archive.conversation(options.match)), end="")
        elif options.json:
            record = json.loads(to_json(match))
            print(json.dumps({**_plain(dict(row._mapping)), "record": record}))
        elif options.form:
            with refusing(CannotCarry, at=f"match {options.match}"):
                print(FORMATS[options.form].write(match))
        else:
            _describe(archive, row, match)
    return 0


def _write_page(archive: Archive, match: Match, options: argparse.Namespace) -> None:
    from sixprime.bot.analysis.store import first_analysis
    from sixprime.bot.reports.html import page

    analysis = first_analysis(archive, options.match)
    if analysis is None:
        again = f"sixprime archive analyse --match {options.match}"
        raise UsageError(f"match {options.match} is not analysed yet: {again}")
    write_out(options.html, page(analysis, match))


def _plain(columns: Mapping[str, Any]) -> dict[str, object]:
    return {
        name: value.isoformat() if hasattr(value, "isoformat") else value
        for name, value in columns.items()
        if name not in _INNER
    }


def _cells(row: MatchSeen) -> tuple[object, ...]:
    after = row.our_rating_after
    return (
        row.id,
        row.day,
        row.account,
        row.opponent,
        row.length or "unlimited",
        f"{row.our_score}-{row.their_score}",
        row.state,
        row.level,
        "" if after is None else f"{after:.2f}",
    )


def _describe(archive: Archive, row: Any, match: Match) -> None:
    from sixprime.bot.archive.archive import began
    from sixprime.bot.matchlog.events import Evidence, MatchSaved

    for name, value in _plain({**row._mapping, "started": began(row.started)}).items():
        if value not in (None, ""):
            print(f"{name.replace('_', ' '):24}{printable(str(value))}")
    for number, game in enumerate(match.games, start=1):
        result = game.result
        ending = "unfinished"
        if result is not None:
            name = match.players[result.winner].name
            ending = f"{name} wins {result.points} ({result.ending.value})"
        score = f"{game.score[0]}-{game.score[1]}"
        print(printable(f"game {number} at {score}: {len(game.actions)} actions, {ending}"))
    events = list(archive.events(row.id))
    notes = [
        (each.at, "MatchSaved", each.reason) for each in events if isinstance(each, MatchSaved)
    ]
    notes += [(each.at, "Evidence", each.what) for each in events if isinstance(each, Evidence)]
    for at, kind, what in notes:
        print(printable(f"{at:%Y-%m-%d %H:%M:%S} {kind}: {what}"))


VERBS = (
    Verb("lists matches, oldest first", "list --opponent ben", _list_arguments, _list),
    Verb(
        "shows one match: who played, when, and how it went",
        "show 17 --as mat",
        _show_arguments,
        _show,
    ),
)
