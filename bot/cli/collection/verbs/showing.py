"""`sixprime archive show`: one match of an archive."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from typing import Any

from sixprime.bot.analysis.annotation import analysed_match
from sixprime.bot.analysis.store import first_analysis, first_figures
from sixprime.bot.archive.archive import Archive, began
from sixprime.bot.archive.collection.names import known_names, with_us_below
from sixprime.bot.archive.collection.statistics import pr
from sixprime.bot.archive.matchfiles import FORMATS, lost_in
from sixprime.bot.cli.collection.verbs.choosing import opened
from sixprime.bot.cli.collection.verbs.collecting import usual_key
from sixprime.bot.cli.collection.verbs.listing import plain_row
from sixprime.bot.cli.files import write_out
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.matchlog.events import Evidence, MatchSaved
from sixprime.bot.matchlog.words import commentary_in
from sixprime.bot.process.printable import named, printable
from sixprime.bot.reports.html import page
from sixprime.bot.reports.text import result_words
from sixprime.protocols.formats.record import CannotCarry, Match
from sixprime.protocols.formats.recordjson import to_json

_UNTOLD = ("winner", "noted", "stem")  # in words


def show_match(options: Namespace) -> int:
    with opened(options) as archive:
        row, match = archive.row(options.match), archive.match(options.match)
        if options.html:
            _write_page(archive, match, options)
        elif options.raw:
            print(printable(archive.conversation(options.match)), end="")
        elif options.json:
            record = json.loads(to_json(match))
            row_of = plain_row({**row._mapping, **_skill(archive, options.match)})
            print(json.dumps({**row_of, "record": record}))
        elif options.form:
            known = known_names(archive)
            whole = with_us_below(analysed_match(archive, options.match), known)
            match = with_us_below(match, known)
            with refusing(CannotCarry, at=f"match {options.match}"):
                print(FORMATS[options.form].write(whole if options.form == "sgf" else match))
            if lost := lost_in(whole, options.form):
                print(f"{options.form} has no place for {lost}: left out", file=sys.stderr)
        else:
            _describe(archive, row, match)
    return 0


def _write_page(archive: Archive, match: Match, options: Namespace) -> None:
    analysis = first_analysis(archive, options.match)
    if analysis is None:
        again = f"sixprime archive analyse --match {options.match}"
        raise UsageError(f"match {options.match} is not analysed yet: {again}")
    below = known_names(archive).our_seat(analysis.players)
    write_out(options.html, page(analysis, match, below=below))


def _skill(archive: Archive, match_id: int) -> dict[str, Any]:
    """Return PR and luck of both players, in MWC or points, and the analysis that tells them."""
    usual_key(archive)  # reads older analyses
    found = first_figures(archive, match_id)
    skill = {
        f"{prefix}{name}": value
        for prefix, whose in (("", "our"), ("their_", "their"))
        for name, value in (
            ("pr", found and pr(found, whose)),
            ("luck", found and found[f"{whose}_luck_cost"]),
        )
    }
    return skill | {"analysis": found and found["settings"]}


def _describe_row(row: Any, match: Match, skill: dict[str, Any]) -> None:
    names = [named(player.name) for player in match.players]
    columns = {**row._mapping, "started": began(row.started), **skill}
    columns |= dict(zip(("account", "opponent"), names, strict=True))
    columns["won_by"] = None if row.winner is None else names[row.winner]
    for name in ("pr", "their_pr"):
        columns[name] = None if columns[name] is None else f"{columns[name]:.2f}"
    for name in ("luck", "their_luck"):
        if columns[name] is not None:
            unit = "MWC" if match.length else "points"
            columns[name] = f"{result_words(columns[name], match.length > 0)} {unit}"
    for name, value in plain_row(columns).items():
        if value not in (None, "") and name not in _UNTOLD:
            print(f"{name.replace('_', ' '):24}{printable(str(value))}")


def _say(head: str, text: str) -> None:
    """Print a text of people, the lines below each other."""
    for line in text.splitlines():
        print(printable(f"{head}{line}"))
        head = " " * len(head)


def _describe(archive: Archive, row: Any, match: Match) -> None:
    _describe_row(row, match, _skill(archive, row.id))
    for name in ("event", "round", "annotator", "comment"):
        _say(name.ljust(24), getattr(match, name))
    for number in range(len(match.games)):
        _describe_game(match, number)
    events = list(archive.events(row.id))
    for kind in (MatchSaved, Evidence):
        for event in events:
            if isinstance(event, kind):
                what = event.reason if isinstance(event, MatchSaved) else event.what
                print(printable(f"{event.at:%Y-%m-%d %H:%M:%S} {kind.__name__}: {what}"))


def _describe_game(match: Match, number: int) -> None:
    game, ending = match.games[number], "unfinished"
    if game.result is not None:
        name = match.players[game.result.winner].name
        ending = f"{name} wins {game.result.points} ({game.result.ending.value})"
    score = f"{game.score[0]}-{game.score[1]}"
    print(printable(f"game {number + 1} at {score}: {len(game.actions)} actions, {ending}"))
    for said in commentary_in(match).comments:
        if said.game == number + 1:
            told = filter(None, (", ".join(said.marks.words), said.text))
            _say(f"    move {said.move}: " if said.move else "    ", "; ".join(told))
