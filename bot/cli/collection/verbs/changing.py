"""`sixprime archive remove`, `rename`, `annotate`, `merge`, `check`: order in an archive."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from dataclasses import replace

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.changing import (
    ABOUT,
    annotate,
    duplicates,
    merge,
    remove,
    rename,
)
from sixprime.bot.archive.collection.checking import findings
from sixprime.bot.archive.collection.selection import Selection, chosen
from sixprime.bot.archive.collection.streaming import readable_ids
from sixprime.bot.cli.collection.verbs.choosing import opened, selection_of
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.progress import bar
from sixprime.bot.matchlog.words import comment_on, marked
from sixprime.bot.process.printable import counted, printable
from sixprime.engine.system.errors import InputError

_MARKS = {"mark": "action", "cube_mark": "cube", "luck": "luck"}  # options, and fields of Marks


def remove_matches(options: Namespace) -> int:
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


def rename_player(options: Namespace) -> int:
    with opened(options) as archive:
        count = rename(archive, options.old, options.new, options.match)
    if not count:
        raise UsageError(f"no match of {options.old}")
    _print(options, f"{options.new} in {counted(count, 'match')}", renamed=count)
    return 0


def annotate_match(options: Namespace) -> int:
    about = {name: getattr(options, name) for name in ABOUT if getattr(options, name) is not None}
    marks = {field: getattr(options, name) for name, field in _MARKS.items()}
    marks = {field: word for field, word in marks.items() if word is not None}
    if marks and options.move is None:
        raise UsageError("--mark, --cube-mark and --luck need --move")
    with opened(options) as archive:
        if options.game is None and options.move is None:
            annotate(archive, options.id, options.note, about)
            note = archive.note_of(options.id)
            _print(options, note, match=options.id, note=note)
            return 0
        with refusing(InputError, at=f"match {options.id}"):
            match = archive.record(options.id)
            said = comment_on(match, options.game or 1, options.move or 0)
            comment = said.text if options.note is None else options.note
            said = replace(said, text=comment, marks=marked(said.marks, marks))
            annotate(archive, options.id, None, about, [said])
    shown = ", ".join(filter(None, (*said.marks.words, said.text)))
    values = {"comment": said.text, "marks": said.marks.words}
    _print(options, shown, match=options.id, game=said.game, move=said.move or None, **values)
    return 0


def merge_matches(options: Namespace) -> int:
    if len(options.ids) == 1 or len(set(options.ids)) != len(options.ids):
        raise UsageError("give two different IDs or more, or none to merge all duplicates")
    with opened(options) as archive:
        groups = [options.ids] if options.ids else _duplicates(archive)
        with bar("merging") as progress:
            kept = {}
            for done, group in enumerate(groups, start=1):
                kept[merge(archive, group)] = group[1:]
                progress(done, len(groups))
    lines = [f"{', '.join(map(str, gone))} into {keep}" for keep, gone in kept.items()]
    _print(options, "\n".join(lines) or "no duplicates", merged=kept)
    return 0


def _duplicates(archive: Archive) -> list[list[int]]:
    with bar("comparing") as progress:
        return duplicates(archive, progress)


def check_archive(options: Namespace) -> int:
    with opened(options) as archive, bar("checking") as progress:
        found = list(findings(archive, progress))
        count = len(readable_ids(archive))
    if options.json:
        print(json.dumps([finding._asdict() for finding in found], indent=2))
    else:
        for finding in found:
            where = f"match {finding.match}: " if finding.match else ""
            print(printable(f"{where}{finding.what}"))
        words = f"{counted(count, 'match')} checked, {counted(len(found), 'finding')}"
        print(words, file=sys.stderr)
    return 1 if found else 0


def _print(options: Namespace, line: str, **values: object) -> None:
    print(json.dumps(values) if options.json else printable(line))
