"""`sixprime archive alias` and `players`: the names and results of players."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from sixprime.bot.archive.collection.names import forget, join, known_names
from sixprime.bot.archive.collection.people import standings
from sixprime.bot.archive.collection.selection import seen
from sixprime.bot.cli.collection.verbs.choosing import opened, selection_of
from sixprime.bot.cli.collection.verbs.collecting import usual_key
from sixprime.bot.cli.columns import figure, table
from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.process.printable import named, printable

MOST_PLAYERS = 20  # in a list, unless asked for


def join_names(options: Namespace) -> int:
    names = options.names
    if options.remove and (options.me or not names):
        raise UsageError("--remove takes names, and nothing else")
    if len(names) == 1 and not (options.me or options.remove):
        raise UsageError(f"whose name is {names[0]}? say another name, --me or --remove")
    with opened(options) as archive:
        for name in names if options.remove else names[:-1] or names:
            if options.remove:
                forget(archive, name)
            else:
                join(archive, name, names[-1], ours=options.me)
        known = known_names(archive)
    players = sorted(set(known.players.values()))
    found = {player: sorted(known.all_names(player) - {player}) for player in players}
    if options.json:
        ours = [player for player in players if player in known.ours]
        print(json.dumps({"players": found, "me": ours}, indent=2))
    else:
        rows = [
            (player, ", ".join(names), "yes" if player in known.ours else "")
            for player, names in found.items()
        ]
        table(("player", "also called", "me"), rows)
    return 0


def list_players(options: Namespace) -> int:
    with opened(options) as archive:
        key = usual_key(archive)
        rows = standings(archive, seen(archive, selection_of(options, archive)), key)
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    print_players(rows[: options.most])
    known = [row["player"] for row in rows if row["player"].strip()]
    if known and not any(row["me"] for row in rows):
        first = printable(known[0])
        print(f"Which of them are you? If {first}, type: sixprime archive alias --me {first}")
    return 0


def print_players(rows: Sequence[Mapping[str, Any]]) -> None:
    heads = ("player", "matches", "won", "lost", "analysed", "pr", "error_rate", "last")
    table(
        tuple(head.replace("_", " ") for head in heads),
        [(named(row["player"]), *(figure(row[head]) for head in heads[1:])) for row in rows],
    )
