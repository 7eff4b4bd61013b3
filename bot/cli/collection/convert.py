"""`sixprime convert`: match files in another format, and documents with boards."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from sixprime.bot.archive.matchfiles import FORMATS, format_of_suffix, lost_in
from sixprime.bot.cli.line.collection import DOCUMENTS
from sixprime.bot.cli.line.errors import Skipped, UsageError, refusing
from sixprime.bot.cli.line.shared import MATCH_FORMATS
from sixprime.bot.cli.matchfiles import matches_or_refusal
from sixprime.bot.process.printable import counted
from sixprime.bot.reports.export.scenes import acts
from sixprime.engine.system.errors import InputError
from sixprime.engine.system.wholefiles import write_whole
from sixprime.protocols.formats.record import BadRecord, CannotCarry, Match, turned
from sixprime.protocols.formats.xg import ogxm

Naming = Callable[[int], str]  # of several files, counted from 1


class WrittenAs(NamedTuple):
    """A format of files."""

    suffix: str
    parts: Callable[[Match, Naming | None], Iterable[bytes]]  # a file each, if there are names
    pictures: bool = False  # numbered from the first on


def convert_matches(options: Namespace) -> int:
    matches = matches_or_refusal(
        options.input, "convert", strict=options.strict, form=options.source
    )
    if options.match is not None:
        if not 1 <= options.match <= len(matches):
            raise UsageError(f"{options.input}: no match {options.match}, there are {len(matches)}")
        matches = [matches[options.match - 1]]
    if options.swap:
        matches = [turned(match) for match in matches]
    return _write(matches, options, _name_of(options))


def _name_of(options: Namespace) -> str:
    """Return the format of OUT, by `--to` or by its suffix."""
    output, name = Path(options.output), options.target
    if name is None and options.output != "-" and not output.is_dir():
        name = format_of_suffix(output)
        if output.suffix.lower() == ogxm.SUFFIX:
            name = "ogxm"
        elif name is None:
            from sixprime.bot.reports.export.documents import document_of_suffix  # slow

            name = document_of_suffix(output)
    if name is None:
        known = ", ".join(MATCH_FORMATS + DOCUMENTS)
        raise UsageError(f"{options.output}: which format? use --to {known}")
    if name not in DOCUMENTS and (options.game is not None or options.move is not None):
        raise UsageError(f"--game and --move are for {', '.join(DOCUMENTS)}")
    return str(name)


def _target(name: str, options: Namespace) -> WrittenAs:
    if name in MATCH_FORMATS:
        form = FORMATS[name]
        return WrittenAs(
            form.suffixes[0], lambda match, _: [form.write(match).encode("utf-8", "replace")]
        )
    if name == "ogxm":
        return WrittenAs(ogxm.SUFFIX, lambda match, _: [ogxm.write_ogxm(match)])
    from sixprime.bot.analysis.recorded import recorded_analysis  # slow
    from sixprime.bot.reports.export.documents import DOCUMENTS as KNOWN
    from sixprime.bot.reports.export.documents import Wish
    from sixprime.bot.reports.export.sceneanalysis import SceneAnalyses

    document, style = KNOWN[name], _style_of(options)
    return WrittenAs(
        document.suffix,
        lambda match, names: document.parts(
            match,
            acts(match, options.game, options.move),
            SceneAnalyses(recorded_analysis(match)),
            Wish(names, style),
        ),
        pictures=name in ("png", "svg"),
    )


def _write(matches: list[Match], options: Namespace, name: str) -> int:
    """Write the matches; return 1 if some were skipped, which a folder cannot hold."""
    target, output, several = _target(name, options), Path(options.output), len(matches) > 1
    in_folder = options.output != "-" and output.is_dir()
    if several and not in_folder and name not in MATCH_FORMATS:
        raise UsageError(
            f"{options.input}: {counted(len(matches), 'match')}, and a document holds one:"
            " give a folder as OUT, or choose with --match"
        )
    skipped, texts = Skipped("convert"), list[bytes]()
    stem = "matches" if options.input == "-" else Path(options.input).stem
    for number, match in enumerate(matches, start=1):
        place = f"{options.input}: match {number}" if several else options.input
        with (
            skipped.at(place)
            if several and in_folder
            else refusing(CannotCarry, InputError, BadRecord, at=place),
            _installed(name),
        ):
            if in_folder:
                named = f"{stem}-{number}" if several else stem
                _put(target, match, output / f"{named}{target.suffix}")
            elif several:
                texts += target.parts(match, None)
            else:
                _put(target, match, output)
            if lost := lost_in(match, name):
                print(f"{place}: {name} has no place for {lost}: left out", file=sys.stderr)
    if texts:
        _put(WrittenAs(target.suffix, lambda *_: [b"\n".join(texts)]), matches[0], output)
        print(
            f"{counted(len(texts), 'match')} in one file; gnubg reads only the first"
            " (a folder as OUT gives each its own)",
            file=sys.stderr,
        )
    return skipped.code


@contextmanager
def _installed(name: str) -> Iterator[None]:
    """Turn the lack of a library into a UsageError."""
    try:
        yield
    except ImportError as error:
        why = f"--to {name}: {error.name} is missing: pip install 'sixprime[print]'"
        raise UsageError(why) from error


def _style_of(options: Namespace) -> str:
    """Return the CSS of the user's own, which ends no element of a page."""
    if options.style is None:
        return ""
    with refusing(OSError, UnicodeDecodeError, at=options.style):
        style = str(options.style.read_text(encoding="utf-8"))
    if "</" in style:
        raise UsageError(f"{options.style}: `</` does not belong into CSS")
    return style


def _put(target: WrittenAs, match: Match, path: Path) -> None:
    """Write the parts as files, numbered if there are several; `-` is standard output."""

    def named(number: int) -> str:
        numbered = f"{path.stem}-{number}" if target.pictures else f"{path.stem}_{number:03}"
        return f"{numbered if number > 1 or target.pictures else path.stem}{path.suffix}"

    alone = str(path) == "-"
    ahead, *more = islice(rest := iter(target.parts(match, None if alone else named)), 2)
    if alone:
        if more:
            raise UsageError("a match is many files: give a file as OUT")
        sys.stdout.buffer.write(ahead)
        sys.stdout.buffer.flush()
        return
    with refusing(OSError, at=path):
        if not more:
            write_whole(path, ahead)
            return
        number = 0
        for number, part in enumerate(chain((ahead, *more), rest), start=1):
            write_whole(path.with_name(named(number)), part)
    print(f"{counted(number, 'file')}: {named(1)}, {named(2)} and so on", file=sys.stderr)
