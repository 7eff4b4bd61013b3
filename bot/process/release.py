"""Which version of Sixprime is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

UNKNOWN = "unknown"  # a folder that was never installed, or that pip is just replacing


def installed() -> str:
    """The version that a start would run, or UNKNOWN."""
    try:
        return version("sixprime")
    except PackageNotFoundError:
        return UNKNOWN
