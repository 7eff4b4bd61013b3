"""Benchmark files: arrays with a note, written whole or not at all."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from sixprime.engine.system.wholefiles import written_whole


class BadBenchmark(ValueError):
    """The file is no such set, or from another plan; the text is one line that says why."""


def shipped(name: str) -> Path:
    """The project's own file of that name."""
    return Path(str(resources.files("sixprime.engine.data.benchmark"))) / name


def save(path: Path, benchmark: NamedTuple) -> None:
    """Write the file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        np.savez_compressed(file, **benchmark._asdict())


def read(path: Path, names: Iterable[str], what: str) -> dict[str, Any]:
    """The arrays of a file of `what`, `about` as text."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in names}
            return arrays | {"about": str(file["about"])}
    except FileNotFoundError as error:
        raise BadBenchmark(f"{path}: no such file") from error
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error) as error:
        raise BadBenchmark(f"{path}: not a set of {what} ({error})") from error
