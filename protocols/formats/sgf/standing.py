"""Facts without a property in SGF: levels, experience, final ratings and times of day.

Our own property has them, `SX[started:2026-11-21T09:30:00+00:00][w-level:expert]`; gnubg ignores
it. A fact that cannot be read there is left out: no match is refused for it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import isfinite
from typing import Any

from sixprime.protocols.formats.record import Match, Player
from sixprime.protocols.formats.sgf.tree import Node, escape, unescape

_TIMES = ("started", "ended")
_SEATS = ("w-", "b-")


def _rating(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(text)
    return number


def _moment(text: str) -> dt.datetime:
    moment = dt.datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


_PLAYER: dict[str, Callable[[str], Any]] = {
    "rating-after": _rating,
    "experience-before": int,
    "experience-after": int,
    "level": str,
}


def write_extras(match: Match) -> str:
    """Return the property; empty if there is no such fact."""
    found = [(name, getattr(match, name)) for name in _TIMES]
    words = [f"{name}:{value.isoformat()}" for name, value in found if value is not None]
    for seat, player in zip(_SEATS, match.players, strict=True):
        for name in _PLAYER:
            value = getattr(player, name.replace("-", "_"))
            if value not in (None, ""):
                shown = f"{value:.10g}" if isinstance(value, float) else str(value)
                words.append(f"{seat}{name}:{shown}")
    return "SX" + "".join(f"[{escape(word)}]" for word in words) if words else ""


def read_extras(node: Node, match: Match) -> Match:
    """Return the match, completed from its root."""
    said = dict(_pair(value) for value in node.properties.get("SX", []))
    times: dict[str, Any] = {}
    for name in _TIMES:
        with suppress(KeyError, ValueError):
            times[name] = _moment(said[name])
    first, second = (
        _player(player, said, seat) for player, seat in zip(match.players, _SEATS, strict=True)
    )
    return replace(match, players=(first, second), **times)


def _pair(value: str) -> tuple[str, str]:
    name, _, text = unescape(value).partition(":")
    return name.strip(), text.strip()


def _player(player: Player, said: dict[str, str], seat: str) -> Player:
    found: dict[str, Any] = {}
    for name, kind in _PLAYER.items():
        with suppress(KeyError, ValueError):
            found[name.replace("-", "_")] = kind(said[seat + name])
    return replace(player, **found)
