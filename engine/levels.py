"""Strength levels: how closely a player looks before a play and before a cube decision.

The presets are those of gnubg's manual, weakest first. The weak ones see positions through noise
that is a function of the position, so that they err alike whenever they meet it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from engine.search import FILTERS, Evaluation


class UnknownLevel(ValueError):
    """No level has this name; the text names the nearest."""


@dataclass(frozen=True, slots=True)
class Level:
    """A way to play, by name."""

    name: str
    checker: Evaluation
    cube: Evaluation
    seconds: float | None = None  # for one decision; None: as long as it takes
    threads: int = 1


def _noisy(name: str, noise: float) -> Level:
    look = Evaluation(noise=noise, prune=False)
    return Level(name, look, look)


def _deep(name: str, plies: int, width: str) -> Level:
    look = Evaluation(plies, FILTERS[width])
    return Level(name, look, look)


PRESETS: dict[str, Level] = {
    level.name: level
    for level in (
        _noisy("beginner", 0.060),
        _noisy("casual", 0.050),
        _noisy("intermediate", 0.040),
        _noisy("advanced", 0.015),
        Level("expert", Evaluation(prune=False), Evaluation(prune=False)),
        _deep("world-class", 2, "normal"),
        _deep("supremo", 2, "large"),
        _deep("grandmaster", 3, "large"),
        _deep("4ply", 4, "large"),
    )
}


def preset(name: str) -> Level:
    """The level of this name; UnknownLevel otherwise."""
    if name in PRESETS:
        return PRESETS[name]
    raise UnknownLevel(f"no level {name[:40]!r}{nearest(name, tuple(PRESETS))}")


def nearest(name: str, known: tuple[str, ...]) -> str:
    """The end of a complaint about a name: the nearest known one, or all."""
    near = get_close_matches(name.lower(), known, 1)
    return f", did you mean {near[0]!r}?" if near else f", known: {', '.join(known)}"
