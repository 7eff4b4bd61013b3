"""`sixprime config`: the settings file of `sixprime play`."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from sixprime.bot.cli.line.shared import SETTINGS_NAME
from sixprime.bot.cli.operator.init import settings_text, write_settings
from sixprime.bot.cli.settingsfile import settings_file
from sixprime.bot.process.printable import counted, printable
from sixprime.bot.settings.example import schema_text
from sixprime.bot.settings.file import load_config, shown
from sixprime.bot.settings.namefiles import checked
from sixprime.bot.settings.schema import Config, Profile
from sixprime.engine.system.errors import ConfigError


def check(options: Namespace) -> int:
    config = valid_config(options)
    if config is None:
        return 2
    names = [profile.name for profile in config.profiles]
    count = counted(len(names), "profile")
    print(f"{options.file} is valid: {count} ({', '.join(names)})")
    return 0


def show(options: Namespace) -> int:
    config = valid_config(options)
    if config is None:
        return 2
    print(shown(config), end="")
    return 0


def write_example(options: Namespace) -> int:
    chosen = {"server.host": options.host, "account.user": options.user}
    changes = {path: value for path, value in chosen.items() if value is not None}
    if str(options.file) == "-":
        print(settings_text(Path(SETTINGS_NAME), changes)[0], end="")
        return 0
    write_settings(options.file, changes)
    todo = "check it" if options.user else "set account.user and check it"
    print(f"{options.file} is written; {todo}")
    return 0


def print_schema(options: Namespace) -> int:
    print(schema_text(), end="")
    return 0


def valid_config(options: Namespace) -> Config | None:
    """Load the settings; print every fault and return None if there are any."""
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
        return None
    return config


def _level_faults(profile: Profile) -> list[str]:
    """List the faults of the operator's own levels; presets need no engine."""
    player = profile.player
    named = (player.level, player.cube_level, player.thinking.cheaper_level)
    if player.levels_file is None and not any(isinstance(level, dict) for level in named):
        return []
    from sixprime.bot.client.ladder import levels_of  # the whole engine

    try:
        levels_of(player)
    except ConfigError as error:
        if error.path is not None:  # a file of levels
            raise
        return error.faults
    return []


def _name_faults(profile: Profile) -> list[str]:
    try:
        checked(profile.lobby)
    except ConfigError as error:
        return [str(error)]
    return []


def _database_faults(profile: Profile) -> list[str]:
    """List an unknown kind of database, or a driver that is not installed."""
    address = profile.archive.database
    if address is None or address.startswith("sqlite:///"):
        return []
    from sqlalchemy.engine import make_url  # takes longer to import than all else here
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError

    from sixprime.bot.archive.database import no_driver, with_driver

    try:
        with_driver(make_url(address)).get_dialect().import_dbapi()
    except ValueError:  # a port that is not a number; opening the archive says so
        return []
    except ModuleNotFoundError as error:
        return [f"archive.database: {no_driver(error)}"]
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        return [f"archive.database: {str(error).splitlines()[0]}"]
    return []
