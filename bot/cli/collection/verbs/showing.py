"""`sixprime archive show`: one match of an archive."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import Any

from sixprime.bot.analysis.store import first_analysis
from sixprime.bot.archive.archive import Archive, began
from sixprime.bot.archive.matchfiles import FORMATS
from sixprime.bot.cli.collection.verbs.choosing import opened
from sixprime.bot.cli.collection.verbs.listing import plain_row
from sixprime.bot.cli.files import write_out
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.matchlog.events import Evidence, MatchSaved
from sixprime.bot.process.printable import printable
from sixprime.bot.reports.html import page
from sixprime.protocols.formats.record import CannotCarry, Match
from sixprime.protocols.formats.recordjson import to_json


def show_match(options: Namespace) -> int:
    with opened(options) as archive:
        row, match = archive.row(options.match), archive.match(options.match)
        if options.html:
            _write_page(archive, match, options)
        elif options.raw:
            print(printable(archive.conversation(options.match)), end="")
        elif options.json:
            record = json.loads(to_json(match))
            print(json.dumps({**plain_row(dict(row._mapping)), "record": record}))
        elif options.form:
            with refusing(CannotCarry, at=f"match {options.match}"):
                print(FORMATS[options.form].write(match))
        else:
            _describe(archive, row, match)
    return 0


def _write_page(archive: Archive, match: Match, options: Namespace) -> None:
    analysis = first_analysis(archive, options.match)
    if analysis is None:
        again = f"sixprime archive analyse --match {options.match}"
        raise UsageError(f"match {options.match} is not analysed yet: {again}")
    write_out(options.html, page(analysis, match))


def _describe(archive: Archive, row: Any, match: Match) -> None:
    for name, value in plain_row({**row._mapping, "started": began(row.started)}).items():
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
    for kind in (MatchSaved, Evidence):
        for event in events:
            if isinstance(event, kind):
                what = event.reason if isinstance(event, MatchSaved) else event.what
                print(printable(f"{event.at:%Y-%m-%d %H:%M:%S} {kind.__name__}: {what}"))
