"""Finds the settings file, in the same places for every command."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.line.shared import SETTINGS_HERE, SETTINGS_NAME, SETTINGS_VARIABLE
from sixprime.bot.process.printable import printable
from sixprime.engine.compiling.place import home_folder


def settings_file(given: Path | None) -> Path:
    """Return the given file, or find one; UsageError if there is none."""
    path = given or find_settings()
    if path is None:
        raise UsageError(
            "no settings file; `sixprime init` writes one. Looked at "
            + ", ".join([f"${SETTINGS_VARIABLE}", *map(str, places(os.environ))])
        )
    return path


def find_settings() -> Path | None:
    """Return the file of the environment variable, else the first that exists, and name it."""
    named = os.environ.get(SETTINGS_VARIABLE)
    path = Path(named) if named else next(filter(Path.is_file, places(os.environ)), None)
    if path is not None:
        print(f"settings: {printable(str(path))}", file=sys.stderr)
    return path


def places(environment: Mapping[str, str]) -> list[Path]:
    """List the places of a settings file, best first; the last is the user's XDG folder."""
    named = environment.get("XDG_CONFIG_HOME", "")
    root = Path(named) if named.startswith("/") else home_folder() / ".config"
    return [*SETTINGS_HERE, root / "sixprime" / SETTINGS_NAME]
