"""The settings of an analysis: the depth of each search, the marks and the nets."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sixprime.engine.analysis.judging import USUAL, Thresholds
from sixprime.engine.analysis.values import EvalContext, RolloutResult
from sixprime.engine.analysis.valuesjson import VERSION
from sixprime.engine.nets.weights import NONE_NAMED, Named
from sixprime.engine.search.levels import PRESETS, Level, preset
from sixprime.engine.search.plies import Evaluation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sixprime.engine.search.cube import RolledFigures
    from sixprime.engine.search.plies import Candidate, Seen

PRUNED = Evaluation()  # 0-ply; judging every play of all 21 rolls would take twice the time


@dataclass(frozen=True, slots=True)
class AnalysisSettings:
    """The depth of each search; `weights` names the nets, so new nets change the key."""

    level: str = "world-class"
    checker: Evaluation = PRESETS["world-class"].checker
    cube: Evaluation = PRESETS["world-class"].cube
    luck: Evaluation = PRUNED  # in sixprime.engine.kernels.turns
    thresholds: Thresholds = USUAL
    keep: int = 5  # best candidates reported for each roll, besides the play made
    weights: str = ""  # 12 hex digits; empty: the nets that ship
    met: str | None = None  # match equity table; None: the default
    seconds: float | None = None  # for a decision; None: as long as it takes
    bearoff: Named = NONE_NAMED  # databases of one's own

    @classmethod
    def of(cls, level: Level | str = "world-class", **changes: Any) -> AnalysisSettings:
        """Return the settings of a level without its noise; `changes` sets other fields."""
        if isinstance(level, str):
            level = preset(level)
        checker, cube = replace(level.checker, noise=0.0), replace(level.cube, noise=0.0)
        rolls_out = level.checker.rollout or level.cube.rollout
        seconds = level.seconds if rolls_out else None  # plies alone end by themselves
        own = cls(level.name, checker, cube, met=level.met, seconds=seconds, bearoff=level.bearoff)
        return replace(own, **changes)

    @property
    def key(self) -> str:
        """A short text, different for any other settings or nets."""
        values = {**asdict(self), "weights": self.weights or _shipped(), "version": VERSION}
        for name, before in (("met", None), ("seconds", None), ("bearoff", NONE_NAMED)):
            if values[name] == before:
                del values[name]  # as in keys from before there was a choice
        usual = asdict(PRUNED)
        for look in (values["checker"], values["cube"], values["luck"]):
            for name in ("rollout", "keep", "efficiency"):
                if look[name] == usual[name]:
                    del look[name]
        text = json.dumps(values, sort_keys=True)
        return f"{self.level}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


@lru_cache(maxsize=1)
def _shipped() -> str:
    from sixprime.engine.nets.weights import version_of

    return version_of()


def context_of(look: Evaluation, plies: int) -> EvalContext:
    """Describe an evaluation by `look`; a filter may have stopped it at fewer plies."""
    return EvalContext(plies, look.cubeful, look.deterministic, look.noise, look.prune)


def rolled_by(rolled: Sequence[RolledFigures], seed: int) -> RolloutResult:
    """Return the rollout of a play, or of the two ways with the cube."""
    outputs, errors = [], []
    for row in rolled:
        win, gammon, backgammon, lost, lost_backgammon = row.outcomes
        cubeless = 2 * win - 1 + gammon + backgammon - lost - lost_backgammon
        worth, error = row.equity, row.error
        if row.mwc is not None:
            worth, error = row.mwc, row.mwc_error or 0.0
        outputs.append((*row.outcomes, cubeless, worth))
        errors.append((*row.outcome_errors, row.error, error))
    return RolloutResult(rolled[0].trials, tuple(outputs), tuple(errors), f"Sixprime, seed {seed}")


def play_by(look: Evaluation, candidate: Candidate) -> EvalContext | RolloutResult:
    if candidate.rolled is not None:
        return rolled_by([candidate.rolled], 1)
    return context_of(look, candidate.plies)


def cube_by(look: Evaluation, seen: Seen) -> EvalContext | RolloutResult:
    return rolled_by(seen.rolled, 1) if seen.rolled else context_of(look, look.plies)
