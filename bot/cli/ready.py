"""One-off preparations: compiling kernels, building bearoff databases.

Kernels are compiled once per installation, and bearoff databases are built once per user. A command
that needs some of them calls `get_ready` first, which is silent unless something is missing. Of
several processes that need the same at once, one compiles it (sixprime.engine.compiling.kept).
"""

from __future__ import annotations

import atexit
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from sixprime.bot.cli.line.errors import UsageError
from sixprime.bot.cli.progress import bar
from sixprime.engine.compiling.place import kernels_folder, not_kept
from sixprime.engine.compiling.preparations import ON_DEMAND, PREPARATIONS
from sixprime.engine.system.cores import usable_cores

_FIRST = "first use after an installation or update; this happens once:"


def get_ready(*keys: str, then: tuple[str, ...] = ()) -> None:
    """Do the named preparations, or all, that are missing, and say so.

    Another process helps, and goes on with `then` while the command works.
    """
    missing = missing_preparations(*keys)
    if missing:
        print(_FIRST, file=sys.stderr)
        later = [key for key in then if key not in missing]
        with shared(missing, _missing(later)):
            for key in missing:
                prepare(key)


def missing_preparations(*keys: str) -> list[str]:
    """List the named preparations, or all, as far as they are still to do."""
    return _missing(keys or tuple(PREPARATIONS))


def _missing(keys: Sequence[str]) -> list[str]:
    folder = kernels_folder()
    known = PREPARATIONS | ON_DEMAND
    return [key for key in known if key in keys and not (folder / _mark(key)).exists()]


def left_for_later() -> list[str]:
    """Return all that is missing, for a command that begins at once; say so.

    Without a cache to share it is empty, since no other process could do it.
    """
    missing = _missing([*PREPARATIONS, *ON_DEMAND])
    if not missing or not _is_writable(kernels_folder()):
        return []
    if set(missing) - set(ON_DEMAND):
        print(_FIRST, file=sys.stderr)
    return missing


def warm_up(options: Namespace) -> int:
    """Do the named preparations again, or all with the help of another process."""
    for key in options.what:
        if key not in PREPARATIONS | ON_DEMAND:
            raise UsageError(f"{key}: there are {', '.join([*PREPARATIONS, *ON_DEMAND])}")
    begun = time.perf_counter()
    with shared([] if options.what else list(PREPARATIONS)):
        for key in options.what or PREPARATIONS:
            prepare(key)
    print(f"ready after {time.perf_counter() - begun:.1f} s", file=sys.stderr)
    return 0


@contextmanager
def shared(missing: Sequence[str], then: Sequence[str] = ()) -> Iterator[None]:
    """While the block does these from the front, another process does them from the back.

    It does not start on a single core, nor without a cache to share.
    """
    keys = [*reversed(missing), *then]
    if len(keys) < 2 or usable_cores() < 2 or not _is_writable(kernels_folder()):
        yield
        return
    helper = subprocess.Popen(
        helping(*keys),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(_end, helper)
    try:
        yield
    finally:
        if not then:
            _end(helper)


def helping(*keys: str) -> list[str]:
    """Return the words of a process that does these preparations."""
    return [sys.executable, "-P", "-m", "sixprime", "warmup", *keys]


def _end(helper: subprocess.Popen[bytes]) -> None:
    if helper.poll() is None:
        helper.terminate()
        helper.wait()


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        not_kept(error.strerror or str(error))
        return False
    return True


def prepare(key: str) -> None:
    """Do it even if it was done before, and report the time it took."""
    from sixprime.bot.cli.preparing import WORK  # imports the whole engine

    begun = time.perf_counter()
    with bar((PREPARATIONS | ON_DEMAND)[key]) as report:
        WORK[key](report)
    report_done(key, time.perf_counter() - begun)
    with suppress(OSError):  # then it is reported again next time
        mark(key)


def report_done(key: str, seconds: float) -> None:
    """Say on stderr how long a preparation took."""
    print(f"{(PREPARATIONS | ON_DEMAND)[key]}: {seconds:.1f} s", file=sys.stderr, flush=True)


def mark(key: str) -> None:
    """Record a preparation as done, beside the kernels, with which the mark is deleted."""
    folder = kernels_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _mark(key)).touch()


def _mark(key: str) -> str:
    return f"ready-{key}"
