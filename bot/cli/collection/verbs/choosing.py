"""The archive, and the matches in it, that options choose."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from sixprime.bot.archive.archive import Archive
from sixprime.bot.archive.collection.filters import MATCH_FILTERS
from sixprime.bot.archive.collection.people import strangers
from sixprime.bot.archive.collection.selection import Selection
from sixprime.bot.archive.database import ArchiveError, reason_and_place
from sixprime.bot.cli.line.errors import Skipped, UsageError, refusing
from sixprime.bot.cli.line.values import database
from sixprime.bot.cli.settingsfile import find_settings
from sixprime.bot.settings.archiveplace import ArchivePlace, address_of
from sixprime.engine.system.errors import ConfigError

if TYPE_CHECKING:
    from sixprime.bot.settings.schema import ArchiveSettings  # pydantic is slow

_SETTINGS = (".yaml", ".yml")
PAGES_MIB = 64  # a command ends soon; bots and web servers keep SQLite's default


@contextmanager
def opened(options: Namespace, *, creates: bool = False) -> Iterator[Archive]:
    """Open the archive of the options; only a verb that fills one may create it."""
    with opened_at(_settings(options), creates=creates) as archive:
        yield archive


@contextmanager
def opened_at(
    settings: ArchiveSettings | ArchivePlace, *, creates: bool = False
) -> Iterator[Archive]:
    if not creates:
        _must_exist(settings.database or "")
    with refusing(ArchiveError), closing(Archive(settings)) as archive:
        for remark in archive.remarks:
            print(f"sixprime: the archive was upgraded: {remark}", file=sys.stderr)
        archive.keep_pages(PAGES_MIB)
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
    """Report the matches with unreadable rows, which bulk commands skip."""
    skipped = Skipped("archive")
    for match_id, column in archive.unreadable().items():
        skipped.report(f"match {match_id}", f"its {column} cannot be read")
    return skipped


def settings_at(place: str) -> ArchiveSettings | ArchivePlace:
    """Return the archive that a URL, a file of settings, or a file of SQLite names."""
    if Path(place).suffix.lower() in _SETTINGS:
        return _configured(Path(place), None)
    if "://" not in place:
        place = address_of(place)
    return _at(database(place))


def _settings(options: Namespace) -> ArchiveSettings | ArchivePlace:
    if options.database:
        return _at(options.database)
    path = options.config or find_settings()
    if path is None:
        return ArchivePlace()
    return _configured(path, options.profile)


def _at(address: str) -> ArchivePlace:
    return ArchivePlace(address, folder=None)  # only settings name a folder of match files


def _configured(path: Path, name: str | None) -> ArchiveSettings:
    from sixprime.bot.settings.file import chosen, load_config  # slow

    with refusing(ConfigError):
        profiles = chosen(load_config(path), name)
    settings = profiles[0].archive
    if len({profile.archive.database for profile in profiles}) > 1:
        raise UsageError(f"{path}: the profiles have different archives; say --profile")
    if settings.database is None:
        raise UsageError(f"{path}: archive.database is null, so there is no archive")
    return settings


def _must_exist(address: str) -> None:
    """Refuse a wrong path, which would look like an empty archive."""
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):  # the port may not be a number
        return  # opening it gives a better message
    path = url.database or ""
    if url.get_backend_name() == "sqlite" and not Path(path).exists():
        raise UsageError(f"no archive at {path} yet")


def selection_of(options: Namespace, archive: Archive) -> Selection:
    """Return the filters of the options; remark on players without a match here."""
    ids = getattr(options, "match", None)
    values = {
        each.name: getattr(options, each.option.removeprefix("--").replace("-", "_"))
        for each in MATCH_FILTERS
    }
    values["text"] = values["text"] or ""
    asked = Selection(ids=frozenset(ids) if ids else None, **values)
    for line in strangers(archive, asked):
        print(f"sixprime {options.words[0]}: {line}", file=sys.stderr)
    return asked
