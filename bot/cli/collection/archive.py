"""`sixprime archive`: lists, shows, exports, imports, analyses and counts archived matches."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.collection import analysearchive
from sixprime.bot.cli.collection.filereading import strict_argument
from sixprime.bot.cli.main import Skipped, UsageError, at_least, refusing
from sixprime.bot.cli.settingsfile import add_config, found
from sixprime.bot.printable import printable

if TYPE_CHECKING:
    from sixprime.bot.archive.archive import Archive
    from sixprime.bot.archive.importing import Broken
    from sixprime.bot.settings.schema import ArchiveSettings
    from sixprime.protocols.formats.record import Match

EPILOG = """\
examples:
  sixprime archive list --opponent ben
  sixprime archive show 17
  sixprime archive show 17 --as mat
  sixprime archive export folder --to sgf
  sixprime archive import old/*.sgf evenings
  sixprime archive analyse --level expert
  sixprime archive show 17 --html report.html
  sixprime archive stats --plots charts
"""
_FORMATS = ("oldmoves", "sgf", "mat")
_COLUMNS = ("id", "started", "account", "opponent", "length", "score", "state", "level", "rating")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verbs."""
    parser.epilog = EPILOG
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    listing = _verb(verbs, "list", "lists matches, oldest first")
    _which(listing)
    listing.add_argument("--last", type=at_least(0), metavar="N", help="only the last N")
    showing = _verb(verbs, "show", "shows one match: who played, when, and how it went")
    showing.add_argument("match", type=int, metavar="ID", help="as `list` shows it")
    showing.add_argument("--as", dest="form", choices=_FORMATS, help="as a match file")
    showing.add_argument("--html", type=Path, metavar="OUT", help="its analysis, as a page")
    showing.add_argument("--raw", action="store_true", help="what went over the wire")
    exporting = _verb(verbs, "export", "writes match files, one per match")
    exporting.add_argument("folder", type=Path, metavar="FOLDER", help="where to write them")
    exporting.add_argument("--to", choices=_FORMATS, action="append", help="format (all three)")
    exporting.add_argument("--match", type=int, action="append", metavar="ID", help="only this")
    _which(exporting)
    importing = _verb(verbs, "import", "reads match files and skips what is already archived")
    importing.add_argument(
        "files", type=Path, nargs="+", metavar="PATH", help="files, or folders of files"
    )
    strict_argument(importing)
    analysing = _verb(
        verbs, "analyse", "analyses every match that is not analysed yet, on every core"
    )
    analysearchive.arguments(analysing)
    _which(analysing)
    counting = _verb(
        verbs, "stats", "counts results by opponent, length, level and month, and shows ratings"
    )
    counting.add_argument("--csv", type=Path, metavar="FOLDER", help="write tables there instead")
    counting.add_argument("--plots", type=Path, metavar="FOLDER", help="draw charts there, as SVG")
    counting.add_argument(
        "--analysis", metavar="KEY", help="whose error rates (of the settings used most)"
    )
    _which(counting)


def _verb(verbs: Any, name: str, line: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = verbs.add_parser(
        name,
        help=line,
        description=line[0].upper() + line[1:] + ".",
        epilog=next(each.strip() for each in EPILOG.splitlines() if f" {name}" in each),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    source = parser.add_mutually_exclusive_group()
    add_config(source)
    source.add_argument("--database", metavar="URL", help="the archive, without settings")
    parser.add_argument("--profile", metavar="NAME", help="whose archive, if each has its own")
    if name != "export":
        parser.add_argument("--json", action="store_true", help="for programs")
    return parser


def _which(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--account", metavar="NAME", help="only this account's")
    parser.add_argument("--opponent", metavar="NAME", help="only against this player")


def run(options: argparse.Namespace) -> int:
    """Open the archive and do what the verb says."""
    from sixprime.bot.archive.archive import Archive
    from sixprime.bot.archive.tables import ArchiveError
    from sixprime.protocols.formats.record import BadRecord

    verbs = {
        "list": _list,
        "show": _show,
        "export": _export,
        "import": _import,
        "analyse": analysearchive.run,
        "stats": _stats,
    }
    settings = _settings(options)
    _must_exist(settings.database or "", options.verb)
    with refusing(ArchiveError, BadRecord), closing(Archive(settings)) as archive:
        return verbs[options.verb](archive, options)


def _settings(options: argparse.Namespace) -> ArchiveSettings:
    from sixprime.bot.settings.file import ConfigError, NoProfile, chosen, load
    from sixprime.bot.settings.schema import ArchiveSettings

    if options.database:
        _must_be_discreet(options.database)
        return ArchiveSettings.model_construct(
            **{**ArchiveSettings().__dict__, "database": options.database}
        )
    path = options.config or found()
    if path is None:
        settings = ArchiveSettings()
    else:
        with refusing(ConfigError, NoProfile):
            profiles = chosen(load(path), options.profile)
        settings = profiles[0].archive
        if len({profile.archive.database for profile in profiles}) > 1:
            raise UsageError(f"{path}: the profiles have different archives; say --profile")
    if settings.database is None:
        raise UsageError(f"{path}: archive.database is null, so there is no archive")
    return settings


def _must_be_discreet(address: str) -> None:
    from sixprime.bot.settings.passwords import passwords_in

    if passwords_in(address):
        raise UsageError(
            "no password on a command line, where everybody reads it: use --config, or libpq's "
            "PGPASSFILE or PGPASSWORD"
        )


def _must_exist(address: str, verb: str) -> None:
    """Only `import` may create an archive: a wrong path must not look like an empty archive."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(address)
    except ArgumentError:
        return  # opening it gives a better message
    path = url.database or ""
    if verb != "import" and url.get_backend_name() == "sqlite" and not Path(path).exists():
        raise UsageError(f"no archive at {path} yet")


# --- the verbs


def _list(archive: Archive, options: argparse.Namespace) -> int:
    rows = _chosen_rows(archive, options)
    if options.last is not None:
        rows = rows[-options.last :] if options.last > 0 else []
    if options.json:
        print(json.dumps([_plain(row) for row in rows], indent=2))
    else:
        _table(_COLUMNS, [_cells(row) for row in rows])
    return 0


def _show(archive: Archive, options: argparse.Namespace) -> int:
    from sixprime.bot.archive.matchfiles import FORMATS
    from sixprime.protocols.formats.record import CannotCarry
    from sixprime.protocols.formats.recordjson import to_json

    row, match = archive.row(options.match), archive.match(options.match)
    if options.html:
        _write_page(archive, match, options)
    elif options.raw:
        print(printable(archive.conversation(options.match)), end="")
    elif options.json:
        print(json.dumps({**_plain(row), "record": json.loads(to_json(match))}))
    elif options.form:
        with refusing(CannotCarry, at=f"match {options.match}"):
            print(FORMATS[options.form].write(match))
    else:
        _describe(archive, row, match)
    return 0


def _write_page(archive: Archive, match: Match, options: argparse.Namespace) -> None:
    from sixprime.bot.analysis.store import analysis_of, keys
    from sixprime.bot.archive.matchfiles import write_whole
    from sixprime.bot.reports.html import page

    stored = (analysis_of(archive, options.match, key) for key, _ in keys(archive))
    analysis = next((each for each in stored if each is not None), None)
    if analysis is None:
        again = f"sixprime archive analyse --match {options.match}"
        raise UsageError(f"match {options.match} is not analysed yet: {again}")
    with refusing(OSError, at=options.html):
        write_whole(options.html, page(analysis, match))


def _export(archive: Archive, options: argparse.Namespace) -> int:
    from sixprime.bot.archive.matchfiles import write_match

    wanted = options.match
    ids = wanted or [row.id for row in _chosen_rows(archive, options)]
    stems = archive.stems()
    count, skipped = 0, Skipped("archive")
    for match_id in ids:
        with skipped.at(f"match {match_id}"):
            match = archive.match(match_id)
            with refusing(OSError, at=options.folder):
                written = write_match(
                    match, options.folder, stems[match_id], options.to or _FORMATS
                )
            count += len(written.files)
            for name, why in written.left_out.items():
                skipped.tell(f"match {match_id} not as {name}", why)
    print(f"{count} files in {options.folder}", file=sys.stderr)
    return skipped.code


def _import(archive: Archive, options: argparse.Namespace) -> int:
    from sixprime.bot.archive.importing import Imported, import_files
    from sixprime.bot.cli.progress import bar
    from sixprime.protocols.formats.reading import read_with

    imported, interrupted = Imported(), False
    try:
        with bar("importing") as progress:
            import_files(archive, options.files, progress, imported, strict=options.strict)
    except KeyboardInterrupt:
        interrupted = True
    added, skipped, broken = imported.added, imported.skipped, imported.broken
    if options.json:
        why = {str(each.path): _words(each) for each in broken}
        told = {str(path): list(map(str, all_)) for path, all_ in imported.remarks.items() if all_}
        print(json.dumps({"added": added, "skipped": skipped, "broken": why, "remarks": told}))
    else:
        for path in imported.known:
            print(printable(f"{path}: already archived"))
        for path, remarks in imported.remarks.items():
            print(printable(f"{path}: {read_with(remarks)}"))
        unread = f", {len(broken)} of {imported.files} files refused" if broken else ""
        print(f"{len(added)} matches added, {skipped} already archived{unread}")
    for each in broken:
        print(f"sixprime archive: {printable(str(each))}", file=sys.stderr)
    if interrupted:
        print(
            "sixprime archive: interrupted; run the same import again to continue", file=sys.stderr
        )
        return 130
    return 1 if broken else 0


def _words(broken: Broken) -> str:
    return f"line {broken.line}: {broken.reason}" if broken.line else broken.reason


def _stats(archive: Archive, options: argparse.Namespace) -> int:
    from sixprime.bot.analysis.store import keys, summaries
    from sixprime.bot.archive.statistics import stats_of

    known = [key for key, _ in keys(archive)]
    if options.analysis is not None and options.analysis not in known:
        raise UsageError(f"no analyses at {options.analysis}; there are: {', '.join(known)}")
    chosen = options.analysis or (known[0] if known else None)
    found = [] if chosen is None else summaries(archive, chosen)
    analysed = {each.match_id: each.statistics for each in found}
    rows, skipped = _chosen_rows(archive, options), Skipped("archive")
    level = set()
    for row in rows:
        with skipped.at(f"match {row.id}"):
            level |= {row.id} if _ended_level(archive, row) else set()
    stats = stats_of(rows, analysed, level)
    if "skill" in stats:
        stats["skill"]["settings"] = chosen
    _write_stats(stats, options)
    if options.json:
        print(json.dumps(stats, indent=2))
    elif not (options.csv or options.plots):
        _print_stats(stats)
    return skipped.code


def _ended_level(archive: Archive, row: Any) -> bool:
    """Is this a finished money session without a winner? Only its record can tell."""
    level = row.winner is None and row.our_score == row.their_score
    return bool(row.length == 0 and level and archive.match(row.id).finished)


def _write_stats(stats: dict[str, Any], options: argparse.Namespace) -> None:
    from sixprime.bot.archive.matchfiles import write_whole
    from sixprime.bot.reports.plots import plots, tables

    for folder, files in ((options.csv, tables), (options.plots, plots)):
        if folder is None:
            continue
        with refusing(OSError, at=folder):
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in files(stats).items():
                write_whole(folder / name, text)
                print(folder / name, file=sys.stderr)


_RESULTS = ("matches", "won", "lost", "unfinished", "points_won", "points_lost")
_SKILL = ("analysed", "error_rate", "rating", "luck_rate", "their_error_rate", "their_luck_rate")


def _print_stats(stats: dict[str, Any]) -> None:
    from sixprime.bot.archive.statistics import GROUPS, lines_of

    shown = [*_RESULTS, *(_SKILL if "skill" in stats else ())]
    lines = lines_of(stats)
    for name in GROUPS:
        rows = [line for line in lines if line["group"] in (name, "all")]
        heading = (name, *(each.replace("_", " ") for each in shown))
        _table(heading, [(line["key"], *(_figure(line[each]) for each in shown)) for line in rows])
    if "skill" in stats:
        print(f"errors and luck in millipoints, as {stats['skill']['settings']} sees them\n")
    for account, curve in stats["ratings"].items():
        _table((f"rating of {account}", "at"), [(f"{rating:.2f}", at) for at, rating in curve])


def _figure(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.1f}"
    return "" if value is None else value


# --- output


def _chosen_rows(archive: Archive, options: argparse.Namespace) -> list[Any]:
    return [
        row
        for row in archive.rows()
        if options.account in (None, row.account) and options.opponent in (None, row.opponent)
    ]


def _plain(row: Any) -> dict[str, object]:
    left_out = ("record", "digest", "filed", "raw_bytes")
    return {
        name: value.isoformat() if hasattr(value, "isoformat") else value
        for name, value in row._mapping.items()
        if name not in left_out
    }


def _cells(row: Any) -> tuple[object, ...]:
    after = row.our_rating_after
    return (
        row.id,
        f"{row.started:%Y-%m-%d %H:%M}" if row.started else "",
        row.account,
        row.opponent,
        row.length or "unlimited",
        f"{row.our_score}-{row.their_score}",
        row.state,
        row.level,
        "" if after is None else f"{after:.2f}",
    )


def _describe(archive: Archive, row: Any, match: Match) -> None:
    from sixprime.bot.archive.events import Evidence, MatchSaved

    for name, value in _plain(row).items():
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


def _table(heading: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    lines = [[printable(str(cell)).replace("\n", "?") for cell in row] for row in (heading, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heading))]
    for line in lines:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
    print()
