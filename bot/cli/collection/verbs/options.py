"""What the verbs of `sixprime archive` ask of the command line: which archive, which matches."""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sixprime.bot.cli.declaring import flag, option
from sixprime.bot.cli.main import Skipped, UsageError, at_least, database, refusing
from sixprime.bot.cli.settingsfile import add_config, found
from sixprime.bot.process.printable import printable
from sixprime.bot.settings.archiveplace import ArchivePlace, address_of
from sixprime.engine.system.errors import nearest

if TYPE_CHECKING:
    from sixprime.bot.archive.archive import Archive
    from sixprime.bot.archive.collection.selection import Selection
    from sixprime.bot.settings.schema import ArchiveSettings

_SETTINGS = (".yaml", ".yml")
RESULTS = ("won", "lost", "open")


class Verb(NamedTuple):
    """What a verb does in a line, an example (its name and more), its options, its work."""

    line: str
    example: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    json: bool = True
    source: bool = True  # of one archive, which --config or --database names

    @property
    def name(self) -> str:
        return self.example.split()[0]


def source_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that name the archive."""
    source = parser.add_mutually_exclusive_group()
    add_config(source)
    option(source, "--database", "URL", "the archive, without settings", database)
    parser.add_argument("--profile", metavar="NAME", help="whose archive, if each has its own")


@contextmanager
def opened(options: argparse.Namespace, *, creates: bool = False) -> Iterator[Archive]:
    """The archive of the options; only a verb that fills one may create it."""
    with opened_at(_settings(options), creates=creates) as archive:
        yield archive


@contextmanager
def opened_at(
    settings: ArchiveSettings | ArchivePlace, *, creates: bool = False
) -> Iterator[Archive]:
    from sqlalchemy.exc import DBAPIError

    from sixprime.bot.archive.archive import Archive
    from sixprime.bot.archive.tables import ArchiveError, reason_and_place

    if not creates:
        _must_exist(settings.database or "")
    with refusing(ArchiveError), closing(Archive(settings)) as archive:
        try:
            yield archive
        except DBAPIError as error:  # damaged, full, or gone
            raise UsageError(reason_and_place(error)) from error
        except ValueError as error:
            from sixprime.protocols.formats.record import BadRecord  # costly where none is read

            if isinstance(error, BadRecord):
                raise UsageError(str(error)) from error
            raise


def readable(archive: Archive) -> Skipped:
    """Reports the matches with unreadable rows, which bulk commands skip."""
    skipped = Skipped("archive")
    for match_id, column in archive.unreadable().items():
        skipped.report(f"match {match_id}", f"its {column} cannot be read")
    return skipped


def analysis_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--analysis`; `settings_key` reads it."""
    option(parser, "--analysis", "KEY", "which analysis (default: the settings used most)")


def settings_key(archive: Archive, wanted: str | None) -> str:
    """The settings whose analyses are read: those asked for, or those used most."""
    from sixprime.bot.analysis.store import keys

    known = [key for key, _ in keys(archive)]
    if not known:
        raise UsageError("nothing is analysed yet: sixprime archive analyse")
    if wanted not in (None, *known):
        raise UsageError(f"no analyses at {wanted}; there are: {', '.join(known)}")
    return str(wanted or known[0])


def settings_at(place: str) -> ArchiveSettings | ArchivePlace:
    """An archive named by a URL, a file of settings, or the file of an SQLite database."""
    if Path(place).suffix.lower() in _SETTINGS:
        return _configured(Path(place), None)
    if "://" not in place:
        place = address_of(place)
    return _at(database(place))


def _settings(options: argparse.Namespace) -> ArchiveSettings | ArchivePlace:
    if options.database:
        return _at(options.database)
    path = options.config or found()
    if path is None:
        return ArchivePlace()
    return _configured(path, options.profile)


def _at(address: str) -> ArchivePlace:
    return ArchivePlace(address, folder=None)  # match files are where settings say


def _configured(path: Path, profile: str | None) -> ArchiveSettings:
    from sixprime.bot.settings.file import chosen, load_config
    from sixprime.engine.system.errors import ConfigError

    with refusing(ConfigError):
        profiles = chosen(load_config(path), profile)
    settings = profiles[0].archive
    if len({each.archive.database for each in profiles}) > 1:
        raise UsageError(f"{path}: the profiles have different archives; say --profile")
    if settings.database is None:
        raise UsageError(f"{path}: archive.database is null, so there is no archive")
    return settings


def _must_exist(address: str) -> None:
    """A wrong path must not look like an empty archive."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(address)
    except (ArgumentError, ValueError):  # the port may not be a number
        return  # opening it gives a better message
    path = url.database or ""
    if url.get_backend_name() == "sqlite" and not Path(path).exists():
        raise UsageError(f"no archive at {path} yet")


# --- which matches


def which_arguments(parser: argparse.ArgumentParser, *, ids: bool = False) -> None:
    """Declare the filters; `selection_of` reads them."""
    asked = parser.add_argument_group("which matches")
    if ids:
        asked.add_argument(
            "--match", type=int, action="append", metavar="ID", help="only this match"
        )
    else:
        parser.set_defaults(match=None)
    asked.add_argument("--account", metavar="NAME", help="only matches of this account")
    asked.add_argument("--opponent", metavar="NAME", help="only against this player")
    whose = asked.add_mutually_exclusive_group()
    option(whose, "--player", "NAME", "only matches of this player, in either seat")
    flag(whose, "--me", "only your own: see `alias --me`")
    option(asked, "--length", "N", "only matches of this length; 0: unlimited", at_least(0))
    asked.add_argument("--played-at", metavar="LEVEL", help="only where we played at this level")
    asked.add_argument("--server", metavar="NAME", help="only matches played on this server")
    asked.add_argument("--since", type=day, metavar="DAY", help="from this day on: 2026-11-23")
    asked.add_argument("--until", type=day, metavar="DAY", help="up to and including this day")
    asked.add_argument("--text", metavar="WORDS", help="only with this text in names or remarks")
    asked.add_argument("--result", choices=RESULTS, help="of the first player, or of --player")


def day(word: str) -> dt.date:
    try:
        return dt.date.fromisoformat(word)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{word} is not a day such as 2026-11-23") from error


def selection_of(options: argparse.Namespace, archive: Archive) -> Selection:
    """Which matches the options ask for; says so if a player they name has none here."""
    from sixprime.bot.archive.collection.selection import Selection

    asked = Selection(
        ids=None if options.match is None else frozenset(options.match),
        account=options.account,
        opponent=options.opponent,
        player=options.player,
        ours=options.me,
        length=options.length,
        level=options.played_at,
        server=options.server,
        since=options.since,
        until=options.until,
        text=options.text or "",
        result=options.result,
    )
    for line in _strangers(archive, asked):
        print(f"sixprime {options.command}: {line}", file=sys.stderr)
    return asked


def _strangers(archive: Archive, asked: Selection) -> Iterator[str]:
    """What to say of filters by players who have no match here."""
    wanted = [name for name in (asked.account, asked.opponent, asked.player) if name]
    if not wanted and not asked.ours:
        return
    from sixprime.bot.archive.collection.names import known_names
    from sixprime.bot.archive.collection.selection import players

    names, seated = known_names(archive), players(archive)
    if asked.ours and not names.ours:
        yield "nobody is known to be you: sixprime archive alias --me NAME"
    known = sorted({*seated, *names.players})
    for name in wanted:
        if not names.of(name) & seated:
            yield printable(f"no match is {name}'s{nearest(name, known)}")
