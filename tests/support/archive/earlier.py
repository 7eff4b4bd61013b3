"""What an earlier program said, compared with what this one says."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sixprime.protocols.formats.record import Cube, Turn
from sixprime.protocols.formats.sgf.match import read_sgf, write_sgf


def lost(then: Any, now: Any, place: str = "") -> list[str]:
    """What was said then and is not any more; there may be more settings, or figures, now."""
    if isinstance(then, dict) and isinstance(now, dict):
        return [gone for key in then for gone in lost(then[key], now.get(key), f"{place}.{key}")]
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        pairs = enumerate(zip(then, now, strict=True))
        return [gone for i, (one, other) in pairs for gone in lost(one, other, f"{place}.{i}")]
    return [] if then == now else [f"{place}: {then!r}, now {now!r}"]


def unanalysed(name: str, text: str) -> str:
    """A file without its analysis, and without our own property of SGF."""
    if name.endswith(".sgf"):
        (match,) = read_sgf(text).matches
        games = [
            replace(game, statistics=None, actions=tuple(
                replace(each, analysis=None) if isinstance(each, Turn | Cube) else each
                for each in game.actions
            ))
            for game in match.games
        ]  # fmt: skip
        text = write_sgf(replace(match, games=tuple(games), annotator=""))
    return re.sub(r"SX(\[[^]]*\])+", "", text)
