"""`sixprime archive`: everything that a collector does with archived matches."""

from __future__ import annotations

import argparse

from sixprime.bot.cli.collection.verbs import (
    analysing,
    changing,
    copying,
    errors,
    exporting,
    importing,
    listing,
    people,
    statistics,
)
from sixprime.bot.cli.collection.verbs.options import source_arguments
from sixprime.bot.cli.declaring import flag

_MODULES = (listing, exporting, importing, analysing, statistics, errors, people, copying, changing)
VERBS = tuple(verb for module in _MODULES for verb in module.VERBS)
EPILOG = "examples:\n" + "".join(f"  sixprime archive {each.example}\n" for each in VERBS)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    found = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb in VERBS:
        each: argparse.ArgumentParser = found.add_parser(
            verb.name,
            help=verb.line,
            description=verb.line[0].upper() + verb.line[1:] + ".",
            epilog=f"example: sixprime archive {verb.example}",
        )
        if verb.source:
            source_arguments(each)
        if verb.json:
            flag(each, "--json", "for programs")
        verb.arguments(each)
        each.set_defaults(work=verb.run)


def run(options: argparse.Namespace) -> int:
    return int(options.work(options))
