"""The options that say how to analyse, the same for every command that analyses."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from sixprime.bot.cli.leveloptions import level_arguments, level_of
from sixprime.bot.cli.main import UsageError, refusing

if TYPE_CHECKING:
    from sixprime.engine.analysis.settings import AnalysisSettings

_MARKS = {
    "doubtful": "EMG given away from which a decision is marked doubtful",
    "bad": "EMG from which it is bad",
    "very-bad": "EMG from which it is very bad",
    "lucky": "EMG gained from which a roll is lucky, or lost and unlucky",
    "very-lucky": "EMG from which it is very lucky, or very unlucky",
}


def setting_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how to analyse; `settings_of` reads them."""
    for name, what in _MARKS.items():
        parser.add_argument(f"--{name}", type=float, metavar="EMG", help=what)
    parser.add_argument(
        "--luck-plies", type=int, choices=range(3), default=0,
        help="judge luck by looking so many turns ahead (0); each takes 20 times longer",
    )  # fmt: skip
    level_arguments(parser, "world-class")


def settings_of(options: argparse.Namespace) -> AnalysisSettings:
    """What the options ask for."""
    from sixprime.engine.analysis.settings import AnalysisSettings, Thresholds
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
    said: dict[str, Any] = {"thresholds": thresholds, "weights": weights}
    if options.luck_plies > 0:
        said["luck"] = Evaluation(plies=options.luck_plies)
    return AnalysisSettings.of(level, **said)
