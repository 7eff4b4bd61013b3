"""The installed version of Sixprime."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

UNKNOWN = "unknown"  # never installed, or being replaced by pip


def installed() -> str:
    """Return the version that a start would run, or UNKNOWN."""
    try:
        return version("sixprime")
    except PackageNotFoundError:
        return UNKNOWN
