"""Relative paths of a settings file: they are places beside that file, wherever it is used from.

What lies in the working directory and not beside the file is used from there, as by older versions.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sixprime.bot.settings.archiveplace import SQLITE, address_of

NAMES = frozenset({"folder", "file", "socket", "database"})
_FILE = "_file"
_AUTO = "auto"


def rooted(tree: Any, folder: Path) -> Any:
    """The raw settings with every path in them as it is meant from here."""
    if not isinstance(tree, dict) or folder.resolve() == Path.cwd():
        return tree
    return {
        name: _place(value, folder) if _is_path(name) and isinstance(value, str) else
        rooted(value, folder)
        for name, value in tree.items()
    }  # fmt: skip


def _is_path(name: object) -> bool:
    return isinstance(name, str) and (name in NAMES or name.endswith(_FILE))


def _place(value: str, folder: Path) -> str:
    if "://" not in value:
        return value if value == _AUTO or value.startswith("~") else _beside(value, folder)
    path = value.removeprefix(SQLITE)
    known = not value.startswith(SQLITE) or path.startswith((":memory:", "file:")) or "?" in path
    if known or not path or _beside(path, folder) == path:
        return value
    return SQLITE + os.path.normpath(f"{address_of(str(folder)).removeprefix(SQLITE)}/{path}")


def _beside(path: str, folder: Path) -> str:
    beside = os.path.normpath(folder / path)
    is_old = not os.path.exists(beside) and os.path.exists(path)  # noqa: PTH110 (it never raises)
    return path if is_old or not path else beside
