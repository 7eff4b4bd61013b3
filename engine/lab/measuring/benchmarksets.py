"""Benchmark sets: arrays with a note, judged while time lasts, written whole or not at all.

A set that is being judged is on disk from its first minute on: a run that was killed goes on.
"""

from __future__ import annotations

import json
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from zipfile import BadZipFile

import numpy as np

from sixprime.engine.lab import LabError
from sixprime.engine.system.wholefiles import written_whole

Set = TypeVar("Set", bound=NamedTuple)  # of arrays, and last `about`, a JSON text
Verdict = TypeVar("Verdict")
SAVE_EVERY_S = 20.0


def shipped(name: str) -> Path:
    """Return the path of the project's own file of that name."""
    return Path(str(resources.files("sixprime.engine.data.benchmark"))) / name


def save_set(path: Path, benchmark: NamedTuple) -> None:
    """Write the file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        np.savez_compressed(file, **benchmark._asdict())


def read_set(kind: Callable[..., Set], path: Path, what: str) -> Set:
    """Read a set of `what` from a file."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            return kind(**{**file, "about": str(file["about"])})
    except FileNotFoundError as error:
        raise LabError(f"{path}: no such file") from error
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile, zlib.error) as error:
        raise LabError(f"{path}: not a set of {what} ({error})") from error


def begun(
    read: Callable[[Path], Set], draw: Callable[[], Set], path: Path, about: dict[str, Any]
) -> Set:
    """Return the set that a file has, judged in part, or a drawn one, which is saved at once.

    LabError if the file was made from something else than `about` says; its date may differ.
    """
    if not path.exists():
        drawn = draw()
        save_set(path, drawn)
        return drawn
    kept = read(path)
    before = json.loads(kept._asdict()["about"])
    if {**before, "date": ""} != {**json.loads(json.dumps(about)), "date": ""}:
        raise LabError(f"{path}: made with other settings or weights")
    return kept


@contextmanager
def saving(path: Path, growing: NamedTuple) -> Iterator[Callable[[], None]]:
    """Save a set at the end of the block, and before whenever the block calls and it is time."""
    saved = time.monotonic()

    def now_and_then() -> None:
        nonlocal saved
        if time.monotonic() - saved > SAVE_EVERY_S:
            saved = time.monotonic()
            save_set(path, growing)

    try:
        yield now_and_then
    finally:
        save_set(path, growing)


def judged_in_time(
    judge: Callable[[int], Verdict], which: Iterable[int], threads: int, seconds: float
) -> Iterator[tuple[int, Verdict]]:
    """Yield the verdicts of `judge` by number, as they come; after `seconds` none is begun."""
    deadline = time.monotonic() + seconds
    stop = threading.Event()

    def judged(number: int) -> Verdict | None:
        if stop.is_set() or time.monotonic() > deadline:
            return None
        return judge(number)

    with ThreadPoolExecutor(threads) as pool:
        tasks = {pool.submit(judged, number): number for number in which}
        try:
            for task in as_completed(tasks):
                verdict = task.result()
                if verdict is not None:
                    yield tasks[task], verdict
        finally:
            stop.set()
