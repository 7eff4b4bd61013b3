"""Formats dates and times as the server shows them."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def banner_date(now: float) -> str:
    """`Saturday, October 15 17:01:02 UTC   ( Sat Oct 15 17:01:02 2016 UTC )`"""
    return server_time(now, "UTC")


def server_time(now: float, timezone: str) -> str:
    """Return the time in this zone and in UTC."""
    local, utc = datetime.fromtimestamp(now, _zone(timezone)), datetime.fromtimestamp(now, UTC)
    return f"{local:%A, %B %d %H:%M:%S %Z}   ( {utc:%a %b %d %H:%M:%S %Y} UTC )"


def whois_date(then: float, timezone: str) -> str:
    """`Friday, May 18 00:34 CET`"""
    return f"{datetime.fromtimestamp(then, _zone(timezone)):%A, %B %d %H:%M %Z}"


def clock(then: float, timezone: str) -> str:
    """`00:34`"""
    return f"{datetime.fromtimestamp(then, _zone(timezone)):%H:%M}"


def idle(seconds: float) -> str:
    """`2:12`, minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _zone(timezone: str) -> tzinfo:
    try:
        return UTC if timezone == "UTC" else ZoneInfo(timezone)
    except ZoneInfoNotFoundError:  # set where the machine knew more zones
        return UTC
