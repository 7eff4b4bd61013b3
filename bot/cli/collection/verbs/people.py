"""`sixprime archive alias` and `players`: who is who, and who played how many matches."""

from __future__ import annotations

import argparse
import json

from sixprime.bot.cli.collection.verbs.options import Verb, opened, selection_of, which_arguments
from sixprime.bot.cli.columns import figure, table
from sixprime.bot.cli.declaring import flag, number
from sixprime.bot.cli.main import UsageError
from sixprime.bot.process.printable import printable


def _alias_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="without a name, all are listed")
    parser.add_argument("player", metavar="PLAYER", nargs="?", help="whose name it also is")
    flag(parser, "--me", "that player is you")
    flag(parser, "--remove", "NAME is a player of its own again")


def _alias(options: argparse.Namespace) -> int:
    from sixprime.bot.archive.collection.names import forget, join, known_names

    if options.remove and (options.name is None or options.player is not None or options.me):
        raise UsageError("--remove takes one NAME")
    if options.name is not None and options.player is None and not (options.me or options.remove):
        raise UsageError(f"whose name is {options.name}? say PLAYER, --me or --remove")
    with opened(options) as archive:
        if options.remove:
            forget(archive, options.name)
        elif options.name is not None:
            join(archive, options.name, options.player or options.name, ours=options.me)
        known = known_names(archive)
    players = sorted(set(known.players.values()))
    found = {each: sorted(known.of(each) - {each}) for each in players}
    if options.json:
        ours = [each for each in players if each in known.ours]
        print(json.dumps({"players": found, "me": ours}, indent=2))
    else:
        rows = [
            (each, ", ".join(names), "yes" if each in known.ours else "")
            for each, names in found.items()
        ]
        table(("player", "also called", "me"), rows)
    return 0


def _players_arguments(parser: argparse.ArgumentParser) -> None:
    which_arguments(parser)
    number(parser, "--most", 20, "how many (20)", least=1)


def _players(options: argparse.Namespace) -> int:
    from sixprime.bot.analysis.store import keys, summaries
    from sixprime.bot.archive.collection.people import standings

    with opened(options) as archive:
        known = keys(archive)
        found = summaries(archive, known[0][0]) if known else iter(())
        analysed = {each.match_id: each.statistics for each in found}
        rows = standings(archive, selection_of(options, archive), analysed)
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    shown = rows[: options.most]
    heads = ("player", "matches", "won", "lost", "analysed", "pr", "error_rate", "last")
    table(
        tuple(head.replace("_", " ") for head in heads),
        [tuple(figure(row[head]) for head in heads) for row in shown],
    )
    if shown and not any(row["me"] for row in rows):
        first = printable(str(shown[0]["player"]))
        print(f"Which of them are you? If {first}: sixprime archive alias --me {first}")
    return 0


VERBS = (
    Verb(
        "says which names are one player's, and which player is you",
        "alias Llabba lasse --me",
        _alias_arguments,
        _alias,
    ),
    Verb(
        "lists the players, with results and error rates",
        "players --since 2026-01-01",
        _players_arguments,
        _players,
    ),
)
