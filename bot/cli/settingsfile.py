"""Finds the settings file, in the same places for every command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from sixprime.bot.cli.declaring import file
from sixprime.bot.cli.main import UsageError
from sixprime.bot.process.printable import printable
from sixprime.engine.compiling.place import home_folder

VARIABLE = "SIXPRIME_CONFIG"
NAME = "sixprime.yaml"  # what `sixprime init` writes
HERE = (Path(NAME), Path("config/fibs.yaml"))  # the second in a checkout
HELP = f"settings (${VARIABLE}, ./{NAME}, ./{HERE[1]}, ~/.config/sixprime/{NAME})"


def add_config(parser: argparse._ActionsContainer) -> None:
    file(parser, "--config", HELP)


def settings_file(given: Path | None) -> Path:
    """The file that was given, or the one that is found; UsageError if there is none."""
    path = given or found()
    if path is None:
        raise UsageError(
            "no settings file; `sixprime init` writes one. Looked at "
            + ", ".join([f"${VARIABLE}", *map(str, places(os.environ))])
        )
    return path


def found() -> Path | None:
    """The file of the environment variable, else the first that exists; said on stderr."""
    named = os.environ.get(VARIABLE)
    path = Path(named) if named else next(filter(Path.is_file, places(os.environ)), None)
    if path is not None:
        print(f"settings: {printable(str(path))}", file=sys.stderr)
    return path


def places(environment: Mapping[str, str]) -> list[Path]:
    """Where a file may be, best first."""
    return [*HERE, home_of_settings(environment) / NAME]


def home_of_settings(environment: Mapping[str, str]) -> Path:
    """The user's folder for settings, as the XDG specification has it."""
    named = environment.get("XDG_CONFIG_HOME", "")
    root = Path(named) if named.startswith("/") else home_folder() / ".config"
    return root / "sixprime"
