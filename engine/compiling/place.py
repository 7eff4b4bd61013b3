"""The folders of databases and compiled kernels; imports nothing heavy.

`trusted_folder` alone decides from which folder they may be loaded: see `engine.system.trusted`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

from sixprime.engine.system.trusted import distrust

_ENGINE = Path(__file__).parent.parent
_SOURCES = (
    "compiling/kept.py",
    "kernels/**/*.py",
    "lab/training/*.py",
    "people/figures.py",
    "people/choicenet.py",
)  # every file that holds kernels
OLD_S = 90 * 86_400.0  # since the last kernel of a version
_warned: list[str] = []


class KernelsNotKept(RuntimeWarning):
    """The cache cannot be written: every process compiles for itself."""


def cache_folder() -> Path:
    """Return the folder of databases and kernels: SIXPRIME_CACHE, or the user's cache folder."""
    chosen = os.environ.get("SIXPRIME_CACHE")
    if chosen:
        return Path(chosen)
    caches = os.environ.get("XDG_CACHE_HOME") or home_folder() / ".cache"
    return Path(caches) / "sixprime"


def home_folder() -> Path:
    """Return the user's home, or a place without files for a user without one."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull)


class CacheNotTrusted(RuntimeWarning):
    """Others could have written into the cache."""


def trusted_folder(home: Path, name: str) -> Path:
    """Return the folder of this name in `home`, or in our own cache if others could write there.

    A folder that cannot exist is returned if others could write into both.
    """
    faults = []
    for place in dict.fromkeys((home, _own_cache())):
        folder = (place / name).resolve()
        if not (fault := distrust(folder)):
            break
        faults.append(fault)
    else:
        folder = Path(os.devnull) / name
    if faults:
        why = f"{'; '.join(faults)}; SIXPRIME_CACHE can name another folder. Used now: {folder}"
        warnings.warn(why, CacheNotTrusted, stacklevel=2)
    return folder


def _own_cache() -> Path:
    """Return the cache in the home that the system knows, whatever HOME says (sudo keeps that)."""
    with suppress(ImportError, KeyError):
        import pwd

        return Path(pwd.getpwuid(os.geteuid()).pw_dir) / ".cache" / "sixprime"
    return cache_folder()


@cache
def kernels_folder() -> Path:
    """Return the folder of compiled kernels, named after all their sources.

    A kernel contains the kernels that it calls, so a changed one makes others stale.
    NUMBA_CACHE_DIR puts this folder elsewhere. A version without a folder deletes folders of
    versions long unused, with its first command.
    """
    digest = hashlib.sha256()
    for pattern in _SOURCES:
        for source in sorted(_ENGINE.glob(pattern)):
            digest.update(source.read_bytes())
    home = os.environ.get("NUMBA_CACHE_DIR") or cache_folder()
    folder = trusted_folder(Path(home), f"kernels-{digest.hexdigest()[:12]}")
    if not folder.exists():
        _delete_unused(folder.parent)
    return folder


def _delete_unused(home: Path) -> None:
    with suppress(OSError):  # another process may do the same
        for other in home.glob("kernels-*"):
            if time.time() - other.stat().st_mtime > OLD_S:
                shutil.rmtree(other, ignore_errors=True)


def not_kept(reason: str) -> None:
    """Warn, once in a process, that kernels cannot be kept."""
    if _warned:
        return
    _warned.append(reason)
    warnings.warn(
        f"{kernels_folder()}: {reason}; what is compiled now is compiled again at the next start,"
        " unless SIXPRIME_CACHE names a folder that can be written",
        KernelsNotKept,
        stacklevel=2,
    )
