"""The settings of an analysis that options choose, and rollouts of its errors."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sixprime.bot.analysis.rollouts import STOP_AT, Spot, is_rolled_out, rolled_out
from sixprime.bot.cli.levels import level_of
from sixprime.bot.cli.line.errors import UsageError, refusing
from sixprime.bot.cli.line.shared import MARKS
from sixprime.bot.cli.progress import bar
from sixprime.bot.cli.ready import get_ready
from sixprime.engine.analysis.judging import Thresholds
from sixprime.engine.analysis.settings import AnalysisSettings
from sixprime.engine.analysis.values import Error, MatchAnalysis
from sixprime.engine.bearoff.files import BadDatabase
from sixprime.engine.compiling.preparations import PLAYING
from sixprime.engine.kernels.evaluation import Brain
from sixprime.engine.nets.weights import (
    NONE_NAMED,
    BadWeights,
    Named,
    load_brain,
    version_of,
    with_databases,
)
from sixprime.engine.search.plies import Evaluation
from sixprime.engine.search.rollout import RolloutSettings


def settings_of(options: Namespace) -> AnalysisSettings:
    """Return the settings that the options choose; UsageError."""
    level = level_of(options)
    names = (name.replace("-", "_") for name in MARKS)
    marks = {name: value for name in names if (value := getattr(options, name)) is not None}
    thresholds = Thresholds(**marks)
    if not 0 <= thresholds.doubtful <= thresholds.bad <= thresholds.very_bad:
        raise UsageError("--doubtful, --bad and --very-bad must rise, from 0 on")
    if not 0 <= thresholds.lucky <= thresholds.very_lucky:
        raise UsageError("--lucky and --very-lucky must rise, from 0 on")
    weights = ""
    if options.weights is not None:
        with refusing(OSError, at=options.weights):
            weights = version_of(options.weights)
    changes: dict[str, Any] = {"thresholds": thresholds, "weights": weights, "keep": options.keep}
    if options.luck_plies > 0:
        changes["luck"] = Evaluation(plies=options.luck_plies)
    return AnalysisSettings.of(level, **changes)


def brain_of(options: Namespace, databases: Named = NONE_NAMED) -> Brain:
    """Load the nets that the options name, or the shipped ones; UsageError."""
    with refusing(BadWeights, BadDatabase):
        return with_databases(load_brain(getattr(options, "weights", None)), databases)


def with_rollouts(
    analysis: MatchAnalysis,
    worst: Callable[[MatchAnalysis], Sequence[Error]],
    options: Namespace,
    thresholds: Thresholds | None = None,
    marks: Sequence[Spot] = (),
    databases: Named = NONE_NAMED,
) -> MatchAnalysis:
    """Roll out the marked spots and, if asked, the worst errors, until all of these are."""
    settings = RolloutSettings(trials=options.trials, seed=options.seed, stop_at=STOP_AT)
    get_ready(*PLAYING)
    brain = brain_of(options, databases)
    with bar("rolling out") as progress:
        roll = partial(
            rolled_out,
            brain=brain,
            settings=settings,
            threads=options.threads or 1,
            thresholds=thresholds,
            progress=progress,
        )
        analysis = roll(analysis, marks) if marks else analysis
        while options.rollout and (
            wanted := [error for error in worst(analysis) if not is_rolled_out(analysis, error)]
        ):
            analysis = roll(analysis, map(Spot.of_error, wanted))
    return analysis
