"""The levels of XG, by code or by name. XG counts plies from 1, we from 0."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sixprime.engine.analysis.values import EvalContext, RolloutResult

ANNOTATOR = "eXtreme Gammon"
_PLIES = {0: 0, 1: 1, 2: 2, 12: 2, 3: 3, 4: 4, 5: 5, 6: 6}
_ROLLED = {
    100: "XG rollout",
    998: "XG opening book",
    999: "XG opening book",
    1000: "XG Roller",
    1001: "XG Roller+",
    1002: "XG Roller++",
}


def by_level(level: int, trials: int, worth: Sequence[float]) -> EvalContext | RolloutResult:
    """Return the evaluation with this code of XG."""
    if level in _PLIES:
        return EvalContext(_PLIES[level])
    return _rolled(_ROLLED.get(level, f"XG level {level}"), trials, worth)


def by_name(name: str, worth: Sequence[float]) -> EvalContext | RolloutResult:
    """Return the evaluation of this name, in any language: `4-ply`, `4-plis`."""
    if found := re.match(r"([1-7])-", name):
        return EvalContext(int(found[1]) - 1)
    return _rolled(name if name.startswith("XG") else f"XG {name}".strip(), 0, worth)


def _rolled(what: str, trials: int, worth: Sequence[float]) -> RolloutResult:
    row = (*worth[:5], 0.0, worth[5])
    return RolloutResult(trials, (row,), ((0.0,) * 7,), what)
