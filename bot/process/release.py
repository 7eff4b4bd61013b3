"""The installed version of Sixprime."""

from __future__ import annotations

import platform
from importlib import resources
from importlib.metadata import PackageNotFoundError, version

UNKNOWN = "unknown"  # never installed, or being replaced by pip


def installed() -> str:
    """Return the version that a start would run, or UNKNOWN."""
    try:
        return version("sixprime")
    except PackageNotFoundError:
        return UNKNOWN


def build() -> str:
    """Name what answers may depend on beside the version: nets, Python, numba, processor."""
    nets = resources.files("sixprime.engine.data.weights").iterdir()
    names = [file.name.removesuffix(".npz") for file in nets if file.name.endswith(".npz")]
    try:
        numba = version("numba")
    except PackageNotFoundError:
        numba = UNKNOWN
    python = f"Python {platform.python_version()}, numba {numba}"
    return f"nets {', '.join(sorted(names))}; {python}, {platform.machine()}"
