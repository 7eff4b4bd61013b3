"""`sixprime archive remove`, `rename`, `annotate`, `merge`, `check`: keep an archive in order."""

from __future__ import annotations

import argparse
import json
import sys

from sixprime.bot.cli.collection.verbs.options import (
    Verb,
    day,
    opened,
    selection_of,
    which_arguments,
)
from sixprime.bot.cli.declaring import flag
from sixprime.bot.cli.main import UsageError, text
from sixprime.bot.process.printable import counted, printable

_ABOUT = {"event": "the event", "round": "its round", "place": "the place, or server"}


def _remove_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", type=int, nargs="*", metavar="ID", help="as `list` shows it")
    flag(parser, "--yes", "delete all that the filters choose")
    which_arguments(parser)


def _remove(options: argparse.Namespace) -> int:
    from sixprime.bot.archive.collection.changing import remove
    from sixprime.bot.archive.collection.selection import Selection, chosen

    with opened(options) as archive:
        asked = selection_of(options, archive)
        if bool(options.ids) == (asked != Selection()):
            raise UsageError("say which matches: by ID, or by filters")
        ids = options.ids or [row.id for row in chosen(archive, asked)]
        if not options.ids and not options.yes:
            words = ", ".join(map(str, ids)) or "none"
            raise UsageError(f"that would remove {counted(len(ids), 'match')} ({words}); say --yes")
        count = remove(archive, ids)
    _print(options, f"{counted(count, 'match')} removed; match files are left alone", removed=count)
    return 0


def _rename_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("old", metavar="OLD", help="the player's name, exactly")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument(
        "--match", type=int, action="append", metavar="ID", help="only in this match"
    )


def _rename(options: argparse.Namespace) -> int:
    from sixprime.bot.archive.collection.changing import rename

    with opened(options) as archive:
        count = rename(archive, options.old, options.new, options.match)
    if not count:
        raise UsageError(f"no match of {options.old}")
    _print(options, f"{options.new} in {counted(count, 'match')}", renamed=count)
    return 0


def _annotate_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", type=int, metavar="ID", help="as `list` shows it")
    parser.add_argument(
        "note", type=text, nargs="?", metavar="TEXT", help="the remark; '' removes it"
    )
    parser.add_argument("--date", type=day, metavar="DAY", help="of an imported match")
    for name, what in _ABOUT.items():
        parser.add_argument(f"--{name}", type=text, metavar="NAME", help=what)


def _annotate(options: argparse.Namespace) -> int:
    from sixprime.bot.archive.collection.changing import ABOUT, annotate

    about = {name: getattr(options, name) for name in ABOUT if getattr(options, name) is not None}
    with opened(options) as archive:
        if options.note is not None or about:
            annotate(archive, options.id, options.note, about)
        archive.row(options.id)
        note = archive.note_of(options.id)
    _print(options, note, match=options.id, note=note)
    return 0


def _merge_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "ids",
        type=int,
        nargs="*",
        metavar="ID",
        help="merge these into the first; without any, all duplicates",
    )


def _merge(options: argparse.Namespace) -> int:
    from sixprime.bot.archive.collection.changing import duplicates, merge

    if len(options.ids) == 1 or len(set(options.ids)) != len(options.ids):
        raise UsageError("give two different IDs or more, or none to merge all duplicates")
    with opened(options) as archive:
        groups = [options.ids] if options.ids else duplicates(archive)
        kept = {merge(archive, group): group[1:] for group in groups}
    lines = [f"{', '.join(map(str, gone))} into {keep}" for keep, gone in kept.items()]
    _print(options, "\n".join(lines) or "no duplicates", merged=kept)
    return 0


def _check(options: argparse.Namespace) -> int:
    from sixprime.bot.archive.collection.checking import findings
    from sixprime.bot.cli.progress import bar

    with opened(options) as archive, bar("checking") as progress:
        found = list(findings(archive, progress))
        count = len(archive.rows())
    if options.json:
        print(json.dumps([each._asdict() for each in found], indent=2))
    else:
        for each in found:
            print(printable(f"match {each.match}: {each.what}" if each.match else each.what))
        words = f"{counted(count, 'match')} checked, {counted(len(found), 'finding')}"
        print(words, file=sys.stderr)
    return 1 if found else 0


def _print(options: argparse.Namespace, line: str, **values: object) -> None:
    print(json.dumps(values) if options.json else printable(line))


VERBS = (
    Verb("deletes matches", "remove 17 18", _remove_arguments, _remove),
    Verb("gives a player another name", "rename Lbaba Llabba", _rename_arguments, _rename),
    Verb(
        "adds a remark to a match, or when and where it was played",
        "annotate 17 'a good one' --date 2026-11-23",
        _annotate_arguments,
        _annotate,
    ),
    Verb("merges duplicates into one match", "merge", _merge_arguments, _merge),
    Verb("finds matches that contradict themselves", "check", lambda parser: None, _check),
)
