"""`sixprime config check/show/init/notify/schema`: the settings file of `sixprime play`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.bot.cli.declaring import file
from sixprime.bot.cli.operator.init import settings_text, write_settings
from sixprime.bot.cli.settingsfile import HELP, NAME, settings_file
from sixprime.bot.process.printable import counted, printable

if TYPE_CHECKING:
    from sixprime.bot.settings.schema import Config, Profile

EPILOG = """\
example:
  sixprime config init mybot.yaml
  sixprime config check mybot.yaml
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    _file(verbs.add_parser("check", help="name every fault of a file by its path"))
    _file(verbs.add_parser("show", help="the effective settings, defaults included"))
    init = verbs.add_parser("init", help="write a commented example, and its schema for editors")
    init.add_argument(
        "file", type=Path, nargs="?", default=Path(NAME), help=f"(./{NAME}; -: standard output)"
    )
    init.add_argument("--host", help="the server (fibs.com)")
    init.add_argument("--user", help="the account")
    _file(verbs.add_parser("notify", help="send a trial notice by webhook and mail"))
    verbs.add_parser("schema", help="the JSON schema of such files, for editors")


def _file(parser: argparse.ArgumentParser) -> None:
    named = parser.add_mutually_exclusive_group()
    named.add_argument("file", type=Path, nargs="?", help=HELP)
    file(named, "--config", "the same, as other commands take it")


def run(options: argparse.Namespace) -> int:
    import sys

    from sixprime.bot.settings.example import schema_text
    from sixprime.bot.settings.file import load_config, shown
    from sixprime.engine.system.errors import ConfigError

    if options.verb == "schema":
        print(schema_text(), end="")
        return 0
    if options.verb == "init":
        chosen = {"server.host": options.host, "account.user": options.user}
        changes = {path: value for path, value in chosen.items() if value is not None}
        if str(options.file) == "-":
            print(settings_text(Path(NAME), changes)[0], end="")
            return 0
        write_settings(options.file, changes)
        todo = "check it" if options.user else "set account.user and check it"
        print(f"{options.file} is written; {todo}")
        return 0
    options.file = settings_file(options.file or options.config)
    try:
        config = load_config(options.file)
        faults = [
            fault
            for profile in config.profiles
            for fault in (
                *_level_faults(profile),
                *_name_faults(profile),
                *_database_faults(profile),
            )
        ]
        if faults:
            raise ConfigError(list(dict.fromkeys(faults)), options.file)  # profiles share levels
    except ConfigError as error:
        for fault in error.faults:
            print(f"{error.where()}{printable(fault)}", file=sys.stderr)
        return 2
    if options.verb == "notify":
        return _notify(config)
    if options.verb == "show":
        print(shown(config), end="")
    else:
        names = [profile.name for profile in config.profiles]
        count = counted(len(names), "profile")
        print(f"{options.file} is valid: {count} ({', '.join(names)})")
    return 0


def _notify(config: Config) -> int:
    """Send a trial notice every way; 1 if one fails."""
    import sys

    from sixprime.bot.cli.main import UsageError, refusing
    from sixprime.bot.notices.delivery import Couriers, OperatorNotice
    from sixprime.engine.system.errors import ConfigError

    with refusing(ConfigError):
        couriers = Couriers(config.notices)
    if not couriers.ways:
        raise UsageError("notices: neither webhook nor mail_to is set")
    failed = couriers.tried(OperatorNotice("offline", "", "a trial; nothing is wrong", over=True))
    couriers.close()
    for way in couriers.ways:
        if way in failed:
            print(f"sixprime config: {way}: {printable(failed[way])}", file=sys.stderr)
        else:
            print(f"{way}: sent")
    return 1 if failed else 0


def _level_faults(profile: Profile) -> list[str]:
    """Every fault in the operator's own levels; presets need no engine."""
    player = profile.player
    named = (player.level, player.cube_level, player.thinking.cheaper_level)
    if player.levels_file is None and not any(isinstance(each, dict) for each in named):
        return []
    from sixprime.bot.client.ladder import levels_of
    from sixprime.engine.system.errors import ConfigError

    try:
        levels_of(player)
    except ConfigError as error:
        if error.path is not None:  # a file of levels
            raise
        return error.faults
    return []


def _name_faults(profile: Profile) -> list[str]:
    from sixprime.bot.settings.namefiles import checked
    from sixprime.engine.system.errors import ConfigError

    try:
        checked(profile.lobby)
    except ConfigError as error:
        return [str(error)]
    return []


def _database_faults(profile: Profile) -> list[str]:
    """An unknown kind of database, or a driver that is not installed."""
    address = profile.archive.database
    if address is None or address.startswith("sqlite:///"):
        return []  # SQLAlchemy takes longer to load than all else here
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    from sixprime.bot.archive.tables import no_driver, with_driver

    try:
        with_driver(make_url(address)).get_dialect().import_dbapi()
    except ValueError:  # a port that is not a number; opening the archive says so
        return []
    except ModuleNotFoundError as error:
        return [f"archive.database: {no_driver(error)}"]
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        return [f"archive.database: {str(error).splitlines()[0]}"]
    return []
