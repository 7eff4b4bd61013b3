"""Relative paths in a file of settings or levels mean places beside that file.

A file in the working directory, but not beside the settings, is used from there, as by older
versions. `~` is the home folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sixprime.bot.settings.archiveplace import SQLITE, address_of

NAMES = frozenset({"folder", "file", "socket", "database", "one_sided", "two_sided"})
_FILE = "_file"
_AUTO = "auto"


def rooted(tree: Any, folder: Path) -> Any:
    """Return the raw settings, every path in them as seen from the working directory."""
    if not isinstance(tree, dict):
        return tree
    return {
        name: _place(value, folder) if isinstance(value, str) and _is_path(name, value) else
        rooted(value, folder)
        for name, value in tree.items()
    }  # fmt: skip


def _is_path(name: object, value: str) -> bool:
    if name == "met":  # others are names of tables
        return value.lower().endswith(".xml")
    return isinstance(name, str) and (name in NAMES or name.endswith(_FILE))


def _place(value: str, folder: Path) -> str:
    if "://" not in value:
        return value if value == _AUTO else _beside(value, folder)
    path = value.removeprefix(SQLITE)
    if not value.startswith(SQLITE) or path.startswith((":memory:", "file:")) or "?" in path:
        return value
    path = os.path.expanduser(path)  # noqa: PTH111 (it never raises)
    if _beside(path, folder) == path:
        return SQLITE + path
    return SQLITE + os.path.normpath(f"{address_of(str(folder)).removeprefix(SQLITE)}/{path}")


def _beside(path: str, folder: Path) -> str:
    path = os.path.expanduser(path)  # noqa: PTH111 (it never raises)
    beside = os.path.normpath(folder / path)
    is_old = not os.path.exists(beside) and os.path.exists(path)  # noqa: PTH110 (nor this)
    return path if is_old or not path or folder.resolve() == Path.cwd() else beside
