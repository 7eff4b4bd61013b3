"""`sixprime config check/show/init/schema`: the settings file of `sixprime play`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sixprime.bot.settings.schema import Profile

EPILOG = """\
example:
  sixprime config init mybot.yaml
  sixprime config check mybot.yaml
"""
DEFAULT = Path("config/fibs.yaml")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    check = verbs.add_parser("check", help="name every fault of a file by its path")
    check.add_argument("file", type=Path, nargs="?", default=DEFAULT)
    show = verbs.add_parser("show", help="the effective settings, defaults included")
    show.add_argument("file", type=Path, nargs="?", default=DEFAULT)
    init = verbs.add_parser("init", help="write a commented example, and its schema for editors")
    init.add_argument("file", type=Path, nargs="?", default=Path("sixprime.yaml"))
    init.add_argument("--host", help="the server (fibs.com)")
    init.add_argument("--user", help="the account")
    verbs.add_parser("schema", help="the JSON schema of such files, for editors")


def run(options: argparse.Namespace) -> int:
    """Check, show or write."""
    import sys

    from sixprime.bot.cli.main import UsageError, refusing
    from sixprime.bot.settings.example import SCHEMA, example, schema_text
    from sixprime.bot.settings.file import ConfigError, load, read, shown

    if options.verb == "schema":
        print(schema_text(), end="")
        return 0
    if options.verb == "init":
        chosen = {"server.host": options.host, "account.user": options.user}
        changes = {path: value for path, value in chosen.items() if value is not None}
        text = example(options.file.name, changes)
        try:
            read(text, options.file)  # before anything is written: a name may be wrong
        except ConfigError as error:
            raise UsageError(error.faults[0]) from error
        with refusing(OSError, at=options.file):
            with options.file.open("x", encoding="utf-8") as file:
                file.write(text)
            (options.file.parent / SCHEMA).write_text(schema_text(), encoding="utf-8")
        todo = "check it" if options.user else "set account.user and check it"
        print(f"{options.file} is written; {todo}")
        return 0
    try:
        config = load(options.file)
        faults = [
            fault
            for profile in config.profiles
            for fault in (*_level_faults(profile), *_name_faults(profile))
        ]
        if faults:
            raise ConfigError(options.file, list(dict.fromkeys(faults)))  # profiles share levels
    except ConfigError as error:
        for fault in error.faults:
            print(f"{error.path}: {fault}", file=sys.stderr)
        return 2
    if options.verb == "show":
        print(shown(config), end="")
    else:
        names = [profile.name for profile in config.profiles]
        count = "1 profile" if len(names) == 1 else f"{len(names)} profiles"
        print(f"{options.file} is valid: {count} ({', '.join(names)})")
    return 0


def _level_faults(profile: Profile) -> list[str]:
    """Every fault in the operator's own levels; presets need no engine."""
    player = profile.player
    named = (player.level, player.cube_level, player.thinking.cheaper_level)
    if player.levels_file is None and not any(isinstance(each, dict) for each in named):
        return []
    from sixprime.bot.client.ladder import levels_of
    from sixprime.bot.settings.levels import BadLevel

    try:
        levels_of(player)
    except BadLevel as error:
        return error.faults
    return []


def _name_faults(profile: Profile) -> list[str]:
    from sixprime.bot.settings.namefiles import BadNames, checked

    try:
        checked(profile.lobby)
    except BadNames as error:
        return [str(error)]
    return []
