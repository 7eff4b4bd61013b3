"""`sixprime archive stats`: counts of results, ratings and errors."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from typing import Any

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.people import standings
from sixprime.bot.archive.collection.selection import seen
from sixprime.bot.archive.collection.statistics import GROUPS, RESULTS, lines_of, stats_of
from sixprime.bot.cli.collection.verbs.choosing import opened, readable, selection_of
from sixprime.bot.cli.collection.verbs.collecting import settings_key, usual_key
from sixprime.bot.cli.collection.verbs.people import MOST_PLAYERS, print_players
from sixprime.bot.cli.columns import figure, say, table
from sixprime.bot.cli.line.errors import refusing
from sixprime.bot.process.printable import named
from sixprime.bot.reports.plots import plots, tables
from sixprime.engine.system.wholefiles import write_whole


def show_statistics(options: Namespace) -> int:
    with opened(options) as archive:
        return _count(archive, options)


def _count(archive: Archive, options: Namespace) -> int:
    key = (
        usual_key(archive) if options.analysis is None else settings_key(archive, options.analysis)
    )
    skipped = readable(archive)
    chosen = seen(archive, selection_of(options, archive))
    stats = stats_of(archive, chosen, key, lambda match_id: skipped.at(f"match {match_id}"))
    if "skill" in stats:
        stats["skill"]["settings"] = key
    _write_stats(stats, options)
    if options.json:
        print(json.dumps(stats, indent=2))
    elif not (options.csv or options.plots):
        players = standings(archive, chosen, key) if stats["subject"] is None else []
        _print_stats(stats, players)
    return skipped.code


def _write_stats(stats: dict[str, Any], options: Namespace) -> None:
    for folder, files in ((options.csv, tables), (options.plots, plots)):
        if folder is None:
            continue
        with refusing(OSError, at=folder):
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in files(stats).items():
                write_whole(folder / name, text)
                print(folder / name, file=sys.stderr)


_SKILL = ("analysed", "pr", "error_rate", "snowie_rate", "rating", "luck_rate", "their_pr")
_OF_BOTH = ("analysed", "both_pr", "both_error_rate", "both_rating")
_HINT = "Whose results? --player NAME or --me tells; these figures are of both players."


def _print_stats(stats: dict[str, Any], players: list[dict[str, Any]]) -> None:
    by_player = stats["subject"] is not None
    results = (*RESULTS, "won_low", "won_high") if by_player else ("matches", "unfinished")
    skill = _SKILL if by_player else _OF_BOTH
    shown = [*results, *(skill if "skill" in stats else ())]
    lines = lines_of(stats)
    for name in GROUPS:
        rows = [line for line in lines if line["group"] in (name, "all")]
        if name == "opponent" and not by_player:
            print_players(players[:MOST_PLAYERS])
        else:
            heading = (name, *(_HEADS.get(column, column.replace("_", " ")) for column in shown))
            cells = [tuple(figure(line[column]) for column in shown) for line in rows]
            keys = (named(str(line["key"])) for line in rows)
            table(heading, [(key, *row) for key, row in zip(keys, cells, strict=True)])
        print()
    if by_player:
        say("won from, to: 95 % interval of the share of matches won, in percent")
    else:
        say(_HINT)
    if "skill" in stats:
        seen = stats["skill"]["settings"]
        say(f"errors (equity lost) and luck in millipoints, as {seen} sees them")
        print()
    for account, curve in stats["ratings"].items():
        table((f"rating of {account}", "at (UTC)"), [(f"{rating:.2f}", at) for at, rating in curve])
        print()


_HEADS = {"won_low": "won from", "won_high": "to"}
