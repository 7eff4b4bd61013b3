"""The options that say how to analyse, the same for every command that analyses."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.declaring import number
from sixprime.bot.cli.leveloptions import level_arguments, level_of
from sixprime.bot.cli.main import UsageError, refusing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sixprime.bot.analysis.rollouts import Spot
    from sixprime.engine.analysis.judging import Thresholds
    from sixprime.engine.analysis.settings import AnalysisSettings
    from sixprime.engine.analysis.values import Error, MatchAnalysis
    from sixprime.engine.nets.weights import Named

TRIALS = 1296
KEPT = 5

_MARKS = {
    "doubtful": "mark decisions that lose this much as doubtful",
    "bad": "mark them as bad",
    "very-bad": "mark them as very bad",
    "lucky": "mark rolls that gain this much as lucky, that lose it as unlucky",
    "very-lucky": "mark them as very lucky, or very unlucky",
}


def setting_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how to analyse; `settings_of` reads them."""
    for name, what in _MARKS.items():
        parser.add_argument(f"--{name}", type=float, metavar="EMG", help=what)
    parser.add_argument(
        "--luck-plies", type=int, choices=range(3), default=0,
        help="judge luck by looking so many turns ahead (0); each takes 20 times longer",
    )  # fmt: skip
    number(
        parser,
        "--keep",
        KEPT,
        f"how many of the best plays to keep for each roll, besides the one made ({KEPT})",
        least=1,
    )
    level_arguments(parser, "world-class")


def settings_of(options: argparse.Namespace) -> AnalysisSettings:
    from sixprime.engine.analysis.judging import Thresholds
    from sixprime.engine.analysis.settings import AnalysisSettings
    from sixprime.engine.nets.weights import digest
    from sixprime.engine.search.plies import Evaluation

    level = level_of(options)
    names = (name.replace("-", "_") for name in _MARKS)
    marks = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    thresholds = Thresholds(**marks)
    if not 0 <= thresholds.doubtful <= thresholds.bad <= thresholds.very_bad:
        raise UsageError("--doubtful, --bad and --very-bad must rise, from 0 on")
    if not 0 <= thresholds.lucky <= thresholds.very_lucky:
        raise UsageError("--lucky and --very-lucky must rise, from 0 on")
    weights = ""
    if options.weights is not None:
        with refusing(OSError, at=options.weights):
            weights = digest(options.weights)
    said: dict[str, Any] = {"thresholds": thresholds, "weights": weights, "keep": options.keep}
    if options.luck_plies > 0:
        said["luck"] = Evaluation(plies=options.luck_plies)
    return AnalysisSettings.of(level, **said)


# --- rollouts


def rollout_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """Declare how to roll out errors."""
    what = "roll out the errors that are shown"
    parser.add_argument(name, dest="rollout", action="store_true", help=what)
    number(parser, "--trials", TRIALS, f"trials of a rollout ({TRIALS})", least=1)
    number(parser, "--seed", 1, "seed of its dice (1)")


def with_rollouts(
    analysis: MatchAnalysis,
    worst: Callable[[MatchAnalysis], Sequence[Error]],
    options: argparse.Namespace,
    thresholds: Thresholds | None = None,
    marks: Sequence[Spot] = (),
    databases: Named | None = None,
) -> MatchAnalysis:
    """Rolls out what is marked and, if asked, the worst errors, until none of those is left."""
    from sixprime.bot.analysis.rollouts import STOP_AT, Spot, is_rolled_out, rolled_out
    from sixprime.bot.cli.progress import bar
    from sixprime.bot.cli.ready import PLAYING, get_ready
    from sixprime.engine.nets.weights import (
        NONE_NAMED,
        BadNamed,
        BadWeights,
        load_brain,
        with_databases,
    )
    from sixprime.engine.search.rollout import RolloutSettings

    settings = RolloutSettings(trials=options.trials, seed=options.seed, stop_at=STOP_AT)
    get_ready(*PLAYING)
    with refusing(BadWeights, BadNamed), bar("rolling out") as progress:
        brain = with_databases(load_brain(options.weights), databases or NONE_NAMED)
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
            wanted := [each for each in worst(analysis) if not is_rolled_out(analysis, each)]
        ):
            analysis = roll(analysis, map(Spot.of, wanted))
    return analysis
