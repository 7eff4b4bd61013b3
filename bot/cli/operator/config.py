"""`sixprime config`: the settings file of `sixprime play`."""

from __future__ import annotations

import sys
from argparse import Namespace
from importlib import resources
from pathlib import Path

from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.line.shared import SETTINGS_NAME
from sixprime.bot.cli.operator.init import settings_text, write_settings
from sixprime.bot.cli.settingsfaults import faults_of
from sixprime.bot.cli.settingsfile import settings_file
from sixprime.bot.process.printable import counted, printable
from sixprime.bot.settings.example import schema_text
from sixprime.bot.settings.file import load_config, shown
from sixprime.bot.settings.schema import Config
from sixprime.engine.system.errors import ConfigError, nearest_or_all

EXAMPLES = (  # in the package; pyproject.toml puts them into the wheel
    "config/*.yaml",
    "config/training/*.yaml",
    "deploy/*.yaml",
    "deploy/*.service",
    *(f"deploy/{folder}/*" for folder in ("grafana", "kubernetes", "prometheus", "proxies")),
)


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
    chosen = {"server.host": options.server, "account.user": options.account}
    changes = {path: value for path, value in chosen.items() if value is not None}
    if str(options.file) == "-":
        print(settings_text(Path(SETTINGS_NAME), changes)[0], end="")
        return 0
    write_settings(options.file, changes)
    todo = "check it" if options.account else "set account.user and check it"
    print(f"{options.file} is written; {todo}")
    return 0


def print_example(options: Namespace) -> int:
    folder = Path(str(resources.files("sixprime")))
    paths = [path for pattern in EXAMPLES for path in sorted(folder.glob(pattern))]
    known = {_example_name(str(path.relative_to(folder))): path for path in paths}
    if options.name is None:
        print("\n".join(known))
        return 0
    name = _example_name(options.name)
    if name not in known:
        raise UsageError(f"no example '{name}'{nearest_or_all(name, known)}")
    print(known[name].read_text(encoding="utf-8"), end="")
    return 0


def _example_name(path: str) -> str:
    return path.removeprefix("config/").removesuffix(".yaml")


def print_schema(options: Namespace) -> int:
    print(schema_text(), end="")
    return 0


def valid_config(options: Namespace) -> Config | None:
    """Load the settings; print every fault and return None if there are any."""
    options.file = settings_file(options.file or options.config)
    try:
        config = load_config(options.file)
        if faults := faults_of(config):
            raise ConfigError(faults, options.file)
    except ConfigError as error:
        for fault in error.faults:
            print(f"{error.where()}{printable(fault)}", file=sys.stderr)
        return None
    return config
