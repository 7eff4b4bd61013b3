"""The room on the disk of a folder."""

from __future__ import annotations

import shutil
from pathlib import Path

MIB = 2**20


def free_mib(folder: Path) -> int | None:
    """Return the room at a folder or at its nearest parent; None if the disk gives no answer."""
    for place in (folder, *folder.absolute().parents):
        try:
            return shutil.disk_usage(place).free // MIB
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return None
    return None
